"""The pytest plugin: a test fails if its run is worse than its references.

The message of the failure has the score with its parts, alignment and findings. A test that names
no reference has a recorded one, which ``--otap-update`` writes. With ``--otap-report`` the scores
of a session become a result file, with or without pytest-xdist.

pytest loads this module in every session of every project, so it imports other modules only when a
test requests a score.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

if TYPE_CHECKING:
    from otap.integrations.comparisons import Comparison
    from otap.scoring import Score, Scorer

    ScoreRun = Callable[..., Score]

_LINES = pytest.StashKey[list[str]]()  # the results of a test
_COMPARISONS = pytest.StashKey[list["Comparison"]]()  # of all trials of a test
_TRIAL = pytest.StashKey[int]()  # the number of the trial that runs
_HAS_FAILED = pytest.StashKey[bool]()  # a trial raised an error
_UPDATES = pytest.StashKey[list[str]]()  # lines about the references that a test recorded
_ATTRIBUTE = "otap_results"  # of a test report, with the results of the test
_USED_ATTRIBUTE = "otap_references"  # of a test report, with the recorded references of the test
_UPDATES_ATTRIBUTE = "otap_updates"


class BelowReferenceError(AssertionError):
    """A run that fails its gate; the message has the reason and the score."""


class Marker(NamedTuple):
    """The arguments of ``@pytest.mark.otap``, or else the options of the project.

    Attributes:
        reference: a file or a folder of references, or several.
        min_score: the least score that passes.
        fail_on: findings that fail the test.
        trials: how often the test runs; its runs are judged together.
    """

    reference: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None = None
    min_score: float | None = None
    fail_on: str | Sequence[str] = ()
    trials: int = 1


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the options of the command line and of the project."""
    group = parser.getgroup("otap", "scores of agents' runs")
    group.addoption(
        "--otap-report", metavar="FILE",
        help="Write the results of otap_score to FILE (JSONL), like 'otap evaluate'.",
    )  # fmt: skip
    group.addoption(
        "--otap-update", action="store_true",
        help="Record the references of tests that name none; replace those that a run fails.",
    )  # fmt: skip
    parser.addini(
        "otap_references", "The folder of the recorded references (default: that of otap.toml)."
    )
    parser.addini("otap_min_score", "The least score of otap_score that passes.")
    parser.addini("otap_fail_on", "The findings of otap_score that fail a test.", type="args")


def read_marker(item: pytest.Item) -> Marker:
    """Returns the marker of a test; for each argument the closest marker decides.

    Fails the test if an argument is unknown or wrong.
    """
    __tracebackhide__ = True
    arguments: dict[str, Any] = {}
    for mark in item.iter_markers("otap"):
        unknown = set(mark.kwargs) - set(Marker._fields)
        if mark.args or unknown:
            names = ", ".join(sorted(unknown)) or "without a name"
            fields = ", ".join(Marker._fields)
            pytest.fail(
                f"@pytest.mark.otap: unknown argument {names}; it has {fields}", pytrace=False
            )
        arguments = {**mark.kwargs, **arguments}
    if "min_score" not in arguments and item.config.getini("otap_min_score"):
        arguments["min_score"] = _read_min_score(item.config)
    arguments.setdefault("fail_on", item.config.getini("otap_fail_on"))
    marker = Marker(**arguments)
    if count_trials(item) != marker.trials:
        pytest.fail("@pytest.mark.otap: trials must be a number from 1", pytrace=False)
    return marker


def count_trials(item: pytest.Item) -> int:
    """Returns how often a test runs; a wrong number counts as 1, and read_marker reports it."""
    counts = (
        mark.kwargs["trials"] for mark in item.iter_markers("otap") if "trials" in mark.kwargs
    )
    count = next(counts, 1)
    return count if isinstance(count, int) and count >= 1 else 1


def _read_min_score(config: pytest.Config) -> float:
    __tracebackhide__ = True
    text = config.getini("otap_min_score")
    try:
        return float(text)
    except ValueError:
        pytest.fail(f"otap_min_score: '{text}' is no number between 0 and 1", pytrace=False)


@pytest.fixture(scope="session")
def otap_scorer() -> Scorer:
    """The scorer of a session, with the settings of ``otap.toml`` or ``pyproject.toml``.

    To use other settings, define a fixture of the same name.
    """
    from otap.config.file import load_config
    from otap.scoring import Scorer

    return Scorer(load_config().config)


@pytest.fixture
def otap_score(request: pytest.FixtureRequest, otap_scorer: Scorer) -> ScoreRun:
    """A function that scores a run, and fails the test if the run fails its gate.

    ``otap_score(run, references=None, *, min_score=None, fail_on=(), strict=False)`` takes a run as
    a trajectory or a file, and one or several references; only those of the run's task are used.
    Without references, those of the marker ``otap`` count, or else the recorded reference of the
    test. The test fails if the score is below ``min_score``, or if there is a finding of
    ``fail_on`` (one or several of: a severity, a kind, or a kind with a tool such as
    "arguments:pay_*"). It also fails if such a condition cannot be decided. With ``strict``, all
    that is not proven harmless is critical, and a critical finding fails the test unless other
    conditions are given. Returns the score.
    """
    item = request.node
    marker = read_marker(item)
    lines = item.stash.setdefault(_LINES, [])
    comparisons = item.stash.setdefault(_COMPARISONS, [])
    trial = item.stash.get(_TRIAL, 1)

    def score(
        run: Any,
        references: Any = None,
        *,
        min_score: float | None = None,
        fail_on: str | Sequence[str] = (),
        strict: bool = False,
    ) -> Score:
        __tracebackhide__ = True
        from otap.integrations.comparisons import Call, compare_run, describe_failure

        conditions = fail_on or marker.fail_on
        call = Call(
            run=run,
            references=references if references is not None else marker.reference,
            has_own_references=references is not None,
            min_score=marker.min_score if min_score is None else min_score,
            fail_on=[conditions] if isinstance(conditions, str) else list(conditions),
            strict=strict,
            trial=trial,
            number=1 + sum(comparison.trial == trial for comparison in comparisons),
        )
        comparison = compare_run(call, otap_scorer, item.nodeid, _read_folders(item.config))
        comparisons.append(comparison)
        # The test is the task of a run without a task.
        update: dict[str, Any] = {}
        if comparison.score.task is None:
            update["task"] = item.nodeid
        if marker.trials > 1 and comparison.score.trial is None:
            update["trial"] = trial
        lines.append(comparison.score.model_copy(update=update).to_json())
        if marker.trials == 1 and not comparison.is_updating:
            message = describe_failure([comparison])
            if message:
                raise BelowReferenceError(message)
        return comparison.score

    return score


def _read_folders(config: pytest.Config) -> tuple[Path, str, bool]:
    """The folder that the ids of tests begin from, that of the references, and whether to write."""
    return config.rootpath, config.getini("otap_references"), config.getoption("--otap-update")


def pytest_configure(config: pytest.Config) -> None:
    """Registers the marker, and the reports, but not in workers of pytest-xdist.

    Raises:
        UsageError: if the folder of the file does not exist.
    """
    config.addinivalue_line(
        "markers",
        "otap(reference=None, min_score=None, fail_on=(), trials=1): the references and the gate of"
        " otap_score; a test with trials runs several times and is judged once.",
    )
    if hasattr(config, "workerinput"):
        return
    config.pluginmanager.register(ReferenceReport(config), "otap-references")
    path = config.getoption("--otap-report")
    if path:
        if not Path(path).parent.is_dir():
            raise pytest.UsageError(f"--otap-report: no folder {Path(path).parent}; make it first")
        config.pluginmanager.register(ReportFile(Path(path)), "otap-report")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Runs a test with several trials, with new fixtures each time, and reports it once."""
    from _pytest.runner import runtestprotocol

    trials = count_trials(item)
    if trials == 1:
        return None
    hook = item.ihook
    hook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    by_trial = []
    for trial in range(1, trials + 1):
        item.stash[_TRIAL] = trial
        # Fixtures of the module stay until the last trial.
        following: Any = nextitem if trial == trials else item.parent
        by_trial.append(runtestprotocol(item, log=False, nextitem=following))
    failed = (reports for reports in by_trial if any(report.failed for report in reports))
    for report in next(failed, by_trial[-1]):
        hook.pytest_runtest_logreport(report=report)
    hook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, None, None]:
    """Judges all trials of a test after its last one, and records its references."""
    __tracebackhide__ = True
    try:
        yield
    except pytest.skip.Exception:
        _judge_trials(item)
        raise
    except BaseException:
        item.stash[_HAS_FAILED] = True
        raise
    _judge_trials(item)
    comparisons = item.stash.get(_COMPARISONS, [])
    is_last = item.stash.get(_TRIAL, 1) == count_trials(item)
    if comparisons and is_last and _HAS_FAILED not in item.stash:
        from otap.integrations.comparisons import record_comparisons

        item.stash[_UPDATES] = list(record_comparisons(comparisons, item.nodeid))


def _judge_trials(item: pytest.Item) -> None:
    __tracebackhide__ = True
    trials = count_trials(item)
    comparisons = item.stash.get(_COMPARISONS, [])
    if trials == 1 or item.stash[_TRIAL] < trials or not comparisons:
        return
    from otap.integrations.comparisons import describe_failure

    numbers = sorted({comparison.number for comparison in comparisons})
    for number in numbers:
        repeated = [comparison for comparison in comparisons if comparison.number == number]
        message = "" if repeated[0].is_updating else describe_failure(repeated)
        if message:
            raise BelowReferenceError(message)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Adds the results of a test to its report, which also reaches the parent of a worker."""
    report = yield
    if report.when == "call":
        comparisons = item.stash.get(_COMPARISONS, [])
        used = sorted({(str(c.folder), c.name.as_posix()) for c in comparisons if c.name})
        setattr(report, _ATTRIBUTE, item.stash.get(_LINES, []))
        setattr(report, _USED_ATTRIBUTE, used)
        setattr(report, _UPDATES_ATTRIBUTE, item.stash.get(_UPDATES, []))
        error = call.excinfo.value if call.excinfo else None
        if _TRIAL in item.stash and report.failed and isinstance(error, BelowReferenceError):
            # No line of the test is to blame for all trials together.
            report.longrepr = f"{BelowReferenceError.__name__}: {error}"
    return report


class ReferenceReport:
    """The lines about recorded references at the end of a session.

    References are unused only in a session that used others, and in modules whose tests all passed.

    Args:
        config: of the session.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._used_stems: dict[Path, set[str]] = {}
        self._updates: list[str] = []
        self._modules: set[str] = set()
        self._unfinished: set[str] = set()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Collects the references of a test, and the modules whose tests all end."""
        module = report.nodeid.partition("::")[0]
        self._modules.add(module)
        for folder, stem in getattr(report, _USED_ATTRIBUTE, ()):
            self._used_stems.setdefault(Path(folder), set()).add(stem)
        self._updates += getattr(report, _UPDATES_ATTRIBUTE, ())
        if not report.passed:
            self._unfinished.add(module)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Prints the recorded references, and those that no test used."""
        for text in self._updates:
            terminalreporter.write_line(f"otap: {text}")
        if not self._used_stems or self._is_restricted(terminalreporter):
            return
        from otap.integrations.recordings import list_unused, show_file

        root, patterns = self._config.rootpath, self._config.getini("python_files")
        modules = self._modules - self._unfinished
        for folder, stems in self._used_stems.items():
            for file in list_unused(folder, root, modules, stems, patterns):
                terminalreporter.write_line(
                    f"otap: {show_file(file)}: no test uses this reference; delete it", yellow=True
                )

    def _is_restricted(self, terminalreporter: pytest.TerminalReporter) -> bool:
        """Whether only a selection of the tests of a module ran."""
        option = self._config.option
        names = "keyword", "markexpr", "lf", "deselect", "stepwise", "collectonly"
        is_node = any("::" in argument for argument in self._config.args)
        is_selected = any(getattr(option, name, None) for name in names)
        return is_node or is_selected or bool(terminalreporter.stats.get("deselected"))


class ReportFile:
    """The result file of ``--otap-report``, sorted by test.

    Args:
        path: the file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lines: dict[str, list[str]] = {}
        self._failure: str | None = None

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Collects the results of a test; if a test is repeated, the last results count."""
        lines = getattr(report, _ATTRIBUTE, [])
        if lines:
            self._lines[report.nodeid] = lines

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Writes the complete file; the session fails if it cannot be written."""
        text = "".join(f"{line}\n" for test in sorted(self._lines) for line in self._lines[test])
        draft = self._path.with_name(f"{self._path.name}.{os.getpid()}")
        try:
            draft.write_text(text, encoding="utf-8")
            draft.replace(self._path)
        except OSError as error:
            self._failure = error.strerror
            session.exitstatus = session.exitstatus or pytest.ExitCode.USAGE_ERROR
            draft.unlink(missing_ok=True)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Prints the path of the file, or why it could not be written."""
        if self._failure:
            message = f"--otap-report: cannot write {self._path} ({self._failure})"
            terminalreporter.write_line(message, red=True)
        else:
            count = sum(len(lines) for lines in self._lines.values())
            terminalreporter.write_line(f"otap: {count} scores in {self._path}")

"""The pytest plugin: a run that falls short of its references is a test that fails.

The message of the failure is the whole score: numbers, alignment, findings. With ``--otap-report``
the scores of a session become a result file, whether or not workers of pytest-xdist ran the tests.

pytest loads this module in every session of every project: it imports what it needs when a test
asks for a score.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from otap.scoring import Explanation, Score, Scorer
    from otap.tasks import TaskRule
    from otap.trajectory import Trajectory

    ScoreRun = Callable[..., Score]

_LINES = pytest.StashKey[list[str]]()  # the results of one test, or of a whole session
_ATTRIBUTE = "otap_results"  # under which the results of a test travel with its report


class BelowReferenceError(AssertionError):
    """A run that its gate fails; the message says why, and shows the score."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the option of the report."""
    parser.getgroup("otap", "scores of agents' runs").addoption(
        "--otap-report", metavar="FILE",
        help="Write what otap_score found to FILE (JSONL), as 'otap evaluate' would.",
    )  # fmt: skip


@pytest.fixture(scope="session")
def otap_scorer() -> Scorer:
    """The scorer of a session, under the settings of ``otap.toml`` or ``pyproject.toml``.

    Define a fixture of this name to score with others.
    """
    from otap.config.file import load_config
    from otap.scoring import Scorer

    return Scorer(load_config().config)


@pytest.fixture
def otap_score(request: pytest.FixtureRequest, otap_scorer: Scorer) -> ScoreRun:
    """A function that scores a run, and fails the test if the run falls short.

    ``otap_score(run, references, *, min_score=None, fail_on=())`` takes a trajectory or a file for
    the run, and one or several of these for its references, of which those of the run's task count.
    The test fails if the score is below ``min_score``, on a finding of ``fail_on`` (a severity, a
    kind, or a kind with a tool as "arguments:pay_*"; one or several), and if either was asked for
    and cannot be decided. Returns the score.
    """
    results = request.node.stash.setdefault(_LINES, [])

    def score(
        run: Any,
        references: Any,
        *,
        min_score: float | None = None,
        fail_on: str | Sequence[str] = (),
    ) -> Score:
        __tracebackhide__ = True
        from otap.formats import parse, read
        from otap.scoring.gate import gate

        asked = gate(min_score, [fail_on] if isinstance(fail_on, str) else fail_on)
        trajectory = read(run) if isinstance(run, (str, os.PathLike)) else parse(run)
        gold = _references(trajectory, references, otap_scorer.config.task_rule)
        found = otap_scorer.score(trajectory, gold)
        # The test is the task of a run that names none.
        named = {"task": request.node.nodeid} if found.task is None else {}
        results.append(found.model_copy(update=named).to_json())
        doubt = asked.doubt(found) if asked.asks else None
        message = f"inconclusive: {doubt}" if doubt else "; ".join(asked.reasons(found))
        if message:
            shown = _shown(otap_scorer.explain(trajectory, gold, most=1))
            raise BelowReferenceError(f"{message}\n\n{shown}")
        return found

    return score


def pytest_configure(config: pytest.Config) -> None:
    """Collects results where the reports of all tests arrive: not in a worker of pytest-xdist.

    Raises:
        UsageError: if the report has no folder to lie in, before any test is run for it.
    """
    path = config.getoption("--otap-report")
    if path and not hasattr(config, "workerinput"):
        if not Path(path).parent.is_dir():
            raise pytest.UsageError(f"--otap-report: no folder {Path(path).parent}; make it first")
        config.pluginmanager.register(ReportFile(Path(path)), "otap-report")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Sends the results of a test along with its report, from a worker as well."""
    report = yield
    if report.when == "call":
        setattr(report, _ATTRIBUTE, item.stash.get(_LINES, []))
    return report


class ReportFile:
    """The result file of ``--otap-report``: by test, whichever ended first.

    Args:
        path: the file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._found: dict[str, list[str]] = {}
        self._failure: str | None = None

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Takes the results of a test; of one that was run again the last ones count."""
        lines = getattr(report, _ATTRIBUTE, [])
        if lines:
            self._found[report.nodeid] = lines

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Writes the file, whole; if it cannot be written the session has failed."""
        text = "".join(f"{line}\n" for test in sorted(self._found) for line in self._found[test])
        draft = self._path.with_name(f"{self._path.name}.{os.getpid()}")
        try:
            draft.write_text(text, encoding="utf-8")
            draft.replace(self._path)
        except OSError as error:
            self._failure = error.strerror
            session.exitstatus = session.exitstatus or pytest.ExitCode.USAGE_ERROR
            draft.unlink(missing_ok=True)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Says where the file lies, or why it does not."""
        if self._failure:
            said = f"--otap-report: cannot write {self._path} ({self._failure})"
            terminalreporter.write_line(said, red=True)
        else:
            count = sum(map(len, self._found.values()))
            terminalreporter.write_line(f"otap: {count} scores in {self._path}")


def _references(run: Trajectory, references: Any, rule: TaskRule | None) -> list[Trajectory]:
    """The references of the run's task, of all that were given."""
    from otap.formats import parse_references, read_references
    from otap.scoring.selection import ReferenceIndex
    from otap.trajectory import Trajectory

    paths = (str, os.PathLike, Trajectory)
    several = isinstance(references, (list, tuple)) and any(
        isinstance(one, paths) for one in references
    )
    found: list[Trajectory] = []
    for one in references if several else [references]:
        is_path = isinstance(one, (str, os.PathLike))
        found += read_references(one) if is_path else parse_references(one)
    return ReferenceIndex(found, rule).of_run(run).references


def _shown(explained: Explanation) -> str:
    """The score as it is printed to a pipe."""
    from otap.report.terminal.score import score_view
    from otap.report.view import PIPE, Terminal, plain

    return plain(score_view(explained), Terminal(PIPE))

"""The pytest plugin: a test fails if its run is worse than its references.

The message of the failure has the score with its parts, alignment and findings. With
``--otap-report`` the scores of a session become a result file, with or without pytest-xdist.

pytest loads this module in every session of every project, so it imports other modules only when a
test requests a score.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from otap.scoring import Explanation, Score, Scorer

    ScoreRun = Callable[..., Score]

_LINES = pytest.StashKey[list[str]]()  # the results of a test
_ATTRIBUTE = "otap_results"  # of a test report, with the results of the test


class BelowReferenceError(AssertionError):
    """A run that fails its gate; the message has the reason and the score."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the option --otap-report."""
    parser.getgroup("otap", "scores of agents' runs").addoption(
        "--otap-report", metavar="FILE",
        help="Write the results of otap_score to FILE (JSONL), like 'otap evaluate'.",
    )  # fmt: skip


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

    ``otap_score(run, references, *, min_score=None, fail_on=(), strict=False)`` takes a run as a
    trajectory or a file, and one or several references; only those of the run's task are used. The
    test fails if the score is below ``min_score``, or if there is a finding of ``fail_on`` (one or
    several of: a severity, a kind, or a kind with a tool such as "arguments:pay_*"). It also fails
    if such a condition cannot be decided. With ``strict``, all that is not proven harmless is
    critical, and a critical finding fails the test unless other conditions are given. Returns the
    score.
    """
    lines = request.node.stash.setdefault(_LINES, [])

    def score(
        run: Any,
        references: Any,
        *,
        min_score: float | None = None,
        fail_on: str | Sequence[str] = (),
        strict: bool = False,
    ) -> Score:
        __tracebackhide__ = True
        from otap.errors import disarm
        from otap.judge import Judge

        judge = Judge(
            references, strict=strict, min_score=min_score, fail_on=fail_on, scorer=otap_scorer
        )
        explanation = judge.explain(Path(run) if isinstance(run, str) else run)
        result = explanation.score
        # The test is the task of a run without a task.
        update = {"task": request.node.nodeid} if result.task is None else {}
        lines.append(result.model_copy(update=update).to_json())
        doubt = judge.gate.doubt(result) if judge.gate.asks else None
        message = f"inconclusive: {doubt}" if doubt else "; ".join(judge.gate.reasons(result))
        if message:
            raise BelowReferenceError(disarm(f"{message}\n\n{_print_score(explanation)}"))
        return result

    return score


def pytest_configure(config: pytest.Config) -> None:
    """Registers the result file, but not in workers of pytest-xdist.

    Raises:
        UsageError: if the folder of the file does not exist.
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
    """Adds the results of a test to its report, which also reaches the parent of a worker."""
    report = yield
    if report.when == "call":
        setattr(report, _ATTRIBUTE, item.stash.get(_LINES, []))
    return report


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


def _print_score(explanation: Explanation) -> str:
    """Returns the score as printed to a pipe."""
    from otap.report.terminal.score_view import score_view
    from otap.report.view import PIPE, Terminal, plain

    return plain(score_view(explanation), Terminal(PIPE))

"""The verdict of a check: the tasks that fail, each with its first finding."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from otap.evaluation import Result
from otap.findings import Finding
from otap.scoring.gate import Gate


@dataclass(frozen=True)
class FailedTask:
    """A task with a run that the gate fails.

    Attributes:
        result: of its worst run.
        finding: the first finding of this run that fails it; None if only its score does.
        runs: the number of its runs that fail.
        scored: the number of all its runs with a score.
    """

    result: Result
    finding: Finding | None
    runs: int
    scored: int


@dataclass
class Verdict:
    """The outcome of a check.

    Attributes:
        failed: the tasks that fail, the worst first.
        missing: the results without a reference of their task.
        doubtful: for each other run that neither passes nor fails, the reason.
        passed: the number of runs that pass.
        uncompared: for each task the arguments that its reference hides and cannot judge.
    """

    failed: list[FailedTask] = field(default_factory=list)
    missing: list[Result] = field(default_factory=list)
    doubtful: list[tuple[Result, str]] = field(default_factory=list)
    passed: int = 0
    uncompared: list[tuple[Result, Finding]] = field(default_factory=list)


def judge_results(results: Iterable[Result], gate: Gate, tasks: Collection[str | None]) -> Verdict:
    """Returns the verdict of a check.

    Args:
        results: the results of all runs.
        gate: the requirements.
        tasks: the tasks of the references; a reference without a task serves every run.
    """
    verdict = Verdict()
    failing: dict[str | None, list[Result]] = {}
    counts: dict[str | None, int] = {}
    listed: set[tuple[str | None, str]] = set()
    for result in results:
        if _has_no_reference(result, tasks):
            verdict.missing.append(result)
            continue
        if result.error is not None:
            verdict.doubtful.append((result, result.error.message))
            continue
        counts[result.task] = counts.get(result.task, 0) + 1
        for uncompared in result.findings:
            if uncompared.kind == "uncompared" and (result.task, uncompared.id) not in listed:
                listed.add((result.task, uncompared.id))
                verdict.uncompared.append((result, uncompared))
        doubt = gate.doubt(result)
        if doubt is not None:
            verdict.doubtful.append((result, doubt))
        elif gate.reasons(result):
            failing.setdefault(result.task, []).append(result)
        else:
            verdict.passed += 1
    for task, failed_runs in failing.items():
        worst = min(failed_runs, key=lambda result: (result.score or 0.0, result.readable_name))
        finding = next(iter(_list_failing(worst, gate)), None)
        verdict.failed.append(FailedTask(worst, finding, len(failed_runs), counts[task]))
    verdict.failed.sort(key=lambda failed: (failed.result.score or 0.0, failed.result.task or ""))
    return verdict


def _has_no_reference(result: Result, tasks: Collection[str | None]) -> bool:
    """Whether no reference is of the run's task.

    References of a single task serve every run in other commands. In a check the name of the task
    decides, because a new task must not be compared with the reference of another one.
    """
    if result.error is not None:
        return result.error.kind == "unmatched"
    return None not in tasks and result.task is not None and result.task not in tasks


def _list_failing(result: Result, gate: Gate) -> list[Finding]:
    """The findings that fail a run, or else all of them: its score is too low then."""
    failing = [
        finding for finding in result.findings if any(on.concerns(finding) for on in gate.on)
    ]
    return failing or list(result.findings)

"""Compares the runs of a test with their references, and judges all trials of a test together."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from otap._numbers import score_text
from otap.cli.golden_files import is_in_ci
from otap.errors import NoReferenceError, disarm, shown_path
from otap.formats import parse, read
from otap.integrations.recordings import (
    find_file,
    make_relative,
    name_recording,
    save_failed_run,
    show_file,
    write_recording,
)
from otap.judge import Judge

if TYPE_CHECKING:
    from otap.findings import Finding
    from otap.scoring import Explanation, Score, Scorer
    from otap.scoring.gate import Gate
    from otap.trajectory import Trajectory

MAX_FINDINGS = 20  # that the message of several trials lists


@dataclass(frozen=True)
class Call:
    """A call of ``otap_score``.

    Attributes:
        run: a trajectory, a file, or an object of a framework.
        references: those of the call or of the marker; None for the recorded ones of the test.
        has_own_references: whether the references are those of the call.
        min_score: the least score that passes.
        fail_on: the findings that fail.
        strict: whether strict mode is in force.
        trial: the number of the trial.
        number: of the call in its trial.
    """

    run: Any
    references: Any
    has_own_references: bool
    min_score: float | None
    fail_on: Sequence[str]
    strict: bool
    trial: int
    number: int


@dataclass(frozen=True)
class Comparison:
    """A run of a test with its score.

    Attributes:
        run: the run.
        judge: its references, with the requirements of the test.
        explanation: of its score.
        trial: the number of the trial.
        number: of the call in its trial.
        name: of the recorded reference; None if the test names references.
        folder: of the recorded references.
        is_updating: whether the reference is recorded after the test.
    """

    run: Trajectory
    judge: Judge
    explanation: Explanation
    trial: int
    number: int
    name: PurePosixPath | None
    folder: Path
    is_updating: bool

    @property
    def score(self) -> Score:
        """The score of the run."""
        return self.explanation.score

    @property
    def gate(self) -> Gate:
        """The requirements of the test."""
        return self.judge.gate


def compare_run(
    call: Call, scorer: Scorer, node_id: str, folders: tuple[Path, str, bool]
) -> Comparison:
    """Scores a run of a test.

    Args:
        call: the run, its references and its gate.
        scorer: the scorer of the session.
        node_id: the id of the test.
        folders: the folder that the ids of tests begin from, the folder of recorded references
            (empty: that of the settings), and whether references are recorded.

    Raises:
        NoReferenceError: if there is no reference; it names the command that records it.
    """
    __tracebackhide__ = True
    root, folder_name, wants_update = folders
    config = scorer.config
    conditions, min_score = call.fail_on, call.min_score
    if not call.has_own_references and not conditions and min_score is None:
        conditions, min_score = config.golden.fail_on, config.golden.fail_under
    name, is_updating, references = None, False, call.references
    folder = root / (folder_name or config.golden.references)
    if references is None:
        name = name_recording(node_id, call.number)
        is_updating = wants_update and not is_in_ci()
        file = find_file(folder / name)
        if file is None and not is_updating:
            raise NoReferenceError(_describe_missing(folder / name, node_id))
        references = None if file is None else make_relative(file)
    elif not call.has_own_references:
        references = _find_named_files(references, root)
    judge = Judge(
        references, strict=call.strict, min_score=min_score, fail_on=conditions, scorer=scorer
    )
    run = read(call.run) if isinstance(call.run, (str, os.PathLike)) else parse(call.run)
    # A run that is recorded for the first time is its own reference.
    return Comparison(
        run, judge, judge.explain(run, run), call.trial, call.number, name, folder, is_updating
    )


def _describe_missing(stem: Path, node_id: str) -> str:
    file = show_file(stem.with_name(f"{stem.name}.json"))
    module, *names = node_id.partition("[")[0].split("::")
    command = shlex.join(["pytest", "--otap-update", module, "-k", names[-1] if names else module])
    return f"{file}: no reference of this test; look at its run, and record it: {command}"


def _find_named_files(names: Any, root: Path) -> list[Path]:
    """The files and folders of a marker, which it names relative to the root of the tests.

    Raises:
        NoReferenceError: if a file does not exist.
    """
    __tracebackhide__ = True
    files = [
        root / name for name in ([names] if isinstance(names, (str, os.PathLike)) else list(names))
    ]
    for file in files:
        if not file.exists():
            raise NoReferenceError(
                f"{show_file(file)}: no reference; record a good run: otap record RUN -o"
                f" {show_file(file if not file.suffix else file.parent)}"
            )
    return files


def describe_failure(comparisons: Sequence[Comparison]) -> str:
    """Returns why a test fails, with the score of its worst run; empty if it passes.

    The mean of the scores of all trials must reach the least score. A finding that fails a single
    trial fails the test.

    Args:
        comparisons: of the same call in each trial.
    """
    reasons = list(_list_reasons(comparisons))
    if not reasons:
        return ""
    worst = min(comparisons, key=lambda comparison: comparison.score.score)
    text = _print_score(worst.explanation)
    hint = _describe_acceptance(worst)
    return disarm("\n".join([*reasons, "", text, *hint]))


def _list_reasons(comparisons: Sequence[Comparison]) -> Iterator[str]:
    if len(comparisons) == 1:
        score, run_gate = comparisons[0].score, comparisons[0].gate
        doubt = run_gate.doubt(score) if run_gate.asks else None
        reason = f"inconclusive: {doubt}" if doubt else "; ".join(run_gate.reasons(score))
        if reason:
            yield reason
        return
    run_gate, trials = comparisons[0].gate, len(comparisons)
    doubts = [comparison.gate.doubt(comparison.score) for comparison in comparisons]
    doubtful = [doubt for doubt in doubts if doubt and run_gate.asks]
    if doubtful:
        yield f"inconclusive in {len(doubtful)} of {trials}: {doubtful[0]}"
    mean = sum(comparison.score.score for comparison in comparisons) / trials
    if run_gate.under is not None and mean < run_gate.under:
        yield f"the mean score {score_text(mean)} of {trials} trials is below {run_gate.under!r}"
    findings: dict[str, Finding] = {}
    counts: dict[str, int] = {}
    for comparison in comparisons:
        for finding in comparison.score.findings:
            if any(condition.concerns(finding) for condition in run_gate.on):
                findings.setdefault(finding.id, finding)
                counts[finding.id] = counts.get(finding.id, 0) + 1
    for finding_id, finding in list(findings.items())[:MAX_FINDINGS]:
        count = f"in {counts[finding_id]} of {trials}"
        yield f"{finding.severity} {finding.kind} {finding_id} {count}: {finding.sentence}"
    if len(findings) > MAX_FINDINGS:
        yield f"and {len(findings) - MAX_FINDINGS} more findings"


def _describe_acceptance(comparison: Comparison) -> list[str]:
    """The command that accepts the first finding of a run with a recorded reference."""
    score = comparison.score
    failing = [f for f in score.findings if any(on.concerns(f) for on in comparison.gate.on)]
    finding = next(iter(failing or score.findings), None)
    if comparison.name is None or finding is None:
        return []
    results = save_failed_run(comparison.name, comparison.run, score)
    if results is None:
        return []
    return ["", f"to accept it: otap accept {shown_path(results)}:{finding.id}"]


def _print_score(explanation: Explanation) -> str:
    """Returns the score as printed to a pipe."""
    from otap.report.terminal.score_view import score_view
    from otap.report.view import PIPE, Terminal, plain

    return plain(score_view(explanation), Terminal(PIPE))


def record_comparisons(comparisons: Sequence[Comparison], node_id: str) -> Iterator[str]:
    """Records the references of a test that passed, and yields a line about each new one.

    A reference that the runs pass stays unchanged. Otherwise the runs of all trials replace it.

    Args:
        comparisons: of all trials.
        node_id: the id of the test, which is the task of a run without a task.
    """
    for number in sorted({comparison.number for comparison in comparisons}):
        repeated = [comparison for comparison in comparisons if comparison.number == number]
        first = repeated[0]
        if first.name is None or not first.is_updating:
            continue
        stem = first.folder / first.name
        old_file, reasons = find_file(stem), list(_list_reasons(repeated))
        if old_file is not None and not reasons:
            continue
        runs = [comparison.run for comparison in repeated]
        file, scores = write_recording(stem, runs, node_id, first.judge.scorer.config)
        if old_file is None:
            yield f"{show_file(file)}: recorded from {node_id}"
        else:
            yield f"{show_file(file)}: replaced, because {reasons[0]}"
        for score in scores:
            if score.severity == "critical":
                yield f"  a run does not fulfil it: {score.findings[0].sentence}"

"""The judge: one verdict on one run, in the words that hosts of evaluations ask for.

Hosts are frameworks that call a judge for each case: LangSmith, Inspect, MLflow, DeepEval. They
differ in the class that they want back. The judge has all that these classes hold.

>>> import otap
>>> judge = otap.Judge("examples/hotel-booking/reference.json")
>>> verdict = judge(otap.read("examples/hotel-booking/runs/missing_book.json"))
>>> verdict.passed, round(verdict.score, 2)
(False, 0.65)
>>> print(judge("no run").unscored)
the run is a text but not JSON; pass its messages, its spans, or a pathlib.Path
"""

import asyncio
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from otap._numbers import score_text
from otap.errors import FormatError, NoReferenceError, OtapError, shown
from otap.formats import LIMITS, parse, parse_references, read, read_references
from otap.formats.json.syntax import parse_text
from otap.scoring import Explanation, Score, Scorer
from otap.scoring.gate import gate
from otap.scoring.selection import ReferenceIndex
from otap.trajectory import Trajectory

MAX_FINDINGS = 3  # of a verdict
METADATA_KEYS = ("references", "reference")  # of a case, in order of preference


@dataclass(frozen=True)
class Verdict:
    """The judgement of one run.

    Attributes:
        score: the score in (0, 1]; None: unscored.
        passed: whether the run passes the gate; None: unscored.
        unscored: why there is no score; None: there is one.
        headline: the main differences in one sentence, or why there is no score.
        findings: the worst findings, at most three, one line each.
        reasons: why the run fails the gate, one line each.
        result: the score with its parts and alignment; None: the run could not be scored.
    """

    score: float | None
    passed: bool | None
    unscored: str | None
    headline: str
    findings: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    result: Score | None = None

    def __str__(self) -> str:
        """The score and the headline in one line, then a line for each finding."""
        number = "unscored" if self.score is None else f"score {score_text(self.score)}"
        return "\n".join([f"{number}: {self.headline}", *self.findings])


class Judge:
    """Judges runs against their references, and never takes an error for a low score.

    The references of a run come from the constructor; or else from the ``references`` or
    ``reference`` of the case's metadata; or else from the expected field of the host. Of several
    tasks, only those of the run's task count. References are files or folders, trajectories,
    objects of a framework, plans, or a list of these.

    Args:
        references: the references of all runs.
        strict: whether all that is not proven harmless is critical.
        min_score: the least score that passes.
        fail_on: the findings that fail a run, as in ``otap score --fail-on``: severities, kinds, or
            kinds with a tool. An empty list: none.
        scorer: the scorer (default: one with the default settings).

    Raises:
        OtapError: if a reference cannot be read, or a condition is unknown.
    """

    def __init__(
        self,
        references: Any = None,
        *,
        strict: bool = False,
        min_score: float | None = None,
        fail_on: str | Sequence[str] = "critical",
        scorer: Scorer | None = None,
    ) -> None:
        base = scorer or Scorer()
        self.scorer = base.make_strict() if strict else base
        conditions = [fail_on] if isinstance(fail_on, str) else fail_on
        self.gate = gate(min_score, conditions, strict=self.scorer.config.strict)
        self._references = None if references is None else self._index(references)

    def __call__(self, run: Any, expected: Any = None, *, metadata: Any = None) -> Verdict:
        """Returns the verdict on a run; the same as :meth:`judge`."""
        return self.judge(run, expected, metadata=metadata)

    def judge(self, run: Any, expected: Any = None, *, metadata: Any = None) -> Verdict:
        """Returns the verdict on a run.

        A run that cannot be read or scored is unscored. So is a run of which nothing was
        understood, and a score that decides nothing.

        Args:
            run: an object of a framework, plain data, its JSON as a text, a trajectory, or the path
                of a file as a :class:`pathlib.Path`.
            expected: the references in the expected field of the host; a text is JSON or a path.
            metadata: the metadata of the case; only a mapping can hold references.
        """
        try:
            explanation = self.explain(run, expected, metadata=metadata)
        except OtapError as error:
            return Verdict(None, None, str(error), str(error))
        score = explanation.score
        doubt = self.gate.doubt(score)
        if doubt is not None:
            return Verdict(None, None, doubt, doubt, result=score)
        reasons = tuple(self.gate.reasons(score))
        findings = tuple(
            f"{finding.severity} {finding.kind}: {finding.sentence}"
            for finding in score.findings[:MAX_FINDINGS]
        )
        return Verdict(
            score.score, not reasons, None, _headline(explanation), findings, reasons, score
        )

    async def judge_async(self, run: Any, expected: Any = None, *, metadata: Any = None) -> Verdict:
        """Returns the verdict on a run, computed in a thread.

        Args:
            run: as for :meth:`judge`.
            expected: as for :meth:`judge`.
            metadata: as for :meth:`judge`.
        """
        return await asyncio.to_thread(self.judge, run, expected, metadata=metadata)

    def explain(self, run: Any, expected: Any = None, *, metadata: Any = None) -> Explanation:
        """Returns the score of a run with its source, without a verdict.

        Args:
            run: as for :meth:`judge`.
            expected: as for :meth:`judge`.
            metadata: as for :meth:`judge`.

        Raises:
            OtapError: if the run cannot be read or scored, or there is no reference.
        """
        trajectory = _read_run(run)
        references = self._references
        if references is None:
            references = self._index(_find_references(expected, metadata))
        return self.scorer.explain(trajectory, references.of_run(trajectory).references, most=1)

    def _index(self, references: Any) -> ReferenceIndex:
        return ReferenceIndex(_read_references(references), self.scorer.config.task_rule)


def _read_run(run: Any) -> Trajectory:
    """Returns a run as a trajectory. A text is never a path, because an agent may write it."""
    if isinstance(run, os.PathLike):
        return read(run)
    if not isinstance(run, str):
        return parse(run)
    try:
        return parse(_parse_json(run))
    except ValueError:
        raise FormatError(
            "the run is a text but not JSON; pass its messages, its spans, or a pathlib.Path"
        ) from None


def _find_references(expected: Any, metadata: Any) -> Any:
    """Returns the references in the metadata of a case, or else its expected field.

    Raises:
        NoReferenceError: if there are none.
    """
    fields = metadata if isinstance(metadata, Mapping) else {}
    stated = [fields[key] for key in METADATA_KEYS if fields.get(key) is not None]
    references = stated[0] if stated else expected
    if references is None:
        raise NoReferenceError(
            "no reference; pass known-good runs to Judge, in the metadata of the case, or as the"
            " expected output"
        )
    return references


def _read_references(references: Any) -> list[Trajectory]:
    """Returns the references in a file, an object, or a list of these."""
    single = (str, os.PathLike, Trajectory)
    is_list = isinstance(references, list | tuple)
    if is_list and any(isinstance(reference, single) for reference in references):
        return [run for reference in references for run in _read_references(reference)]
    if isinstance(references, os.PathLike):
        return read_references(references)
    if not isinstance(references, str):
        return parse_references(references)
    if references.lstrip()[:1] not in ("{", "["):
        return read_references(Path(references))
    try:
        return parse_references(_parse_json(references))
    except ValueError:
        text = shown(references, 60)
        raise FormatError(f"the reference is a text but not JSON: {text}") from None


def _parse_json(text: str) -> Any:
    """Returns the object or list that a text holds as JSON.

    Raises:
        ValueError: if it holds none, or exceeds a limit.
    """
    content = parse_text(text, LIMITS.max_depth) if len(text) <= LIMITS.max_bytes else None
    if not isinstance(content, dict | list):
        raise ValueError(text[:1])
    return content


def _headline(explanation: Explanation) -> str:
    """Returns the headline of the report."""
    from otap.report.model.alignment_report import describe_alignment

    return shown(describe_alignment(explanation.best).headline, 1000)

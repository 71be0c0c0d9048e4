"""Scores, results and comparisons without what runs say."""

from collections.abc import Iterable
from typing import Any, TypeVar

from otap.alignment import Alignment, StepShare
from otap.evaluation import Failure, Result
from otap.evaluation.comparison import Comparison
from otap.evaluation.comparison.comparison import Side
from otap.evaluation.explaining import Told
from otap.report.redaction.findings import hidden_findings, sentence
from otap.report.redaction.stand_ins import StandIns
from otap.report.redaction.trajectories import hidden_id, hidden_source, hidden_trial
from otap.scoring import Score, Signature
from otap.scoring.result import LeftOut, ReferenceScore, StepRewards, Unknown

_Scored = TypeVar("_Scored", Score, Result, Told)
_WHY = {
    "read": "it could not be read",
    "unmatched": "there is no reference of its task",
    "score": "it could not be scored",
}


def hidden_result(found: _Scored, names: StandIns) -> _Scored:
    """Returns a score, or a line of a result file, without values and names."""
    known = type(found).model_fields
    update = {name: value for name, value in _about(found, names).items() if name in known}
    copy = found.model_copy(update=update)
    vars(copy).pop("origin", None)  # the way back to what is hidden
    return copy


def hidden_comparison(found: Comparison, names: StandIns) -> Comparison:
    """Returns a comparison without the names of tasks and files."""
    tasks = (
        one.model_copy(
            update={
                "task": names.named("task", one.task),
                "finding": one.kind and sentence(one.kind, [one.tool] if one.tool else []),
            }
        )
        for one in found.tasks
    )
    conditions = (
        one.model_copy(update={"task": names.named("task", one.task)}) for one in found.conditions
    )
    return found.model_copy(
        update={
            "base": _side(found.base, names),
            "new": _side(found.new, names),
            "tasks": tuple(tasks),
            "conditions": tuple(conditions),
        }
    )


def _about(found: Score | Result, names: StandIns) -> dict[str, Any]:
    """What is another in it, by name; not every record has all of these."""
    error = getattr(found, "error", None)
    return {
        "id": hidden_id(found.id, "run", names),
        "task": hidden_id(found.task, "task", names),
        "trial": hidden_trial(found.trial, names),
        "findings": hidden_findings(found.findings, names),
        "best_reference": hidden_id(found.best_reference, "reference", names),
        "source": hidden_source(found.source, names),
        "reference_sources": tuple(hidden_source(s, names) for s in found.reference_sources),
        "error": error and Failure(kind=error.kind, message=_WHY[error.kind]),
        "traces": None,
        "unknown": Unknown(),
        **_steps(found, names),
    }


def _steps(found: Any, names: StandIns) -> dict[str, Any]:
    """What names steps."""
    update: dict[str, Any] = {}
    if isinstance(getattr(found, "alignment", None), Alignment):
        update["alignment"] = _alignment(found.alignment, names)
        update["references"] = tuple(_reference(one, names) for one in found.references)
    if isinstance(found, Score):
        update["left_out"] = LeftOut(
            agent=_ids(found.left_out.agent, names), reference=_ids(found.left_out.reference, names)
        )
        update["step_rewards"] = _rewards(found.step_rewards, names)
        update["signature"] = _signature(found.signature, names)
    return update


def _signature(found: Signature, names: StandIns) -> Signature:
    """How it was made; an encoder may be a folder of somebody's machine."""
    is_path = "/" in found.encoder or "\\" in found.encoder
    return found.model_copy(
        update={"encoder": names.named("encoder", found.encoder) if is_path else found.encoder}
    )


def _reference(one: ReferenceScore, names: StandIns) -> ReferenceScore:
    return one.model_copy(update={"id": names.named("reference", one.id)})


def _rewards(found: StepRewards | None, names: StandIns) -> StepRewards | None:
    return found and found.model_copy(update={"ids": _ids(found.ids, names)})


def _alignment(found: Alignment, names: StandIns) -> Alignment:
    pairs = (
        one.model_copy(
            update={"agent": names.step(one.agent), "reference": names.step(one.reference)}
        )
        for one in found.pairs
    )
    return Alignment(
        pairs=tuple(pairs),
        agent=_shares(found.agent, names),
        reference=_shares(found.reference, names),
    )


def _shares(shares: Iterable[StepShare], names: StandIns) -> tuple[StepShare, ...]:
    return tuple(
        one.model_copy(
            update={
                "id": names.step(one.id),
                "counterpart": one.counterpart and names.step(one.counterpart),
            }
        )
        for one in shares
    )


def _ids(ids: Iterable[str], names: StandIns) -> tuple[str, ...]:
    return tuple(map(names.step, ids))


def _side(side: Side, names: StandIns) -> Side:
    only = tuple(names.named("task", name) for name in side.only_here)
    path = names.named("file", side.path)
    return side.model_copy(update={"path": path, "failures": (), "only_here": only})

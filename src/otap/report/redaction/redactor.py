"""Hides what runs say: a table of what is done with each field of each record.

What the tables do not name is shown: numbers, tools, kinds, how steps stand to each other.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from pydantic import BaseModel

from otap._patterns import regex
from otap.alignment import Alignment, Change, Finding, Pair, PairDetails, StepShare
from otap.dependencies import DependencyGraph
from otap.dependencies.graph import Edge, Evidence
from otap.evaluation import Failure, Result
from otap.evaluation.comparison import Comparison, comparison
from otap.evaluation.explaining import Told
from otap.report.redaction.stand_ins import StandIns
from otap.scoring import Against, Explanation, Score, Side, Signature
from otap.scoring.result import LeftOut, ReferenceScore, StepRewards, Unknown
from otap.trajectory import Source, Step, Trajectory, Unread

_Shown = TypeVar("_Shown")
_Rule = Callable[[StandIns, Any, Any], Any]  # of the value of a field, and the record it is of
_KEY = regex(r"[^.\[\]]+")
_FIELDS = ("arguments", "effect", "state", "action", "tool", "request", "told")
_FAILURES = {
    "read": "it could not be read",
    "unmatched": "there is no reference of its task",
    "score": "it could not be scored",
}
# What is so, by kind: behind the tools that it is about, a sentence.
_MEANINGS: Mapping[str, str] = {
    "missing": "a step of the reference is missing from the run",
    "failed": "a step failed",
    "untold": "an answer that the user must be told was not told",
    "invented": "a step of the run has no counterpart in the reference",
    "reversed": "steps ran the other way round than they depend on each other",
    "broken": "a step does not follow from what it needs",
    "inverted": "steps on one thing ran in another order",
    "ungrounded": "an argument was used that nothing showed before",
    "tool": "another tool was called than in the reference",
    "arguments": "a call has other arguments than in the reference",
    "unseen": "changes inside a call that the reference does not show",
    "repeated": "a step does again what another one did",
    "split": "several steps do what the reference does in one",
    "merged": "one step does what the reference does in several",
}


class Redactor:
    """Puts stand-ins in the place of values, texts and names, equal ones where those are equal.

    Tools, the names of their arguments, numbers of ours, and how steps stand to each other stay.
    """

    def __init__(self) -> None:
        self._names = StandIns()

    def redact(self, value: _Shown) -> _Shown:
        """Returns an explanation, a result or a comparison of which only the shape is left."""
        hidden: _Shown = _redact(self._names, value)
        return hidden

    def redact_task(self, name: str) -> str:
        """Returns what stands for a task."""
        return self._names.hide_name("task", name)


def _redact(names: StandIns, value: Any, owner: object = None) -> Any:
    """What is left of a record, of several, or of none."""
    if isinstance(value, list | tuple):
        return tuple(_redact(names, one, owner) for one in value)
    if value is None:
        return None
    is_model = isinstance(value, BaseModel)
    fields = type(value).model_fields if is_model else vars(value)
    rules = {name: rule for name, rule in _RULES[type(value)].items() if name in fields}
    update = {name: rule(names, getattr(value, name), value) for name, rule in rules.items()}
    if not is_model:
        return replace(value, **update)
    copy = value.model_copy(update=update)
    vars(copy).pop("origin", None)  # the way back to what is hidden
    return copy


def _hide_name(kind: str) -> _Rule:
    def hide(names: StandIns, value: Any, _: object) -> Any:
        return None if value is None else names.hide_name(kind, str(value))

    return hide


def _fix(constant: object) -> _Rule:
    return lambda *_: constant


def _each(rule: _Rule) -> _Rule:
    def hide(names: StandIns, values: Sequence[Any] | None, owner: object) -> Any:
        return None if values is None else tuple(rule(names, one, owner) for one in values)

    return hide


def _hide_text(names: StandIns, value: str | None, _: object) -> str | None:
    return None if value is None else names.hide_text(value)


def _hide_value(names: StandIns, value: object, _: object) -> object:
    return names.hide_value(value)


def _hide_arguments(names: StandIns, value: object, _: object) -> object:
    return names.hide_arguments(value)


def _hide_step_id(names: StandIns, value: str | None, owner: object) -> str | None:
    """The id of a step; of the step itself its tool is known, which may be a part of it."""
    tool = owner.tool if isinstance(owner, Step) else None
    return None if value is None else names.hide_step(value, tool)


def _hide_needed(names: StandIns, value: str, _: object) -> str:
    """The id of a step that another one needs, whose tool is not that of the other."""
    return names.hide_step(value)


def _hide_side(kind: str) -> _Rule:
    """A side of an alignment, whose trajectory is called a run or a reference."""

    def hide(names: StandIns, side: Side, _: object) -> Side:
        hidden: Side = _redact(names, side)
        name = _hide_name(kind)(names, side.recorded.id, None)
        return replace(hidden, recorded=hidden.recorded.model_copy(update={"id": name}))

    return hide


def _hide_details(names: StandIns, value: Mapping[tuple[str, str], PairDetails], _: object) -> Any:
    return {tuple(map(names.hide_step, pair)): _redact(names, one) for pair, one in value.items()}


def _hide_path(names: StandIns, path: str, _: object) -> str:
    return _redact_path(path, names, depth=1)


def _hide_place(names: StandIns, path: str, _: object) -> str:
    """A path that begins with a field of a step."""
    field, _dot, rest = path.partition(".")
    root = field.partition("[")[0]
    if root not in _FIELDS:
        return _redact_path(path, names, depth=0)
    below = _redact_path(rest, names, depth=int(root == "arguments"))
    start = root + _redact_path(field.removeprefix(root), names, depth=0)
    return f"{start}.{below}" if rest else start


def _redact_path(path: str, names: StandIns, depth: int) -> str:
    """A path of keys; so many of the first may be names of arguments, the others are hidden."""
    keys = iter(range(len(path)))

    def hide(key: str) -> str:
        if key.isdigit():
            return key
        return names.hide_argument(key) if next(keys) < depth else names.hide_key(key)

    return _KEY.sub(lambda found: hide(found[0]), path)


def _hide_sentence(_: StandIns, sentence: str | None, owner: Any) -> str | None:
    """What a finding says by its kind and its tools alone."""
    tools = owner.tools if isinstance(owner, Finding) else filter(None, [owner.tool])
    meaning = _MEANINGS.get(owner.kind, "the run differs from the reference")
    return sentence and ": ".join(filter(None, [", ".join(tools), meaning]))


def _hide_encoder(names: StandIns, name: str, _: object) -> str:
    """An encoder may be a folder of somebody's machine."""
    return names.hide_name("encoder", name) if "/" in name or "\\" in name else name


def _hide_failure(_: StandIns, _message: str, owner: Failure) -> str:
    return _FAILURES[owner.kind]


_STEPS = _each(_hide_step_id)
_TEXTS = _each(_hide_text)
_SCORE: Mapping[str, _Rule] = {
    "id": _hide_name("run"), "task": _hide_name("task"), "trial": _hide_name("trial"),
    "findings": _redact,
    "best_reference": _hide_name("reference"), "references": _redact, "alignment": _redact,
    "source": _redact, "reference_sources": _redact, "error": _redact, "traces": _fix(None),
    "unknown": _fix(Unknown()), "left_out": _redact, "step_rewards": _redact,
}  # fmt: skip
# The order is that in which names are numbered: sides first, as ids of steps are shown or hidden by
# their tools.
_RULES: Mapping[type, Mapping[str, _Rule]] = {
    Explanation: {"against": _redact, "score": _redact},
    Against: {
        "run": _hide_side("run"), "reference": _hide_side("reference"), "details": _hide_details,
        "score": _redact,
    },
    Side: {"recorded": _redact, "steps": _redact, "left_out": _redact, "graph": _redact},
    Trajectory: {
        "id": _fix(None), "task": _hide_name("task"), "trial": _hide_name("trial"),
        "request": _TEXTS,
        "steps": _redact, "told": _TEXTS, "must_tell": _TEXTS, "unread": _fix(Unread()),
        "source": _redact, "metadata": _fix({}),
    },
    Step: {
        "id": _hide_step_id, "action": _hide_text, "arguments": _hide_arguments,
        "effect": _hide_value, "state": _hide_value, "depends_on": _each(_hide_needed),
        "substeps": _redact, "agent": _hide_name("agent"), "started_at": _fix(None),
        "ended_at": _fix(None), "metadata": _fix({}),
    },
    DependencyGraph: {"edges": _redact},
    Edge: {"evidence": _redact},
    Evidence: {"value": _hide_text, "source_path": _hide_place, "target_path": _hide_place},
    PairDetails: {"changes": _redact},
    Change: {
        "run": _hide_value, "reference": _hide_value, "here": _hide_value, "path": _hide_path,
        "how": _fix(""),
    },
    Score: {**_SCORE, "signature": _redact},
    Result: _SCORE,
    Told: _SCORE,
    Failure: {"message": _hide_failure},
    Finding: {"agent": _STEPS, "reference": _STEPS, "sentence": _hide_sentence},
    Alignment: {"pairs": _redact, "agent": _redact, "reference": _redact},
    Pair: {"agent": _hide_step_id, "reference": _hide_step_id},
    StepShare: {"id": _hide_step_id, "counterpart": _hide_step_id},
    ReferenceScore: {"id": _hide_name("reference")},
    LeftOut: {"agent": _STEPS, "reference": _STEPS},
    StepRewards: {"ids": _STEPS},
    Signature: {"encoder": _hide_encoder},
    Source: {"path": _hide_name("file"), "sha256": _fix(None)},
    Comparison: {
        "base": _redact, "new": _redact, "tasks": _redact, "conditions": _redact,
    },
    comparison.Side: {
        "path": _hide_name("file"), "failures": _fix(()), "only_here": _each(_hide_name("task")),
    },
    comparison.TaskChange: {"task": _hide_name("task"), "finding": _hide_sentence},
    comparison.ConditionChange: {"task": _hide_name("task")},
}  # fmt: skip

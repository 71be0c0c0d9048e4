"""Hides what runs say: a table of what is done with each field of each record.

What the tables do not name is shown: numbers, tools, kinds, how steps stand to each other.
"""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from pydantic import BaseModel

from otap._patterns import regex
from otap.alignment import Alignment, Change, Finding, Pair, PairDetails, StepShare
from otap.dependencies import DependencyGraph
from otap.dependencies.graph import Edge, Evidence
from otap.evaluation import Failure, Result
from otap.evaluation.comparison import Comparison, comparison
from otap.evaluation.explaining import FullResult
from otap.scoring import Against, Explanation, Score, Side, Signature
from otap.scoring.result import LeftOut, ReferenceScore, StepRewards, Unknown
from otap.trajectory import Source, Step, Trajectory, Unread

_Shown = TypeVar("_Shown")
_Rule = Callable[["StandIns", Any, Any], Any]  # of the value of a field, and the record it is of
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


# Short numbers, also several as in 3/1, say nothing of whom a run is about.
_PLAIN = regex(r"\d{1,6}(?:[./:#]\d{1,6}){0,2}")
# What a program may call an argument; anything else may be data that somebody keyed by it.
_NAME = regex(r"[A-Za-z_][A-Za-z0-9_-]{0,39}")
_NOT_WORD = regex(r"[\W_]")


class StandIns:
    """Gives the same stand-in for the same value, on one page; it cannot be read back."""

    def __init__(self) -> None:
        self._known: defaultdict[str, dict[bytes, int]] = defaultdict(dict)
        self._arguments: set[str] = set()  # names of arguments, as they are compared
        self._steps: dict[str, str] = {}

    def hide_name(self, kind: str, name: str) -> str:
        """Returns an id, or what stands for it, as task #3: short numbers are shown."""
        return name if _PLAIN.fullmatch(name) else self._number_value(kind, name)

    def hide_step(self, name: str, tool: str | None = None) -> str:
        """Returns the id of a step: short numbers are shown, also behind the name of its tool.

        Args:
            name: the id.
            tool: of the step, where that is known; else it is as it was shown before.
        """
        if name not in self._steps:
            rest = name.removeprefix(tool).lstrip("#_.:/-") if tool else name
            shown = name == tool or _PLAIN.fullmatch(rest)
            self._steps[name] = name if shown else self._number_value("step", name)
        return self._steps[name]

    def hide_text(self, value: str) -> str:
        """Returns what stands for a text; an empty one is shown."""
        if not value:
            return value
        is_number = (
            _hash_value(value) in self._known["number"]
        )  # as it is spelled where it is proof
        return self._number_value("number" if is_number else "text", value)

    def hide_value(self, value: object) -> object:
        """Returns what stands for data: its shape stays, its keys and values do not."""
        if isinstance(value, dict):
            return {self.hide_key(str(key)): self.hide_value(one) for key, one in value.items()}
        if isinstance(value, list | tuple):
            return [self.hide_value(one) for one in value]
        return self.hide_text(value) if isinstance(value, str) else self._hide_scalar(value)

    def hide_arguments(self, value: object) -> object:
        """Returns what stands for the arguments of a call; their own names stay."""
        if not isinstance(value, dict):
            return self.hide_value(value)
        self._arguments |= {_normalise_key(key) for key in value if _NAME.fullmatch(key)}
        return {self.hide_argument(key): self.hide_value(one) for key, one in value.items()}

    def hide_argument(self, key: str) -> str:
        """Returns the name of an argument, or what stands for a key that is no such name."""
        known = _NAME.fullmatch(key) and _normalise_key(key) in self._arguments
        return key if known else self.hide_key(key)

    def hide_key(self, key: str) -> str:
        """Returns what stands for a key."""
        return self._number_value("key", key)

    def _hide_scalar(self, value: object) -> object:
        if isinstance(value, bool):
            return self._number_value("yes or no", str(value))
        if isinstance(value, float) and value.is_integer():
            return self._number_value("number", str(int(value)))
        if isinstance(value, int | float):
            return self._number_value("number", str(value))
        return value  # null, or that there is no value at all

    def _number_value(self, kind: str, value: str) -> str:
        known = self._known[kind]
        return f"{kind} #{known.setdefault(_hash_value(value), len(known) + 1)}"


def _hash_value(value: str) -> bytes:
    """What a value is known by, so that texts are not kept."""
    return hashlib.blake2b(value.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _normalise_key(key: str) -> str:
    return _NOT_WORD.sub("", key).casefold()


class Redactor(StandIns):
    """Puts stand-ins in the place of values, texts and names, equal ones where those are equal.

    Tools, the names of their arguments, numbers of ours, and how steps stand to each other stay.
    """

    def redact(self, value: _Shown) -> _Shown:
        """Returns an explanation, a result or a comparison of which only the shape is left."""
        hidden: _Shown = _redact(self, value)
        return hidden


def _redact(names: StandIns, value: Any, _: object = None) -> Any:
    """What is left of a record, and of the records in it; what the tables do not know stays."""
    if isinstance(value, list):
        return [_redact(names, one) for one in value]
    rules = _RULES.get(type(value))
    if rules is None:
        return value
    is_model = isinstance(value, BaseModel)
    fields = type(value).model_fields if is_model else type(value).__match_args__
    update = {
        name: _apply(names, rules.get(name, _redact), getattr(value, name), value)
        for name in dict.fromkeys((*rules, *fields))
        if name in fields
    }
    if not is_model:
        return replace(value, **update)
    copy = value.model_copy(update=update)
    vars(copy).pop("origin", None)  # the way back to what is hidden
    return copy


def _apply(names: StandIns, rule: Any, value: Any, owner: object) -> Any:
    """What a rule leaves of the value of a field, or of each of several; a constant is no rule."""
    if not callable(rule):
        return rule
    if isinstance(value, tuple):
        return tuple(_apply(names, rule, one, owner) for one in value)
    return None if value is None else rule(names, value, owner)


def _name(kind: str) -> _Rule:
    return lambda names, value, _: names.hide_name(kind, str(value))


def _as(hide: Callable[[StandIns, Any], Any]) -> _Rule:
    return lambda names, value, _: hide(names, value)


def _hide_own_id(names: StandIns, value: str, step: Step) -> str:
    """The id of a step of which the tool is known, which may be a part of it."""
    return names.hide_step(value, step.tool)


def _hide_side(kind: str) -> _Rule:
    """A side of an alignment, whose trajectory is called a run or a reference."""

    def hide(names: StandIns, side: Side, _: object) -> Side:
        hidden: Side = _redact(names, side)
        name = None if side.recorded.id is None else names.hide_name(kind, side.recorded.id)
        return replace(hidden, recorded=hidden.recorded.model_copy(update={"id": name}))

    return hide


def _hide_details(names: StandIns, value: Mapping[tuple[str, str], PairDetails], _: object) -> Any:
    return {tuple(map(names.hide_step, pair)): _redact(names, one) for pair, one in value.items()}


def _hide_path(names: StandIns, path: str, _: object = None, depth: int = 1) -> str:
    """A path of keys; so many of the first may be names of arguments, the others are hidden."""
    keys = iter(range(len(path)))

    def hide(key: str) -> str:
        if key.isdigit():
            return key
        return names.hide_argument(key) if next(keys) < depth else names.hide_key(key)

    return _KEY.sub(lambda found: hide(found[0]), path)


def _hide_place(names: StandIns, path: str, _: object) -> str:
    """A path that begins with a field of a step."""
    field, _dot, rest = path.partition(".")
    root = field.partition("[")[0]
    if root not in _FIELDS:
        return _hide_path(names, path, depth=0)
    below = _hide_path(names, rest, depth=int(root == "arguments"))
    start = root + _hide_path(names, field.removeprefix(root), depth=0)
    return f"{start}.{below}" if rest else start


def _hide_sentence(_: StandIns, _sentence: str, owner: Any) -> str:
    """What a finding says by its kind and its tools alone."""
    tools = owner.tools if isinstance(owner, Finding) else filter(None, [owner.tool])
    meaning = _MEANINGS.get(owner.kind, "the run differs from the reference")
    return ": ".join(filter(None, [", ".join(tools), meaning]))


def _hide_encoder(names: StandIns, name: str, _: object) -> str:
    """An encoder may be a folder of somebody's machine."""
    return names.hide_name("encoder", name) if "/" in name or "\\" in name else name


def _hide_failure(_: StandIns, _message: str, owner: Failure) -> str:
    return _FAILURES[owner.kind]


_STEP, _TEXT, _VALUE = _as(StandIns.hide_step), _as(StandIns.hide_text), _as(StandIns.hide_value)
_SCORE = {
    "id": _name("run"), "task": _name("task"), "trial": _name("trial"),
    "best_reference": _name("reference"), "traces": None, "unknown": Unknown(),
}  # fmt: skip
# A rule, or a constant, for fields of records; the records in all other fields have their own. The
# order is that in which names are numbered: sides first, as ids of steps are shown or hidden by
# their tools.
_RULES: Mapping[type, Mapping[str, Any]] = {
    Explanation: {"against": _redact},
    Against: {
        "run": _hide_side("run"), "reference": _hide_side("reference"), "details": _hide_details,
    },
    Side: {},
    Trajectory: {
        "id": None, "task": _name("task"), "trial": _name("trial"), "request": _TEXT,
        "steps": _redact, "told": _TEXT, "must_tell": _TEXT, "unread": Unread(), "metadata": {},
    },
    Step: {
        "id": _hide_own_id, "action": _TEXT, "arguments": _as(StandIns.hide_arguments),
        "effect": _VALUE, "state": _VALUE, "depends_on": _STEP, "substeps": _redact,
        "agent": _name("agent"), "started_at": None, "ended_at": None, "metadata": {},
    },
    DependencyGraph: {},
    Edge: {},
    Evidence: {"value": _TEXT, "source_path": _hide_place, "target_path": _hide_place},
    PairDetails: {},
    Change: {"run": _VALUE, "reference": _VALUE, "here": _VALUE, "path": _hide_path, "how": ""},
    Score: _SCORE,
    Result: _SCORE,
    FullResult: _SCORE,
    Failure: {"message": _hide_failure},
    Finding: {"agent": _STEP, "reference": _STEP, "sentence": _hide_sentence},
    Alignment: {},
    Pair: {"agent": _STEP, "reference": _STEP},
    StepShare: {"id": _STEP, "counterpart": _STEP},
    ReferenceScore: {"id": _name("reference")},
    LeftOut: {"agent": _STEP, "reference": _STEP},
    StepRewards: {"ids": _STEP},
    Signature: {"encoder": _hide_encoder},
    Source: {"path": _name("file"), "sha256": None},
    Comparison: {},
    comparison.Side: {"path": _name("file"), "failures": (), "only_here": _name("task")},
    comparison.TaskChange: {"task": _name("task"), "finding": _hide_sentence},
    comparison.ConditionChange: {"task": _name("task")},
}  # fmt: skip

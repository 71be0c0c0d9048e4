"""Hides the texts and values of runs, by a table of rules for the fields of records.

Fields without a rule stay: numbers, kinds and relations of steps. So do the names of tools and
arguments, unless they hold a private value.
"""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from pydantic import BaseModel

from otap._patterns import regex
from otap.evaluation import Failure, Result
from otap.evaluation.comparison import Comparison, differences
from otap.evaluation.explaining import FullResult
from otap.findings import Change, Finding
from otap.graph import DependencyGraph, Edge, Evidence
from otap.run.redaction import RunRedactor
from otap.scoring import Against, Explanation, Score, Side, Signature
from otap.scoring.alignment import Alignment, Pair, PairDetails, StepShare
from otap.scoring.result import LeftOut, ReferenceScore, StepRewards, Unknown
from otap.scoring.signature import Conditions
from otap.trajectory import Source, Step, Trajectory, Unread

_Record = TypeVar("_Record")
_Rule = Callable[["Pseudonyms", Any, Any], Any]  # of the content of a field, and its record
_KEY = regex(r"[^.\[\]]+")
_STEP_FIELDS = ("arguments", "effect", "state", "action", "tool", "request", "messages_to_user")
_FAILURES = {
    "read": "it could not be read",
    "unmatched": "there is no reference of its task",
    "score": "it could not be scored",
}
# The sentence of a finding, by kind; the tools that it is about come before it.
_MEANINGS: Mapping[str, str] = {
    "missing": "a step of the reference is missing from the run",
    "failed": "a step failed",
    "missing_answer": "a required answer was not given to the user",
    "other_answer": "the final message states something else than the reference's",
    "invented": "a step of the run has no counterpart in the reference",
    "reversed": "steps ran in the opposite order of their dependency",
    "broken": "a step does not use the step that it depends on",
    "inverted": "steps on the same object ran in another order",
    "ungrounded": "an argument has a value that no earlier step showed",
    "tool": "another tool was called than in the reference",
    "arguments": "a call has other arguments than in the reference",
    "hidden_changes": "changes inside a call that the reference does not show",
    "budget": "the run takes more than it may",
    "uncompared": "an argument was not compared, because the recording hides its value",
    "repeated": "a step repeats another step",
    "split": "several steps do the work of one step of the reference",
    "merged": "one step does the work of several steps of the reference",
}


# Short numbers, also joined as in 3/1, identify nobody; phone numbers and birthdays are longer.
_SHORT_NUMBERS = regex(r"\d{1,6}|\d{1,3}(?:[./:#]\d{1,3}){1,2}")
# The name of an argument in a program. Any other key may be personal data.
_ARGUMENT = regex(r"[A-Za-z_][A-Za-z0-9_-]{0,39}")
_NOT_WORD = regex(r"[\W_]")


class Pseudonyms:
    """Replaces equal values of a page by equal pseudonyms; the replacement cannot be undone.

    Args:
        runs: runs whose private values are hidden in names of tools and arguments, too.
    """

    def __init__(self, runs: Iterable[Trajectory] = ()) -> None:
        self._numbers: defaultdict[str, dict[bytes, int]] = defaultdict(dict)
        self._arguments: set[str] = set()  # normalised argument names
        self._steps: dict[str, str] = {}
        self._tools: dict[str, str] = {}
        self._private = RunRedactor()
        self._private.learn(runs)

    def hide_name(self, kind: str, name: str) -> str:
        """Returns a pseudonym for an id, such as task #3; short numbers stay."""
        return name if _SHORT_NUMBERS.fullmatch(name) else self._number_text(kind, name)

    def hide_step(self, name: str, tool: str | None = None) -> str:
        """Returns a pseudonym for a step id; short numbers stay, also after the name of its tool.

        Args:
            name: the id.
            tool: the tool of the step, if known; otherwise the result for the same id is reused.
        """
        if tool and self.hide_tool(tool) != tool:
            tool = None
        if name not in self._steps:
            suffix = name.removeprefix(tool).lstrip("#_.:/-") if tool else name
            is_harmless = name == tool or _SHORT_NUMBERS.fullmatch(suffix)
            self._steps[name] = name if is_harmless else self._number_text("step", name)
        return self._steps[name]

    def hide_tool(self, name: str) -> str:
        """Returns the name of a tool, or a pseudonym if it holds a private value."""
        if name not in self._tools:
            is_private = self._private.hide(name) != name
            self._tools[name] = self._number_text("tool", name) if is_private else name
        return self._tools[name]

    def hide_text(self, text: str) -> str:
        """Returns a pseudonym for a text; an empty text stays."""
        if not text:
            return text
        # Evidence spells numbers as text.
        is_number = _hash_text(text) in self._numbers["number"]
        return self._number_text("number" if is_number else "text", text)

    def hide_value(self, value: object) -> object:
        """Returns data of the same shape with pseudonyms for keys and values."""
        if isinstance(value, dict):
            return {self.hide_key(str(key)): self.hide_value(part) for key, part in value.items()}
        if isinstance(value, list | tuple):
            return [self.hide_value(part) for part in value]
        return self.hide_text(value) if isinstance(value, str) else self._hide_scalar(value)

    def hide_arguments(self, arguments: object) -> object:
        """Returns the arguments of a call with pseudonyms; the names of arguments stay."""
        if not isinstance(arguments, dict):
            return self.hide_value(arguments)
        self._arguments |= {_normalise_key(key) for key in arguments if self._is_argument(key)}
        return {self.hide_argument(key): self.hide_value(value) for key, value in arguments.items()}

    def hide_argument(self, key: str) -> str:
        """Returns the name of an argument, or a pseudonym for a key that is no such name."""
        is_argument = self._is_argument(key) and _normalise_key(key) in self._arguments
        return key if is_argument else self.hide_key(key)

    def _is_argument(self, key: str) -> bool:
        return bool(_ARGUMENT.fullmatch(key)) and self._private.hide(key) == key

    def hide_key(self, key: str) -> str:
        """Returns a pseudonym for a key."""
        return self._number_text("key", key)

    def _hide_scalar(self, value: object) -> object:
        if isinstance(value, bool):
            return self._number_text("yes or no", str(value))
        if isinstance(value, float) and value.is_integer():
            return self._number_text("number", str(int(value)))
        if isinstance(value, int | float):
            return self._number_text("number", str(value))
        return value  # null, or a marker for an absent value

    def _number_text(self, kind: str, text: str) -> str:
        numbers = self._numbers[kind]
        return f"{kind} #{numbers.setdefault(_hash_text(text), len(numbers) + 1)}"


def _hash_text(text: str) -> bytes:
    """Returns a digest, which is stored instead of the text."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _normalise_key(key: str) -> str:
    return _NOT_WORD.sub("", key).casefold()


class Redactor(Pseudonyms):
    """Replaces the values, texts and names in records by pseudonyms, equal ones by equal ones.

    Numbers and relations of steps stay, and so do names of tools and arguments without private
    values.
    """

    def redact(self, record: _Record) -> _Record:
        """Returns an explanation, a result or a comparison with pseudonyms."""
        if isinstance(record, Explanation):
            sides = [
                side for against in record.against for side in (against.run, against.reference)
            ]
            self._private.learn(side.recorded for side in sides)
        redacted: _Record = _redact(self, record)
        return redacted


def _redact(names: Pseudonyms, record: Any, _: object = None) -> Any:
    """Redacts a record and the records in it; content without rules stays."""
    if isinstance(record, list):
        return [_redact(names, member) for member in record]
    rules = next((_RULES[kind] for kind in type(record).__mro__ if kind in _RULES), None)
    if rules is None:
        return record
    is_model = isinstance(record, BaseModel)
    fields = type(record).model_fields if is_model else type(record).__match_args__
    update = {
        name: _apply(names, rules.get(name, _redact), getattr(record, name), record)
        for name in dict.fromkeys((*rules, *fields))
        if name in fields
    }
    if not is_model:
        return replace(record, **update)
    if isinstance(record, Trajectory) and type(record) is not Trajectory:  # it holds its plan
        return Trajectory(**{name: update[name] for name in Trajectory.model_fields})
    copy = record.model_copy(update=update)
    vars(copy).pop("origin", None)  # it refers to the original
    return copy


def _apply(names: Pseudonyms, rule: Any, content: Any, record: object) -> Any:
    """Applies a rule to a field, or to each member of a tuple; a constant replaces the field."""
    if not callable(rule):
        return rule
    if isinstance(content, tuple):
        return tuple(_apply(names, rule, member, record) for member in content)
    return None if content is None else rule(names, content, record)


def _name(kind: str) -> _Rule:
    return lambda names, name, _: names.hide_name(kind, str(name))


def _as(hide: Callable[[Pseudonyms, Any], Any]) -> _Rule:
    return lambda names, content, _: hide(names, content)


def _hide_step_id(names: Pseudonyms, step_id: str, step: Step) -> str:
    """Hides the id of a step, which may contain the name of its tool."""
    return names.hide_step(step_id, step.tool)


def _hide_side(kind: str) -> _Rule:
    """Returns the rule for a side of an alignment; its trajectory is a run or a reference."""

    def hide(names: Pseudonyms, side: Side, _: object) -> Side:
        redacted: Side = _redact(names, side)
        name = None if side.recorded.id is None else names.hide_name(kind, side.recorded.id)
        return replace(redacted, recorded=redacted.recorded.model_copy(update={"id": name}))

    return hide


def _hide_details(
    names: Pseudonyms, details: Mapping[tuple[str, str], PairDetails], _: object
) -> Mapping[tuple[str, str], PairDetails]:
    hide = names.hide_step
    return {(hide(a), hide(b)): _redact(names, pair) for (a, b), pair in details.items()}


def _hide_path(names: Pseudonyms, path: str, _: object = None, depth: int = 1) -> str:
    """Hides the keys of a path; up to ``depth`` first keys may be names of arguments."""
    keys = iter(range(len(path)))

    def hide(key: str) -> str:
        if key.isdigit():
            return key
        return names.hide_argument(key) if next(keys) < depth else names.hide_key(key)

    return _KEY.sub(lambda match: hide(match[0]), path)


def _hide_field_path(names: Pseudonyms, path: str, _: object) -> str:
    """Hides a path that begins with a field of a step."""
    field, _dot, subpath = path.partition(".")
    root = field.partition("[")[0]
    if root not in _STEP_FIELDS:
        return _hide_path(names, path, depth=0)
    hidden_subpath = _hide_path(names, subpath, depth=int(root == "arguments"))
    start = root + _hide_path(names, field.removeprefix(root), depth=0)
    return f"{start}.{hidden_subpath}" if subpath else start


def _hide_sentence(names: Pseudonyms, _sentence: str, record: Any) -> str:
    """Replaces the sentence of a finding by its tools and the meaning of its kind."""
    tools = record.tools if isinstance(record, Finding) else [record.tool] if record.tool else []
    meaning = _MEANINGS.get(record.kind, "the run differs from the reference")
    listed = ", ".join(names.hide_tool(tool) for tool in tools)
    return f"{listed}: {meaning}" if listed else meaning


def _hide_tool_keys(names: Pseudonyms, table: Mapping[str, Any], _: object) -> Mapping[str, Any]:
    return {names.hide_tool(tool): value for tool, value in table.items()}


def _hide_allowed(_: Pseudonyms, words: str, _change: object) -> str:
    """Hides the values that a plan allows, but not that it allows none."""
    return "other values" if words and words != "nothing" else words


def _hide_encoder(names: Pseudonyms, name: str, _: object) -> str:
    """Hides an encoder that is a path on somebody's machine."""
    return names.hide_name("encoder", name) if "/" in name or "\\" in name else name


def _hide_failure(_: Pseudonyms, _message: str, failure: Failure) -> str:
    return _FAILURES[failure.kind]


_STEP = _as(Pseudonyms.hide_step)
_TOOL = _as(Pseudonyms.hide_tool)
_TEXT = _as(Pseudonyms.hide_text)
_VALUE = _as(Pseudonyms.hide_value)
_SCORE = {
    "id": _name("run"), "task": _name("task"), "trial": _name("trial"),
    "best_reference": _name("reference"), "traces": None, "unknown": Unknown(),
}  # fmt: skip
# For each record, a rule or a constant for its fields. Other fields stay, but the records in them
# follow their own rules. Names are numbered in this order. Sides come first, because the tool of a
# step decides whether its id is shown.
_RULES: Mapping[type, Mapping[str, Any]] = {
    Explanation: {"against": _redact},
    Against: {
        "run": _hide_side("run"), "reference": _hide_side("reference"), "details": _hide_details,
    },
    Side: {},
    Trajectory: {
        "id": None, "task": _name("task"), "trial": _name("trial"), "request": _TEXT,
        "steps": _redact, "messages_to_user": _TEXT, "required_answers": _TEXT,
        "tools": _hide_tool_keys, "unread": Unread(), "metadata": {},
    },
    Step: {
        "id": _hide_step_id, "tool": _TOOL, "action": _TEXT,
        "arguments": _as(Pseudonyms.hide_arguments), "effect": _VALUE, "state": _VALUE,
        "depends_on": _STEP, "substeps": _redact, "agent": _name("agent"),
        "started_at": None, "ended_at": None, "metadata": {},
    },
    DependencyGraph: {},
    Edge: {},
    Evidence: {"value": _TEXT, "source_path": _hide_field_path, "target_path": _hide_field_path},
    PairDetails: {},
    Change: {
        "run": _VALUE, "reference": _VALUE, "here": _VALUE, "path": _hide_path, "how": "",
        "allowed": _hide_allowed,
    },
    Score: _SCORE,
    Result: _SCORE,
    FullResult: _SCORE,
    Failure: {"message": _hide_failure},
    Finding: {
        "agent": _STEP, "reference": _STEP, "paths": _hide_path, "sentence": _hide_sentence,
        "tools": _TOOL,
    },
    Alignment: {},
    Pair: {"agent": _STEP, "reference": _STEP},
    StepShare: {"id": _STEP, "counterpart": _STEP},
    ReferenceScore: {"id": _name("reference")},
    LeftOut: {"agent": _STEP, "reference": _STEP},
    StepRewards: {"ids": _STEP},
    Signature: {"encoder": _hide_encoder},
    Source: {"path": _name("file"), "sha256": None},
    Comparison: {},
    differences.ComparedFile: {"path": _name("file"), "failures": (), "only_here": _name("task")},
    differences.TaskChange: {"task": _name("task"), "finding": _hide_sentence, "tool": _TOOL},
    differences.FindingChange: {"tool": _TOOL},
    Conditions: {"inferred_roles": _hide_tool_keys},
    differences.ConditionChange: {"task": _name("task")},
}  # fmt: skip

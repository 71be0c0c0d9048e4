"""What a step says, field by field, beside what its counterpart says; differences at the value."""

import json
from collections.abc import Mapping
from difflib import SequenceMatcher
from typing import NamedTuple

from otap._numbers import count_text
from otap._patterns import regex
from otap.report.model.rows import Row
from otap.report.model.words import iterate_leaves, visible
from otap.trajectory import Step

FIELDS = ("action", "tool", "arguments", "effect", "state")
VALUES = 300  # of the arguments of one step that are looked at
COMPARED = 20_000  # words of all rows of a reference together, since comparing words is slow
_COMPARED_AT_ONCE = 1200  # words of two texts; longer ones are shown as they are
_ALIKE = 0.6  # share of equal words below which texts are others altogether
_BRIEF = 200  # characters of JSON on a few lines
_PLACE = regex(r"\[\d+\]")
_WORDS = regex(r"\w+|\s+|[^\w\s]")
_ORDER = ("step", *FIELDS)
_WAYS = ("apart", "other", "run", "reference", "alike", "same")
Text = tuple[tuple[str, bool], ...]  # in pieces, each with whether the other text has another there
_Key = tuple[str, bool]  # the name of a field; or the path of a value of the arguments, and True


class Field(NamedTuple):
    """One line: a field, or one value of the arguments.

    Attributes:
        name: of the field; for a value of the arguments its path.
        is_value: whether it is a value of the arguments.
        run: what the run's step says; None: nothing.
        reference: what the reference's says.
        way: how they stand to each other: the same, alike (the texts differ, and are taken for
            the same or nearly), other; which side alone has it; or apart, where it is not
            compared.
    """

    name: str
    is_value: bool
    run: Text | None
    reference: Text | None
    way: str


class FieldReader:
    """Reads what steps say, as far as there is room.

    Args:
        limit: the most characters of one field.
        values: the most values of the arguments of one step.
    """

    def __init__(self, limit: int, values: int) -> None:
        self._limit, self._values, self._words = limit, values, COMPARED

    def list_fields(self, run: Step | None, reference: Step | None, row: Row) -> list[Field]:
        """Returns what two steps of a row say, or one that has none beside it.

        Only the steps of a pair are compared; those of a union stand one after the other.
        """
        is_pair = len(row.run) == len(row.reference) == 1
        ours, theirs = self._read_step(run, is_pair), self._read_step(reference, is_pair)
        apart = run is not None and reference is not None and not is_pair
        found = [
            self._compare_values(key, ours.get(key), theirs.get(key), None if apart else row)
            for key in dict.fromkeys((*ours, *theirs))
        ]
        return self._bound_values(sorted(found, key=_rank_field))

    def _read_step(self, step: Step | None, is_pair: bool) -> Mapping[_Key, str]:
        if step is None:
            return {}
        found = {} if is_pair else {("step", False): visible(step.id, 60)}
        for name in FIELDS:
            value = getattr(step, name)
            if name == "arguments" and isinstance(value, Mapping) and value:
                leaves = list(iterate_leaves(value))
                for path, one in leaves[:VALUES]:
                    found[visible(path, 120), True] = self._write_value(one)
                if len(leaves) > VALUES:
                    found["…", True] = count_text(len(leaves) - VALUES, "more value")
            elif value is not None:
                found[name, False] = self._write_value(value)
        return found

    def _write_value(self, value: object) -> str:
        """A value as text; JSON that has no room on a few lines has a line for each value."""
        if isinstance(value, str):
            return visible(value, self._limit)
        whole = json.dumps(value, ensure_ascii=False)
        if len(whole) > _BRIEF:
            whole = json.dumps(value, ensure_ascii=False, indent=1)
        return visible(whole, self._limit)

    def _compare_values(
        self, key: _Key, one: str | None, other: str | None, row: Row | None
    ) -> Field:
        ours, theirs = (None if text is None else ((text, False),) for text in (one, other))
        if row is None:
            return Field(*key, ours, theirs, "apart")
        if one is None or other is None:
            return Field(*key, ours, theirs, "reference" if one is None else "run")
        if one == other:
            return Field(*key, ours, theirs, "same")
        way = "other" if _is_changed(key, row) else "alike"
        return Field(*key, *self._mark_words(one, other), way)

    def _mark_words(self, one: str, other: str) -> tuple[Text, Text]:
        """Both texts in pieces; nothing is marked where they have little in common."""
        left, right = _WORDS.findall(one), _WORDS.findall(other)
        count = len(left) + len(right)
        plain: tuple[Text, Text] = ((one, False),), ((other, False),)
        if count > min(self._words, _COMPARED_AT_ONCE):
            return plain
        self._words -= count
        matcher = SequenceMatcher(None, left, right, autojunk=False)
        if matcher.ratio() < _ALIKE:
            return plain
        codes = matcher.get_opcodes()
        ours = tuple(("".join(left[a:b]), tag != "equal") for tag, a, b, _, _ in codes if a < b)
        theirs = tuple(("".join(right[c:d]), tag != "equal") for tag, _, _, c, d in codes if c < d)
        return ours, theirs

    def _bound_values(self, fields: list[Field]) -> list[Field]:
        """The fields with the first values of arguments, and a line on how many more there are."""
        values = [place for place, field in enumerate(fields) if field.is_value]
        if len(values) <= self._values:
            return fields
        rest = count_text(len(values) - self._values, "more value")
        line = Field("…", True, ((rest, False),), None, "run")
        return [*fields[: values[self._values]], line, *fields[values[-1] + 1 :]]


def _rank_field(field: Field) -> tuple[int, int]:
    """The place of a field; of the arguments what differs comes first."""
    if field.is_value:
        return _ORDER.index("arguments"), _WAYS.index(field.way)
    return _ORDER.index(field.name), 0


def _is_changed(key: _Key, row: Row) -> bool:
    """Whether a change is of this value, or of what it is part of; places in lists are alike."""
    name, is_value = key
    if not is_value:
        another = row.details is not None and row.details.fields.get("tool", 0) > 0
        return name == "tool" and another
    known = _PLACE.sub("[]", name)
    return any(
        path in ("arguments", known) or known.startswith((f"{path}.", f"{path}["))
        for path in (change.path for change in row.changes)
    )

"""What a step says, field by field, beside what its counterpart says; differences at the value."""

import json
from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher
from typing import Literal, NamedTuple, get_args

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
_LONG, _TALL = 60, 1000  # characters of a text that is not shown twice; that is scrolled
_PLACE = regex(r"\[\d+\]")
_WORDS = regex(r"\w+|\s+|[^\w\s]")
_ORDER = ("step", *FIELDS)
Way = Literal["other", "run", "reference", "alike", "same", "apart"]
_WAYS: tuple[Way, ...] = get_args(Way)
Text = tuple[tuple[str, bool], ...]  # in pieces, each with whether the other text has another there


class _Key(NamedTuple):
    """A field, or a value of the arguments by its path."""

    name: str
    is_value: bool = False

    @property
    def order(self) -> int:
        return _ORDER.index("arguments" if self.is_value else self.name)


class Field(NamedTuple):
    """One line: a field, or one value of the arguments.

    Attributes:
        name: of the field; for a value of the arguments its path.
        run: what the run's step says; None: nothing.
        reference: what the reference's says.
        way: how they stand to each other: the same, alike (the texts differ, and are taken for
            the same or nearly), other; which side alone has it; or apart, where it is not
            compared.
        is_value: whether it is a value of the arguments.
    """

    name: str
    run: Text | None
    reference: Text | None
    way: Way
    is_value: bool = False

    @property
    def is_long_and_same(self) -> bool:
        """Whether one side says enough: what it says is long, and the other says the same."""
        return self.way == "same" and _measure_text(self.run) > _LONG

    @property
    def is_tall(self) -> bool:
        """Whether it takes so much room that it is scrolled by itself."""
        return max(_measure_text(self.run), _measure_text(self.reference)) > _TALL


def _measure_text(text: Text | None) -> int:
    return sum(len(piece) for piece, _ in text or ())


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
        keys = sorted(dict.fromkeys((*ours, *theirs)), key=lambda key: key.order)
        if run is None or reference is None or not is_pair:
            apart: Way | None = "apart" if run and reference else None
            found = [_set_apart(key, ours.get(key), theirs.get(key), apart) for key in keys]
        else:
            found = [self._compare_values(key, ours.get(key), theirs.get(key), row) for key in keys]
            found.sort(key=_rank_field)
        return self._bound_values(found)

    def _read_step(self, step: Step | None, is_pair: bool) -> Mapping[_Key, str]:
        if step is None:
            return {}
        title = {} if is_pair else {_Key("step"): visible(step.id, 60)}
        return title | dict(self._read_fields(step))

    def _read_fields(self, step: Step) -> Iterator[tuple[_Key, str]]:
        for name in FIELDS:
            value = getattr(step, name)
            if name == "arguments" and isinstance(value, Mapping) and value:
                found = list(iterate_leaves(value))
                for path, one in found[:VALUES]:
                    yield _Key(visible(path, 120), is_value=True), self._write_value(one)
                if len(found) > VALUES:
                    yield _Key("…", is_value=True), count_text(len(found) - VALUES, "more value")
            elif value is not None:
                yield _Key(name), self._write_value(value)

    def _write_value(self, value: object) -> str:
        """A value as text; JSON that has no room on a few lines has a line for each value."""
        if isinstance(value, str):
            return visible(value, self._limit)
        whole = json.dumps(value, ensure_ascii=False)
        if len(whole) > _BRIEF:
            whole = json.dumps(value, ensure_ascii=False, indent=1)
        return visible(whole, self._limit)

    def _compare_values(self, key: _Key, one: str | None, other: str | None, row: Row) -> Field:
        if one is None or other is None:
            return _set_apart(key, one, other, None)
        if one == other:
            return Field(key.name, ((one, False),), ((other, False),), "same", key.is_value)
        ours, theirs = self._mark_words(one, other)
        way: Way = "other" if _is_changed(key, row) else "alike"
        return Field(key.name, ours, theirs, way, key.is_value)

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
        line = Field("…", ((rest, False),), None, "run", is_value=True)
        return [*fields[: values[self._values]], line, *fields[values[-1] + 1 :]]


def _set_apart(key: _Key, one: str | None, other: str | None, way: Way | None) -> Field:
    """A line that is not compared; without a way, of the side that alone has it."""
    ours, theirs = (None if text is None else ((text, False),) for text in (one, other))
    alone: Way = "reference" if one is None else "run"
    return Field(key.name, ours, theirs, way or alone, key.is_value)


def _rank_field(field: Field) -> tuple[int, int]:
    """The place of a field; of the arguments what differs comes first."""
    if field.is_value:
        return _ORDER.index("arguments"), _WAYS.index(field.way)
    return _ORDER.index(field.name), 0


def _is_changed(key: _Key, row: Row) -> bool:
    """Whether a change is of this value, or of what it is part of; places in lists are alike."""
    if not key.is_value:
        another = row.details is not None and row.details.fields.get("tool", 0) > 0
        return key.name == "tool" and another
    known = _PLACE.sub("[]", key.name)
    return any(
        path in ("arguments", known) or known.startswith((f"{path}.", f"{path}["))
        for path in (change.path for change in row.changes)
    )

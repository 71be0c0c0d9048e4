"""What a step says, field by field, beside what its counterpart says; differences at the value."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple, get_args

from otap._numbers import number_text
from otap._patterns import regex
from otap.alignment import PairDetails
from otap.report.pages.run.words import Text, compared, plain
from otap.report.pages.texts import visible
from otap.trajectory import Step

_LONG = 60  # characters of a text that is not shown twice
_TALL = 1000
LINES = 60  # of the arguments of one step
DEEPEST = 6  # levels of keys that have lines of their own
_PLACE = regex(r"\[\d+\]")
_NAMES = ("action", "tool", "arguments", "effect", "state")
Way = Literal["other", "run", "reference", "alike", "same"]
_WAYS: tuple[Way, ...] = get_args(Way)


class Field(NamedTuple):
    """One line: a field, or one value of the arguments.

    Attributes:
        name: of the field; for a value of the arguments its path.
        run: what the run's step says, as text in pieces; None: nothing.
        reference: what the reference's says.
        way: how they stand to each other: the same, alike (the texts differ, and are taken for
            the same or nearly), other; or which side alone has it.
        is_value: whether it is a value of the arguments.
        words: how many words were compared for it.
    """

    name: str
    run: Text | None
    reference: Text | None
    way: Way
    is_value: bool = False
    words: int = 0

    @property
    def is_long_and_same(self) -> bool:
        """Whether one side says enough: what it says is long, and the other says the same."""
        return self.way == "same" and _length(self.run) > _LONG

    @property
    def is_tall(self) -> bool:
        """Whether it takes so much room that it is scrolled by itself."""
        return max(_length(self.run), _length(self.reference)) > _TALL


def _length(text: Text | None) -> int:
    return sum(len(one.text) for one in text or ())


def alone(step: Step, limit: int, *, ours: bool) -> list[Field]:
    """Returns what a step says that has nothing beside it.

    Args:
        step: the step.
        limit: the most characters of one field.
        ours: whether it is the run's.
    """
    found = [_one_sided("step", visible(step.id, 60), False, ours)]
    found += [_one_sided(*line, ours) for line in _lines(step, limit)]
    return found


def beside(
    run: Step, reference: Step, details: PairDetails | None, limit: int, words: int
) -> list[Field]:
    """Returns what two steps say.

    Args:
        run: the run's.
        reference: the reference's.
        details: what is known of the pair.
        limit: the most characters of one field.
        words: how many may still be compared.
    """
    ours = {(name, is_value): text for name, text, is_value in _lines(run, limit)}
    theirs = {(name, is_value): text for name, text, is_value in _lines(reference, limit)}
    changed = [change.path for change in details.changes] if details else []
    another_tool = details is not None and details.fields.get("tool", 0) > 0
    found: list[Field] = []
    for name, is_value in _merged(ours, theirs):
        one, other = ours.get((name, is_value)), theirs.get((name, is_value))
        is_other = _is_changed(name, changed) if is_value else name == "tool" and another_tool
        found.append(_field(name, one, other, is_value, is_other, words))
        words -= found[-1].words
    return sorted(found, key=_rank)


def _rank(field: Field) -> tuple[int, int]:
    """The place of a field; of the arguments what differs comes first."""
    if field.is_value:
        return _NAMES.index("arguments"), _WAYS.index(field.way)
    return _NAMES.index(field.name), 0


def _field(
    name: str, one: str | None, other: str | None, is_value: bool, is_other: bool, words: int
) -> Field:
    if one is None or other is None:
        return _one_sided(name, one or other or "", is_value, other is None)
    if one == other:
        return Field(name, plain(one), plain(one), "same", is_value)
    ours, theirs, count = compared(one, other, words)
    return Field(name, ours, theirs, "other" if is_other else "alike", is_value, count)


def _one_sided(name: str, text: str, is_value: bool, ours: bool) -> Field:
    said = plain(text)
    if ours:
        return Field(name, said, None, "run", is_value)
    return Field(name, None, said, "reference", is_value)


def _merged(
    ours: Iterable[tuple[str, bool]], theirs: Iterable[tuple[str, bool]]
) -> Iterator[tuple[str, bool]]:
    """The lines of both, in the order of their fields; of the arguments first the run's."""
    both = dict.fromkeys((*ours, *theirs))
    yield from sorted(both, key=lambda one: _NAMES.index("arguments" if one[1] else one[0]))


def _lines(step: Step, limit: int) -> Iterator[tuple[str, str, bool]]:
    """The name and the text of each line, and whether it is a value of the arguments."""
    for name in _NAMES:
        value = getattr(step, name)
        if value is None:
            continue
        if name == "arguments" and isinstance(value, Mapping):
            yield from _values(value, limit)
        else:
            yield name, _text(value, limit), False


def _values(arguments: Mapping[str, object], limit: int) -> Iterator[tuple[str, str, bool]]:
    leaves = list(_leaves(arguments, "", 0))
    for path, value in leaves[:LINES]:
        yield visible(path, 120), _text(value, limit), True
    if len(leaves) > LINES:
        yield "…", f"{number_text(len(leaves) - LINES)} more values", True


def _leaves(value: object, path: str, depth: int) -> Iterator[tuple[str, object]]:
    if depth < DEEPEST and isinstance(value, Mapping) and value:
        for key, member in value.items():
            yield from _leaves(member, f"{path}.{key}" if path else key, depth + 1)
    elif depth < DEEPEST and isinstance(value, Sequence) and value and not isinstance(value, str):
        for place, member in enumerate(value):
            yield from _leaves(member, f"{path}[{place}]", depth + 1)
    else:
        yield path, value


def _text(value: object, limit: int) -> str:
    whole = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=1)
    return visible(whole, limit)


def _is_changed(name: str, paths: Iterable[str]) -> bool:
    """Whether a change is of this value, or of what it is part of; places in lists are alike."""
    known = _PLACE.sub("[]", name)
    return any(
        path == "arguments" or known == path or known.startswith((f"{path}.", f"{path}["))
        for path in paths
    )

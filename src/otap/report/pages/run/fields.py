"""What a step says, field by field, beside what its counterpart says; differences at the value."""

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple, get_args

from otap._numbers import count_text
from otap._patterns import regex
from otap.alignment import PairDetails
from otap.report.pages.run.lines import FIELDS, Line, lines
from otap.report.pages.run.words import Text, compared, plain
from otap.report.pages.texts import visible
from otap.trajectory import Step

_LONG = 60  # characters of a text that is not shown twice
_TALL = 1000
_PLACE = regex(r"\[\d+\]")
_ORDER = ("step", *FIELDS)
Way = Literal["other", "run", "reference", "alike", "same", "apart"]
_WAYS: tuple[Way, ...] = get_args(Way)


class Field(NamedTuple):
    """One line: a field, or one value of the arguments.

    Attributes:
        name: of the field; for a value of the arguments its path.
        run: what the run's step says, as text in pieces; None: nothing.
        reference: what the reference's says.
        way: how they stand to each other: the same, alike (the texts differ, and are taken for
            the same or nearly), other; which side alone has it; or apart, where it is not
            compared.
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
    return [_one_sided(line, text, ours) for line, text in _titled(step, limit).items()]


def apart(run: Step, reference: Step, limit: int) -> list[Field]:
    """Returns what two steps say that do not stand for each other alone: nothing is compared.

    Args:
        run: the run's.
        reference: the reference's.
        limit: the most characters of one field.
    """
    ours, theirs = (_titled(step, limit) for step in (run, reference))
    return [
        Field(line.name, _maybe(ours.get(line)), _maybe(theirs.get(line)), "apart", line.is_value)
        for line in _merged(ours, theirs)
    ]


def _titled(step: Step, limit: int) -> dict[Line, str]:
    """The lines of a step that is not alone in its row, with one that says which it is."""
    return {Line("step"): visible(step.id, 60), **dict(lines(step, limit))}


def _maybe(text: str | None) -> Text | None:
    return None if text is None else plain(text)


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
    ours, theirs = dict(lines(run, limit)), dict(lines(reference, limit))
    changed = [change.path for change in details.changes] if details else []
    another_tool = details is not None and details.fields.get("tool", 0) > 0
    found: list[Field] = []
    for line in _merged(ours, theirs):
        is_other = _is_changed(line.name, changed) if line.is_value else another_tool
        found.append(_field(line, (ours.get(line), theirs.get(line)), is_other, words))
        words -= found[-1].words
    return sorted(found, key=_rank)


def bounded(fields: Sequence[Field], most: int) -> list[Field]:
    """Returns the fields with at most so many values of arguments, and a line on how many more.

    Args:
        fields: of a step or of two.
        most: how many values have a line.
    """
    values = [place for place, field in enumerate(fields) if field.is_value]
    if len(values) <= most:
        return list(fields)
    first, last = values[most], values[-1]
    rest = plain(count_text(len(values) - most, "more value"))
    return [*fields[:first], Field("…", rest, None, "run", True), *fields[last + 1 :]]


def _rank(field: Field) -> tuple[int, int]:
    """The place of a field; of the arguments what differs comes first."""
    if field.is_value:
        return _ORDER.index("arguments"), _WAYS.index(field.way)
    return _ORDER.index(field.name), 0


def _field(line: Line, texts: tuple[str | None, str | None], is_other: bool, words: int) -> Field:
    one, other = texts
    if one is None or other is None:
        return _one_sided(line, one or other or "", other is None)
    if one == other:
        return Field(line.name, plain(one), plain(other), "same", line.is_value)
    ours, theirs, count = compared(one, other, words)
    way: Way = "other" if is_other and (line.is_value or line.name == "tool") else "alike"
    return Field(line.name, ours, theirs, way, line.is_value, count)


def _one_sided(line: Line, text: str, ours: bool) -> Field:
    said = plain(text)
    if ours:
        return Field(line.name, said, None, "run", line.is_value)
    return Field(line.name, None, said, "reference", line.is_value)


def _merged(ours: Iterable[Line], theirs: Iterable[Line]) -> list[Line]:
    """The lines of both, in the order of their fields; of the arguments first the run's."""
    both = dict.fromkeys((*ours, *theirs))
    return sorted(both, key=lambda line: _ORDER.index("arguments" if line.is_value else line.name))


def _is_changed(name: str, paths: Iterable[str]) -> bool:
    """Whether a change is of this value, or of what it is part of; places in lists are alike."""
    known = _PLACE.sub("[]", name)
    return any(
        path == "arguments" or known == path or known.startswith((f"{path}.", f"{path}["))
        for path in paths
    )

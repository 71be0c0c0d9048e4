"""A row of an alignment in full: what the pair costs, and every field that its steps have."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from otap._numbers import brief_text, loss_text
from otap.report.story.parts import SMALLEST
from otap.report.story.rows import Row
from otap.report.story.values import value_text
from otap.report.terminal.paper import Paper, padded
from otap.report.view import Cell, Line
from otap.scoring import Against, Side
from otap.trajectory import Step

INDENT = 8
LONGEST = 1000  # characters of a field
_FIELD = 11  # columns
_WHOSE = 11
_APART = ("id", "substeps", "depends_on")  # fields that are not shown as values


class _Named(NamedTuple):
    whose: str
    fields: Mapping[str, str]


def fields_view(row: Row, against: Against, paper: Paper) -> Iterator[Line]:
    """Yields the cost of a pair by field, then the fields of its steps; both at once if alike."""
    yield from _costs(row, against, paper)
    named = _merged(
        [
            *(_named("run", against.run, place) for place in row.run),
            *(_named("reference", against.reference, place) for place in row.reference),
        ]
    )
    for name in dict.fromkeys(name for one in named for name in one.fields):
        for one in named:
            if name in one.fields:
                yield from _field(name, one, named, paper)


def _costs(row: Row, against: Against, paper: Paper) -> Iterator[Line]:
    if row.cost is None:
        return
    ours, theirs = against.run.steps[row.run[0]], against.reference.steps[row.reference[0]]
    found = against.details.get((ours.id, theirs.id))
    fields = {} if found is None else found.fields
    named = [f"{name} {loss_text(cost)}" for name, cost in fields.items() if cost > SMALLEST]
    text = f"costs {loss_text(row.cost)}: {', '.join(named)}" if named else "costs nothing"
    yield from paper.paragraph(text, "dim", INDENT)


def _named(whose: str, side: Side, place: int) -> _Named:
    step = side.steps[place]
    role = f"{side.roles[place].replace('_', ' ')}, weighs {brief_text(side.weights[place])}"
    return _Named(whose, {"role": role, **dict(_fields(step))})


def _fields(step: Step) -> Iterator[tuple[str, str]]:
    given = step.model_dump(mode="json", exclude_defaults=True)
    for name, value in given.items():
        if name not in _APART and value not in (None, {}, []):
            yield name, value_text(value, LONGEST)


def _merged(named: list[_Named]) -> list[_Named]:
    """Two steps of which a field is alike have it once, as that of both."""
    if len(named) != 2 or named[0].whose == named[1].whose:
        return named
    ours, theirs = (one.fields for one in named)
    both = {name: text for name, text in ours.items() if theirs.get(name) == text}
    return [
        _Named("both", both),
        *(
            _Named(one.whose, {name: t for name, t in one.fields.items() if name not in both})
            for one in named
        ),
    ]


def _field(name: str, one: _Named, named: list[_Named], paper: Paper) -> Iterator[Line]:
    first = next(other for other in named if name in other.fields)
    title = name if one is first else ""
    lead = " " * INDENT + padded(title, _FIELD) + padded(one.whose, _WHOSE)
    yield from paper.paragraph(paper.own(one.fields[name]), "", len(lead), (Cell(lead, "dim"),))

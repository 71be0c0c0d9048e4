"""The alignment in short: what differs step by step, and the rest in a sentence.

Texts of traces are as ``errors.shown`` leaves them; they are escaped for no markup.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from otap._numbers import ABSENT, number_text
from otap.errors import shown
from otap.report.cells import step_name
from otap.report.story.labels import step_label
from otap.report.story.rows import RELATIONS, Row, differing
from otap.report.story.signs import MOVED, SIGNS
from otap.report.story.telling import Telling
from otap.report.story.values import arguments_text
from otap.scoring import Against, Side

TOOLS = 6  # named of the steps that matter little


@dataclass(frozen=True)
class Short:
    """A row in words.

    Attributes:
        relation: its signs and words.
        run: the run's steps, or that there is none.
        reference: the same of the reference.
        what: the values that differ; of a step that is alone what it was called with.
        is_slight: whether nothing worse than minor is said of it.
    """

    relation: str
    run: str
    reference: str
    what: str
    is_slight: bool


def short_rows(against: Against, rows: Sequence[Row]) -> list[Short]:
    """Returns the rows that differ, without those that are as good as the same.

    Args:
        against: the run and the reference.
        rows: the alignment in reading order.
    """
    telling = Telling(against)
    return [_short(against, row, telling) for row in rows if not row.is_dull]


def rest_sentence(against: Against, rows: Sequence[Row]) -> str | None:
    """Returns what the other rows are in one sentence; None: there are none.

    Args:
        against: the run and the reference.
        rows: the alignment in reading order.
    """
    dull = [row for row in rows if row.is_dull]
    if not dull:
        return None
    begin = "All" if len(dull) == len(rows) else "All else"
    return f"{begin} is the same or slight: {', '.join(_counts(against, dull))}."


def relation_words(row: Row) -> str:
    """Returns how the two sides of a row stand to each other, with the signs."""
    said = [SIGNS[row.relation], *([MOVED] if row.order else [])]
    return ", ".join(f"{one.sign} {one.word}" for one in said)


def called_with(given: JsonValue) -> str:
    """Returns arguments on one line; empty: there are none."""
    return arguments_text(given, 120, longest=60)


def _short(against: Against, row: Row, telling: Telling) -> Short:
    return Short(
        relation_words(row),
        _steps(against.run, row.run),
        _steps(against.reference, row.reference),
        _what(against, row, telling),
        row.is_slight,
    )


def _steps(side: Side, places: Sequence[int]) -> str:
    return " + ".join(step_label(side.steps[place]) for place in places) or ABSENT


def _what(against: Against, row: Row, telling: Telling) -> str:
    if row.run and row.reference:
        return "; ".join(differing(against, row))
    side, places = (against.run, row.run) if row.run else (against.reference, row.reference)
    return called_with(telling.given(side.steps[places[0]]))


def _counts(against: Against, dull: Sequence[Row]) -> Iterator[str]:
    """How many rows of each relation there are, and which tools those alone on a side call."""
    for relation in RELATIONS:
        found = [row for row in dull if row.relation == relation]
        if found:
            yield f"{number_text(len(found))} {SIGNS[relation].word}{_tools(against, found)}"


def _tools(against: Against, found: Sequence[Row]) -> str:
    alone = [against.run.steps[row.run[0]] for row in found if not row.reference]
    counts = Counter(step_name(step) for step in alone).most_common()
    named = [f"{number_text(count)} {shown(name, 40)}" for name, count in counts[:TOOLS]]
    more = ["and others"] if counts[TOOLS:] else []
    return f" ({', '.join([*named, *more])})" if named else ""

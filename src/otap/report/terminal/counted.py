"""What did not count in full, and why: left out by the settings, or recognised."""

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import get_args

from otap._numbers import count_text
from otap.prepare.recognition import Role
from otap.report.terminal.paper import Paper
from otap.report.view import Line, line
from otap.scoring import Explanation, Score, Side, summary

_WEIGHING_LITTLE: frozenset[Role] = frozenset(get_args(Role)) - {"writes"}
_LINES = 2  # of the short form


def counted_view(explained: Explanation, paper: Paper) -> Iterator[Line]:
    """Yields in a sentence what did not count; nothing if all did."""
    said = counting(explained.score)
    if said:
        yield line()
        text = paper.own("; ".join(paper.text(one) for one in said))
        yield from paper.paragraph(paper.cut(text, _LINES * (paper.columns - 2)), "dim")


def whole_counted_view(explained: Explanation, paper: Paper) -> Iterator[Line]:
    """Yields what did not count, each in a line, with the steps that were left out by id."""
    score = explained.score
    for one in counting(score) or ["everything counts"]:
        yield from paper.paragraph(paper.text(one), "", 2)
    for whose, side in (("run", explained.best.run), ("reference", explained.best.reference)):
        if side.left_out:
            text = f"left out of the {whose}: {_ids(side)}"
            yield from paper.paragraph(paper.text(text), "dim", 2)


def counting(score: Score) -> list[str]:
    """Returns what did not count, or not in full: sentences in which a trace names its tools."""
    return [*_left_out(score), *_recognised(score), *_redrawn(score)]


def _ids(side: Side) -> str:
    return ", ".join(step.id for step in side.left_out)


def _left_out(score: Score) -> Iterator[str]:
    left = score.left_out
    if left.agent or left.reference:
        sides = (left.agent, left.reference)
        of_run, of_reference = (count_text(len(side), "step") for side in sides)
        yield f"does not count: {of_run} of the run, {of_reference} of the reference"


def _recognised(score: Score) -> Iterator[str]:
    full = set(score.conditions.in_full) & _WEIGHING_LITTLE
    found = score.conditions.recognised
    little = summary(_only(found, _WEIGHING_LITTLE - full))
    if little:
        yield f"counts little: {little}"
    if in_full := summary(_only(found, full)):
        yield f"counts in full, as the reference does nothing weightier: {in_full}"


def _only(found: Mapping[str, Sequence[Role]], roles: AbstractSet[Role]) -> dict[str, list[Role]]:
    """The tools that have one of some roles, with it; and that they write, too, where they do."""
    return {
        tool: [role for role in own if role in roles or role == "writes"]
        for tool, own in found.items()
        if roles & {*own}
    }


def _redrawn(score: Score) -> Iterator[str]:
    if score.conditions.redrawn:
        yield f"{count_text(score.conditions.redrawn, 'identifier')} drawn anew for the same thing"

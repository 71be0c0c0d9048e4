"""A score as one bar: what is kept, and what each part of the loss took."""

from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

from otap._numbers import percent_text, score_text
from otap.report.story.parts import Part, parts
from otap.report.terminal.paper import Paper
from otap.report.view import Cell, Line
from otap.scoring import Score

LONGEST = 72  # columns
INDENT = 2
_STYLES = ("red", "yellow", "magenta", "dim")


class _Fill(NamedTuple):
    sign: str
    plain: str


_KEPT = _Fill("█", "#")
_TAKEN = (_Fill("▓", "*"), _Fill("▒", "o"), _Fill("░", ":"), _Fill("·", "."))


def bar_view(score: Score, paper: Paper) -> Iterator[Line]:
    """Yields the bar, and below it what each of its fills is; the largest part is named first."""
    taken = _named(parts(score))
    length = min(LONGEST, paper.columns - 2 * INDENT)
    fills = [_fill(one, paper) for one in (_KEPT, *_TAKEN[: len(taken)])]
    sizes = _sizes(score.score, [one.share for one in taken], length)
    styles = ("green", *_STYLES[: len(taken)])
    cells = [Cell(f * size, s) for f, size, s in zip(fills, sizes, styles, strict=True)]
    yield Line((Cell(" " * INDENT), *cells))
    words = [f"kept {score_text(score.score)}"]
    words += [f"{one.word} {percent_text(one.share)}" for one in taken]
    named = [
        [Cell(fill, style), Cell(f" {word}", "dim")]
        for fill, style, word in zip(fills, styles, words, strict=True)
    ]
    if taken:
        named[1].insert(0, Cell("lost to ", "dim"))
    yield from paper.packed(named, INDENT)


def _fill(one: _Fill, paper: Paper) -> str:
    return one.plain if paper.plain else one.sign


def _named(found: Sequence[Part]) -> list[Part]:
    """As many parts as there are fills; the small ones are taken together."""
    if len(found) <= len(_TAKEN):
        return list(found)
    own, rest = found[: len(_TAKEN) - 1], found[len(_TAKEN) - 1 :]
    return [
        *own,
        Part("", "the rest", sum(one.loss for one in rest), sum(one.share for one in rest)),
    ]


def _sizes(kept: float, shares: Sequence[float], length: int) -> list[int]:
    """Columns that sum to the length: what is lost has one at least, and what is kept another."""
    lost = min(max(round((1 - kept) * length), 1), length - 1) if shares else 0
    ends = [round(lost * end) for end in accumulate(shares)]
    sizes = [end - begin for begin, end in pairwise([0, *ends])]
    return [length - sum(sizes), *sizes]

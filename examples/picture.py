"""Draws a run beside its reference as SVG: what is the same, other, merged, missing and extra.

python examples/picture.py RUN.json REFERENCE.json > alignment.svg
"""

import sys
import textwrap
from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple
from xml.sax.saxutils import escape

import otap
from otap._numbers import count_text, score_text
from otap.errors import shown
from otap.findings import SEVERITIES
from otap.report.model.alignment_rows import Row, list_rows
from otap.report.model.vocabulary import SIGNS
from otap.scoring import Against, Explanation

WIDTH, MARGIN = 800, 24
BOX, HEIGHT, GAP = 268, 50, 14
LEFT, RIGHT = MARGIN, WIDTH - MARGIN - BOX
TOP = 166  # of the first row
BAND = 44  # pixels of a ribbon that carries a whole step
CHARACTERS = 31  # of a line in a box
SENTENCE, SENTENCES = 92, 3  # characters of a line of the head, and its lines
# Colours of Okabe and Ito, darker on white and lighter on black, so that all are read on both.
STYLE = """
svg { --page:#ffffff; --ink:#1f2328; --dim:#59636e; --rule:#d1d9e0; --same:#57809f;
      --bad:#b34700; --extra:#59636e; --box:#f6f8fa; --mark:#ffe0cc; }
@media (prefers-color-scheme: dark) { svg { --page:#0d1117; --ink:#e6edf3; --dim:#9198a1;
      --rule:#3d444d; --same:#6ea8d0; --bad:#ff9b5e; --extra:#9198a1; --box:#151b23;
      --mark:#5c2b0e; } }
text { font:14px -apple-system,"Segoe UI",Helvetica,Arial,sans-serif; fill:var(--ink); }
.score { font-size:30px; font-weight:600; } .head { font-weight:600; }
.dim { fill:var(--dim); font-size:12.5px; } .bad { fill:var(--bad); font-weight:600; }
.values { font:12.5px ui-monospace,Menlo,Consolas,monospace; fill:var(--dim); }
.marked { fill:var(--bad); font-weight:700; text-decoration:underline; }
.page { fill:var(--page); stroke:var(--rule); } .box { fill:var(--box); stroke:var(--rule); }
.box.arguments, .box.tool, .box.failed { stroke:var(--bad); stroke-width:2; }
.box.missing { fill:none; stroke:var(--bad); stroke-width:2; stroke-dasharray:7 4; }
.box.invented, .box.repeated { fill:none; stroke:var(--extra); stroke-dasharray:2 3; }
.band { fill:var(--same); fill-opacity:.45; }
.band.arguments, .band.tool { fill:var(--bad); fill-opacity:.5; }
.pill { fill:var(--page); stroke:var(--rule); } .sign { font-size:12.5px; text-anchor:middle; }
.plain { fill:var(--ink); font-weight:400; }
.rule { stroke:var(--rule); }
"""


class Place(NamedTuple):
    """Where a box stands, and how high it is."""

    x: float
    y: float
    height: float


def draw(found: Explanation) -> str:
    """Returns the picture of a run beside its best reference as an SVG document."""
    best, listed = found.best, list_rows(found.best)
    lines = [max(len(row.run), len(row.reference), 1) for row in listed]
    height = TOP + sum(lines) * (HEIGHT + GAP) + 34
    body = "\n".join([*_head(found), *_rows(best, listed, lines), *_foot(found, height)])
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" '
        f'height="{height}" role="img" aria-labelledby="title about">\n'
        f'<title id="title">A run beside its reference, scored by OTAP</title>\n'
        f'<desc id="about">{escape(_said(found))}</desc>\n<style>{STYLE}</style>\n'
        f'<rect class="page" x=".5" y=".5" width="{WIDTH - 1}" height="{height - 1}" rx="8"/>\n'
        f"{body}\n</svg>\n"
    )


def _said(found: Explanation) -> str:
    """The same as the picture, in words."""
    score = f"Score {score_text(found.score.score)}, {found.score.severity or 'no findings'}."
    return " ".join([score, *(f"{one.sentence}." for one in found.score.findings)])


def _head(found: Explanation) -> Iterator[str]:
    """The score, and why it is not better: what is worse than minor, in two lines at most."""
    score = found.score
    yield _text(MARGIN, 52, score_text(score.score), "score")
    yield _text(MARGIN, 74, "score", "dim")
    for k, (begin, rest) in enumerate(_why(found)[:SENTENCES]):
        yield _text(MARGIN + 100, 38 + 22 * k, begin, "bad", then=rest)
    for x, side, name in (
        (LEFT, found.best.run, "the run"), (RIGHT, found.best.reference, "a known-good run"),
    ):  # fmt: skip
        yield _text(x, TOP - 38, name, "head")
        yield _text(x, TOP - 19, count_text(len(side.steps), "step"), "dim")
    yield f'<line class="rule" x1="{MARGIN}" x2="{WIDTH - MARGIN}" y1="104" y2="104"/>'


def _why(found: Explanation) -> list[tuple[str, str]]:
    """The findings that are worse than minor, line by line: what begins each, and the rest."""
    lines = []
    for one in found.score.findings:
        if one.severity != SEVERITIES[-1]:
            first, *others = textwrap.wrap(f"{one.severity}: {one.sentence}", SENTENCE)
            begin = f"{one.severity}: "
            lines += [(begin, first.removeprefix(begin)), *(("", other) for other in others)]
    if len(lines) > SENTENCES:
        begin, rest = lines[SENTENCES - 1]
        lines[SENTENCES - 1] = begin, f"{rest} …"
    return lines


def _foot(found: Explanation, height: int) -> Iterator[str]:
    score = found.score
    told = (
        f"precision {score_text(score.precision)}", f"recall {score_text(score.recall)}",
        "the wider a ribbon, the more the step counts",
    )  # fmt: skip
    yield _text(MARGIN, height - 18, " · ".join(told), "dim")


def _rows(best: Against, listed: Sequence[Row], lines: Sequence[int]) -> Iterator[str]:
    y = float(TOP)
    for row, count in zip(listed, lines, strict=True):
        room = count * (HEIGHT + GAP)
        yield from _row(best, row, y, room)
        y += room


def _row(best: Against, row: Row, y: float, room: float) -> Iterator[str]:
    """The boxes of a row, with the ribbons between them and what they say in their middle."""
    yield from _ribbons(best, row, y, room)
    ours, theirs = _marked(best, row)
    for x, side, places, marked in (
        (LEFT, best.run, row.run, ours), (RIGHT, best.reference, row.reference, theirs),
    ):  # fmt: skip
        height = room / max(1, len(places)) - GAP
        for k, place in enumerate(places):
            at = Place(x, y + k * (height + GAP), height)
            yield from _box(side.steps[place], at, row.relation, marked)
    middle = WIDTH / 2
    if not row.reference:
        middle = RIGHT + BOX / 2
    elif not row.run:
        middle = LEFT + BOX / 2
    yield from _pill(middle, y + (room - GAP) / 2, row)


def _ribbons(best: Against, row: Row, y: float, room: float) -> Iterator[str]:
    """A ribbon a pair of the row; its width is the share of a whole step that is moved."""
    moved = {(pair.agent, pair.reference): pair.mass for pair in best.score.alignment.pairs}
    most = max(moved.values(), default=1.0)
    pairs = list(product(row.run, row.reference))
    for (i, j), middle in zip(pairs, _middles(len(pairs), y, room), strict=True):
        mass = moved.get((best.run.steps[i].id, best.reference.steps[j].id), 0.0)
        width = max(3.0, BAND * mass / most)
        yield (
            f'<rect class="band {row.relation}" x="{LEFT + BOX}" y="{middle - width / 2:.1f}" '
            f'width="{RIGHT - LEFT - BOX}" height="{width:.1f}"/>'
        )


def _middles(count: int, y: float, room: float) -> list[float]:
    """The heights of the middles of so many parts of a row."""
    return [y + (room - GAP) * (2 * k + 1) / (2 * count) for k in range(count)]


def _marked(best: Against, row: Row) -> Sequence[tuple[str, object] | None]:
    """The first value that differs, with its name, of the run and of the reference."""
    if len(row.run) == len(row.reference) == 1:
        pair = best.run.steps[row.run[0]].id, best.reference.steps[row.reference[0]].id
        for change in best.details[pair].changes[:1]:
            return (change.path, change.run), (change.path, change.reference)
    return None, None


def _box(
    step: otap.Step, at: Place, relation: str, marked: tuple[str, object] | None
) -> Iterator[str]:
    x, middle = at.x + 12, at.y + at.height / 2
    yield (
        f'<rect class="box {relation}" x="{at.x}" y="{at.y:g}" width="{BOX}" '
        f'height="{at.height:g}" rx="6"/>'
    )
    yield _text(x, middle - 4, shown(step.tool or step.id, CHARACTERS), "name")
    if marked is not None:
        name, value = marked
        yield _text(x, middle + 15, f"{shown(name, 14)}: ", "values", then=shown(value, 16))
    elif isinstance(step.arguments, dict):
        given = ", ".join(f"{key}: {value}" for key, value in step.arguments.items())
        yield _text(x, middle + 15, shown(given.replace("'", ""), CHARACTERS), "values")


def _pill(x: float, y: float, row: Row) -> Iterator[str]:
    """The sign of a row and its word."""
    sign = SIGNS[row.relation]
    text = f"{sign.sign} {sign.word}"
    width = 18 + 7 * len(text)
    yield (
        f'<rect class="pill" x="{x - width / 2:g}" y="{y - 12:g}" width="{width}" height="24" '
        'rx="12"/>'
    )
    yield _text(x, y + 4.5, text, "sign" if row.is_slight else "sign bad")


def _text(x: float, y: float, text: str, kind: str, then: str = "") -> str:
    """A line of text; what comes then is told apart."""
    rest = f'<tspan class="{_THEN[kind]}">{escape(then)}</tspan>' if then else ""
    return f'<text class="{kind}" x="{x:g}" y="{y:g}">{escape(text)}{rest}</text>'


_THEN = {"bad": "plain", "values": "marked"}

if __name__ == "__main__":
    its_run, its_reference = (otap.read(path) for path in sys.argv[1:3])
    sys.stdout.write(draw(otap.Scorer().explain(its_run, its_reference)))

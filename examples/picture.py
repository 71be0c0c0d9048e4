"""Draws an alignment as SVG: steps as boxes, mass as lines, green for alike and red for unlike.

python examples/picture.py RUN.json REFERENCE.json > alignment.svg
"""

import sys
from collections.abc import Iterator
from xml.sax.saxutils import escape

import otap
from otap._numbers import brief_text, score_text

BOX_WIDTH, BOX_HEIGHT, GAP = 210, 38, 16
LEFT, RIGHT, TOP = 20, 470, 70
WIDTH = RIGHT + BOX_WIDTH + 20
LINE = 60  # pixels of a line that carries all mass of a trajectory
FONT = 'font-family="Helvetica, Arial, sans-serif"'


def draw(score: otap.Score, run: otap.Trajectory, reference: otap.Trajectory) -> str:
    """Returns the picture of a score as an SVG document."""
    rows = max(len(run.steps), len(reference.steps))
    height = TOP + rows * (BOX_HEIGHT + GAP) + 10
    body = "\n".join(_body(score, run, reference))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        f'width="{WIDTH}" height="{height}" role="img" aria-label="Alignment of two runs">\n'
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>\n{body}\n</svg>\n'
    )


def _body(score: otap.Score, run: otap.Trajectory, reference: otap.Trajectory) -> Iterator[str]:
    left, right = _places(run), _places(reference)
    yield _text(LEFT, 24, f"score {score_text(score.score)}", 18, "bold")
    yield _text(LEFT + 130, 24, f"skill {score_text(score.skill)}", 18)
    yield _text(LEFT, 54, "run", 13)
    yield _text(RIGHT, 54, "reference", 13)
    for pair in score.alignment.pairs:
        if pair.mass > 0.005:
            yield _line(left[pair.agent], right[pair.reference], pair.mass, pair.cost)
    for side, steps, shares in (
        (LEFT, run.steps, score.alignment.agent),
        (RIGHT, reference.steps, score.alignment.reference),
    ):
        for index, (step, share) in enumerate(zip(steps, shares, strict=True)):
            yield _box(side, index, step, share.quality)


def _places(trajectory: otap.Trajectory) -> dict[str, float]:
    return {step.id: _middle(index) for index, step in enumerate(trajectory.steps)}


def _middle(index: int) -> float:
    return TOP + index * (BOX_HEIGHT + GAP) + BOX_HEIGHT / 2


def _line(start: float, end: float, mass: float, cost: float) -> str:
    x1, x2, middle = LEFT + BOX_WIDTH, RIGHT, (LEFT + BOX_WIDTH + RIGHT) / 2
    return (
        f'<path d="M {x1} {start:.1f} C {middle} {start:.1f}, {middle} {end:.1f}, {x2} {end:.1f}" '
        f'fill="none" stroke="{_colour(1 - cost)}" stroke-width="{LINE * mass:.1f}" '
        f'stroke-opacity="0.75"/>'
    )


def _box(x: float, index: int, step: otap.Step, quality: float) -> str:
    y = TOP + index * (BOX_HEIGHT + GAP)
    return (
        f'<rect x="{x}" y="{y}" width="{BOX_WIDTH}" height="{BOX_HEIGHT}" rx="6" fill="#f6f8fa" '
        f'stroke="{_colour(quality)}" stroke-width="2"/>'
        + _text(x + 10, y + 24, step.tool or step.id, 14)
        + _text(x + BOX_WIDTH - 38, y + 24, brief_text(quality), 12)
    )


def _text(x: float, y: float, text: str, size: int, weight: str = "normal") -> str:
    return (
        f'<text x="{x}" y="{y}" {FONT} font-size="{size}" font-weight="{weight}" '
        f'fill="#1f2328">{escape(text)}</text>'
    )


def _colour(likeness: float) -> str:
    """Green for 1, yellow for the middle, red for 0."""
    hue = round(130 * min(1.0, max(0.0, likeness)))
    return f"hsl({hue}, 60%, 42%)"


if __name__ == "__main__":
    its_run, its_reference = (otap.read(path) for path in sys.argv[1:3])
    sys.stdout.write(draw(otap.score(its_run, its_reference), its_run, its_reference))

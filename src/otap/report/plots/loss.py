"""The loss as a waterfall: what each part took, the largest first, and all of it."""

from itertools import accumulate
from typing import TYPE_CHECKING

from otap._numbers import loss_text, percent_text, score_text
from otap.report.picture import BLACK, GREY, ORANGE
from otap.report.plots.axes import axes_of, bare
from otap.report.story.parts import parts
from otap.scoring import Score

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_HATCHES = ("//", "\\\\", "xx", "..", "++", "--", "oo", "||", "**", "")


def draw_loss(score: Score, axes: "Axes | None" = None) -> "Axes":
    """Draws the parts of a loss, each beginning where the one before it ends."""
    found = parts(score)
    on = axes_of(axes, 7, 1.2 + 0.42 * (len(found) + 1))
    ends = list(accumulate((one.loss for one in found), initial=0.0))
    for place, one in enumerate(found):
        hatch = _HATCHES[place % len(_HATCHES)]
        on.barh(
            place, one.loss, left=ends[place], color=ORANGE, edgecolor=BLACK, hatch=hatch, alpha=0.8
        )
        said = f" {loss_text(one.loss)}, {percent_text(one.share)}"
        on.text(ends[place + 1], place, said, va="center")
    on.barh(len(found), score.loss, color=GREY, edgecolor=BLACK)
    on.text(score.loss, len(found), f" {loss_text(score.loss)}", va="center")
    on.set_yticks(range(len(found) + 1), [*(one.word for one in found), "all"])
    on.invert_yaxis()
    on.margins(x=0.25)
    on.set_xlim(left=0)
    on.set_xlabel("loss; the score is exp(-loss)")
    on.set_title(f"What the run lost: score {score_text(score.score)}", loc="left")
    bare(on, "left", "bottom")
    return on

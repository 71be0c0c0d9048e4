"""A score as a notebook shows it: static HTML, no script, nothing from outside."""

from otap.report.pages.templating import TEMPLATES
from otap.scoring import Score


def score_card(score: Score) -> str:
    """Returns the card of a score."""
    return TEMPLATES.render("card.html", score=score)

"""A score as a notebook shows it: static HTML, no script, nothing from outside.

Where a notebook strips its styles, what is left still says all in words and signs. Its texts have
the colour of the notebook, so that light and dark themes both are right.
"""

from otap.errors import ConfigError
from otap.report.model.score import AlignmentReport, describe_alignment, list_numbers
from otap.report.rendering import render_template
from otap.scoring import Explanation, Score


def score_card(score: Score) -> str:
    """Returns the card of a score; without an alignment if it does not know its run any more."""
    try:
        return explanation_card(score.explain())
    except ConfigError:
        return _render_card(score, None)


def explanation_card(found: Explanation) -> str:
    """Returns the card of a score with the alignment that it was read off."""
    return _render_card(found.score, describe_alignment(found.best))


def _render_card(score: Score, report: AlignmentReport | None) -> str:
    told = (*report.bad, *report.slight) if report else score.findings
    rows = report.differing() if report else []
    card = render_template(
        "card.html",
        score=score,
        report=report,
        numbers=list_numbers(score),
        told=told,
        rows=rows,
    )
    return str(card)  # no markup any more: whoever puts a text before it means that as HTML

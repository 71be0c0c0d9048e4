"""Shows a score in a notebook as static HTML, without scripts or requests.

If a notebook strips the styles, words and signs still say everything. Texts keep the colour of the
notebook, for light and dark themes.
"""

from otap.errors import ConfigError
from otap.report.model.alignment_report import AlignmentReport, describe_alignment, list_numbers
from otap.report.rendering import render_template
from otap.scoring import Explanation, Score


def score_card(score: Score) -> str:
    """Returns the card of a score; a score that was read from a file has no alignment."""
    try:
        return explanation_card(score.explain())
    except ConfigError:
        return _render_card(score, None)


def explanation_card(explanation: Explanation) -> str:
    """Returns the card of a score with its alignment."""
    return _render_card(explanation.score, describe_alignment(explanation.best))


def _render_card(score: Score, report: AlignmentReport | None) -> str:
    card = render_template(
        "card.html",
        score=score,
        report=report,
        numbers=list_numbers(score),
        findings=(*report.bad, *report.slight) if report else score.findings,
        rows=report.differing() if report else [],
    )
    return str(card)  # as Markup, it would escape a text that a caller adds to it

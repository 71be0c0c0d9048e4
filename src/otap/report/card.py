"""A score as a notebook shows it: static HTML, no script, nothing from outside.

Where a notebook strips its styles, what is left still says all in words and signs. Its texts have
the colour of the notebook, so that light and dark themes both are right.
"""

from collections.abc import Sequence

from otap.alignment import Severity
from otap.errors import ConfigError
from otap.report.pages.templating import TEMPLATES
from otap.report.story.findings import findings
from otap.report.story.headline import headline
from otap.report.story.numbers import numbers
from otap.report.story.rows import Row, rows
from otap.report.story.short import rest_sentence, short_rows
from otap.scoring import Against, Explanation, Score

FINDINGS_SHOWN = 6
ROWS_SHOWN = 20


def score_card(score: Score) -> str:
    """Returns the card of a score; without an alignment if it does not know its run any more."""
    try:
        return explanation_card(score.explain())
    except ConfigError:
        return _card(score, None)


def explanation_card(found: Explanation) -> str:
    """Returns the card of a score with the alignment that it was read off."""
    return _card(found.score, found.best)


def _card(score: Score, best: Against | None) -> str:
    listed = [] if best is None else rows(best)
    told = _told(score, best, listed)
    seen = [] if best is None else short_rows(best, listed)
    card = TEMPLATES.render(
        "card.html",
        score=score,
        best=best,
        numbers=numbers(score),
        headline=None if best is None else headline(best),
        told=told[:FINDINGS_SHOWN],
        more_told=max(0, len(told) - FINDINGS_SHOWN),
        rows=seen[:ROWS_SHOWN],
        more_rows=max(0, len(seen) - ROWS_SHOWN),
        rest=None if best is None else rest_sentence(best, listed),
    )
    return str(card)  # no markup any more: whoever puts a text before it means that as HTML


def _told(
    score: Score, best: Against | None, listed: Sequence[Row]
) -> Sequence[tuple[Severity, str]]:
    """The findings with how bad they are; what says the same together, if steps are known."""
    if best is None:
        return [(one.severity, one.sentence) for one in score.findings]
    found = findings(best, listed)
    return [(one.severity, one.sentence) for one in (*found.bad, *found.slight)]

"""A kind of finding of which the report knows nothing is shown by its sentence in every view."""

from dataclasses import replace

import hotel
import otap
from otap.report.card import explanation_card
from otap.report.markdown import score_markdown
from otap.report.model.alignment_report import describe_alignment
from otap.report.pages.run_page import score_page
from otap.report.redaction import Redactor
from otap.report.terminal.score_view import score_view, whole_score_view
from otap.report.view import plain
from otap.scoring import Explanation


def explained() -> Explanation:
    """A score with a finding of a new kind."""
    found = otap.Scorer().explain(hotel.run_of("missing_book"), hotel.reference())
    (one,) = found.best.score.findings
    novel = one.model_copy(update={"kind": "novel", "sentence": "canary was sung"})
    score = found.score.model_copy(update={"findings": (novel,)})
    return Explanation(score, (replace(found.best, score=score),))


def test_it_is_shown_in_every_view() -> None:
    """A new finding is a module and a line: no view has to be told of it."""
    found = explained()
    views = (
        describe_alignment(found.best).headline,
        plain(score_view(found)),
        plain(whole_score_view(found)),
        score_markdown(found),
        score_page(found),
        explanation_card(found),
    )
    assert [view for view in views if "canary was sung" not in view] == []


def test_a_page_that_hides_does_not_tell_it() -> None:
    """Nobody knows what its sentence holds."""
    assert "canary" not in score_page(Redactor().redact(explained()))

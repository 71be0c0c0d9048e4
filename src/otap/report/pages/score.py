"""What users call for one score: its page."""

from otap.report.pages.document import document
from otap.report.pages.run import run_body
from otap.scoring import Explanation


def score_page(found: Explanation) -> str:
    """Returns the page of one run: its score, alignment and findings, a tab each reference."""
    return document(f"OTAP: {found.score.id or 'run'}", run_body(found), ["run"])

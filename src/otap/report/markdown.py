"""Writes a score as Markdown."""

from markupsafe import Markup

from otap.report.flowcharts import alignment_flowchart
from otap.report.model.score import describe_alignment, list_doubts
from otap.report.rendering import render_template
from otap.scoring import Explanation


def score_markdown(explanation: Explanation) -> str:
    """Returns a score as Markdown: its reasons, the differences, and a flowchart."""
    report, score = describe_alignment(explanation.best), explanation.score
    chart = Markup(alignment_flowchart(report)) if report.rows else ""
    doubts = list_doubts(score)
    text = render_template("score.md", score=score, report=report, doubts=doubts, chart=chart)
    return f"{text!s}\n"

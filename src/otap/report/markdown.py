"""Writes a score as Markdown."""

from markupsafe import Markup

from otap.report.flowcharts import alignment_flowchart
from otap.report.model.alignment_report import describe_alignment, describe_order, list_doubts
from otap.report.rendering import render_template
from otap.scoring import Explanation


def score_markdown(explanation: Explanation) -> str:
    """Returns a score as Markdown: its reasons, the differences, and a flowchart."""
    report, score = describe_alignment(explanation.best), explanation.score
    chart = Markup(alignment_flowchart(report)) if report.rows else ""
    texts = {"doubts": list_doubts(score), "order": describe_order(score)}
    text = render_template("score.md", score=score, report=report, chart=chart, **texts)
    return f"{text!s}\n"

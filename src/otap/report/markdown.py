"""A score as Markdown."""

from markupsafe import Markup

from otap.report.flowcharts import alignment_flowchart
from otap.report.model.score import describe_alignment, list_doubts
from otap.report.rendering import render_template
from otap.scoring import Explanation


def score_markdown(found: Explanation) -> str:
    """Returns a score as Markdown: why it is not better, what differs, and a flowchart."""
    report, score = describe_alignment(found.best), found.score
    chart = Markup(alignment_flowchart(report)) if report.rows else ""
    given = {"score": score, "report": report, "doubts": list_doubts(score), "chart": chart}
    return str(render_template("score.md", **given)) + "\n"

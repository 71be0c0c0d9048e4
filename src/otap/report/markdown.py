"""A score, many results, a comparison as Markdown."""

from collections.abc import Sequence

from markupsafe import Markup

from otap.evaluation import Summary
from otap.evaluation.comparison import Comparison
from otap.report.comparison import comparison_view
from otap.report.evaluation import evaluation_view
from otap.report.flowcharts import alignment_flowchart, reasons_flowchart
from otap.report.model.score import describe_alignment, list_doubts
from otap.report.rendering import render_template
from otap.report.view import Line, View
from otap.scoring import Explanation


def score_markdown(found: Explanation) -> str:
    """Returns a score as Markdown: why it is not better, what differs, and a flowchart."""
    report, score = describe_alignment(found.best), found.score
    chart = Markup(alignment_flowchart(report)) if report.rows else ""
    given = {"score": score, "report": report, "doubts": list_doubts(score), "chart": chart}
    return str(render_template("score.md", **given)) + "\n"


def evaluation_markdown(summary: Summary, faults: Sequence[str] = ()) -> str:
    """Returns many results as Markdown.

    Args:
        summary: the results.
        faults: what their gate says against them.
    """
    return _render_view(evaluation_view(summary, faults))


def comparison_markdown(found: Comparison) -> str:
    """Returns a comparison as Markdown, with a flowchart of why tasks moved."""
    return _render_view(comparison_view(found), reasons_flowchart(found.tasks))


def _render_view(view: View, chart: str | None = None) -> str:
    """Lines and tables: the first line is the title and what explains it; indented ones a list."""
    listed = [isinstance(part, Line) and part.margin.text != "" for part in view]
    drawn = chart and Markup(chart)
    return str(render_template("view.md", view=view, listed=listed, chart=drawn))

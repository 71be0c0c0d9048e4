"""A comparison as JUnit's XML, which every CI system reads."""

from otap._patterns import regex
from otap.evaluation.comparison import Comparison
from otap.report.comparison import comparison_view, word_finding, word_interval
from otap.report.rendering import render_template
from otap.report.view import plain

# What XML 1.0 cannot hold, escaped or not.
_NOT_XML = regex("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def comparison_junit(found: Comparison) -> str:
    """Returns a comparison as XML: a test case of the verdict, and one of each task that moved.

    Tasks that moved by no more than the tolerance have none. One that fell is a failure if the
    verdict is worse: in any other case tasks fall and rise by chance, and the report is not red.
    """
    score = found.everywhere.score
    moved = "" if score is None else f" ({word_interval(score)})"
    text = render_template(
        "junit.xml",
        found=found,
        message=f"{found.verdict}: {found.reason}{moved}",
        text=plain(comparison_view(found)),
        tasks=[
            (one, word_finding(one)) for one in found.tasks if abs(one.difference) > found.tolerance
        ],
    )
    return _NOT_XML.sub("\ufffd", text) + "\n"

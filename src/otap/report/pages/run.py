"""One run beside its references: what a reader sees first, and everything that they can open."""

from markupsafe import Markup

from otap.report.pages.templating import TEMPLATES
from otap.scoring import Explanation


def run_body(found: Explanation, prefix: str = "") -> Markup:
    """Returns the markup of one run; needs the parts ``run``.

    Args:
        found: what is shown.
        prefix: of all element ids, so that several runs have room in one page.
    """
    return TEMPLATES.render("run.html", found=found, prefix=prefix)

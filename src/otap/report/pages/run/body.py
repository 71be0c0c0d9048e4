"""One run beside its references: what a reader sees first, and everything that they can open."""

from collections.abc import Mapping

from markupsafe import Markup

from otap.report.headline import clauses
from otap.report.pages.run.coupling import coupling
from otap.report.pages.run.diagram import diagram
from otap.report.pages.run.findings import findings
from otap.report.pages.run.numbers import closeness, numbers
from otap.report.pages.run.parts import parts
from otap.report.pages.run.steps import steps
from otap.report.pages.templating import TEMPLATES
from otap.report.rows import rows
from otap.report.signs import MOVED, SIGNS
from otap.scoring import Against, Explanation

TEXTS = 1_200_000  # characters that the fields of all steps together take
SHORTEST, LONGEST = 120, 4000  # characters of one field, whatever there are


def run_body(found: Explanation, prefix: str = "") -> Markup:
    """Returns the markup of one run; needs the part ``run``.

    It is whole without its script, which only adds tabs and jumps: ``otap.start(element)`` has it
    begin on a fragment that was put into a page later.

    Args:
        found: what is shown.
        prefix: of all element ids, so that several runs have room in one page.
    """
    limit = _limit(found)
    return TEMPLATES.render(
        "run.html",
        found=found,
        prefix=prefix,
        closeness=closeness(found.score),
        numbers=numbers(found.score),
        against=[_against(one, limit) for one in found.against],
        signs=SIGNS,
        moved=MOVED,
    )


def _limit(found: Explanation) -> int:
    """How long one field may be, so that the page stays small whatever the number of steps."""
    count = sum(len(one.run.steps) + len(one.reference.steps) for one in found.against)
    return max(SHORTEST, min(LONGEST, TEXTS // (3 * max(1, count))))


def _against(one: Against, limit: int) -> Mapping[str, object]:
    """All that is shown of one reference."""
    listed = rows(one)
    return {
        "it": one,
        "clauses": clauses(one),
        "findings": findings(one, listed),
        "diagram": diagram(one, listed),
        "steps": steps(one, listed, limit),
        "parts": parts(one.score),
        "coupling": coupling(one),
    }

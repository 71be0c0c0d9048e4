"""One run beside its references: what a reader sees first, and everything that they can open."""

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from otap.report.pages.run.coupling import coupling
from otap.report.pages.run.diagram import diagram
from otap.report.pages.run.room import Room, rooms
from otap.report.pages.run.steps import steps
from otap.report.pages.run.waterfall import waterfall
from otap.report.pages.templating import TEMPLATES
from otap.report.story.findings import findings
from otap.report.story.headline import clauses
from otap.report.story.numbers import closeness, numbers
from otap.report.story.rows import Row, rows
from otap.report.story.signs import MOVED, SIGNS
from otap.report.terminal.counted import counting
from otap.report.terminal.understood import doubts
from otap.scoring import Against, Explanation


def run_body(found: Explanation, prefix: str = "") -> Markup:
    """Returns the markup of one run; needs the part ``run``.

    It is whole without its script, which only adds tabs and jumps: ``otap.start(element)`` has it
    begin on a fragment that was put into a page later.

    Args:
        found: what is shown.
        prefix: of all element ids, so that several runs have room in one page.
    """
    listed = [rows(one) for one in found.against]
    room = rooms([len(one) for one in listed])
    against = [_against(*one) for one in zip(found.against, listed, room, strict=True)]
    return TEMPLATES.render(
        "run/run.html",
        found=found,
        prefix=prefix,
        closeness=closeness(found.score),
        doubts=[text for text, _ in doubts(found.score)],
        counting=counting(found.score),
        numbers=numbers(found.score),
        against=against,
        signs=SIGNS,
        moved=MOVED,
    )


def _against(one: Against, listed: Sequence[Row], room: Room) -> Mapping[str, object]:
    """All that is shown of one reference."""
    return {
        "it": one,
        "clauses": clauses(one),
        "findings": findings(one, listed),
        "diagram": diagram(one, listed),
        "steps": steps(one, listed, room),
        "falls": waterfall(one.score),
        "coupling": coupling(one),
    }

"""Several runs of one task in one grid: a column a step of the reference, a row a run."""

from collections.abc import Sequence

from markupsafe import Markup

from otap._numbers import count_text
from otap.report.pages.document import document
from otap.report.pages.task.calls import opened
from otap.report.pages.task.cells import heads, lines
from otap.report.pages.task.folds import segments
from otap.report.pages.templating import TEMPLATES
from otap.report.story.signs import MOVED, SIGNS, Sign
from otap.report.together import Grid, together
from otap.report.together.making import FULL
from otap.report.together.words import alike
from otap.scoring import Explanation


def task_page(found: Sequence[Explanation], good_from: float = FULL) -> str:
    """Returns the page of several runs of one task.

    Args:
        found: the runs, each explained against its references, in any order.
        good_from: the outcome from which on a run is good.

    Raises:
        NoReferenceError: if there is no run.
    """
    return document(f"OTAP: {_title(found)}", task_body(found, good_from=good_from), ["task"])


def task_body(
    found: Sequence[Explanation],
    prefix: str = "",
    good_from: float = FULL,
    links: Sequence[str] = (),
) -> Markup:
    """Returns the markup of several runs of one task; needs the part ``task``.

    Args:
        found: as of ``task_page``.
        prefix: of all element ids, so that several grids have room in one page.
        good_from: as of ``task_page``.
        links: for each run the address in the same page that shows it alone; empty: there is none.
    """
    grid = together(found, good_from)
    return TEMPLATES.render(
        "task.html",
        title=_title(found),
        counts=_counts(grid),
        groups=alike(grid),
        bad=len(grid.lanes) - len(grid.good),
        grid=grid,
        heads=heads(grid),
        segments=segments(grid),
        lines=lines(grid, {id(one): link for one, link in zip(found, links, strict=False)}),
        signs=_signs(grid),
        opened=opened(grid),
        judged=any(one.score.outcome is not None for one in found),
        prefix=prefix,
    )


def _title(found: Sequence[Explanation]) -> str:
    tasks = {one.score.task for one in found} - {None}
    return f"Task {tasks.pop()}" if len(tasks) == 1 else "Runs of one task"


def _counts(grid: Grid) -> str:
    """How many runs there are, and how many are good."""
    good, runs = len(grid.good), len(grid.lanes)
    said = {0: "none good", runs: "good" if runs == 1 else "all good"}.get(good, f"{good} good")
    return f"{count_text(runs, 'run')}, {said}"


def _signs(grid: Grid) -> list[Sign]:
    """The signs that the grid shows, for its legend."""
    cells = [cell for lane in grid.lanes for cell in lane.cells if cell is not None]
    shown = {cell.relation for cell in cells}
    moved = [MOVED] if any(cell.moved for cell in cells) else []
    return [sign for relation, sign in SIGNS.items() if relation in shown] + moved

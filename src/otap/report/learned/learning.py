"""What was learned, as people read it: findings, the report card, what to mind."""

from collections.abc import Iterable, Iterator, Sequence

from otap._numbers import count_text, number_text
from otap.errors import shown
from otap.learning import Learned
from otap.learning.card import Card, Row, gain_text
from otap.learning.learned import ROLES, Runs, Tool
from otap.report.view import Cell, Line, Table, View, line

TOOLS_SHOWN = 20
EVIDENCE = 600  # characters that are shown of one line
REFERENCES = {
    "given": "against the references given",
    "runs": "against one good run of each task",
    "none": "of which no outcome is known",
}


def learning_view(found: Learned) -> View:
    """Returns everything that a person wants to know of what was learned."""
    return tuple(_parts(found))


def _parts(found: Learned) -> Iterator[Line | Table]:
    yield _runs(found.runs)
    yield line()
    if found.is_scaffold:
        yield from _recognised(found.tools)
    else:
        yield from _findings(found)
    if found.card is not None:
        yield line()
        yield from _card(found.card)
    if found.warnings:
        yield _wrapped((f"warning: {text}" for text in found.warnings), "yellow")


def _runs(runs: Runs) -> Line:
    if runs.references == "none":
        return line(f"{count_text(runs.runs, 'run')}, {REFERENCES['none']}", "bold")
    return line(
        f"{count_text(runs.learned_from, 'run')} of {count_text(runs.tasks, 'task')},"
        f" {runs.good} good, {REFERENCES[runs.references]}",
        "bold",
    )


def _findings(found: Learned) -> Iterator[Line | Table]:
    """What was learned, and then what was looked at, a line each."""
    if not found.settings:
        yield line("nothing was learned: what was recognised stays", "bold")
    for setting in found.settings:
        yield line(f"  {shown(setting.said)}", "bold")
        yield _wrapped([setting.evidence], indent=4)
    yield line("looked at, and left as it is:", "dim")
    yield _wrapped(found.left(), "dim", indent=2)


def _wrapped(texts: Iterable[str], style: str = "", *, indent: int = 0) -> Table:
    """Texts of a line each, which wrap on a terminal."""
    return Table([[Cell(shown(text, EVIDENCE), style)] for text in texts], indent=indent)


def _recognised(tools: Sequence[Tool]) -> Iterator[Line | Table]:
    """What each tool was taken for."""
    if tools:
        rows = [_tool(tool) for tool in tools[:TOOLS_SHOWN]]
        yield Table(rows, ("tool", "taken for", "calls", "runs", "arguments"))
    if len(tools) > TOOLS_SHOWN:
        yield line(f"and {count_text(len(tools) - TOOLS_SHOWN, 'more tool')}")


def _tool(tool: Tool) -> Sequence[Cell]:
    taken = ", ".join(ROLES[role] for role in tool.recognised)
    calls = sum(tool.recognised.values())
    keys = shown(", ".join(tool.arguments))
    return [
        Cell(text)
        for text in (shown(tool.name), taken, number_text(calls), number_text(tool.runs), keys)
    ]


def _card(card: Card) -> Iterator[Line | Table]:
    """AUROC times 100, within tasks and over all runs beside what shuffled outcomes give there."""
    within = f"within tasks, {count_text(card.pairs, 'pair')}"
    yield Table(
        [_row(row) for row in card.rows],
        ("AUROC x 100", within, f"all {count_text(card.runs, 'run')}", "shuffled within tasks"),
    )
    if card.gain is not None:
        yield line(f"learned against recognised, on tasks held out: {gain_text(card.gain)}")
    yield line("tasks held out; in brackets 95 % intervals, of tasks drawn anew or shuffles", "dim")


def _row(row: Row) -> Sequence[Cell]:
    figures = (one.hundredths for one in (row.within, row.overall, row.null))
    return [Cell(text) for text in (row.counted, *figures)]

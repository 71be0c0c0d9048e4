"""What the paper's text claims, and whether it holds here."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from reproduction.cell import Cell
from reproduction.rivals import PAPER as PAPER_RIVALS
from reproduction.tables import METRICS

HOLDS, FAILS, UNKNOWN = "holds", "does not hold", "cannot be told"
EMBEDDING = ("greedy", "Hungarian")
POINTS = 10.0  # within which an ablation costs what the paper says


@dataclass(frozen=True)
class Verdict:
    """A claim, whether it holds, and the figures that say so."""

    claim: str
    section: str
    verdict: str
    figures: str


class Figures:
    """Cells by table, row and column."""

    def __init__(self, cells: Sequence[Cell]) -> None:
        self._cells = {(cell.table, cell.row, cell.column): cell for cell in cells}

    def cell(self, table: str, row: str, column: str) -> Cell:
        """The cell; a KeyError if the study has none there."""
        cell = self._cells[table, row, column]
        if cell.ours is None:
            raise KeyError(table, row, column)
        return cell

    def ours(self, table: str, row: str, column: str) -> float:
        """Our figure under the preset ``paper``."""
        value = self.cell(table, row, column).ours
        assert value is not None
        return value

    def column(self, table: str, column: str, rows: Sequence[str] = METRICS) -> Mapping[str, float]:
        """Our figures of a column, by row."""
        return {row: self.ours(table, row, column) for row in rows}


Judge = Callable[[Figures], tuple[bool, str]]


def verdicts(cells: Sequence[Cell]) -> list[Verdict]:
    """All claims; one whose figures were not computed cannot be told."""
    figures = Figures(cells)
    return [_judged(figures, *claim) for claim in CLAIMS]


def _judged(figures: Figures, section: str, claim: str, judge: Judge) -> Verdict:
    try:
        right, said = judge(figures)
    except KeyError:
        return Verdict(claim, section, UNKNOWN, "not computed in this study")
    return Verdict(claim, section, HOLDS if right else FAILS, said)


def _highest(table: str, column: str) -> Judge:
    def judge(figures: Figures) -> tuple[bool, str]:
        found = dict(figures.column(table, column))
        otap = found.pop("OTAP")
        best = max(found, key=lambda row: found[row])
        return otap > found[best], f"OTAP {_shown(otap)}, best other {best} {_shown(found[best])}"

    return judge


def _lowest(table: str, column: str) -> Judge:
    def judge(figures: Figures) -> tuple[bool, str]:
        found = dict(figures.column(table, column))
        otap = found.pop("OTAP")
        worst = min(found, key=lambda row: found[row])
        return (
            otap < found[worst],
            f"OTAP {_shown(otap)}, lowest other {worst} {_shown(found[worst])}",
        )

    return judge


def _below_chance(table: str, columns: Sequence[str]) -> Judge:
    def judge(figures: Figures) -> tuple[bool, str]:
        found = {
            (column, row): figures.ours(table, row, column)
            for column in columns
            for row in EMBEDDING
        }
        said = ", ".join(f"{row} {_shown(v)} ({column})" for (column, row), v in found.items())
        return all(value < 50 for value in found.values()), said

    return judge


def _at_least(table: str, row: str, column: str, least: float) -> Judge:
    def judge(figures: Figures) -> tuple[bool, str]:
        value = figures.ours(table, row, column)
        return value >= least, _shown(value)

    return judge


def _costs_as_printed(row: str, column: str = "AUROC") -> Judge:
    """The loss against the full metric is within POINTS of the paper's."""

    def judge(figures: Figures) -> tuple[bool, str]:
        full, cell = (
            figures.cell("ablations", "full", column),
            figures.cell("ablations", row, column),
        )
        assert full.ours is not None and full.paper is not None
        assert cell.ours is not None and cell.paper is not None
        ours, paper = full.ours - cell.ours, full.paper - cell.paper
        return abs(ours - paper) <= POINTS, f"costs {_shown(ours)}, in the paper {_shown(paper)}"

    return judge


def _costs_little(rows: Sequence[str]) -> Judge:
    def judge(figures: Figures) -> tuple[bool, str]:
        full = figures.ours("ablations", "full", "AUROC")
        lost = {row: full - figures.ours("ablations", row, "AUROC") for row in rows}
        said = ", ".join(f"{row} {_shown(value)}" for row, value in lost.items())
        return all(value < 3 for value in lost.values()), said

    return judge


def _near(table: str, row: str, column: str, points: float) -> Judge:
    def judge(figures: Figures) -> tuple[bool, str]:
        cell = figures.cell(table, row, column)
        assert cell.ours is not None and cell.paper is not None
        return abs(cell.ours - cell.paper) <= points, (
            f"{_shown(cell.ours)}, in the paper {_shown(cell.paper)}"
        )

    return judge


def _rivals_near(figures: Figures) -> tuple[bool, str]:
    off = {}
    for row in PAPER_RIVALS:
        cell = figures.cell("oracle", row, "macro")
        assert cell.ours is not None and cell.paper is not None
        off[row] = cell.ours - cell.paper
    said = ", ".join(f"{row} {value:+.1f}" for row, value in off.items())
    return all(abs(value) <= 8 for value in off.values()), said


def _exact_p2(figures: Figures) -> tuple[bool, str]:
    found = {
        "hand": figures.ours("validity", "OTAP", "P2"),
        "PlanBench": figures.ours("transfer_perturbation", "OTAP", "PlanBench P2"),
        "WebArena": figures.ours("transfer_perturbation", "OTAP", "WebArena P2"),
    }
    said = ", ".join(f"{name} {_shown(value)}" for name, value in found.items())
    return all(value >= 99.5 for value in found.values()), said


def _inversions(figures: Figures) -> tuple[bool, str]:
    found = {
        name: figures.ours(table, "ROUGE-L", column)
        for name, table, column in (
            ("hand", "validity", "P4"),
            ("PlanBench", "transfer_perturbation", "PlanBench P4"),
            ("WebArena", "transfer_perturbation", "WebArena P4"),
        )
    }
    said = ", ".join(f"{name} {_shown(value)}" for name, value in found.items())
    return all(value > 50 for value in found.values()), said


def _severity(figures: Figures) -> tuple[bool, str]:
    found = {
        "hand": figures.ours("validity", "ROUGE-L", "SEV"),
        "PlanBench": figures.ours("transfer_perturbation", "ROUGE-L", "PlanBench SEV"),
        "WebArena": figures.ours("transfer_perturbation", "ROUGE-L", "WebArena SEV"),
    }
    said = ", ".join(f"{name} {_shown(value)}" for name, value in found.items())
    return all(value < 50 for value in found.values()), said


def _all_informative(figures: Figures) -> tuple[bool, str]:
    found = figures.column("oracle", "macro")
    said = ", ".join(f"{row} {_shown(value)}" for row, value in found.items())
    return all(value > 60 for value in found.values()), said


def _total_order_rho(figures: Figures) -> tuple[bool, str]:
    rows = ("full", "no structure", "Hungarian transport", "no tool term", "one reference")
    found = {row: figures.ours("ablations", row, "rho") for row in rows}
    chain = figures.ours("ablations", "total order", "rho")
    best = max(found, key=lambda row: found[row])
    return chain > found[best], f"total order {chain:.3f}, best other {best} {found[best]:.3f}"


def _shown(value: float) -> str:
    return f"{value:.3f}" if abs(value) <= 1 else f"{value:.1f}"


CLAIMS: Sequence[tuple[str, str, Judge]] = (
    ("5.2", "OTAP has the highest AUROC on the hand corpus", _highest("validity", "AUROC")),
    (
        "5.2", "The embedding metrics are below chance on every corpus",
        lambda figures: _all_of(
            figures,
            _below_chance("validity", ["AUROC"]),
            _below_chance("transfer_perturbation", ["PlanBench P4", "WebArena P4"]),
        ),
    ),
    ("5.2", "ROUGE-L detects inversions everywhere", _inversions),
    ("5.2", "ROUGE-L rates corruptions above inversions", _severity),
    ("5.2", "Reordering is invisible where edges are exact: P2 is 100", _exact_p2),
    ("5.2", "OTAP has the highest P1", _highest("validity", "P1")),
    ("5.2", "OTAP has the highest severity ordering", _highest("validity", "SEV")),
    (
        "5.2", "OTAP is weak on other granularities: P3 is below 70",
        lambda figures: (
            figures.ours("validity", "OTAP", "P3") < 70,
            _shown(figures.ours("validity", "OTAP", "P3")),
        ),
    ),
    ("5.3", "OTAP follows the level of damage best", _highest("ladder", "rho")),
    ("5.3", "OTAP follows it best among damaged runs", _highest("ladder", "rho damaged")),
    ("5.3", "OTAP varies least across tasks", _lowest("ladder", "sd of rho")),
    ("5.4", "Without structure AUROC falls as printed", _costs_as_printed("no structure")),
    ("5.4", "With Hungarian transport it falls as printed",
     _costs_as_printed("Hungarian transport")),
    ("5.4", "With one reference it falls as printed", _costs_as_printed("one reference")),
    ("5.4", "With a total order it falls as printed", _costs_as_printed("total order")),
    ("5.4", "Without the tool term P5 falls as printed", _costs_as_printed("no tool term", "P5")),
    ("5.4", "With one text a step P5 falls as printed",
     _costs_as_printed("whole-step embedding", "P5")),
    ("5.4", "Temperature, marginals, mass and sign cost less than 3 points each",
     _costs_little(["soft-min T = 1", "balanced marginals", "uniform mass", "unsigned D"])),
    ("5.4", "A total order follows the ladder best", _total_order_rho),
    ("5.5", "OTAP has the highest AUROC on PlanBench",
     _highest("transfer_perturbation", "PlanBench AUROC")),
    ("5.5", "OTAP has the highest AUROC on WebArena",
     _highest("transfer_perturbation", "WebArena AUROC")),
    ("5.5", "OTAP has the highest AUROC on GAIA",
     _highest("transfer_perturbation", "GAIA AUROC")),
    ("5.5", "OTAP follows the ladder of PlanBench best",
     _highest("transfer_ladder", "PlanBench all")),
    ("5.6", "All six metrics tell valid plans from invalid ones", _all_informative),
    ("5.6", "OTAP is last in the oracle study", _lowest("oracle", "macro")),
    ("5.6", "OTAP's macro AUROC there is the paper's within 4 points",
     _near("oracle", "OTAP", "macro", 4.0)),
    ("5.6", "The rivals' are the paper's within 8 points", _rivals_near),
)  # fmt: skip


def _all_of(figures: Figures, *judges: Judge) -> tuple[bool, str]:
    found = [judge(figures) for judge in judges]
    return all(right for right, _ in found), "; ".join(said for _, said in found)

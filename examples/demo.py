"""The demo: the hotel example in one table, one alignment, then a real run if the data is there.

Run it with scripts/demo. OTAP_REAL_DATA names the folder of real traces; else ../shared/data.
"""

import os
from pathlib import Path

import otap
from otap._numbers import score_text
from otap.errors import shown
from otap.report.terminal.score import score_view
from otap.report.view import Cell, Table, line, show

ROOT = Path(__file__).parents[1]
EXAMPLE = ROOT / "examples" / "hotel-booking"
RUNS = (
    "same",
    "exchanged_filters",
    "paraphrased",
    "merged_filters",
    "inverted_filter",
    "wrong_tool",
    "missing_book",
    "invented_steps",
    "unrelated",
)
SHOWN = "missing_book"
REAL_RUN = "14/0"


def hotel_table(scorer: otap.Scorer, reference: otap.Trajectory) -> Table:
    """All runs of the example against its reference."""
    rows = []
    for name in RUNS:
        score = scorer.score(otap.read(EXAMPLE / "runs" / f"{name}.json"), reference)
        numbers = (score.score, score.skill, score.precision, score.recall)
        first = score.findings[0].sentence if score.findings else "none"
        cells = [*(Cell(score_text(n)) for n in numbers), Cell(score.severity or "none")]
        rows.append([Cell(name), *cells, Cell(shown(first, 50))])
    return Table(rows, ("run", "score", "skill", "precision", "recall", "worst", "first finding"))


def real_file() -> Path | None:
    """The file of real tau-bench runs, if it is at hand."""
    folder = ROOT / os.environ.get("OTAP_REAL_DATA", "../shared/data")
    return next((folder / "tau-bench").glob("*.json"), None)


def main() -> None:
    """Prints the demo."""
    scorer = otap.Scorer()
    reference = otap.read(EXAMPLE / "reference.json")
    show([line("Nine runs against one known-good way to book a hotel", "bold")])
    show([hotel_table(scorer, reference)])
    print()
    run = otap.read(EXAMPLE / "runs" / f"{SHOWN}.json")
    show(score_view(scorer.explain(run, reference)), fit=True)
    print()
    file = real_file()
    if file is None:
        print(
            "No real traces here: set OTAP_REAL_DATA to a folder that has tau-bench/*.json of "
            "sierra-research/tau-bench (historical_trajectories) to see one scored."
        )
        return
    show([line("A real run: GPT-4o on tau-bench, against the task's gold actions", "bold")])
    run = otap.read(file, run=REAL_RUN)
    gold = next(gold for gold in otap.read_references(file) if gold.task == run.task)
    show(score_view(scorer.explain(run, gold)), fit=True)


if __name__ == "__main__":
    main()

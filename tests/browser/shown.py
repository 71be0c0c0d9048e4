"""The pages that the browser is shown, each made once, as users make them."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory

from examples import bookings

import hostile
import hotel
import otap
from otap.cli import main
from otap.report.pages.score import score_page
from otap.report.pages.task import task_page as grid_page

RUNS = hotel.NAMES
SCORER = otap.Scorer()
REFERENCES = (hotel.reference(), hotel.run_of("same"))


@cache
def run_page(name: str = "wrong_tool") -> str:
    """A run of the hotel beside two references."""
    return score_page(SCORER.explain(hotel.run_of(name), REFERENCES))


@cache
def task_page() -> str:
    """All runs of the hotel in one grid."""
    return grid_page([SCORER.explain(hotel.run_of(one), REFERENCES[:1]) for one in RUNS])


@cache
def many_page() -> str:
    """Twelve bookings, four runs each, against those from before a change."""
    return _report(bookings.references(), bookings.runs("after"), bookings.runs("before"))


@cache
def hostile_run_page() -> str:
    """A run that attacks, beside two references that do."""
    return score_page(hostile.explained())


@cache
def hostile_task_page() -> str:
    """Several runs that attack, in one grid."""
    return grid_page([hostile.explained(number) for number in range(3)])


@cache
def hostile_many_page(*options: str) -> str:
    """Runs of two tasks that attack, against others from before."""
    tasks = ("one", "two")
    runs = [hostile.run(number, 3, task) for task in tasks for number in range(3)]
    before = [hostile.run(number, 4, task) for task in tasks for number in range(3)]
    return _report([hostile.reference(task) for task in tasks], runs, before, *options)


def _report(
    gold: Sequence[otap.Trajectory],
    runs: Sequence[otap.Trajectory],
    before: Sequence[otap.Trajectory],
    *options: str,
) -> str:
    """What `otap report` makes of what `otap evaluate` says of runs."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        for part, made in (("gold", gold), ("after", runs), ("before", before)):
            bookings.write_lines(folder / f"{part}.jsonl", made)
        made_of = ("-r", str(folder / "gold.jsonl"), "--jobs", "1", "-o")
        after, base, page = (str(folder / f"{one}.out") for one in ("after", "before", "page"))
        _otap("evaluate", str(folder / "after.jsonl"), *made_of, after)
        _otap("evaluate", str(folder / "before.jsonl"), *made_of, base)
        _otap("report", after, "--base", base, "-o", page, *options)
        return Path(page).read_text(encoding="utf-8")


def _otap(*arguments: str) -> None:
    try:
        main(list(arguments))
    except SystemExit as end:
        assert end.code == 0, arguments


PAGES: Mapping[str, Callable[[], str]] = {"run": run_page, "task": task_page, "many": many_page}
HOSTILE: Mapping[str, Callable[[], str]] = {
    "run": hostile_run_page,
    "task": hostile_task_page,
    "many": hostile_many_page,
    "redacted": partial(hostile_many_page, "--redact"),
}

"""The pages that the browser is shown, each made once, as users make them."""

from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp

import pytest

import hostile
import hotel
import otap
from examples import bookings
from otap.cli import main
from otap.report.pages.run_page import score_page
from otap.report.pages.task import task_page as grid_page

FOLDER = TemporaryDirectory()
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
    """Twelve bookings, two runs each, against those from before a change."""
    return _report("bookings")


@cache
def hostile_run_page() -> str:
    """A run that attacks, beside two references that do."""
    return score_page(hostile.explained())


@cache
def hostile_task_page() -> str:
    """Several runs that attack, in one grid."""
    return grid_page([hostile.explained(number) for number in range(2)])


@cache
def hostile_many_page(*options: str) -> str:
    """Runs of two tasks that attack, against others from before."""
    return _report("attacks", *options)


def _report(name: str, *options: str) -> str:
    """What `otap report` makes of the results of some runs."""
    folder = _evaluated(name)
    page = folder / "page.html"
    results = (str(folder / f"{version}.out") for version in ("after", "before"))
    _otap("report", next(results), "--base", *results, "-o", str(page), *options)
    return page.read_text(encoding="utf-8")


@cache
def _evaluated(name: str) -> Path:
    """A folder with the results of some runs, after and before a change."""
    folder = Path(mkdtemp(dir=FOLDER.name))
    made = {"bookings": _bookings, "attacks": _attacks}[name]()
    for part, runs in zip(("gold", "after", "before"), made, strict=True):
        bookings.write_lines(folder / f"{part}.jsonl", runs)
    for part in ("after", "before"):
        _otap(
            "evaluate", str(folder / f"{part}.jsonl"), "-r", str(folder / "gold.jsonl"),
            "-o", str(folder / f"{part}.out"), "--jobs", "1",
        )  # fmt: skip
    return folder


def _bookings() -> Iterator[list[otap.Trajectory]]:
    yield bookings.references()
    for version in ("after", "before"):
        yield [run for run in bookings.runs(version) if run.trial in (1, 2)]


def _attacks() -> Iterator[list[otap.Trajectory]]:
    yield [hostile.reference(task) for task in ("one", "two")]
    yield [hostile.run(0, 2, "one"), hostile.run(1, 3, "one"), hostile.run(0, 2, "two")]
    yield [hostile.run(2, 3, "one")]


def _otap(*arguments: str) -> None:
    with pytest.raises(SystemExit) as end:
        main(list(arguments))
    assert end.value.code == 0, arguments


PAGES: Mapping[str, Callable[[], str]] = {"run": run_page, "task": task_page, "many": many_page}
HOSTILE: Mapping[str, Callable[[], str]] = {
    "run": hostile_run_page,
    "task": hostile_task_page,
    "many": hostile_many_page,
    "redacted": partial(hostile_many_page, "--redact"),
}

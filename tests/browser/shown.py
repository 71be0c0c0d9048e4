"""The pages that the browser is shown, each made once."""

from collections.abc import Callable, Mapping
from functools import cache

import hostile
import hotel
import otap
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
def hostile_run_page() -> str:
    """A run that attacks, beside two references that do."""
    return score_page(hostile.explained())


@cache
def task_page() -> str:
    """All runs of the hotel in one grid."""
    return grid_page([SCORER.explain(hotel.run_of(one), REFERENCES[:1]) for one in RUNS])


@cache
def hostile_task_page() -> str:
    """Several runs that attack, in one grid."""
    return grid_page([hostile.explained(number) for number in range(3)])


PAGES: Mapping[str, Callable[[], str]] = {"run": run_page, "task": task_page}
HOSTILE: Mapping[str, Callable[[], str]] = {"run": hostile_run_page, "task": hostile_task_page}

"""The pages that the browser is shown, each made once."""

from collections.abc import Callable, Mapping
from functools import cache

import hostile
import hotel
import otap
from otap.report.pages.score import score_page

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


PAGES: Mapping[str, Callable[[], str]] = {"run": run_page}
HOSTILE: Mapping[str, Callable[[], str]] = {"run": hostile_run_page}

"""The pages that the browser is shown, each made once."""

from collections.abc import Callable, Mapping
from functools import cache

import hotel
import otap
from otap.report.pages.score import score_page

SCORER = otap.Scorer()


@cache
def run_page() -> str:
    """A bad run beside two references."""
    found = SCORER.explain(hotel.run_of("wrong_tool"), [hotel.reference(), hotel.run_of("same")])
    return score_page(found)


PAGES: Mapping[str, Callable[[], str]] = {"run": run_page}

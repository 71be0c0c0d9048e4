"""The page of one run: what a reader does with it, by mouse, by keyboard, without a script."""

from collections.abc import Callable
from typing import Any

from shown import REFERENCES, SCORER, run_page

import hotel

Opened = Callable[..., Any]


def test_without_a_script_everything_is_there(opened_without_script: Opened) -> None:
    """The findings and every step of both sides stand in the page itself."""
    page = opened_without_script(run_page())
    found = SCORER.explain(hotel.run_of("wrong_tool"), REFERENCES)
    text = page.locator("body").inner_text()
    assert all(one.sentence in text for one in found.score.findings)
    assert page.locator("button:visible").count() == 0

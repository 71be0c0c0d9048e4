"""The page of one run: what a reader does with it, by mouse, by keyboard, without a script."""

from collections.abc import Callable
from typing import Any

import pytest
from shown import REFERENCES, SCORER, run_page

import hotel

Opened = Callable[..., Any]
ON_A_SUMMARY = "document.activeElement.localName === 'summary'"
IN_SIGHT = """one => { const box = one.getBoundingClientRect();
  return box.bottom > 0 && box.top < innerHeight; }"""


@pytest.fixture
def page(opened: Opened) -> Any:
    return opened(run_page(), reduced_motion="reduce")


def test_a_step_opens_by_keyboard(page: Any) -> None:
    """Enter and Space open a step to both sides' fields, with what differs marked."""
    row = page.locator("details.row.bad:visible").first
    row.locator("summary").focus()
    for key, is_open in (("Enter", True), ("Space", False), ("Space", True)):
        page.keyboard.press(key)
        assert row.evaluate("one => one.open") is is_open
    assert row.locator("table.fields").is_visible()
    assert "≠" in row.locator("tr.other").first.inner_text()


def test_a_finding_leads_to_its_step(page: Any) -> None:
    """Whoever follows it by Enter is at the opened row, and the keyboard is there, too."""
    page.locator(".finding a:visible").first.focus()
    page.keyboard.press("Enter")
    row = page.locator(".row.lit").first
    assert row.evaluate("one => one.open")
    assert row.evaluate(IN_SIGHT)
    assert page.evaluate(ON_A_SUMMARY)


def test_a_drawn_step_leads_to_its_row(page: Any) -> None:
    """So does a step of the drawing."""
    link = page.locator(".lane a:visible").nth(2)
    place = link.locator("xpath=..").get_attribute("data-row")
    link.click()
    lit = page.locator(".row.lit").first
    assert lit.get_attribute("id").endswith(f"-row{place}")
    assert lit.evaluate(IN_SIGHT)


def test_references_are_tabs(page: Any) -> None:
    """Arrows, Home and End go from one to the other; one panel is shown, of the chosen tab."""
    tabs, panels = page.get_by_role("tab"), page.get_by_role("tabpanel")
    assert tabs.count() == len(REFERENCES)
    tabs.first.focus()
    for key, chosen in (("ArrowRight", 1), ("ArrowRight", 0), ("End", 1), ("Home", 0)):
        page.keyboard.press(key)
        tab = tabs.nth(chosen)
        assert tab.get_attribute("aria-selected") == "true"
        assert tab.evaluate("one => one === document.activeElement && one.tabIndex === 0")
        assert page.locator("[role=tab][tabindex='0']").count() == 1
        assert panels.count() == 1
        assert panels.first.get_attribute("id") == tab.get_attribute("aria-controls")


def test_an_address_leads_to_a_step(opened: Opened) -> None:
    """Who is sent a link to a row sees it."""
    html = run_page()
    row = opened(html).locator("details.row:visible").last.evaluate("one => one.id")
    page = opened(html, fragment=row, reduced_motion="reduce")
    assert page.locator(f"[id='{row}']").evaluate(IN_SIGHT)


def test_all_steps_open_and_close_together(page: Any) -> None:
    """One button opens every step, and closes them again."""
    button = page.locator(".open-all:visible")
    rows = page.locator(".steps:visible details")
    button.click()
    assert rows.evaluate_all("all => all.every(one => one.open)")
    assert button.get_attribute("aria-expanded") == "true"
    button.click()
    assert not rows.evaluate_all("all => all.some(one => one.open)")


def test_without_a_script_everything_is_there(opened_without_script: Opened) -> None:
    """The findings and every step of both sides stand in the page itself."""
    page = opened_without_script(run_page())
    found = SCORER.explain(hotel.run_of("wrong_tool"), REFERENCES)
    text = page.locator("body").inner_text()
    assert all(one.sentence in text for one in found.score.findings)
    assert page.locator("button:visible").count() == 0
    assert page.locator(".against:visible").count() == len(REFERENCES)
    names = [step.tool for side in (found.best.run, found.best.reference) for step in side.steps]
    assert all(str(name) in text for name in names)

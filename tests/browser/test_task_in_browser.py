"""The grid of several runs: what a reader does with it, by mouse and by keyboard."""

from collections.abc import Callable
from typing import Any

import pytest
from judged import violations
from shown import RUNS, task_page

Opened = Callable[..., Any]
AT = "document.activeElement.dataset.cell"


@pytest.fixture
def page(opened: Opened) -> Any:
    return opened(task_page())


def test_a_cell_opens_to_both_calls_and_closes(page: Any) -> None:
    """Enter opens a cell below its row, Escape closes it; nobody is shut out of it."""
    cell = page.locator(".task-cell[tabindex='0']")
    cell.focus()
    page.keyboard.press("Enter")
    opened = page.locator(".task-opened")
    assert opened.count() == 1
    assert "Reference" in opened.inner_text()
    assert cell.get_attribute("aria-expanded") == "true"
    assert violations(page) == []
    page.keyboard.press("Escape")
    assert opened.count() == 0
    assert cell.get_attribute("aria-expanded") == "false"


def test_one_cell_is_open_at_a_time(page: Any) -> None:
    """A second one takes the place of the first; pressed again it closes."""
    cells = page.locator(".task-cell:visible")
    cells.nth(0).click()
    cells.nth(1).click()
    assert page.locator(".task-opened").count() == 1
    cells.nth(1).click()
    assert page.locator(".task-opened").count() == 0


def test_arrows_go_from_cell_to_cell(page: Any) -> None:
    """The grid is one stop of the tab key; inside, the arrows lead to the neighbours."""
    assert page.locator(".task-cell[tabindex='0']").count() == 1
    page.locator(".task-cell[tabindex='0']").focus()
    for key in ("Home", "ArrowRight", "ArrowLeft", "End", "Home"):
        page.keyboard.press(key)
        assert page.locator(".task-cell[tabindex='0']").count() == 1
    row = page.evaluate(AT).split(":")[0]
    page.keyboard.press("ArrowDown")
    assert page.evaluate(AT).split(":")[0] != row
    page.keyboard.press("ArrowUp")
    assert page.evaluate(AT).split(":")[0] == row


def test_columns_unfold(page: Any) -> None:
    """What all runs agree on is folded, and opens by its head."""
    heads = page.locator("th[data-fold] button")
    for place in range(heads.count()):
        before = page.locator(".task-cell:visible").count()
        assert heads.nth(place).get_attribute("aria-expanded") == "false"
        heads.nth(place).click()
        assert page.locator(".task-cell:visible").count() > before


def test_without_a_script_every_cell_is_shown(opened_without_script: Opened) -> None:
    """Nothing is folded that could not be opened, and every run has its row."""
    page = opened_without_script(task_page())
    assert page.locator("tbody tr:visible").count() == len(RUNS)
    assert page.locator(".task-cell").count() == page.locator(".task-cell:visible").count()


def test_a_wide_grid_is_printed_smaller(page: Any) -> None:
    """Nothing of it is cut off at the edge of the paper; on the screen it is as it was."""
    zoom = "document.querySelector('.task-grid').style.zoom"
    page.evaluate(f"addEventListener('beforeprint', () => {{ window.printed = +{zoom}; }})")
    page.pdf()
    assert 0.2 < page.evaluate("window.printed") < 1
    assert page.evaluate(zoom) == ""

"""The page of many runs: sorting, filtering, searching, opening, by mouse and by keyboard."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from judged import violations
from shown import many_page

Opened = Callable[..., Any]
RUNS = 24
ROWS = "#rows tbody tr:visible"


@pytest.fixture
def page(opened: Opened) -> Any:
    return opened(many_page(), reduced_motion="reduce")


def column(page: Any, name: str) -> list[str]:
    """The texts of a column, from top to bottom."""
    found: list[str] = page.locator(f"{ROWS} .c-{name}").evaluate_all(
        "all => all.map(one => one.textContent.trim())"
    )
    return found


def header(page: Any, name: str) -> Any:
    """The head of a column."""
    return page.locator(f"#rows th.c-{name}[scope=col]")


def test_the_worst_come_first(page: Any) -> None:
    """Who opens the page sees what is bad, and how many runs there are."""
    bad = column(page, "bad")
    order = ["critical", "major", "minor", "none"]
    assert len(bad) == RUNS
    assert bad == sorted(bad, key=order.index)
    assert page.locator("#count").inner_text() == f"{RUNS} runs"
    assert page.locator("[aria-sort]").count() == 1


@pytest.mark.parametrize("name", ["score", "difference", "precision"])
def test_a_column_sorts_by_keyboard(page: Any, name: str) -> None:
    """Enter on its head sorts up, again down; it says which, and what is absent comes last."""
    head = header(page, name)
    place = head.evaluate("one => [...one.parentNode.children].indexOf(one)")
    head.locator("button").focus()
    for direction, down in (("ascending", False), ("descending", True)):
        page.keyboard.press("Enter")
        assert head.get_attribute("aria-sort") == direction
        assert page.locator("[aria-sort]").count() == 1
        texts = page.locator(ROWS).evaluate_all(
            "(all, place) => all.map(one => one.cells[place].textContent.trim())", place
        )
        numbers = [float(one) for one in texts if one not in ("", "-")]
        assert numbers == sorted(numbers, reverse=down)
        assert all(one in ("", "-") for one in texts[len(numbers) :])


def test_searching_and_filtering(page: Any) -> None:
    """Rows stay that have all that is asked for; how many is said aloud; all come back."""
    count = page.locator("#count")
    assert count.get_attribute("aria-live") == "polite"
    page.locator("#search").fill("vienna")
    assert page.locator(ROWS).count() == 2
    assert count.inner_text() == f"2 of {RUNS} runs"
    page.locator("#by-severity").select_option("critical")
    assert set(column(page, "bad")) == {"critical"}
    page.get_by_role("button", name="Show all", exact=True).click()
    page.locator("#count", has_text=re.compile("^24")).wait_for()
    assert page.locator(ROWS).count() == RUNS
    page.locator("#search").fill("no such run anywhere")
    assert page.locator(ROWS).count() == 0


def test_a_bar_filters(page: Any) -> None:
    """A finding above the table shows the runs that have it; pressed again, all."""
    bar = page.locator("button[data-filter=kind]:visible").first
    bar.click()
    kept = page.locator(ROWS).count()
    assert 0 < kept < RUNS
    assert bar.get_attribute("aria-pressed") == "true"
    bar.click()
    assert page.locator(ROWS).count() == RUNS


def test_a_row_opens_by_keyboard_and_closes(page: Any) -> None:
    """Enter opens the run in the page, with an address; going back is where one was."""
    link = page.locator(f"{ROWS} a").nth(1)
    address = link.get_attribute("href")
    link.focus()
    page.keyboard.press("Enter")
    page.locator("#opened article.run").wait_for()
    assert page.evaluate("location.hash") == address
    assert not page.locator("#all").is_visible()
    assert page.evaluate("document.activeElement.id") == "opened"
    assert violations(page) == []
    page.go_back()
    page.locator("#all").wait_for()
    assert page.evaluate("document.activeElement.getAttribute('href')") == address


def test_an_opened_run_answers(page: Any) -> None:
    """What was packed is a page of a run like any other: its steps open and are led to."""
    page.locator(f"{ROWS} a").first.click()
    page.locator("#opened article.run").wait_for()
    page.locator(".finding a:visible").first.click()
    assert page.locator(".row.lit").first.evaluate("one => one.open")


def test_an_address_opens_a_run(opened: Opened) -> None:
    """Who is sent a link to a run sees it; the next one is a step away."""
    html = many_page()
    names = opened(html).locator(f"{ROWS} a").evaluate_all("all => all.map(one => one.hash)")
    page = opened(html, fragment=names[0][1:])
    page.locator("#opened article.run").wait_for()
    page.locator("#after").click()
    page.wait_for_function("hash => location.hash === hash", arg=names[1])
    page.locator("#before").click()
    page.wait_for_function("hash => location.hash === hash", arg=names[0])


def test_runs_of_a_task_open_side_by_side(page: Any) -> None:
    """A task with several runs leads to their grid, whose cells open."""
    page.locator("details.tasks summary").click()
    page.locator("a[href^='#task-']").first.click()
    page.locator("#opened .task-grid").wait_for()
    page.locator(".task-cell:visible").first.click()
    assert page.locator(".task-opened").count() == 1
    assert violations(page) == []


def test_rows_are_rows_also_for_those_who_hear_them(page: Any) -> None:
    """A screen reader is told of a table with its rows and heads, however they are drawn."""
    page.locator("#rows").scroll_into_view_if_needed()
    page.wait_for_timeout(100)  # rows are drawn when they are near
    session = page.context.new_cdp_session(page)
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    session.detach()
    told = [node for node in nodes if not node["ignored"]]
    roles = [node.get("role", {}).get("value") for node in told]
    assert roles.count("row") > RUNS
    assert roles.count("rowheader") > 3
    heads = [node["name"]["value"] for node in told if node["role"]["value"] == "columnheader"]
    assert {"Run", "Score", "First finding"} <= {*heads}


def test_two_thousand_rows_open_without_drawing_them(opened: Opened) -> None:
    """What is far off is not laid out, nothing is unpacked, and searching still finds a row."""
    html = many_page()
    rows = html[html.index("<tbody>", html.index('id="rows"')) :].partition("</tbody>")[0]
    more = (
        re.sub(r'(id="row-|data-n="|#run-)', rf"\g<1>{k}00", rows.removeprefix("<tbody>"))
        for k in range(1, 85)
    )
    page = opened(html.replace(rows, f"{rows}{''.join(more)}"))
    assert page.locator("#count").inner_text() == "2,040 runs"
    drawn = page.locator("#rows tbody tr").evaluate_all(
        "all => all.filter(one => one.firstElementChild.checkVisibility("
        "{contentVisibilityAuto: true})).length"
    )
    assert drawn < 200
    assert page.evaluate("performance.getEntriesByType('resource').length") == 0
    page.locator("#search").fill("vienna after-2")
    assert page.locator(ROWS).count() == 85


def test_without_a_script_every_row_is_there(opened_without_script: Opened) -> None:
    """The table stands in the page itself, and the page says what it cannot do."""
    page = opened_without_script(many_page())
    assert page.locator(ROWS).count() == RUNS
    assert "JavaScript" in page.locator("body").inner_text()

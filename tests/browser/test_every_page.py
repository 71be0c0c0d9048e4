"""What holds of every page: it opens, in light and dark, for everybody, wide, narrow, on paper."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from contrast import pale
from judged import violations
from shown import PAGES

Opened = Callable[..., Any]
every_page = pytest.mark.parametrize("name", PAGES)
both = pytest.mark.parametrize("scheme", ["light", "dark"])
OPEN_ALL = "document.querySelectorAll('details').forEach(one => { one.open = true; })"
THEME = "document.documentElement.dataset.theme"
TARGETS = "[...document.querySelectorAll('a[href^=\"#\"]')].map(one => one.hash.slice(1))"
WIDER = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
CLOSED = "document.querySelectorAll('details:not([open])').length"
GROUND = "getComputedStyle(document.body).backgroundColor"


@every_page
@both
def test_nobody_is_shut_out(opened: Opened, name: str, scheme: str) -> None:
    """axe-core finds no violation with all opened that opens, and no sign is pale."""
    page = opened(PAGES[name](), color_scheme=scheme)
    assert page.evaluate(THEME) == scheme
    page.evaluate(OPEN_ALL)
    assert violations(page) == []
    assert pale(page) == []


@every_page
def test_dark_by_the_button(opened: Opened, name: str) -> None:
    """The button turns the page dark and light again, and says which it is."""
    page = opened(PAGES[name](), color_scheme="light")
    button = page.get_by_role("button", name="Dark")
    light = page.evaluate(GROUND)
    button.click()
    assert page.evaluate(THEME) == "dark"
    assert button.get_attribute("aria-pressed") == "true"
    assert page.evaluate(GROUND) != light
    button.click()
    assert page.evaluate(THEME) == "light"


@every_page
def test_the_first_tab_leads_to_the_content(opened: Opened, name: str) -> None:
    """Whoever has only a keyboard can skip what stands above, and sees where they are."""
    page = opened(PAGES[name]())
    page.keyboard.press("Tab")
    skip = page.locator("a.skip")
    assert skip.evaluate("one => one === document.activeElement")
    assert skip.bounding_box()["x"] >= 0
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"


@every_page
def test_everything_that_answers_is_reached_and_seen(opened: Opened, name: str) -> None:
    """Tab goes to what is shown, in the order of the page, and each has an outline."""
    page = opened(PAGES[name]())
    seen: list[str] = []
    for _ in range(30):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement === document.body"):
            break
        seen.append(page.evaluate(
            """() => { const at = document.activeElement, box = at.getBoundingClientRect();
            const style = getComputedStyle(at);
            const lined = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
            return lined && box.width > 0 ? "" : at.outerHTML.slice(0, 200); }"""
        ))  # fmt: skip
    assert len(seen) >= 2
    assert [one for one in seen if one] == []


@every_page
def test_no_page_is_wider_than_its_window(opened: Opened, name: str) -> None:
    """Nothing of the document has to be scrolled sideways; 600 is 1,200 at 200 %."""
    page = opened(PAGES[name]())
    page.evaluate(OPEN_ALL)
    for width in (400, 600, 1600):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate(WIDER) <= 0, width


@every_page
def test_on_paper_everything_is_open(opened: Opened, name: str) -> None:
    """A print is light, does without what is pressed, and shows what is folded on the screen."""
    page = opened(PAGES[name](), color_scheme="dark")
    assert page.evaluate(GROUND) != "rgb(255, 255, 255)"
    closed = page.evaluate(CLOSED)
    page.evaluate(f"addEventListener('beforeprint', () => {{ window.printed = {CLOSED}; }})")
    assert page.pdf().startswith(b"%PDF")
    assert page.evaluate("window.printed") == 0
    assert page.evaluate(CLOSED) == closed
    page.emulate_media(media="print")
    assert page.evaluate(GROUND) == "rgb(255, 255, 255)"
    assert page.locator(".bar button:visible, .skip:visible").count() == 0


@every_page
def test_it_can_be_read_without_a_script(opened_without_script: Opened, name: str) -> None:
    """Dark is the machine's then, and what has contrast with a script has it without."""
    page = opened_without_script(PAGES[name](), color_scheme="dark")
    assert page.evaluate(GROUND) != "rgb(255, 255, 255)"
    assert pale(page) == []
    assert page.get_by_role("heading", level=1).is_visible()


@every_page
def test_colours_of_the_reader_and_no_motion(opened: Opened, name: str) -> None:
    """With forced colours it can be read, and where motion is unwelcome nothing moves."""
    page = opened(PAGES[name](), forced_colors="active", reduced_motion="reduce")
    assert page.evaluate("getComputedStyle(document.documentElement).scrollBehavior") == "auto"
    assert page.evaluate("document.getAnimations().length") == 0
    assert page.get_by_role("heading", level=1).is_visible()


@every_page
def test_it_has_one_file_and_one_heading(opened: Opened, name: str) -> None:
    """Nothing is linked to that is elsewhere; one heading of the first level; ids are once."""
    page = opened(PAGES[name]())
    assert page.locator("h1:visible").count() == 1
    outside = "[src]:not([src^='data:']), [href]:not([href^='#']):not([href^='data:'])"
    assert page.locator(outside).count() == 0
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map(one => one.id)")
    assert len(ids) == len(set(ids))
    targets = {*page.evaluate(TARGETS)} - {*ids}
    assert [one for one in targets if not re.fullmatch(r"(run|task)-\d+", one)] == []

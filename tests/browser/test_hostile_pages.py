"""Pages of runs that attack: what a trace says is text, on every page, and does nothing."""

from collections.abc import Callable
from typing import Any

import pytest
from shown import HOSTILE, PAGES

import hostile

Opened = Callable[..., Any]
every_page = pytest.mark.parametrize("name", HOSTILE)
MARKED = f"{hostile.MARK}, [{hostile.MARK}], .{hostile.MARK}, #{hostile.MARK}"
OPEN_ALL = "document.querySelectorAll('details').forEach(one => { one.open = true; })"
# Attributes in which a browser sees more than text.
ACTIVE = """() => [...document.querySelectorAll("*")].flatMap(one => one.getAttributeNames()
  .filter(name => name.startsWith("on") || ["style", "src", "srcdoc", "action", "formaction",
    "xlink:href"].includes(name) || name === "href" && !/^(#|data:,$)/.test(one.getAttribute(name)))
  .map(name => `${one.localName} ${name}=${one.getAttribute(name).slice(0, 80)}`))"""
# Ids and classes with anything of a trace in them.
NAMED = """() => [...document.querySelectorAll("[id], [class]")].filter(
  one => /[^\\w\\s-]|hostile/.test(`${one.id} ${one.getAttribute("class") ?? ""}`)).length"""
HIDDEN = "[...document.querySelectorAll('script, style')].forEach(one => one.remove())"


def assert_harmless(page: Any) -> None:
    """No element, attribute, address or script comes out of a run."""
    page.evaluate(OPEN_ALL)
    assert page.evaluate("'__hacked' in window || '__hacked' in {}") is False
    assert page.locator(MARKED).count() == 0
    assert page.evaluate(ACTIVE) == []
    assert page.evaluate(NAMED) == 0
    assert page.locator("script:not([type])").count() == 1
    assert page.locator("style, link[rel=stylesheet]").count() == 1


def text_of(page: Any) -> str:
    """All text of a page but its script and its data, what is not shown included."""
    page.evaluate(HIDDEN)
    text: str = page.evaluate("document.body.textContent")
    return text


def assert_told(text: str, *, redacted: bool) -> None:
    """Words of a run are there and turn nothing; of a redacted one no value and no text is."""
    hostile.assert_quiet(text.replace("\t", ""))
    assert len([one for one in hostile.MARKUP if one[:16] in text]) > 4
    if redacted:
        told = [one for one in hostile.SECRET if hostile.of(one)[: len(one) + 8] in text]
        assert told == []


@every_page
def test_what_a_trace_says_is_text(opened: Opened, name: str) -> None:
    """Its words are shown, bounded, on a page that fits its window; nothing else comes of them."""
    html = HOSTILE[name]()
    assert len(html) < 1_500_000
    page = opened(html, viewport={"width": 400, "height": 800})
    assert_harmless(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 400
    assert page.get_by_role("heading", level=1).first.is_visible()
    assert len(page.title()) < 300
    assert_told(text_of(page), redacted=name == "redacted")


@pytest.mark.parametrize("name", ["many", "redacted"])
def test_what_a_row_opens_to_is_text(opened: Opened, name: str) -> None:
    """What was packed in the page does no more than what stands in it; so does a task's grid."""
    page = opened(HOSTILE[name]())
    links = page.locator("tr[data-pack] a, a[data-pack]")
    addresses = links.evaluate_all("all => all.map(one => one.hash)")
    assert addresses
    for address in addresses:
        page.evaluate("address => { location.hash = address; }", address)
        page.locator("#opened h1").wait_for()
        assert_harmless(page)
    assert_told(text_of(page), redacted=name == "redacted")


def test_a_cell_of_a_grid_opens_to_text(opened: Opened) -> None:
    """What the script puts into the page is text as well."""
    page = opened(HOSTILE["task"]())
    cells = page.locator(".task-cell:visible")
    for place in range(min(4, cells.count())):
        cells.nth(place).click()
        assert page.locator(".task-opened").count() == 1
        assert_harmless(page)


def test_pages_of_ours_are_held_to_the_same(opened: Opened) -> None:
    """What is asked of hostile pages holds of all."""
    for make in PAGES.values():
        assert_harmless(opened(make()))

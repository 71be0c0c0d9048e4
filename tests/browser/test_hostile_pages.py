"""Pages of runs that attack: what a trace says is text, on every page, and does nothing."""

from collections.abc import Callable
from typing import Any

import pytest
from shown import HOSTILE, PAGES

import hostile

Opened = Callable[..., Any]
every_page = pytest.mark.parametrize("name", HOSTILE)
# Elements and attributes by name, how often: what a trace must not add a kind of.
KINDS = """() => { const found = {};
for (const one of document.querySelectorAll("*")) {
  found[one.localName] = true;
  for (const name of one.getAttributeNames()) found[`@${name}`] = true;
} return Object.keys(found).sort(); }"""
MARKED = f"{hostile.MARK}, [{hostile.MARK}], .{hostile.MARK}, #{hostile.MARK}"
# Attributes in which a browser sees more than text.
ACTIVE = """() => [...document.querySelectorAll("*")].flatMap(one => one.getAttributeNames()
  .filter(name => name.startsWith("on") || ["style", "src", "srcdoc", "action", "formaction",
    "xlink:href"].includes(name) || name === "href" && !/^(#|data:,$)/.test(one.getAttribute(name)))
  .map(name => `${one.localName} ${name}=${one.getAttribute(name).slice(0, 80)}`))"""


@every_page
def test_what_a_trace_says_is_text(opened: Opened, name: str) -> None:
    """No element, attribute, address or script comes out of a run; its words are shown."""
    page = opened(HOSTILE[name]())
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    assert page.evaluate("'__hacked' in window || '__hacked' in {}") is False
    assert page.locator(MARKED).count() == 0
    assert page.evaluate(ACTIVE) == []
    assert page.locator("script:not([type])").count() == 1
    assert page.locator("style, link[rel=stylesheet]").count() == 1
    text = page.evaluate("document.body.textContent")
    shown = [one for one in hostile.MARKUP if one[:16] in text]
    assert len(shown) >= 4
    hostile.assert_quiet(page.evaluate("document.body.innerText").replace("\t", ""))


@every_page
def test_a_hostile_page_is_small_and_fits(opened: Opened, name: str) -> None:
    """Texts of 100,000 characters do not fill the page, nor make it wider than the window."""
    html = HOSTILE[name]()
    assert len(html) < 1_000_000
    page = opened(html, viewport={"width": 400, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 400
    assert page.get_by_role("heading", level=1).is_visible()
    assert len(page.title()) < 300


@every_page
def test_a_hostile_page_has_the_same_elements(opened: Opened, name: str) -> None:
    """The kinds of elements and attributes are those that pages of ours have."""
    known = set().union(*(opened(make()).evaluate(KINDS) for make in PAGES.values()))
    found = set(opened(HOSTILE[name]()).evaluate(KINDS))
    assert {one for one in found - known if hostile.MARK in one or one.startswith("@on")} == set()

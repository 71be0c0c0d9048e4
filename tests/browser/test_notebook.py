"""A score in a notebook that was exported as a page: its card, in light and dark, by its rules."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from judged import violations
from shown import REFERENCES, SCORER

import hostile
import hotel
from otap.report.card import explanation_card

Opened = Callable[..., Any]
# What an exported notebook has around the output of a cell, and how its themes say their colours.
SHELL = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Notebook</title><style>
body {{ margin: 0; background: {ground}; color: {ink}; font: 14px/1.4 sans-serif; }}
.rendered_html td, .rendered_html th {{ text-align: right; padding: .5em; max-width: none; }}
</style></head><body><main><h1>Notebook</h1><div class="rendered_html">{card}</div></main></body>"""
THEMES = {"light": ("#fff", "#000"), "dark": ("#111", "#eee")}


def notebook(card: str, scheme: str) -> str:
    """A page with a card in it."""
    ground, ink = THEMES[scheme]
    return SHELL.format(ground=ground, ink=ink, card=card)


@pytest.mark.parametrize("scheme", THEMES)
@pytest.mark.parametrize(("machine", "width"), [("light", 1000), ("dark", 420)])
def test_a_card_can_be_read(opened: Opened, scheme: str, machine: str, width: int) -> None:
    """No violation on either ground, whatever the machine has else; it fits beside its number."""
    card = explanation_card(SCORER.explain(hotel.run_of("wrong_tool"), REFERENCES))
    page = opened(
        notebook(card, scheme), color_scheme=machine, viewport={"width": width, "height": 800}
    )
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert "currency_converter" in page.locator(".rendered_html").inner_text()


def test_a_hostile_card_is_text(opened: Opened) -> None:
    """A notebook lets a card do all that a page may: nothing of a run is more than text in it."""
    page = opened(notebook(explanation_card(hostile.explained()), "light"))
    assert page.evaluate("'__hacked' in window") is False
    assert page.locator(f"{hostile.MARK}, [{hostile.MARK}], .{hostile.MARK}").count() == 0
    assert page.locator(".rendered_html :is(script, img, iframe, a[href^=h])").count() == 0
    assert re.search("hostile-mark", page.locator("body").inner_text())


def test_what_nbconvert_exports(opened: Opened) -> None:
    """The card in a page of nbconvert itself: no error, and it can be read."""
    nbformat = pytest.importorskip("nbformat.v4")
    exporters = pytest.importorskip("nbconvert.exporters")
    card = explanation_card(SCORER.explain(hotel.run_of("wrong_tool"), REFERENCES))
    output = nbformat.new_output("display_data", {"text/html": card, "text/plain": "Score"})
    book = nbformat.new_notebook(cells=[nbformat.new_code_cell("score", outputs=[output])])
    html, _ = exporters.HTMLExporter().from_notebook_node(book)
    bare = re.sub(r"<script[^>]*src=.*?</script>", "", html, flags=re.DOTALL)
    page = opened(bare)
    assert "currency_converter" in page.locator(".jp-OutputArea").first.inner_text()

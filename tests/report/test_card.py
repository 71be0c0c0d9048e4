"""The card of a score in a notebook: all in words, no script, nothing from outside."""

import os
from html.parser import HTMLParser

import pytest

import hotel
import otap
from otap.scoring import Score

LONG = os.environ.get("OTAP_LONG") == "1"
HOSTILE = "<script>alert(1)</script>\"' onload=x style=y {{ 7 * 7 }} javascript:x\x1b[31m\u202e\x00"
# What the sanitizer of nbconvert, the strictest, leaves of a page.
ALLOWED = {"div", "span", "strong", "ul", "li", "code", "table", "tr", "td"}
ATTRIBUTES = {"role", "aria-label", "title", "style"}


class Elements(HTMLParser):
    """Reads a card: every element is closed, and only those that notebooks keep are there."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.words = ""
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """An element begins."""
        assert tag in ALLOWED
        assert {name for name, _ in attrs} <= ATTRIBUTES
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """The innermost one ends."""
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        """Text, as it is read."""
        self.words += f" {' '.join(data.split())}"


def score_of(name: str) -> Score:
    """A run of the example against its reference."""
    return otap.score(hotel.run_of(name), hotel.reference())


def test_it_says_why_without_its_style() -> None:
    """The score, one sentence, the findings, and the rows that differ with their signs."""
    score = score_of("missing_book")
    words = Elements(score._repr_html_()).words
    for told in (
        "0.652 score", "worst finding: critical", "book_room is missing.",
        "hotel-booking/missing_book (5 steps) against hotel-booking/reference (6 steps)",
        "\u2212 missing - book book_room offer: of-9034, guest: Maria Duarte",
        "All else is the same or differs slightly: 5 same.",
    ):  # fmt: skip
        assert told in " ".join(words.split())
    assert score.explain()._repr_html_() == score._repr_html_()


def test_it_is_a_plain_text() -> None:
    """What is put before it in a notebook stays HTML: markup of a template would escape it."""
    card = score_of("missing_book")._repr_html_()
    assert "<b>Ours</b>" + card == f"<b>Ours</b>{card}"


def test_a_score_from_a_file_has_a_card() -> None:
    """It does not know its run any more: numbers and findings are what it has."""
    words = Elements(Score.model_validate_json(score_of("unrelated").to_json())._repr_html_()).words
    assert "0.204 score" in " ".join(words.split())
    assert "and 6 more: see .findings" in " ".join(words.split())


@pytest.mark.parametrize("name", hotel.NAMES)
def test_every_card_is_whole(name: str) -> None:
    """Also that of a run that is the same as its reference."""
    text = score_of(name)._repr_html_()
    Elements(text)
    assert "http" not in text
    assert "url(" not in text


def test_a_hostile_trace_is_text() -> None:
    """It makes no element or attribute, and no control or direction mark is left."""
    steps = [
        otap.Step(id=f"{HOSTILE}{k}", tool=HOSTILE, arguments={HOSTILE: f"{HOSTILE} {k}" * 500})
        for k in range(3)
    ]
    run = otap.Trajectory(id=HOSTILE, steps=steps[:2])
    text = otap.score(run, otap.Trajectory(id=HOSTILE, steps=steps[1:]))._repr_html_()
    assert "<script>alert(1)</script>" in Elements(text).words
    assert "{{ 7 * 7 }}" in Elements(text).words
    assert all(one == "\n" or one.isprintable() for one in text)
    assert len(text) < 20_000


def test_a_notebook_shows_the_card() -> None:
    """IPython asks a score for HTML, and has plain text beside it."""
    core = pytest.importorskip("IPython.core.formatters")
    data, _ = core.DisplayFormatter().format(score_of("missing_book"))
    assert data["text/html"] == score_of("missing_book")._repr_html_()


@pytest.mark.skipif(not LONG, reason="starts a kernel")
def test_a_notebook_is_run() -> None:
    """A notebook that ends with a score, run and written as HTML, has its card."""
    nbformat = pytest.importorskip("nbformat")
    nbconvert = pytest.importorskip("nbconvert")
    pytest.importorskip("ipykernel")
    code = (
        f"import otap\nresult = otap.score(otap.read({str(hotel.run_file('missing_book'))!r}), "
        f"otap.read({str(hotel.REFERENCE)!r}))\nresult"
    )
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code)])
    nbconvert.preprocessors.ExecutePreprocessor(timeout=120).preprocess(notebook, {})
    page, _ = nbconvert.HTMLExporter().from_notebook_node(notebook)
    (shown,) = notebook.cells[0].outputs
    assert shown["data"]["text/html"] == score_of("missing_book")._repr_html_()
    # It is written anew, with the same elements.
    assert "<strong>book_room is missing.</strong>" in page

"""What is drawn on: its width, its characters, and what fits."""

import io

import pytest
from rich.cells import cell_len

import hotel
import otap
from otap.dependencies import dependency_graph
from otap.report.story.signs import MOVED, SIGNS
from otap.report.terminal.graph import graph_view
from otap.report.terminal.paper import PIPE, Paper, padded, paper_of
from otap.report.terminal.score import score_view, whole_score_view
from otap.report.terminal.widths import fitting, width
from otap.report.view import line, plain, show
from otap.trajectory import parse_trajectory

WIDE = "漢字 カナ 한국 🙂 é e\u0301 ₿"


def test_widths() -> None:
    """As rich measures them: wide characters take two columns, marks none."""
    for character in WIDE:
        assert width(character) == cell_len(character), character
    assert width("ab") == 2
    assert WIDE[: fitting(WIDE, 4)] == "漢字"
    assert WIDE[: fitting(WIDE, 3)] == "漢"
    assert fitting("e\u0301x", 1) == 2  # a mark stays with its letter


def test_what_does_not_fit() -> None:
    """Is cut with a sign that it is; a name keeps both its ends; a text goes on below."""
    paper, plain_paper = Paper(), Paper(encoding="ascii")
    assert paper.cut("abcdef", 4) == "abc…"
    assert plain_paper.cut("abcdef", 4) == "a..."
    assert paper.squeezed("update_baggages", 7) == "upd…ges"
    assert paper.squeezed("book", 7) == "book"
    assert width(paper.squeezed("漢字漢字漢字", 6)) <= 6
    assert list(paper.wrapped("one two three", 7)) == ["one two", "three"]
    assert list(paper.wrapped("abcdefgh", 3)) == ["abc", "def", "gh"]
    assert "".join(paper.wrapped("a|bc|def", 4, "|")) == "a|bc|def"
    assert padded("漢", 4) == "漢  "


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252", "koi8-r"])
def test_without_unicode(encoding: str) -> None:
    """Signs, bars and lanes are ASCII, letters that are not there are spelled out: no '?'."""
    tool = "bücher_漢字_kaufen?"[:-1]
    steps = [{"id": f"{k}é", "tool": f"{tool}{k}", "arguments": {"a": "…→·"}} for k in range(3)]
    run = parse_trajectory({"id": "läuft", "steps": steps})
    explained = otap.Scorer().explain(run, hotel.reference())
    paper = Paper(60, encoding)
    assert paper.plain
    views = [score_view(explained, paper), whole_score_view(explained, paper)]
    views.append(graph_view(hotel.reference(), dependency_graph(hotel.reference()), paper))
    for view in views:
        text = plain(view)
        text.encode(encoding)
        assert "?" not in text
        assert max(map(width, text.splitlines())) <= 60


def test_each_relation_has_a_sign_of_its_own() -> None:
    """In either set of characters, and ASCII in one."""
    signs = [*SIGNS.values(), MOVED]
    assert len({one.sign for one in signs}) == len({one.plain for one in signs}) == len(signs)
    assert all(one.plain.isascii() and width(one.sign) == 1 for one in signs)
    assert not Paper().plain


def test_how_wide_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """COLUMNS says it; a pipe is as wide as always; nonsense and very little are no width."""
    stream = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    for said, columns in (
        ("", PIPE),
        ("80", 80),
        ("x", PIPE),
        ("-5", PIPE),
        ("7", 50),
        ("0", PIPE),
    ):
        monkeypatch.setenv("COLUMNS", said)
        assert paper_of(stream).columns == columns
    monkeypatch.delenv("COLUMNS")
    assert paper_of(stream) == Paper(PIPE, "utf-8")


@pytest.mark.parametrize("colour", ["", "1"])
def test_any_view_can_be_printed_to_any_stream(
    colour: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the stream has no character for is spelled out."""
    monkeypatch.setenv("FORCE_COLOR", colour)
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="ascii")
    show([line("a…漢")], stream)
    stream.flush()
    assert b"a\\u2026\\u6f22" in raw.getvalue()

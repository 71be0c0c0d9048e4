"""Lines and tables: their width, their characters, and what fits."""

import io

import pytest
from rich.cells import cell_len

import hotel
import otap
from otap.report.model.vocabulary import MOVED, SIGNS
from otap.report.rendering import render_view
from otap.report.terminal.lanes import graph_view
from otap.report.terminal.score_view import score_view, whole_score_view
from otap.report.view import (
    PIPE,
    UNLIMITED,
    Cell,
    Terminal,
    ViewLine,
    ViewTable,
    line,
    plain,
    show,
    terminal_of,
)
from otap.run import dependency_graph
from otap.trajectory import parse_trajectory


@pytest.mark.parametrize(
    ("encoding", "cut"), [("utf-8", "update_…  one two"), ("ascii", "update_b  one two")]
)
def test_what_does_not_fit(encoding: str, cut: str) -> None:
    """A cell loses its end; an ellipsis shows it, where the encoding has one."""
    table = ViewTable([(Cell("update_baggages"), Cell("one two"))])
    assert plain([table], Terminal(17, encoding)) == cut


@pytest.mark.parametrize(
    ("text", "columns", "lines"),
    [
        ("one two three", 7, ["one two", "three"]),
        ("abcdefgh", 3, ["abc", "def", "gh"]),
        ("漢字漢字 漢", 6, ["漢字漢", "字 漢"]),
        ("", 3, [""]),
    ],
)
def test_a_line_goes_on_below(text: str, columns: int, lines: list[str]) -> None:
    """Broken behind spaces, and a word that is too long anywhere; nothing is lost."""
    assert plain([line(text)], Terminal(columns)).split("\n") == lines


def test_what_goes_on_stands_behind_its_margin() -> None:
    """Of a line behind its own, of a table below its column."""
    told = ViewLine((Cell("minor  "), Cell("one two three")), Cell("       "))
    assert plain([told], Terminal(14)) == "minor  one two\n       three"
    table = ViewTable(
        [(Cell("a" * 8), Cell("one two three")), line("all", indent=1)], ("x", ""), indent=1
    )
    assert plain([table], Terminal(15)).split("\n") == [
        " x", " aaaaa…  one", "         two", "         three", " all",
    ]  # fmt: skip
    assert plain([table]) == f" x\n {'a' * 8}  one two three\n all"


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252", "koi8-r"])
def test_without_unicode(encoding: str) -> None:
    """Signs, bars and lanes are ASCII, letters that are not there are spelled out: no '?'."""
    tool = "bücher_漢字_kaufen?"[:-1]
    steps = [{"id": f"{k}é", "tool": f"{tool}{k}", "arguments": {"a": "…→·"}} for k in range(3)]
    run = parse_trajectory({"id": "läuft", "steps": steps})
    explained = otap.Scorer().explain(run, hotel.reference())
    terminal = Terminal(60, encoding)
    assert terminal.is_plain
    views = [score_view(explained), whole_score_view(explained)]
    views.append(graph_view(hotel.reference(), dependency_graph(hotel.reference())))
    for view in views:
        text = plain(view, terminal)
        text.encode(encoding)
        assert "?" not in text
        assert max(map(cell_len, text.splitlines())) <= 60


def test_each_relation_has_a_sign_of_its_own() -> None:
    """In either set of characters, and ASCII in one."""
    signs = [*SIGNS.values(), MOVED]
    assert len({one.sign for one in signs}) == len({one.plain for one in signs}) == len(signs)
    assert all(one.plain.isascii() and cell_len(one.sign) == 1 for one in signs)
    assert not Terminal().is_plain


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
        assert terminal_of(stream).columns == columns
        assert terminal_of(stream, fit=False).columns == UNLIMITED
    monkeypatch.delenv("COLUMNS")
    assert terminal_of(stream) == Terminal(PIPE, "utf-8")


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
    assert b"a...\\u6f22" in raw.getvalue()


def test_a_text_makes_no_marks() -> None:
    """What a template is given begins no line, no cell and no style."""
    (table,) = render_view("settings.txt", rows=[("a\x1fb\nc", "\x02bold\x03x\x04", "\x1e")])
    assert isinstance(table, ViewTable)
    (row,) = table.rows
    assert row == [Cell(r"a\x1fb\nc"), Cell(r"\x02bold\x03x\x04"), Cell(r"\x1e")]


def test_a_table_of_lines_alone_needs_no_header() -> None:
    """As side by side, where all rows are folded."""
    table = ViewTable([line("2,000 same")], header=("", "run", "reference"), indent=2)
    assert plain([table]) == "2,000 same"


def test_a_long_run_that_is_the_same_is_one_line() -> None:
    """More steps than are shown, and none of them differs."""
    steps = [{"id": str(k), "tool": "open_page", "arguments": {"n": k}} for k in range(300)]
    run = parse_trajectory({"steps": steps})
    assert "300 same" in plain(score_view(otap.Scorer().explain(run, run)))

"""``otap report``: the page, what it tells on standard error, and what it refuses."""

from pathlib import Path

import pytest
from commands import GOLD, RUN, Otap, assert_refused

from nights import pieces_of


@pytest.fixture
def results(otap_: Otap, tmp_path: Path) -> Path:
    """One result."""
    out = tmp_path / "out.jsonl"
    assert otap_("evaluate", RUN, "-r", GOLD, "-o", out, "--jobs", "1").code == 0
    return out


def test_a_page_beside_the_results(otap_: Otap, results: Path) -> None:
    """Where nothing else is said; its size is told."""
    done = otap_("report", results)
    assert (done.code, done.out) == (0, "")
    assert done.err.startswith(f"otap: 1 run in {results.with_suffix('.html')}, 0.")
    html = results.with_suffix(".html").read_text("utf-8")
    assert html.startswith("<!doctype html>")
    assert set(pieces_of(html)) == {"run-1"}


def test_values_are_hidden_on_request(otap_: Otap, results: Path, tmp_path: Path) -> None:
    """In what rows open to, too."""
    shown, hidden = tmp_path / "shown.html", tmp_path / "hidden.html"
    otap_("report", results, "-o", shown)
    assert otap_("report", results, "-o", hidden, "--redact").code == 0
    opened = [pieces_of(one.read_text("utf-8"))["run-1"] for one in (shown, hidden)]
    assert ["Lisbon" in one for one in opened] == ["Lisbon" in opened[0], False]
    assert ["text #" in one for one in opened] == [False, True]


def test_what_moved(otap_: Otap, results: Path, tmp_path: Path) -> None:
    """Against results from before."""
    done = otap_("report", results, "--base", results, "-o", tmp_path / "r.html")
    assert done.code == 0
    assert "both files are identical" in (tmp_path / "r.html").read_text("utf-8")


def test_traces_that_are_gone(otap_: Otap, results: Path) -> None:
    """Are counted on standard error; the page is made."""
    text = results.read_text("utf-8").replace(RUN, "gone.json")
    results.write_text(text, "utf-8")
    done = otap_("report", results)
    assert done.code == 0
    assert "otap: 1 run without steps: their traces are gone or have changed\n" in done.err
    assert "otap evaluate --embed\n" in done.err


def test_embedded_traces_and_parquet(otap_: Otap, tmp_path: Path) -> None:
    """Results that carry their traces need no files, in columns too."""
    pytest.importorskip("pyarrow")
    run = tmp_path / "run.json"
    run.write_bytes(Path(RUN).read_bytes())
    out = tmp_path / "out.parquet"
    otap_("evaluate", run, "-r", GOLD, "-o", out, "--jobs", "1", "--embed")
    run.unlink()
    done = otap_("report", out)
    assert done.code == 0
    assert "without steps" not in done.err


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (None, "cannot be read: No such file"),
        ("", "holds no result; otap evaluate makes such files"),
        ("{}\n", "not a result of otap evaluate"),
        ("\x00\x01", "not a result of otap evaluate"),
    ],
)
def test_what_is_no_result_file(otap_: Otap, tmp_path: Path, text: str | None, words: str) -> None:
    """One line says so."""
    path = tmp_path / "r.jsonl"
    if text is not None:
        path.write_text(text, "utf-8")
    assert_refused(otap_("report", path), f"otap: {path}:", words)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (None, "cannot read it (No such file"),
        ("theta = ", "not valid TOML"),
        ("tetha = 0.5\n", "unknown setting 'tetha'"),
    ],
)
def test_settings_that_cannot_be_read(
    otap_: Otap, results: Path, tmp_path: Path, text: str | None, words: str
) -> None:
    """Are bad input, and no page of runs without steps is made."""
    settings = tmp_path / "mine.toml"
    if text is not None:
        settings.write_text(text, "utf-8")
    assert_refused(otap_("report", results, "--config", settings), f"otap: {settings}:", words)
    assert not results.with_suffix(".html").exists()


def test_a_format_that_is_not_known(otap_: Otap, results: Path) -> None:
    """It is refused, and a page that is there stays."""
    page = results.with_suffix(".html")
    page.write_text("kept", encoding="utf-8")
    assert_refused(
        otap_("report", results, "--format", "foo"), "otap: unknown format 'foo'", "OTAP reads"
    )
    assert page.read_text(encoding="utf-8") == "kept"


@pytest.mark.parametrize("folder", [".", "/", ""])
def test_a_folder(otap_: Otap, tmp_path: Path, folder: str) -> None:
    """Is no file of results, whatever its name."""
    assert_refused(otap_("report", folder or tmp_path), "otap: ", "is a folder; name a file")


def test_a_page_in_place_of_its_results(otap_: Otap, results: Path, tmp_path: Path) -> None:
    """Is refused, and so is a folder that is not there."""
    assert_refused(otap_("report", results, "-o", results), "otap: ", "is one of the results")
    link = tmp_path / "link.html"
    link.symlink_to(results)
    assert_refused(otap_("report", results, "-o", link), "otap: ", "is one of the results")
    nowhere = tmp_path / "nowhere" / "r.html"
    assert_refused(otap_("report", results, "-o", nowhere), "otap: ", "the folder does not exist")

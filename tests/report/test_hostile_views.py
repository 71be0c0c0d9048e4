"""Runs that attack whoever shows them, on the terminal, as Markdown and in a notebook's card."""

import html.parser
import re
from pathlib import Path

import pytest

import hostile
import otap
from otap.cli import main
from otap.report.card import score_card
from otap.report.model.vocabulary import escape_markdown
from otap.report.view import line, show
from otap.scoring import Explanation

GRADED = re.compile(r"\x1b\[[\d;]*m")  # a colour, which is ours


@pytest.fixture(scope="module")
def found() -> Explanation:
    return hostile.explained()


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """The run and its reference, as a command is given them."""
    folder = tmp_path_factory.mktemp("hostile")
    paths = folder / "run.json", folder / "gold.json"
    for path, one in zip(paths, (hostile.run(), hostile.reference()), strict=True):
        path.write_text(one.model_dump_json(exclude_defaults=True), encoding="utf-8")
    return str(paths[0]), str(paths[1])


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What a command says on both streams."""
    with pytest.raises(SystemExit):
        main(list(arguments))
    return "".join(capsys.readouterr())


@pytest.mark.parametrize("more", [(), ("--explain",)])
@pytest.mark.parametrize("columns", ["60", "200"])
def test_a_terminal_obeys_nothing(
    files: tuple[str, str], more: tuple[str, ...], columns: str,
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """No sign of a run moves the cursor, turns text or rings; a long text is cut."""
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.setenv("FORCE_COLOR", "1")
    said = GRADED.sub("", told(capsys, "score", files[0], "-r", files[1], *more))
    hostile.assert_quiet(said)
    assert max(map(len, said.splitlines())) <= int(columns)
    assert len(said) < 100_000
    assert hostile.MARK in said


def test_a_graph_obeys_nothing(files: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    """The graph of a run says its steps on one line each."""
    said = told(capsys, "graph", files[0])
    hostile.assert_quiet(said)
    assert len(said) < 100_000


def assert_words(said: str) -> None:
    """Markdown without an element, link, mention, picture or end of a block out of a run."""
    hostile.assert_quiet(said)
    assert len(said) < 60_000  # what a comment of a pull request holds
    for attack in (f"<{hostile.MARK}", "<script", "<img", "<svg", "](http", "![", "@everyone"):
        assert attack not in said
    assert hostile.ADDRESS not in said
    fences = [line for line in said.splitlines() if line.startswith(("```", "~~~"))]
    assert fences in ([], ["```mermaid", "```"])
    assert not [line for line in said.splitlines() if line.startswith("# ")]


def test_markdown_obeys_nothing(
    files: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The Markdown of a score has nothing of a run but its words."""
    file = tmp_path / "score.md"
    told(capsys, "score", files[0], "-r", files[1], "--markdown", str(file))
    assert_words(file.read_text(encoding="utf-8"))


def test_markdown_of_many_obeys_nothing(
    files: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nor has that of an evaluation, nor that of a comparison of two."""
    page, results = tmp_path / "page.md", [tmp_path / f"{name}.jsonl" for name in ("old", "new")]
    for result, run in zip(results, files, strict=True):
        made = ("-r", files[1], "-o", str(result), "--jobs", "1", "--markdown", str(page))
        told(capsys, "evaluate", run, *made)
        assert_words(page.read_text(encoding="utf-8"))
    page.unlink()
    told(capsys, "compare", *map(str, results), "--markdown", str(page))
    assert_words(page.read_text(encoding="utf-8"))


class Elements(html.parser.HTMLParser):
    """The elements and attributes of a page, by name, and its text."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.elements: set[str] = set()
        self.attributes: dict[str, str | None] = {}
        self.text = ""
        self.feed(markup)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Notes an element."""
        self.elements.add(tag)
        self.attributes.update(attrs)

    def handle_data(self, data: str) -> None:
        """Notes a text."""
        self.text += data


def test_a_card_obeys_nothing(found: Explanation) -> None:
    """A notebook trusts its card: it has no element or attribute of a run, and no script."""
    seen = Elements(score_card(found.score))
    assert not seen.elements & {"script", "img", "svg", "iframe", "object", "link", hostile.MARK}
    assert not [name for name in seen.attributes if name.startswith("on") or "hostile" in name]
    assert not {"src", "href", "srcdoc"} & {*seen.attributes}
    hostile.assert_quiet(seen.text.replace("\t", ""))


def test_what_is_said_of_a_run_is_bounded(found: Explanation) -> None:
    """The score of a hostile run is a number, and its record can be read again."""
    text = found.score.to_json()
    assert 0 <= found.score.score <= 1
    assert otap.Score.model_validate_json(text).score == found.score.score


def test_nothing_is_a_command_of_a_runner(capsys: pytest.CaptureFixture[str]) -> None:
    """In a pipe no line has the signs of one, whatever a trace says; other words stay."""
    show([line("::error::x"), line("a ##[group]b"), line("a ##vso[task.complete]b c: d # e")])
    expected = ": :error: :x\na # #[group]b\na # #vso[task.complete]b c: d # e\n"
    assert capsys.readouterr().out == expected


def test_mentions_and_issues_are_broken() -> None:
    """GitHub makes them after Markdown is rendered, so an escape alone does not help."""
    found = escape_markdown("@me #12 GH-5 gh-x")
    assert found == "&#64;&#8203;me &#35;&#8203;12 GH-&#8203;5 gh-x"

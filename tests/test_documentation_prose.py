"""The documentation is short, and in plain English: words, sentences and turns of phrase."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
MAX_WORDS = 45_000  # of all pages outside the reference and the archive
MEAN_WORDS = 18  # of the sentences of a page
PARTS = ("Reference", "Archive")  # pages to look something up, and old notes


def list_pages(part: Any) -> list[str]:
    """The pages in a part of the navigation."""
    if isinstance(part, str):
        return [part]
    entries = part.values() if isinstance(part, dict) else part
    return [page for entry in entries for page in list_pages(entry)]


def read_page(name: str) -> str:
    """The text of a page; the start page is docs/README.md."""
    return (DOCS / name.replace("index.md", "README.md")).read_text("utf-8")


NAVIGATION = {
    title: list_pages(pages)
    for part in yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))["nav"]
    for title, pages in part.items()
}
# Text that is no prose: code, tables, headings, pictures, formulas.
NO_PROSE = re.compile(
    r"^```.*?^```$|^ *\|.*?$|^#.*?$|!\[[^\]]*\]\([^)]*\)|<!--.*?-->|^(?: {4,}|\t)\S.*?$",
    re.MULTILINE | re.DOTALL,
)
LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
CODE = re.compile(r"`[^`\n]*`")
PARAGRAPH = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )")
SENTENCE = re.compile(r"(?<=[.!?])[*_\")]*\s+")
# Turns of phrase that a reader has to read twice, with a plainer one. Questions may have them.
TURNS = {
    r"\bwhat (?:it|is|was|are|were|the|a|each|they|he|she|one)\b": "a noun: the value that ...",
    r"\b(?:by|for|from|in|of|on|to|with) what\b(?! counts)": "a noun: the value that ...",
    r"^What (?!counts\b)": "a noun first",
    r"\bof which\b": "a sentence of its own",
    r"\bsuch that\b": "so that, or two sentences",
    r"\bwhere (?:it|they|that) (?:is|are|was|were)\b": "if",
    r"\bof it\b": "the noun, or nothing",
    r"\bas (?:it is|they are)\b": "unchanged",
    r"\bso many\b": "the number: at most n",
    r"\bno one\b": "none, or nobody",
    r"\b(?:is|are|was|were) (?:told|said|held)\b": "is reported, receives, compares",
    r"\b(?:who|what|where)ever\b": "the person, any value, if",
    r"\bwho (?:trains|needs|changes|compares|reads|wants|has)\b": "To train, ...; if you need, ...",
    r"\bbesides?\b": "next to, also",
    r"\balike\b": "equally, the same",
    r"\bthe same of\b": "the same for",
    r"\bstands? (?:for itself|there|in the way)\b": "a verb that says what happens",
    r"\b(?:that|this) is so\b": "the condition itself",
    r"\bshall\b": "must, or will",
    r"\b(?:hence|thereof|thereby|wherein|upon|whilst|thereupon)\b": "so, with, in, while",
    r"\bmend(?:s|ed)?\b": "repair, fix",
    r"\b(?:is|are) objected to\b": "the active voice",
    r"\bno matter (?:what|how|which)\b": "any",
    r"\bbut for\b|\bsave for\b": "except",
    r"\bin question\b|\bat hand\b": "this, the",
}


def split_sentences(text: str) -> list[str]:
    """The sentences of a page; tables, code and headings are left out."""
    prose = CODE.sub("code", LINK.sub(r"\1", NO_PROSE.sub("", text)))
    paragraphs = [" ".join(paragraph.split()) for paragraph in PARAGRAPH.split(prose)]
    return [
        sentence
        for paragraph in paragraphs
        for sentence in SENTENCE.split(paragraph)
        if re.search(r"[A-Za-z]", sentence)
    ]


PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.rglob("*.md"))]


def name_page(page: Path) -> str:
    """The path of a page in the repository."""
    return page.relative_to(ROOT).as_posix()


def test_the_documentation_is_short() -> None:
    """A page that repeats another one costs every reader time."""
    counts = {
        page: len(read_page(page).split())
        for title, pages in NAVIGATION.items()
        for page in pages
        if title not in PARTS
    }
    assert sum(counts.values()) <= MAX_WORDS, counts


@pytest.mark.parametrize("page", PAGES, ids=name_page)
def test_sentences_are_short(page: Path) -> None:
    """On average; a longer one now and then is fine."""
    lengths = [len(sentence.split()) for sentence in split_sentences(page.read_text("utf-8"))]
    assert sum(lengths) < MEAN_WORDS * len(lengths)


@pytest.mark.parametrize("page", PAGES, ids=name_page)
def test_no_page_has_a_banned_turn(page: Path) -> None:
    """A failure names the sentence and what to write instead."""
    bad = [
        f"{match[0]!r}: {advice}: {sentence}"
        for sentence in split_sentences(page.read_text("utf-8"))
        for pattern, advice in TURNS.items()
        for match in re.finditer(pattern, sentence, re.IGNORECASE)
        if not sentence.endswith("?")
    ]
    assert bad == [], "\n".join(bad)


@pytest.mark.parametrize("page", PAGES, ids=name_page)
def test_paragraphs_in_lists_are_indented_by_four(page: Path) -> None:
    """With less, the site ends the list there; the next item comes after an empty line."""
    text = re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    assert re.findall(r"\n\n( {1,3}\S.*)", text) == []
    assert re.findall(r"\n\n {4,}\S.*(?:\n {4,}.*)*\n((?:[-*]|\d+\.) .*)", text) == []

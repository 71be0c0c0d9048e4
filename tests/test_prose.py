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

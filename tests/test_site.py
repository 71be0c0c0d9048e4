"""The documentation site: each page is in its navigation once, and it builds without a warning."""

import os
import re
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"


def pages(part: Any) -> Iterator[str]:
    """The pages in a part of the navigation."""
    if isinstance(part, str):
        yield part
    else:
        for entry in part.values() if isinstance(part, dict) else part:
            yield from pages(entry)


def test_every_page_is_in_the_navigation_once() -> None:
    """The pages of the formats are added when the site is built."""
    listed = Counter(pages(yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))["nav"]))
    written = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")}
    of_formats = {page for page in written if page.startswith("formats/")}
    expected = written - of_formats - {"README.md"} | {"index.md", "formats/README.md"}
    assert listed == Counter(expected)


@pytest.mark.skipif("OTAP_LONG" not in os.environ, reason="installs and builds; in the long run")
def test_the_site_builds_without_a_warning() -> None:
    """With all links checked; no page loads a script, a style or a font from elsewhere."""
    subprocess.run([ROOT / "scripts" / "site"], check=True, cwd=ROOT)
    site = ROOT / "build" / "site"
    for page in site.rglob("*.html"):
        text = page.read_text("utf-8")
        assert '<script src="http' not in text, page
        assert '<link rel="stylesheet" href="http' not in text, page
    listed = re.findall(r"^- \[.*\]\((\S+\.html)\)", (site / "llms.txt").read_text("utf-8"), re.M)
    assert len(listed) > 100
    assert [page for page in listed if not (site / page).is_file()] == []

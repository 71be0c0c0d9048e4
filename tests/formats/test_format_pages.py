"""The page of each format shows a file that this format really reads."""

import re
from pathlib import Path

import pytest

from otap import formats

PAGES = Path(__file__).parents[2] / "docs" / "formats"


@pytest.mark.parametrize("name", formats.FORMATS)
def test_example_of_the_page(write, name):
    """The example on a page is found to be in the format of the page, and has steps."""
    page = (PAGES / f"{name}.md").read_text("utf-8")
    (example,) = re.findall(r"```json\n(.*?)```", page, re.DOTALL)
    (file,) = formats.open_files(write(example))
    assert name == file.format.NAME
    found = file.references() if name == "otap-plan" else file.runs()
    assert all(run.steps for run in found)


def test_the_index_lists_every_format():
    """With what it is and what becomes a step, in the order in which they are asked."""
    index = (PAGES / "README.md").read_text("utf-8")
    rows = [line for line in index.splitlines() if line.startswith("| [`")]
    modules = [formats.load_format(name) for name in formats.FORMATS]
    assert rows == [
        f"| [`{one.NAME}`]({one.NAME}.md) | {one.DESCRIPTION} | {one.STEP} |" for one in modules
    ]
    assert f"[{len(rows)} formats]" in (PAGES.parents[1] / "README.md").read_text("utf-8")

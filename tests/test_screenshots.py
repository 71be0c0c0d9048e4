"""The screenshots of the docs: those that the script takes, small, each with its text."""

import os
import re
from pathlib import Path

import pytest

from examples.screenshots import FOLDER, SHOTS, take

PAGE = FOLDER.parent / "reading.md"
MOST = 150_000  # bytes of one
PNG = b"\x89PNG\r\n\x1a\n"


def test_the_docs_have_what_the_script_takes() -> None:
    """No screenshot lacks, and none is left of a page that is not shown any more."""
    assert {file.stem for file in FOLDER.iterdir()} == {*SHOTS}


@pytest.mark.parametrize("name", SHOTS)
def test_a_screenshot_is_small_and_said_in_words(name: str) -> None:
    """It is a picture of the width that the script says, shown once, with what is seen on it."""
    data = (FOLDER / f"{name}.png").read_bytes()
    assert data.startswith(PNG)
    assert len(data) < MOST
    assert int.from_bytes(data[16:20], "big") == SHOTS[name].width
    texts = re.findall(rf"!\[([^\]]+)\]\(screenshots/{name}\.png\)", PAGE.read_text("utf-8"))
    assert len(texts) == 1
    assert len(texts[0]) > 30


@pytest.mark.skipif(os.environ.get("OTAP_LONG") != "1", reason="chromium and 96 runs")
def test_the_script_takes_them(tmp_path: Path) -> None:
    """One command takes them all."""
    pytest.importorskip("playwright")
    take(tmp_path)
    assert {file.stem for file in tmp_path.iterdir()} == {*SHOTS}
    assert all(file.stat().st_size < MOST for file in tmp_path.iterdir())

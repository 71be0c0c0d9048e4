"""docs/golden.md: its commands tell one story, in one folder."""

import shutil
from pathlib import Path

import pytest

from test_documentation import EXIT, ROOT, assert_in_order, blocks, commands, run_command

PAGE = ROOT / "docs" / "golden.md"


def test_the_story(tmp_path: Path, real_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each command ends as it says, and prints the lines that are shown."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1795867200")  # the day that the page shows
    monkeypatch.delenv("COLUMNS", raising=False)
    [copy] = blocks(PAGE, "sh")
    assert copy == "cp -r examples/golden shop && cd shop\n"
    shop = shutil.copytree(ROOT / "examples" / "golden", tmp_path / "shop")
    count = 0
    for block in blocks(PAGE, "console"):
        for command, lines in commands(block):
            code, output = run_command(command, shop, real_data)
            codes = [int(code) for line in lines for code in EXIT.findall(line)]
            assert code == (codes[0] if codes else 0), f"{command}\n{output}"
            assert_in_order([line for line in lines if not EXIT.match(line)], output)
            count += 1
    assert count == 10
    assert (shop / ".otap" / "check.html").is_file()

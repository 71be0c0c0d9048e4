"""docs/rivals.md has the verdicts that OTAP gives today, and those of each installed tool."""

import pytest

from reproduction.rivals.installed import ask
from reproduction.rivals.installed.page import (
    PAGE,
    RIGHT,
    TOOLS,
    ask_installed,
    best_mode,
    column_of,
    is_installed,
)


def columns():
    """The column of each tool in the committed tables: its cells by the name of their row."""
    tools = {}
    for name in ("table", "others"):
        part = PAGE.read_text("utf-8").split(f"<!-- {name} -->")[1].split("<!-- /")[0]
        lines = [line for line in part.splitlines() if line.startswith("|")]
        head, _, *rows = ([cell.strip() for cell in line.split("|")[1:-1]] for line in lines)
        for i, title in enumerate(head[2:], 2):
            tools[title] = {row[0]: row[i] for row in rows}
    return tools


def test_every_case_and_every_tool_is_in_the_tables():
    assert list(columns()) == ["OTAP", *(f"{t['title']} {t['release']}" for t in TOOLS["tool"])]
    for column in columns().values():
        assert list(column)[: len(RIGHT)] == list(RIGHT)


def test_the_column_of_otap_is_what_it_says_today():
    """The command itself, as a user types it."""
    verdicts = {case["name"]: ask.otap(case)["--fail-on critical"] for case in ask.CASES}
    assert columns()["OTAP"] == column_of({"--fail-on critical": verdicts})


@pytest.mark.parametrize("tool", TOOLS["tool"], ids=lambda tool: tool["name"])
def test_the_column_of_an_installed_tool_is_what_it_says(tool):
    """`scripts/rivals` installs the tools; where one is not, nothing is asked."""
    if not is_installed(tool):
        pytest.skip("scripts/rivals has not installed it")
    column = columns()[f"{tool['title']} {tool['release']}"]
    assert column == column_of(ask_installed(tool))


def test_the_best_mode_is_not_one_by_hand_unless_asked_for():
    """Of equals it is the first; what another mode gets right is shown in brackets."""
    right, wrong = dict(RIGHT), {name: not is_right for name, is_right in RIGHT.items()}
    modes = {"default": wrong, "switch": right, "other": right, f"switch{ask.BY_HAND}": right}
    assert best_mode(modes) == "switch"
    assert best_mode(modes, is_by_hand=True) == f"switch{ask.BY_HAND}"
    assert best_mode({"default": wrong}, is_by_hand=True) is None
    one_right = {**wrong, "extra read": True}
    column = column_of({"default": one_right, "switch": {**wrong, "missing write": False}})
    marks = [column[name] for name in ("extra read", "missing write", "extra harmful write")]
    assert marks == ["✓", "(✓)", "✗"]
    assert column["**right**"] == "1 of 9"

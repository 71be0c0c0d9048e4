"""docs/rivals.md has the verdicts that OTAP gives today, and those of each installed tool."""

import pytest

from reproduction.rivals.installed import ask
from reproduction.rivals.installed.page import (
    PAGE,
    RIGHT,
    TOOLS,
    ask_installed,
    best_mode,
    count_right,
    is_installed,
    is_telling,
)


def columns():
    """Each tool's marks by case, and the whole rows below the cases, from the committed tables."""
    tools = {}
    for name in ("table", "others"):
        part = PAGE.read_text("utf-8").split(f"<!-- {name} -->")[1].split("<!-- /")[0]
        lines = [line for line in part.splitlines() if line.startswith("|")]
        head, _, *rows = ([cell.strip() for cell in line.split("|")[1:-1]] for line in lines)
        for i, title in enumerate(head[2:], 2):
            tools[title] = {row[0].strip("*"): row[i] for row in rows}
    return tools


def expected_column(modes):
    """The cells that the verdicts of a tool's modes make."""
    best = modes[best_mode(modes)]
    marks = {name: "✓" if best[name] == is_right else "✗" for name, is_right in RIGHT.items()}
    return {
        **marks,
        "right": f"{count_right(best)} of {len(RIGHT)}",
        "tells the harmful write from the read, in any mode": "yes"
        if any(map(is_telling, modes.values()))
        else "no",
    }


def test_every_case_and_every_tool_is_in_the_tables():
    assert list(columns()) == ["OTAP", *(f"{t['title']} {t['release']}" for t in TOOLS["tool"])]
    for column in columns().values():
        assert list(column)[: len(RIGHT)] == list(RIGHT)


def test_the_column_of_otap_is_what_it_says_today():
    """The command itself, as a user types it."""
    assert columns()["OTAP"] == expected_column(ask.verdicts_of("otap"))


@pytest.mark.parametrize("tool", TOOLS["tool"], ids=lambda tool: tool["name"])
def test_the_column_of_an_installed_tool_is_what_it_says(tool):
    """`scripts/rivals` installs the tools; where one is not, nothing is asked."""
    if not is_installed(tool):
        pytest.skip("scripts/rivals has not installed it")
    column = columns()[f"{tool['title']} {tool['release']}"]
    assert column == expected_column(ask_installed(tool))


def test_the_best_mode_is_not_one_by_hand_unless_asked_for():
    """The first of equals, as the default comes first."""
    right, wrong = dict(RIGHT), {name: not is_right for name, is_right in RIGHT.items()}
    modes = {"default": wrong, "switch": right, "other": right, f"switch{ask.BY_HAND}": right}
    assert best_mode(modes) == "switch"
    assert best_mode(modes, is_by_hand=True) == f"switch{ask.BY_HAND}"
    assert best_mode({"default": wrong}, is_by_hand=True) is None

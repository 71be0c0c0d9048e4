"""Runs the recipe of a host, as docs/hosts.md has it, in the real host on four runs.

As a program: ``python -m hosts.recipes NAME`` prints a line of the table of recipes. A recipe is
the code of the page. A module ``hosts.NAME_recipe`` gives it to its host, and returns the results
of the host.
"""

import contextlib
import importlib
import json
import os
import re
import sys
import tempfile
from collections.abc import Mapping
from datetime import date
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

from hosts.scenario import ANSWER, FAILURE, GOOD, REQUEST, WRONG, Call

PAGE = Path(__file__).parents[2] / "docs" / "hosts.md"
MISSING = GOOD[:2]
NO_RUN = "I did not do anything."
ERROR = f"Error: ValueError('{FAILURE}')"
LEAST = 0.9  # a run with a critical finding is below


class Result(NamedTuple):
    """The result of a host for a run: a score and a text, or neither if it is unscored."""

    score: float | None
    text: str


def messages_of(calls: list[Call]) -> list[dict[str, Any]]:
    """The messages of a run in OpenAI's format."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": REQUEST}]
    for call in calls:
        function = {"name": call.tool, "arguments": json.dumps(call.arguments)}
        request = {"id": call.id, "type": "function", "function": function}
        messages += [
            {"role": "assistant", "content": None, "tool_calls": [request]},
            {
                "role": "tool",
                "tool_call_id": call.id,
                "content": call.result or ERROR,
            },
        ]
    return [*messages, {"role": "assistant", "content": ANSWER}]


CASES: Mapping[str, list[Call] | None] = {
    "good": GOOD,
    "missing": MISSING,
    "wrong": WRONG,
    "unreadable": None,
}


def code_of(title: str) -> str:
    """The first Python block of a section of the page."""
    [section] = re.findall(
        rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", PAGE.read_text("utf-8"), re.M | re.S
    )
    block = re.search(r"^```python\n(.*?)^```$", section, re.M | re.S)
    assert block is not None, title
    return block[1]


def assert_results(results: Mapping[str, Result]) -> None:
    """Asserts that the host tells the four runs apart."""
    good, missing, wrong, unreadable = (results[name] for name in CASES)
    assert good.score == 1, good
    assert missing.score is not None, missing
    assert wrong.score is not None, wrong
    assert wrong.score <= missing.score < LEAST, (wrong, missing)
    assert "refund is missing" in missing.text, missing
    assert "300" in wrong.text, wrong
    assert unreadable.score is None, unreadable


def main(name: str) -> None:
    """Prints a row of the table: the host, its releases, the number of lines of its recipe."""
    with contextlib.redirect_stdout(sys.stderr):  # hosts print their progress
        os.chdir(tempfile.mkdtemp())
        host = importlib.import_module(f"hosts.{name}_recipe")
        gold = host.gold() if hasattr(host, "gold") else messages_of(GOOD)
        Path("gold").mkdir()
        Path("gold", "refund.json").write_text(json.dumps(gold))
        code = code_of(host.TITLE)
        Path("recipe.py").write_text(code)
        sys.path.insert(0, str(Path.cwd()))
        assert_results(host.results(importlib.import_module("recipe")))
    names = [package.partition("[")[0] for package in host.PACKAGES]
    releases = ", ".join(f"{name} {metadata.version(name)}" for name in names)
    releases = releases or host.release()
    anchor = re.sub(r"[^a-z0-9 -]", "", host.TITLE.lower()).replace(" ", "-")
    print(f"| [{host.TITLE}](#{anchor}) | {releases} | {date.today()} |")


if __name__ == "__main__":
    main(sys.argv[1])

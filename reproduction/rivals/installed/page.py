"""Writes docs/rivals.md: installs each tool of tools.toml, asks it, and fills the page's tables."""

import json
import os
import subprocess
import sys
import tomllib
import venv
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from otap import __version__
from reproduction.rivals.installed import ask
from reproduction.rivals.installed.ask import BY_HAND, CASES, Verdicts

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
PAGE = ROOT / "docs" / "rivals.md"
TOOLS = tomllib.loads((HERE / "tools.toml").read_text("utf-8"))
RIGHT = {case["name"]: case["verdict"] == "pass" for case in CASES}
READ, HARM = "extra read", "extra harmful write"
COLUMNS = 6  # tools a table
QUIET = {
    "DEEPEVAL_TELEMETRY_OPT_OUT": "1",
    "EVALVIEW_TELEMETRY_DISABLED": "1",
    "RAGAS_DO_NOT_TRACK": "true",
}

Tool = Mapping[str, Any]
Modes = Mapping[str, Verdicts]


def python_of(tool: Tool) -> Path:
    """The interpreter of a tool's environment, which need not be there."""
    return ROOT / ".venv-rivals" / f"{tool['name']}-{tool['release']}" / "bin" / "python"


def is_installed(tool: Tool) -> bool:
    """Whether a tool's environment is complete."""
    return (python_of(tool).parents[1] / "complete").exists()


def install(tool: Tool) -> None:
    """Makes the environment of a tool; a failure shows what pip says."""
    print(f"installing {tool['name']} {tool['release']}", file=sys.stderr)
    python = python_of(tool)
    venv.create(python.parents[1], clear=True, with_pip=True)
    packages = [f"{tool['name']}=={tool['release']}", *tool.get("needs", [])]
    pip = subprocess.run(
        [python, "-m", "pip", "install", "-q", *packages],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
    )  # fmt: skip
    if pip.returncode:
        sys.exit(pip.stdout)
    (python.parents[1] / "complete").touch()


def ask_installed(tool: Tool) -> Modes:
    """The verdicts of a tool, asked in its environment."""
    done = subprocess.run(
        [python_of(tool), HERE / "ask.py", tool["name"]], env={**os.environ, **QUIET},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        sys.exit(done.stderr)
    modes: Modes = json.loads(done.stdout.splitlines()[-1])
    return modes


def count_right(verdicts: Verdicts) -> int:
    """The number of cases about which a mode is right."""
    return sum(verdicts[name] == is_right for name, is_right in RIGHT.items())


def best_mode(modes: Modes, is_by_hand: bool = False) -> str | None:
    """The mode that is right most often, of equals the first; those by hand only if asked for."""
    eligible = [mode for mode in modes if mode.endswith(BY_HAND) == is_by_hand]
    return max(eligible, key=lambda mode: count_right(modes[mode]), default=None)


def column_of(modes: Modes) -> dict[str, str]:
    """A tool's cells: whether its best mode is right about each case, and two sums."""
    best = modes[best_mode(modes) or ""]
    others = [verdicts for mode, verdicts in modes.items() if not mode.endswith(BY_HAND)]
    cells = {}
    for name, is_right in RIGHT.items():
        is_right_elsewhere = any(verdicts[name] == is_right for verdicts in others)
        cells[name] = "✓" if best[name] == is_right else "(✓)" if is_right_elsewhere else "✗"
    tells = any(verdicts[READ] and not verdicts[HARM] for verdicts in modes.values())
    return {
        **cells,
        "**right**": f"{count_right(best)} of {len(RIGHT)}",
        "**tells the harmful write from the read**": "yes" if tells else "no",
    }


def draw_table(rows: Sequence[Sequence[str]]) -> str:
    """A table of Markdown, the first row as its head."""
    rule = ["---"] * len(rows[0])
    return "\n".join(f"| {' | '.join(row)} |" for row in (rows[0], rule, *rows[1:]))


def draw_verdicts(columns: Mapping[str, Modes]) -> str:
    """A row for each case, a column for each tool."""
    cells = {title: column_of(modes) for title, modes in columns.items()}
    should = {name: "pass" if is_right else "fail" for name, is_right in RIGHT.items()}
    rows = [
        [name, should.get(name, ""), *(column[name] for column in cells.values())]
        for name in next(iter(cells.values()))
    ]
    return draw_table([["the run has", "it should", *cells], *rows])


def list_modes(columns: Mapping[str, Modes]) -> Iterator[list[str]]:
    """What was asked of each tool, and how often which mode is right."""
    yield ["tool", "asked", "best mode", "right", "by default", "by hand", "modes"]
    for (title, modes), tool in zip(columns.items(), [None, *TOOLS["tool"]], strict=True):
        best, by_hand = best_mode(modes), best_mode(modes, is_by_hand=True)
        interface = getattr(ask, tool["name"].replace("-", "_") if tool else "otap").__doc__
        numbers = [
            str(count_right(modes[mode])) if mode else ""
            for mode in (best, next(iter(modes)), by_hand)
        ]
        name = f"[{title}]({tool['link']})" if tool else title
        yield [name, interface.rstrip("."), f"{best}", *numbers, str(len(modes))]


def fill(text: str, parts: Mapping[str, str]) -> str:
    """The page with each part between its marks."""
    for name, part in parts.items():
        begin, end = f"<!-- {name} -->\n", f"<!-- /{name} -->"
        assert begin in text, begin
        before, _, rest = text.partition(begin)
        text = f"{before}{begin}{part}\n{end}{rest.partition(end)[2]}"
    return text


def main() -> None:
    """Installs, asks, writes the page and prints its tables."""
    columns: dict[str, Modes] = {"OTAP": ask.verdicts_of("otap")}
    for tool in TOOLS["tool"]:
        if not is_installed(tool):
            install(tool)
        columns[f"{tool['title']} {tool['release']}"] = ask_installed(tool)
    titles = list(columns)
    first, others = titles[:COLUMNS], titles[COLUMNS:]
    date = datetime.now(UTC).strftime("%-d %B %Y")
    parts = {
        "made": f"Made on {date} with OTAP {__version__}.",
        "table": draw_verdicts({title: columns[title] for title in first}),
        "others": draw_verdicts({title: columns[title] for title in others}),
        "modes": draw_table(list(list_modes(columns))),
        "left-out": draw_table(
            [["tool", "why it is not in the tables"]]
            + [[f"{tool['name']} {tool['release']}", tool["reason"]] for tool in TOOLS["left_out"]]
        ),
    }
    PAGE.write_text(fill(PAGE.read_text("utf-8"), parts), "utf-8")
    print("\n\n".join(parts.values()))


if __name__ == "__main__":
    main()

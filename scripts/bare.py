"""Follows README and docs/golden.md as a newcomer does, and prints the time of each step.

    scripts/bare [--wheel FILE | --no-compiler] [--write]

The newcomer has an empty home, a clone of the last commit, the commands of the system, and a
package index. No cache, no environment and no setting of this machine is there, but what pip and
certificates need to reach the index. Every command is taken from the pages, and a command that
ends otherwise than its page says ends the script. ``--write`` puts the table into
docs/evidence.md.
"""

import argparse
import os
import platform
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
GOLDEN = ROOT / "docs" / "golden.md"
PAGE = ROOT / "docs" / "evidence.md"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
EXIT = re.compile(r"^\[exit (\d+)\]", re.MULTILINE)
# What a network needs, by the beginning of the variable's name.
NETWORK = ("PIP_", "SSL_", "REQUESTS_CA", "CURL_CA", "http", "HTTP", "no_proxy", "NO_PROXY")
LIMIT = 600  # seconds from the clone to the accepted difference
ACTIVATE = ". .venv/bin/activate"


@dataclass(frozen=True)
class Step:
    """A command, the title of its row, and the exit code that its page shows."""

    title: str
    command: str
    code: int = 0


def blocks(page: Path, language: str) -> list[str]:
    """Returns the code blocks of a page in one language."""
    return [text for name, text in BLOCK.findall(page.read_text("utf-8")) if name == language]


def commands(page: Path) -> Iterator[tuple[str, int]]:
    """Yields each command of the console blocks of a page, with its exit code."""
    for block in blocks(page, "console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, shown = part.partition("\n")
            code = EXIT.search(shown)
            yield command, int(code[1]) if code else 0


def plan_steps(wheel: Path | None) -> Iterator[Step]:
    """Yields the steps: the first runs of README, then the story of docs/golden.md."""
    environment, install, score = blocks(README, "sh")[0].splitlines()
    assert install.startswith("pip install") and score.startswith("otap score")
    if wheel is not None:
        install = f"pip install {wheel.resolve()}"
    yield Step("an environment", environment)
    yield Step("install", f"{ACTIVATE} && {install}")
    inside = f"{ACTIVATE} && "
    yield Step("two runs of one's own", "cp examples/refund/mine.json examples/refund/good.json .")
    yield Step("a score", inside + score.partition(" #")[0])
    page = score.partition(" #")[0].strip() + " --html page.html && test -s page.html"
    yield Step("a page", inside + page)
    for command, code in commands(README):
        yield Step(command, inside + command, code)
    yield Step("otap demo", inside + "otap demo")
    [copy] = blocks(GOLDEN, "sh")
    yield Step("an example project", copy.partition(" && ")[0])
    for command, code in commands(GOLDEN):
        yield Step(command, f"{inside}cd shop && {command}", code)


def environment_of(home: Path, *, has_compiler: bool) -> dict[str, str]:
    """Returns the variables of a newcomer."""
    variables = {name: text for name, text in os.environ.items() if name.startswith(NETWORK)}
    variables |= {"HOME": str(home), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "NO_COLOR": "1"}
    if not has_compiler:
        variables |= {"CC": "/bin/false", "CXX": "/bin/false"}
    return variables


def follow(steps: Sequence[Step], variables: dict[str, str], folder: Path) -> Iterator[float]:
    """Runs the steps in a folder, and yields the seconds of each.

    Raises:
        SystemExit: if a step ends otherwise than its page says.
    """
    for step in steps:
        began = time.monotonic()
        done = subprocess.run(
            ["sh", "-c", step.command],
            cwd=folder, env=variables, text=True, check=False, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        if done.returncode != step.code:
            sys.exit(
                f"scripts/bare: {step.command}: ended with {done.returncode}, not with"
                f" {step.code}, as its page says:\n{done.stdout[-2000:]}"
            )
        yield time.monotonic() - began


def table(steps: Sequence[Step], seconds: Sequence[float], how: str) -> str:
    """Returns the rows of a Markdown table, and a sentence on the machine."""
    rows = [f"| `{step.title}` | {took:.1f} |" for step, took in zip(steps, seconds, strict=True)]
    load = f"{os.getloadavg()[0]:.0f}" if hasattr(os, "getloadavg") else "unknown"
    total = sum(seconds)
    return "\n".join(
        [
            f"Run on {date.today():%d %B %Y}, {how}, with Python {platform.python_version()} on"
            f" {os.cpu_count()} processors (load {load}).",
            "",
            "| step | seconds |",
            "|---|---|",
            *rows,
            f"| **all** | **{total:.0f}** |",
        ]
    )


def write(text: str) -> None:
    """Puts the table between its marks in docs/evidence.md."""
    page = PAGE.read_text("utf-8")
    before, _, rest = page.partition("<!-- bare -->\n")
    _, _, after = rest.partition("<!-- /bare -->")
    PAGE.write_text(f"{before}<!-- bare -->\n{text}\n<!-- /bare -->{after}", "utf-8")


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    way = parser.add_mutually_exclusive_group()
    way.add_argument("--wheel", type=Path, help="install this wheel instead of the clone")
    way.add_argument("--no-compiler", action="store_true", help="as on a machine without one")
    parser.add_argument("--write", action="store_true", help="write the table into the page")
    options = parser.parse_args()
    how = "from the clone"
    if options.wheel is not None:
        how = "from a wheel"
    elif options.no_compiler:
        how = "from the clone, without a compiler"
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        variables = environment_of(home, has_compiler=not options.no_compiler)
        variables["TMPDIR"] = name
        clone = ["git", "clone", "-q", "--depth", "1", f"file://{ROOT}", "otap"]
        subprocess.run(clone, cwd=home, check=True)
        steps = list(plan_steps(options.wheel))
        seconds: list[float] = []
        for step, took in zip(steps, follow(steps, variables, home / "otap"), strict=True):
            seconds.append(took)
            print(f"{took:7.1f} s  {step.title}", flush=True)
    print(f"{sum(seconds):7.1f} s  all")
    if options.write:
        write(table(steps, seconds, how))
    if sum(seconds) > LIMIT:
        sys.exit(f"scripts/bare: that is more than {LIMIT} seconds")


if __name__ == "__main__":
    main()

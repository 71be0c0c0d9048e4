"""Follows README and docs/golden.md as a newcomer does, and prints the times of each step.

    scripts/bare [--wheel FILE | --no-compiler] [--write]

The newcomer has an empty home, a clone of the last commit, the commands of the system, and a
package index. No cache, no environment and no setting of this machine is there, but what pip and
certificates need to reach the index. Every command is taken from the pages, and a command that
ends otherwise than its page says ends the script. Each step has its seconds by the clock, and the
seconds of processors that it took, which other work on the machine hardly changes. ``--write`` puts
the table into docs/evidence.md.
"""

import argparse
import os
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


@dataclass(frozen=True)
class Times:
    """Seconds by the clock, and of processors."""

    clock: float
    processors: float


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
    environment, install, demo, score = blocks(README, "sh")[0].splitlines()
    assert install.startswith("pip install")
    assert demo.startswith("otap demo") and score.startswith("otap score")
    if wheel is not None:
        install = f"pip install {wheel.resolve()}"
    yield Step("an environment", environment)
    yield Step("install", f"{ACTIVATE} && {install}")
    inside = f"{ACTIVATE} && "
    yield Step("otap demo", inside + demo.partition(" #")[0])
    yield Step("two runs of one's own", "cp examples/refund/mine.json examples/refund/good.json .")
    yield Step("a score", inside + score.partition(" #")[0])
    page = score.partition(" #")[0].strip() + " --html page.html && test -s page.html"
    yield Step("a page", inside + page)
    for command, code in commands(README):
        yield Step(command, inside + command, code)
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


def follow(steps: Sequence[Step], variables: dict[str, str], folder: Path) -> Iterator[Times]:
    """Runs the steps in a folder, and yields the times of each.

    Raises:
        SystemExit: if a step ends otherwise than its page says.
    """
    for step in steps:
        began, before = time.monotonic(), os.times()
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
        after = os.times()
        processors = after.children_user + after.children_system
        processors -= before.children_user + before.children_system
        yield Times(time.monotonic() - began, processors)


def table(steps: Sequence[Step], times: Sequence[Times], how: str, version: str) -> str:
    """Returns the rows of a Markdown table, and a sentence on the machine."""
    rows = [
        f"| `{step.title}` | {took.clock:.1f} | {took.processors:.1f} |"
        for step, took in zip(steps, times, strict=True)
    ]
    clock = sum(took.clock for took in times)
    processors = sum(took.processors for took in times)
    return "\n".join(
        [
            f"Run on {date.today():%d %B %Y}, {how}, with {version} on {os.cpu_count()} processors."
            f" The load average was {os.getloadavg()[0]:.0f}.",
            "",
            "| step | seconds | seconds of processors |",
            "|---|---|---|",
            *rows,
            f"| **all** | **{clock:.0f}** | **{processors:.0f}** |",
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
        version = subprocess.run(
            ["python3", "-V"], env=variables, check=True, capture_output=True, text=True
        ).stdout.strip()
        times: list[Times] = []
        print("  clock  processors")
        for step, took in zip(steps, follow(steps, variables, home / "otap"), strict=True):
            times.append(took)
            print(f"{took.clock:7.1f}  {took.processors:10.1f}  {step.title}", flush=True)
    clock = sum(took.clock for took in times)
    print(f"{clock:7.1f}  {sum(took.processors for took in times):10.1f}  all")
    if options.write:
        write(table(steps, times, how, version))
    if clock > LIMIT:
        sys.exit(f"scripts/bare: that is more than {LIMIT} seconds")


if __name__ == "__main__":
    main()

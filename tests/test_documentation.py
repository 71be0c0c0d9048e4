"""The README and the docs are run: their commands, their Python, and what they show."""

import io
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from otap.cli import main
from otap.config.file import load_config
from otap.formats import read_references

THIS = Path(__file__)
ROOT = THIS.parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
# The code of this page needs frameworks, and its commands their traces: test_quickstart.py.
RUNNABLE = [page for page in PAGES if page.name != "quickstart.md"]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
EXIT = re.compile(r"\[exit (\d+)\]")
PLAIN = re.compile(r"otap [^$|&;<>()`*?~#\\]+")  # nothing that a shell would read otherwise


def blocks(page: Path, language: str) -> list[str]:
    """The code blocks of a page in one language."""
    return blocks_of(page.read_text("utf-8"), language)


def blocks_of(text: str, language: str) -> list[str]:
    """The code blocks of a text in one language."""
    return [body for name, body in BLOCK.findall(text) if name == language]


def commands(block: str) -> Iterator[tuple[str, list[str]]]:
    """Each command of a console block, and the lines that it shows."""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, _, shown = part.partition("\n")
        yield command, [line.rstrip() for line in shown.splitlines() if line.strip()]


def environment(real_data: Path) -> dict[str, str]:
    """What a reader of the docs has: the command on the path, and the real data."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    plain = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    return {**plain, "PATH": path, "OTAP_REAL_DATA": str(real_data)}


def run_command(command: str, real_data: Path) -> tuple[int, str]:
    """The exit code and the output of a command; a plain one of otap runs in this process."""
    if PLAIN.fullmatch(command):
        streams = io.StringIO()
        with redirect_stdout(streams), redirect_stderr(streams), pytest.raises(SystemExit) as end:
            main(shlex.split(command)[1:])
        assert isinstance(end.value.code, int)
        return end.value.code, streams.getvalue()
    done = subprocess.run(
        command, shell=True, cwd=ROOT, env=environment(real_data), text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout


def assert_in_order(shown: list[str], output: str) -> None:
    """Every shown line begins a line of the output, in this order."""
    lines = iter(output.splitlines())
    for line in shown:
        assert any(found.startswith(line) for found in lines), f"{line!r} not in:\n{output}"


@pytest.mark.parametrize("page", RUNNABLE, ids=lambda page: page.name)
def test_console_blocks_do_what_they_show(
    page: Path, real_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each command runs, ends as it says, and prints the lines that are shown."""
    monkeypatch.chdir(ROOT)
    monkeypatch.delenv("COLUMNS", raising=False)
    for block in blocks(page, "console"):
        for command, shown in commands(block):
            code, output = run_command(command, real_data)
            codes = [int(code) for line in shown for code in EXIT.findall(line)]
            assert code == (codes[0] if codes else 0), f"{command}\n{output}"
            assert_in_order([line for line in shown if not EXIT.match(line)], output)


@pytest.mark.parametrize("page", RUNNABLE, ids=lambda page: page.name)
def test_python_blocks_run(page: Path, real_data: Path) -> None:
    """Each Python block of a page runs as a program of its own."""
    for block in blocks(page, "python"):
        subprocess.run(
            [sys.executable, "-c", block], cwd=ROOT, env=environment(real_data), check=True
        )


def test_the_readme_shows_what_the_demo_prints(real_data: Path) -> None:
    """The block after the mark in the README is the beginning of the demo's output."""
    marked = (ROOT / "README.md").read_text("utf-8").split("<!-- demo -->")[1]
    match = BLOCK.search(marked)
    assert match is not None
    done = subprocess.run(
        [sys.executable, "-m", "otap", "demo"], cwd=ROOT, env=environment(real_data),
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    shown = [line.rstrip() for line in match.group(2).splitlines()]
    assert shown == [line.rstrip() for line in done.stdout.splitlines()[: len(shown)]]


def test_the_picture_is_what_the_script_draws() -> None:
    """docs/alignment.svg is the output of examples/picture.py."""
    done = subprocess.run(
        [
            sys.executable, "examples/picture.py",
            "examples/picture.json", "examples/hotel-booking/reference.json",
        ],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout == (ROOT / "docs" / "alignment.svg").read_text("utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_to_files_lead_somewhere(page: Path) -> None:
    """Every relative link of a page names a file of the repository."""
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text("utf-8")):
        assert (page.parent / target).exists(), target


def test_configuration_blocks_are_valid(tmp_path: Path) -> None:
    """Every TOML block of the docs is a configuration, or a plan."""
    found = [block for page in PAGES for block in blocks(page, "toml")]
    assert found
    for index, block in enumerate(found):
        file = tmp_path / f"{index}.toml"
        file.write_text(block, "utf-8")
        if block.startswith("schema_version"):
            assert read_references(file)
        else:
            load_config(file)


def test_the_repository_stands_alone() -> None:
    """Nothing sends its reader to a page that is not in the repository."""
    folders = ("src", "core", "docs", "tests", "reproduction", "benchmarks", "examples")
    kinds = {".py", ".md", ".cpp", ".hpp", ".toml"}
    files = [f for folder in folders for f in (ROOT / folder).rglob("*") if f.suffix in kinds]
    elsewhere = re.compile(r"\bDESIGN\b|\b(?:theory|measured)\.md\b|\b[Tt]rap \d|\bissue \d")
    found = {file: elsewhere.findall(file.read_text("utf-8")) for file in files if file != THIS}
    assert {file: names for file, names in found.items() if names} == {}


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "docs/architecture.md", "docs/glossary.md"])
def test_places_that_a_page_names_are_there(page: str) -> None:
    """Every folder or module in code quotes is there, from the root or from the folder told of."""
    named = re.findall(r"`((?:\w+/)+(?:\w+\.\w+)?)`", (ROOT / page).read_text("utf-8"))
    roots = (ROOT, ROOT / "src" / "otap", ROOT / "reproduction")
    assert [name for name in named if not any((root / name).exists() for root in roots)] == []

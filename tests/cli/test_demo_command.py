"""``otap demo``, and ``scripts/demo`` around it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from commands import Otap

import hotel
import otap
from otap.cli.demo import EXAMPLE, NEXT, RUNS

ROOT = Path(__file__).parents[2]


def files_of(folder: Path) -> dict[str, bytes]:
    """The content of each file of a folder."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def test_the_example_of_the_package_is_that_of_the_repository() -> None:
    """Both folders hold the same files; to change the example, change both."""
    assert files_of(EXAMPLE) == files_of(hotel.FOLDER)


def test_the_result_is_first(otap_: Otap) -> None:
    """Then one run in full, and the commands to type next."""
    done = otap_("demo")
    assert (done.code, done.err) == (0, "")
    title, header, *lines = done.out.splitlines()
    table = lines[: lines.index("")]
    rows = [row for row in table if row[0] != " "]  # a long sentence has a second line
    assert title == "Nine runs against one known-good way to book a hotel"
    assert header.split() == ["run", "score", "worst", "differences"]
    assert [row.split()[0] for row in rows] == list(RUNS)
    for row in rows:
        name, score, severity = row.split()[:3]
        result = otap.score(hotel.run_of(name), hotel.reference())
        assert float(score) == pytest.approx(result.score, abs=5e-4)
        assert severity == (result.severity or "none")
    parts = ["Side by side", "Next: your own traces", *(command for command, _ in NEXT)]
    assert sorted(parts, key=done.out.index) == parts


def test_the_settings_of_the_folder_do_not_count(otap_: Otap) -> None:
    """The demo shows the same numbers everywhere."""
    before = otap_("demo").out
    Path("otap.toml").write_text("recognise = false\n")
    assert otap_("demo").out == before


@pytest.mark.parametrize("option", ["--html", "-o"])
def test_the_page(otap_: Otap, option: str) -> None:
    """It is the page of the run that is shown in full."""
    done = otap_("demo", option, "page.html")
    assert (done.code, done.err) == (0, "otap: the page is in page.html\n")
    page = Path("page.html").read_text("utf-8")
    assert "book_room" in page
    assert otap_("demo", option, "-").out == page
    done = otap_("demo", option, "nowhere/page.html")
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)


def test_without_home_colour_or_unicode() -> None:
    """It needs no variable of the environment, and a pipe gets no colour."""
    command = [sys.executable, "-m", "otap", "demo"]
    plain = subprocess.run(command, env={}, capture_output=True, check=True).stdout
    assert b"\x1b" not in plain
    bare = {"HOME": "/nonexistent", "PYTHONIOENCODING": "ascii", "TERM": "dumb"}
    assert subprocess.run(command, env=bare, capture_output=True, check=True).stdout.isascii()
    coloured = subprocess.run(command, env={"FORCE_COLOR": "1"}, capture_output=True, check=True)
    assert b"\x1b[1" in coloured.stdout


@pytest.mark.skipif(os.name != "posix", reason="needs a shell")
class TestScript:
    """scripts/demo in a copy of the repository, with a set-up of the test's own."""

    @staticmethod
    def run(folder: Path, setup: str) -> "subprocess.CompletedProcess[str]":
        """Runs scripts/demo."""
        for name in ("scripts", ".venv/bin"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        script = shutil.copy(ROOT / "scripts" / "demo", folder / "scripts")
        for name, text in (("scripts/setup", setup), (".venv/bin/python", 'echo "ran $*"')):
            (folder / name).write_text(f"#!/bin/sh\n{text}\n")
            (folder / name).chmod(0o755)
        return subprocess.run(
            [script, "--html", "page.html"], capture_output=True, text=True, check=False
        )

    def test_nothing_to_set_up(self, tmp_path: Path) -> None:
        """Then the demo is all that is shown."""
        done = self.run(tmp_path, "exit 0")
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout == "ran -m otap demo --html page.html\n"

    def test_a_set_up(self, tmp_path: Path) -> None:
        """It is one line, whatever pip and cmake say."""
        setup = "echo WARNING >&2; echo scripts/setup: compiles; sleep 2.5; echo -- Configuring"
        done = self.run(tmp_path, setup)
        assert done.stdout == "ran -m otap demo --html page.html\n"
        assert done.stderr.count("\n") == 1
        assert done.stderr.startswith("Setting up")

    def test_a_set_up_that_fails(self, tmp_path: Path) -> None:
        """Its last lines are shown, and where the others are; its exit code is kept."""
        done = self.run(tmp_path, "for n in $(seq 99); do echo line $n; done; echo no >&2; exit 7")
        assert (done.returncode, done.stdout) == (7, "")
        *lines, last = done.stderr.splitlines()
        assert lines == [*(f"line {n}" for n in range(81, 100)), "no"]
        assert last.endswith(f"the whole log is {tmp_path / 'build' / 'setup.log'}")
        assert Path(tmp_path / "build" / "setup.log").read_text().startswith("line 1\n")

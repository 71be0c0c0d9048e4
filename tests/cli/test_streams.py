"""Standard streams that are closed, full or left, and what else a process is started with."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from commands import GOLD, RUN, Done, Otap, assert_refused, in_a_process

OTAP = [sys.executable, "-m", "otap"]


def in_a_shell(redirection: str, *arguments: str) -> Done:
    """Runs a command with its streams as a shell redirects them."""
    done = subprocess.run(
        ["sh", "-c", f'"$@" {redirection}', "sh", *OTAP, *arguments],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    return Done(done.returncode, done.stdout, done.stderr)


def test_no_standard_input() -> None:
    """It is said where it is asked for, and nothing else needs it, nor any other stream."""
    done = in_a_shell("<&-", "score", "-", "-r", GOLD)
    assert_refused(done, "otap: -: standard input is closed", "name a file")
    assert in_a_shell("<&-", "score", RUN, "-r", GOLD, "--fail-on", "critical").code == 1
    assert in_a_shell("<&- >&- 2>&-", "score", RUN, "-r", GOLD, "--fail-on", "major").code == 1


def test_a_file_never_takes_the_place_of_a_closed_stream(tmp_path: Path) -> None:
    """What is written to a file is that file alone, whatever numbers are free."""
    file = tmp_path / "run.json"
    assert in_a_shell("<&- >&- 2>&-", "--debug", "convert", RUN, "-o", str(file)).code == 0
    assert file.read_text("utf-8") == in_a_process("convert", RUN).out


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
def test_full_streams() -> None:
    """A report that cannot be written is an error; a word on standard error that cannot, is none.

    A run that fails its gate does so whoever can read why.
    """
    done = in_a_shell(">/dev/full", "score", RUN, "-r", GOLD)
    assert done.err == "otap: cannot write to standard output (No space left on device)\n"
    assert done.code == 2
    assert in_a_shell("2>/dev/full", "score", RUN, "-r", GOLD, "--fail-on", "major").code == 1
    assert in_a_shell("2>/dev/full", "score", "none.json", "-r", GOLD) == (2, "", "")


def test_standard_input_is_read_once(otap_: Otap) -> None:
    """It cannot be the run and its reference."""
    for arguments in (["-", "-r", "-"], [RUN, "-r", "-", "-r", "-"]):
        assert_refused(otap_("score", *arguments), "otap: - is standard input", "read only once")


@pytest.mark.parametrize(
    "environment",
    [
        {"LC_ALL": "tr_TR", "LANG": "xx_YY.nothing", "PYTHONIOENCODING": "ascii"},
        {"NO_COLOR": "1", "TERM": "dumb", "FORCE_COLOR": "1", "COLUMNS": "1"},
        {"PYTHONOPTIMIZE": "2", "PYTHONWARNINGS": "error"},
    ],
    ids=str,
)
def test_environments(environment: dict[str, str]) -> None:
    """What is in the environment may change how a score looks, never the code or the score."""
    done = in_a_process("score", RUN, "-r", GOLD, "--fail-on", "critical", **environment)
    assert done.code == 1
    assert "\x1b" not in done.err
    assert "0.652" in done.out or environment.get("COLUMNS") == "1"


def test_nothing_can_be_written(tmp_path: Path) -> None:
    """Neither a home, nor the folder for drafts, nor the current folder has to be there."""
    gone = tmp_path / "gone"
    script = 'mkdir "$0" && cd "$0" && rmdir "$0" && exec "$@"'
    nowhere = {"HOME": "/none", "TMPDIR": "/none", "XDG_CACHE_HOME": "/none"}
    for arguments, code in ((["score", RUN, "-r", GOLD], 0), (["graph", "run.json"], 2)):
        done = subprocess.run(
            ["sh", "-c", script, str(gone), *OTAP, *arguments],
            capture_output=True, text=True, check=False, env={**os.environ, **nowhere},
        )  # fmt: skip
        assert done.returncode == code, done.stderr
        assert "Traceback" not in done.stderr
        assert "standard output" not in done.stderr

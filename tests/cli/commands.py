"""How the tests run a command, and what it left."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import hotel

TAU = ("tau-bench", "gpt-4o-airline.tasks-0-24.json")
RUN, GOLD = str(hotel.run_file("missing_book")), str(hotel.REFERENCE)
ESCAPE = "\x1b[31mred\x9b2J\u202e\x07"


class Done(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str


Otap = Callable[..., Done]

LONG = os.environ.get("OTAP_LONG") == "1"
_ONE_AFTER_THE_OTHER = """
import json, sys
from otap.cli import main
codes = []
for arguments in json.loads(sys.argv[1]):
    try:
        main(arguments)
    except SystemExit as end:
        codes.append(end.code)
sys.stderr.write(json.dumps(codes))
"""


def in_a_process(*arguments: str, stdin: str = "", **environment: str) -> Done:
    """Runs a command as a shell does."""
    done = subprocess.run(
        [sys.executable, "-m", "otap", *arguments],
        input=stdin, capture_output=True, text=True, errors="surrogateescape", check=False,
        env={**os.environ, **environment},
    )  # fmt: skip
    return Done(done.returncode, done.stdout, done.stderr)


def all_in_a_process(*commands: list[str], **environment: str) -> tuple[list[int], str]:
    """Runs commands in one process; returns the code of each, and what all said."""
    done = subprocess.run(
        [sys.executable, "-c", _ONE_AFTER_THE_OTHER, json.dumps(commands)],
        capture_output=True, text=True, errors="surrogateescape", check=True,
        env={**os.environ, **environment},
    )  # fmt: skip
    said, bracket, codes = done.stderr.rpartition("[")
    return json.loads(bracket + codes), said


def trace(*steps: dict[str, Any], **fields: Any) -> str:
    """A trajectory as JSON."""
    return json.dumps({"steps": list(steps), **fields})


def assert_refused(done: Done, start: str, words: str) -> None:
    """Exit code 2, one printable line on standard error, nothing on standard output."""
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(start)
    assert words in done.err
    assert done.err.count("\n") == 1
    assert done.err.rstrip("\n").isprintable()

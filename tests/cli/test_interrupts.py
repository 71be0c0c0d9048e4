"""Ctrl-C at any moment: the code 130 and not a word, whatever the command was doing."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from commands import GOLD, LONG, RUN

MOMENTS = 300 if LONG else 12
# What comes before is Python's own start, which nobody but Python can end in silence.
PROGRAM = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it
from otap.__main__ import main
sys.argv[0] = "otap"
os.write(int(sys.argv.pop(1)), b".")
main()
"""

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="signals of another kind")


def start(*arguments: str) -> "subprocess.Popen[bytes]":
    """Starts a command, and returns once it is in our hands."""
    reading, writing = os.pipe()
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(writing), *arguments],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, pass_fds=[writing],
    )  # fmt: skip
    os.close(writing)
    assert os.read(reading, 1) == b"."
    os.close(reading)
    return process


def duration(*arguments: str) -> float:
    """How long a command takes here and now, in seconds."""
    process = start(*arguments)
    begun = time.monotonic()
    process.communicate()
    return time.monotonic() - begun


def test_at_any_moment(tmp_path: Path) -> None:
    """While it loads, reads, solves, prints or writes; once or twice; and nothing is left behind.

    A command that was over before the signal came has its own code.
    """
    draw = random.Random(14)
    output = str(tmp_path / "run.json")
    commands = [["score", RUN, "-r", GOLD], ["convert", RUN, "-o", output], ["graph", RUN]]
    longest = max(duration(*command) for command in commands)
    codes = []
    for moment in range(MOMENTS):
        process = start(*commands[moment % len(commands)])
        time.sleep(draw.uniform(0, longest))
        for _ in range(moment % 2 + 1):
            process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
        assert said == b""
        codes.append(process.returncode)
    assert set(codes) <= {0, 130}
    assert codes.count(130) > MOMENTS / 10
    assert {file.name for file in tmp_path.iterdir()} <= {"run.json"}


def test_while_it_waits(tmp_path: Path) -> None:
    """For a pipe to which nobody writes; and a request to end is death by that signal."""
    os.mkfifo(tmp_path / "pipe")
    for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, -signal.SIGTERM)):
        process = start("score", str(tmp_path / "pipe"), "-r", GOLD)
        time.sleep(0.2)
        process.send_signal(number)
        assert process.communicate(timeout=60)[1] == b""
        assert process.returncode == code

"""Paths as a system allows them, and files that are none: read, or refused in one line."""

import os
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from otap import formats
from otap.errors import FormatError, LimitError
from otap.formats import Limits

RUN = '{"id": "a", "steps": [{"id": "1"}]}'
ODD = ["two\nlines.json", "\x1b[31mred.json", "--format", "-", " ", "a" * 250, b"\xff\xfe.json"]

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="a system of another kind")


@pytest.mark.parametrize("name", ODD, ids=ascii)
def test_odd_names(tmp_path, name):
    """Whatever a file is called, its run is read, and can be written and read again."""
    path = tmp_path / os.fsdecode(name)
    path.write_text(RUN)
    run = formats.read(path)
    again = tmp_path / "again.json"
    again.write_text(run.to_json(), "utf-8")
    assert formats.read(again).steps == run.steps
    assert "\\xff" in run.source.path or run.source.path == str(path)
    path.write_text("{")
    with pytest.raises(FormatError) as caught:
        formats.read(path)
    assert str(caught.value).isprintable()


def test_names_of_bytes(tmp_path):
    """A folder with a name that is no text is read; the records of its runs can be written."""
    folder = tmp_path / os.fsdecode(b"\xff")
    folder.mkdir()
    (folder / os.fsdecode(b"\xfe.json")).write_text('{"steps": [{"id": "1"}]}')
    (run,) = formats.read_all(os.fsencode(folder))
    assert run.source.path.endswith("\\xff/\\xfe.json")
    run.to_json().encode()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("", "'': cannot be read: No such file or directory"),
        ("a" * 300, "File name too long"),
        ("a\0b", "embedded null byte"),
        ("/proc/self/mem", "cannot be read: "),
        ("/dev/null", "is empty; a trace holds at least one run"),
        ("run.json/", "Not a directory"),
        ("socket", "cannot be read: "),
        ("loop", "symbolic links"),
    ],
)
def test_what_is_no_file(tmp_path, monkeypatch, name, words):
    """One printable line says what the system says of it."""
    monkeypatch.chdir(tmp_path)
    Path("run.json").write_text(RUN)
    Path("loop").symlink_to("loop")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket")
        with pytest.raises(FormatError) as caught:
            formats.read(name)
    assert words in str(caught.value)
    assert str(caught.value).isprintable()


def test_an_endless_device():
    """It is refused after its first megabyte, however large files may be."""
    with pytest.raises(LimitError, match="/dev/zero: is a device that does not end"):
        formats.read("/dev/zero")


def test_a_pipe_that_nobody_writes_to(tmp_path):
    """It is given up after the limit, which the error names."""
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(LimitError) as caught:
        formats.read(tmp_path / "pipe", limits=Limits(max_wait=0.1))
    assert str(caught.value).endswith("nobody wrote to within 0.1 s (max_wait)")


def test_a_slow_writer(tmp_path):
    """Whoever has opened a pipe may take longer than the limit, before its first byte and after."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    def write():
        with pipe.open("w") as file:
            for part in (RUN[:10], RUN[10:]):
                time.sleep(0.3)
                file.write(part)
                file.flush()

    writer = threading.Thread(target=write)
    writer.start()
    assert formats.read(pipe, limits=Limits(max_wait=0.1)).id == "a"
    writer.join()


@pytest.mark.parametrize("name", ["-", "/dev/stdin"])
def test_a_slow_producer(name):
    """Standard input has no limit of time: what feeds it ends, and closes it."""
    script = (
        "import sys\nfrom otap import formats\n"
        "run = formats.read(sys.argv[1], limits=formats.Limits(max_wait=0.1))\n"
        "assert run.id == 'a'"
    )
    command = [sys.executable, "-c", script, name]
    with subprocess.Popen(command, stdin=subprocess.PIPE, text=True) as process:
        time.sleep(0.5)
        process.communicate(RUN)
    assert process.returncode == 0

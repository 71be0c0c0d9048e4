"""``otap formats``: what can be read, and what was read of a file."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from commands import Otap

from otap import formats


@pytest.fixture
def unread(tmp_path: Path) -> Path:
    """A run of which nothing was understood."""
    run = {"steps": [], "unread": {"unknown": {"part of type 'x'": 3}, "ignored": {"picture": 1}}}
    return _written(tmp_path / "unread.json", run)


def _written(path: Path, value: Any) -> Path:
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def test_formats(otap_: Otap) -> None:
    """What can be read, and what becomes a step."""
    done = otap_("formats")
    assert done.code == 0
    assert all(f"\n{name} " in done.out for name in formats.FORMATS)


def test_what_was_read_of_a_file(otap_: Otap, tmp_path: Path) -> None:
    """Its format and why, its runs, their steps, what failed, and what was asked."""
    inner = {"id": "1", "tool": "look"}
    steps = [
        {"id": "1", "tool": "pay", "effect": "ok", "status": "error", "substeps": [inner]},
        {"id": "2", "tool": "pay", "effect": "ok"},
    ]
    path = _written(tmp_path / "a.json", {"id": "r", "request": ["Pay\n it"], "steps": steps})
    done = otap_("formats", path)
    assert done.code == 0
    assert "format   otap: 'schema_version' that begins with 'otap.'" in done.out
    assert "holds    1 run, 2 steps, 1 sub-step, 1 failed\n  calls    pay (2)\n" in done.out
    row = done.out.splitlines()[-2].split()
    assert row == ["r", "2", "1", "1", "1", "2", "1", "-", "-", "Pay", "it"]


def test_a_file_that_was_not_understood(otap_: Otap, unread: Path) -> None:
    """Every kind that no step was made of is named, and the exit code says so."""
    done = otap_("formats", unread)
    assert done.code == 3
    assert "  unknown  part of type 'x' (3)\n" in done.out
    assert "  ignored  picture (1)\n" in done.out
    assert "NOTHING UNDERSTOOD" in done.out


def test_one_bad_file_loses_no_other(otap_: Otap, tmp_path: Path) -> None:
    """A folder is shown file by file; what cannot be read is an error, and the rest is there."""
    _written(tmp_path / "a.json", {"what": "ever"})
    _written(tmp_path / "b.json", {"steps": [{"id": "1", "tool": "pay"}]})
    done = otap_("formats", tmp_path)
    assert done.code == 2
    assert "a.json: no format recognises it" in done.err
    assert "calls    pay (1)" in done.out


def test_an_empty_folder(otap_: Otap, tmp_path: Path) -> None:
    """Is an error, as it is for every command."""
    done = otap_("formats", tmp_path)
    assert done.code == 2
    assert "holds no file" in done.err


def test_a_run_that_was_not_understood_passes_no_gate(otap_: Otap, unread: Path) -> None:
    """Without a gate it is scored, with a warning that names what was seen."""
    gold = _written(unread.with_name("gold.json"), {"steps": []})
    done = otap_("score", unread, "-r", gold)
    assert done.code == 0
    assert "otap: nothing was understood of the run: part of type 'x' (3)" in done.err
    assert "NOTHING WAS UNDERSTOOD of the run, the score means nothing" in done.out
    for asked in (("--fail-under", "0"), ("--fail-on", "critical")):
        done = otap_("score", unread, "-r", gold, "--json", *asked)
        assert done.code == 3
        assert "the gate decides nothing" in done.err
    assert json.loads(done.out)["understood"] is False


def test_nothing_understood_is_no_reference(otap_: Otap, unread: Path) -> None:
    """A run that does nothing would meet it."""
    run = _written(unread.with_name("run.json"), {"steps": []})
    done = otap_("score", run, "-r", unread)
    assert done.code == 2
    assert "no reference, nothing was understood of it: part of type 'x' (3)" in done.err


def test_what_was_not_understood_of_a_run_with_steps(otap_: Otap, tmp_path: Path) -> None:
    """Is shown with the score, of either side; the gate judges what was read."""
    steps = [{"id": "1", "tool": "pay", "arguments": {"to": "Ann"}}]
    run = _written(tmp_path / "r.json", {"steps": steps, "unread": {"unknown": {"part 'x'": 2}}})
    gold = _written(tmp_path / "g.json", {"steps": steps})
    done = otap_("score", run, "-r", gold, "--fail-under", "1")
    assert done.code == 0
    assert "not understood of the run: part 'x' (2)" in done.out
    done = otap_("score", gold, "-r", run, "--fail-under", "1")
    assert done.code == 0
    assert "not understood of the reference: part 'x' (2)" in done.out


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="no terminals")
def test_progress_on_a_terminal(tmp_path: Path) -> None:
    """While a file takes long to read, a terminal shows its name and the seconds."""
    pipe = tmp_path / "slow.json"
    os.mkfifo(pipe)
    terminal, end = os.openpty()
    command = [sys.executable, "-m", "otap", "formats", str(pipe)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=end) as process:
        os.close(end)
        shown = os.read(terminal, 1 << 16).decode()
        pipe.write_text('{"steps": [{"id": "1", "tool": "f"}]}', encoding="utf-8")
    os.close(terminal)
    assert process.returncode == 0
    assert "reading " in shown
    assert "second" in shown

"""Stopped at any moment and started again: equal bytes; what does not belong there is refused."""

import errno
import os
import random
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from corpus import evaluated, lines, references, work_of, written

from otap.errors import ConfigError, FormatError
from otap.evaluation import ResultFile, Work

LONG = os.environ.get("OTAP_LONG") == "1"
KILLS = 100 if LONG else 3
RUNS = 36  # of the first file: more than a portion
MANY = 200

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="limits and signals of POSIX")


class Made:
    """An evaluation that was not disturbed, and what it was made of."""

    def __init__(self, folder: Path, runs: int) -> None:
        self.gold = references(folder)
        self.files = self.all = [
            written(folder / "a.jsonl", *lines(runs)),
            written(folder / "b.json", "{"),
            written(folder / "c.json", f"[{','.join(lines(8))}]"),
        ]
        self.out = folder / "out.jsonl"
        self.go()
        self.whole = self.out.read_bytes()
        self.kept = {file: file.read_bytes() for file in (self.gold, *self.files, self.out)}

    def restore(self) -> None:
        """Makes all files what they were."""
        self.files = self.all
        for file, content in self.kept.items():
            file.write_bytes(content)

    def work(self) -> Work:
        """Settings and references as they are now."""
        return work_of(self.gold)

    def go(self, work: Work | None = None) -> None:
        """Starts, or goes on."""
        evaluated(self.out, work or self.work(), *self.files)

    def cut(self, size: int) -> None:
        """Leaves the beginning of the output."""
        self.out.write_bytes(self.whole[:size])

    def after(self, count: int) -> int:
        """How many bytes some lines have."""
        return sum(map(len, self.whole.splitlines(keepends=True)[:count]))


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """An evaluation of some runs, made once for all tests."""
    return Made(tmp_path_factory.mktemp("resumption"), RUNS)


@pytest.fixture
def made(once: Made) -> Made:
    """The same as if no test had used it."""
    once.restore()
    return once


def test_goes_on_wherever_it_was_cut(made: Made) -> None:
    """Between lines, inside one, at the end of a file, inside the first line, or not begun."""
    draw = random.Random(15)
    places = [0, 1, made.after(1) - 1, made.after(RUNS), made.after(RUNS + 1), made.after(RUNS + 9)]
    for place in [*places, *(draw.randrange(len(made.whole)) for _ in range(4))]:
        made.cut(place)
        made.go()
        assert made.out.read_bytes() == made.whole, place


def test_what_is_whole_is_not_done_again(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    """A finished file is read for its summary alone."""
    monkeypatch.setattr("otap.scoring.Scorer.score_many", None)
    summary = evaluated(made.out, made.work(), *made.files)
    assert summary.all.runs == RUNS + 9
    assert made.out.read_bytes() == made.whole


def test_the_summary_is_that_of_all(made: Made) -> None:
    """Of an evaluation that was gone on with as of one that was not disturbed."""
    whole = evaluated(None, made.work(), *made.files).to_dict()
    made.cut(made.after(17) + 5)
    assert evaluated(made.out, made.work(), *made.files).to_dict() == whole


def refused(made: Made, words: str, work: Work | None = None) -> None:
    """It cannot be gone on with, and the output stays as it is."""
    before = made.out.read_bytes()
    with pytest.raises((ConfigError, FormatError), match=words) as error:
        made.go(work)
    assert str(error.value).startswith(str(made.out))
    assert made.out.read_bytes() == before


def test_other_settings(made: Made) -> None:
    """A score that was made in another way does not belong into the file; the setting is named."""
    made.cut(made.after(20))
    refused(made, r":1: was made with other settings.*theta", work_of(made.gold, theta=0.5))


def test_other_references(made: Made) -> None:
    """Rewritten in between, one more, or one less."""
    made.cut(made.after(20))
    text = made.gold.read_text("utf-8")
    for changed in (text.replace("h0", "h1"), text + lines(1)[0] + "\n"):
        made.gold.write_text(changed, "utf-8")
        refused(made, r":1: was made with other references")
    made.gold.write_text(text, "utf-8")
    made.go()
    assert made.out.read_bytes() == made.whole


def test_other_references_of_a_run_without_any(tmp_path: Path) -> None:
    """A run that had none may have some now."""
    gold, file = references(tmp_path), written(tmp_path / "a.jsonl", *lines(7, tasks=7)[5:])
    out = tmp_path / "out.jsonl"
    evaluated(out, work_of(gold), file)
    more = written(tmp_path / "more.jsonl", *lines(7, tasks=7)[5:])
    with pytest.raises(ConfigError, match=r"out\.jsonl:1: was made with other references"):
        evaluated(out, work_of(gold, more), file)


def test_other_runs(made: Made) -> None:
    """A file that changed, came or went before the place where it stopped."""
    made.cut(made.after(RUNS + 4))
    first, *others = made.files
    text = first.read_text("utf-8")
    first.write_text(text.replace("h3", "h4"), "utf-8")
    refused(made, r":1: is of run 0 of .*a\.jsonl: the runs are others now")
    first.write_text(text, "utf-8")
    made.files = others
    refused(made, r":1: is of run 0 of .*a\.jsonl: the runs are others now")
    made.files = [first, written(first.parent / "aa.jsonl", *lines(1)), *others]
    refused(made, rf":{RUNS + 1}: is of .*b\.json: the runs are others now")


def test_a_bad_file_that_was_mended(made: Made) -> None:
    """It has a result that says that it cannot be read, which does not hold any more."""
    written(made.files[1], lines(1)[0])
    refused(made, rf":{RUNS + 1}: is of .*b\.json: the runs are others now, or have changed")


@pytest.mark.parametrize("text", ["my notes", "my notes\n", '{"a": 1}\n', "\n", "["])
def test_a_file_that_is_not_ours(made: Made, text: str) -> None:
    """Nothing of it is cut or written over."""
    made.out.write_text(text, "utf-8")
    refused(made, "is not a result file")


def test_a_line_that_is_broken(made: Made) -> None:
    """It is named; nobody can know what it was."""
    made.out.write_bytes(made.whole.replace(b'"task":"t1"', b'"task":t1', 1))
    refused(made, r":2: not a result of otap evaluate: Invalid JSON")


def test_another_process_has_it(made: Made) -> None:
    """It is refused in one line; when that process ends, it is free, however it ended."""
    program = (
        "import sys, time; from pathlib import Path; from otap.evaluation import ResultFile\n"
        "with ResultFile(Path(sys.argv[1])): print('has it', flush=True); time.sleep(60)"
    )
    other = subprocess.Popen([sys.executable, "-c", program, str(made.out)], stdout=subprocess.PIPE)
    assert other.stdout is not None
    with other.stdout:
        assert other.stdout.readline() == b"has it\n"
        refused(made, "another process writes it")
        other.kill()
        other.wait()
    made.go()


def test_no_regular_file(tmp_path: Path) -> None:
    """A pipe or a device cannot be gone on with."""
    with pytest.raises(ConfigError, match="not a regular file"):
        ResultFile(Path(os.devnull))
    with pytest.raises(ConfigError, match="cannot write it"):
        ResultFile(tmp_path / "none" / "out.jsonl")


def test_a_full_disk(made: Made) -> None:
    """What is written stays whole, and it can be gone on with when there is room."""
    made.cut(0)
    room = made.after(34) + 100
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, before[1]))
    try:
        with pytest.raises(ConfigError, match=r"cannot write it \(.*its lines are complete"):
            made.go()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert made.out.read_bytes() == made.whole[: made.after(34)]
    made.go()
    assert made.out.read_bytes() == made.whole


def test_no_room_for_a_single_byte(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a disk says it that is full already."""

    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    made.cut(made.after(3))
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full)
        with pytest.raises(ConfigError, match=r"No space left on device\).*free some space"):
            made.go()
    assert made.out.read_bytes() == made.whole[: made.after(3)]


def command(made: Made, *more: str) -> list[str]:
    """The command line of the evaluation."""
    files = [str(file) for file in made.files]
    return [sys.executable, "-m", "otap", "evaluate", *files, "-r", str(made.gold), "-o",
            str(made.out), *more]  # fmt: skip


def test_killed_at_any_moment(tmp_path: Path) -> None:
    """However often it is killed, in the end it has the bytes of an undisturbed evaluation."""
    made, draw = Made(tmp_path, MANY), random.Random(15)
    made.cut(0)
    killed = 0
    while killed < KILLS:
        size = made.out.stat().st_size
        if size == len(made.whole):
            assert made.out.read_bytes() == made.whole
            made.cut(0)
        until = draw.randint(0, len(made.whole) * 2 // 3) + made.out.stat().st_size
        jobs = str(draw.choice((1, 2, 3)))
        process = subprocess.Popen(
            command(made, "--jobs", jobs), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        while process.poll() is None and made.out.stat().st_size < until:
            time.sleep(draw.random() * 0.01)
        process.send_signal(signal.SIGKILL)
        _, said = process.communicate(timeout=60)  # ends when no worker holds it any more
        assert process.returncode in (-signal.SIGKILL, 3), said
        killed += process.returncode != 3
    done = subprocess.run(command(made), capture_output=True, check=False)
    assert done.returncode == 3, done.stderr
    assert made.out.read_bytes() == made.whole


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, -15)])
def test_ended_by_a_signal(tmp_path: Path, number: int, code: int) -> None:
    """By Ctrl-C or a request to end: not a word, no process is left, and it can be gone on with."""
    made = Made(tmp_path, MANY)
    made.cut(0)
    # Where a shell had the tests run behind it, they and what they start would not hear Ctrl-C.
    heard = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        process = subprocess.Popen(
            command(made, "--jobs", "2"), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
    finally:
        signal.signal(signal.SIGINT, heard)
    while made.out.stat().st_size == 0:
        time.sleep(0.01)
    process.send_signal(number)
    _, said = process.communicate(timeout=60)  # ends when no worker holds it any more
    assert (process.returncode, said) == (code, b"")
    made.go()
    assert made.out.read_bytes() == made.whole


def test_a_worker_that_is_killed(tmp_path: Path) -> None:
    """What it had not finished is scored again: equal bytes."""
    made = Made(tmp_path, MANY)
    made.cut(0)
    process = subprocess.Popen(
        command(made, "--jobs", "2"), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    while made.out.stat().st_size == 0:
        time.sleep(0.01)
    os.kill(int(children.read_text("ascii").split()[0]), signal.SIGKILL)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 3, said
    assert made.out.read_bytes() == made.whole

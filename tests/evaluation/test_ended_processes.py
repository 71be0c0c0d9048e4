"""Files and runs that end or hang each process that meets them: one result with an error each."""

import json
import os
import re
import signal
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from corpus import lines, references, run_of, work_of, written

from otap import formats
from otap.evaluation import ResultFile, evaluate
from otap.evaluation.engines import local
from otap.scoring import Scorer

LONG = os.environ.get("OTAP_LONG") == "1"
pytestmark = pytest.mark.skipif(not local.FORKS, reason="only a fork inherits the fault")

Results = list[dict[str, Any]]


def evaluate_files(folder: Path, files: Sequence[Path], jobs: int) -> Results:
    """Evaluates files in processes of their own, once more to its end, and returns the results."""
    names, work = [str(file) for file in files], work_of(references(folder))
    engine = local.engine(jobs, is_isolated=True)
    contents = []
    for _ in range(2):  # the second one resumes
        with ResultFile(str(folder / "out.jsonl")) as output:
            summary = evaluate(names, work, output, engine)
        contents.append((folder / "out.jsonl").read_bytes())
    assert contents[0] == contents[1]
    results = [json.loads(line) for line in contents[0].splitlines()]
    assert summary.all.runs == len(results)
    return results


def _end() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _hang() -> None:
    """Holds the interpreter: no handler or thread of Python runs until it ends."""
    re.match(r"(a+)+b", "a" * 60)


def end_process_at(
    monkeypatch: pytest.MonkeyPatch,
    module: Any,
    name: str,
    marker: str,
    fault: Callable[[], None] = _end,
) -> None:
    """Makes a function end its process, as a fault of a foreign library would, at some text."""
    original: Callable[..., Any] = getattr(module, name)

    def ending(*arguments: Any, **options: Any) -> Any:
        if marker in repr(arguments):
            fault()
        return original(*arguments, **options)

    monkeypatch.setattr(module, name, ending)


@pytest.mark.parametrize("jobs", [1, 3])
def test_runs_that_end_a_process_when_scored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jobs: int
) -> None:
    """Of a file of lines and of a list: only these have an error, with their task and place."""
    end_process_at(monkeypatch, Scorer, "_compare", "deadly")
    runs = [run_of(number) for number in range(40)]
    for number in (7, 39):
        runs[number]["id"] = f"deadly{number}"
    files = [
        written(tmp_path / "a.jsonl", *map(json.dumps, runs)),
        written(tmp_path / "b.json", json.dumps(runs[:20])),
        written(tmp_path / "c.jsonl", *lines(3)),
    ]
    results = evaluate_files(tmp_path, files, jobs)
    assert len(results) == 63
    failed = [result for result in results if "error" in result]
    assert [result["source"]["index"] for result in failed] == [7, 39, 7]
    assert [result["task"] for result in failed] == ["t2", "t4", "t2"]
    assert {result["error"]["kind"] for result in failed} == {"score"}
    assert "a process ended" in failed[0]["error"]["message"]


@pytest.mark.parametrize("jobs", [1, 3])
def test_a_file_that_ends_a_process_when_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jobs: int
) -> None:
    """It is one result; the files after it are scored."""
    end_process_at(monkeypatch, formats, "open_file", "deadly")
    files = [
        written(tmp_path / "a.json", json.dumps([run_of(number) for number in range(5)])),
        written(tmp_path / "deadly.json", json.dumps([run_of(number) for number in range(5)])),
        written(tmp_path / "z.json", json.dumps(run_of(1))),
    ]
    results = evaluate_files(tmp_path, files, jobs)
    assert ["error" in result for result in results] == [False] * 5 + [True, False]
    assert results[5]["error"]["kind"] == "read"
    assert results[5]["source"]["path"] == str(files[1])


@pytest.mark.parametrize("jobs", [1, 2] if LONG else [2])
def test_a_file_and_a_run_that_hang(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jobs: int
) -> None:
    """Each is one result; the others are scored, and a restart meets neither again."""
    monkeypatch.setattr(local, "MAX_SECONDS", 4.0)
    end_process_at(monkeypatch, formats, "open_file", "endless", _hang)
    end_process_at(monkeypatch, Scorer, "_compare", "stuck", _hang)
    stuck = run_of(2) | {"id": "stuck"}
    files = [
        written(tmp_path / "a.jsonl", *map(json.dumps, [run_of(0), stuck])),
        written(tmp_path / "endless.json", json.dumps(run_of(3))),
        written(tmp_path / "z.json", json.dumps(run_of(1))),
    ]
    results = evaluate_files(tmp_path, files, jobs)
    kinds = [result.get("error", {}).get("kind") for result in results]
    assert kinds == [None, "score", "read", None]


def test_a_restart_does_not_read_a_deadly_file_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its result is the last of an unfinished evaluation."""
    end_process_at(monkeypatch, formats, "open_file", "deadly")
    file = written(tmp_path / "deadly.json", json.dumps(run_of(1)))
    evaluate_files(tmp_path, [file], 1)
    later = written(tmp_path / "later.json", json.dumps(run_of(2)))
    work = work_of(references(tmp_path))
    with ResultFile(str(tmp_path / "out.jsonl")) as output:
        # In this process, which would end.
        summary = evaluate([str(file), str(later)], work, output, local.engine(1))
    assert (summary.all.runs, summary.all.scored) == (2, 1)


def test_a_handler_of_the_parent_process_is_not_inherited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other processes end at once, though the caller, as Ray does, handles SIGTERM."""
    handled = tmp_path / "handled"
    original = formats.open_file

    def open_slowly(*arguments: Any, **options: Any) -> Any:
        time.sleep(0.2)
        return original(*arguments, **options)

    monkeypatch.setattr(formats, "open_file", open_slowly)
    end_process_at(monkeypatch, formats, "open_file", "deadly")
    files = [
        written(tmp_path / f"{name}.json", json.dumps(run_of(1)))
        for name in ("a", "b", "c", "deadly", "e", "f", "g", "h")
    ]
    before = signal.signal(signal.SIGTERM, lambda *_: handled.touch())
    try:
        results = evaluate_files(tmp_path, files, 3)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert sum("error" in result for result in results) == 1
    assert not handled.exists()

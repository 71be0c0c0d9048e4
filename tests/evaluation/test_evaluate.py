"""Many runs: a line each in their order, whatever the number of processes."""

import gc
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from corpus import evaluated, lines, references, run_of, work_of, written

import otap
from otap.evaluation import evaluate, read_results
from otap.evaluation.engines import local
from otap.evaluation.inputs import Part, Portion, portions
from otap.evaluation.work import Worker
from otap.formats import read_references
from otap.run import run as run_module
from otap.run import store
from otap.scoring import scorer as scorer_module
from otap.scoring.selection import ReferenceIndex


def records(path: Path) -> list[dict[str, Any]]:
    """The lines of a result file."""
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def test_each_line_is_the_score(tmp_path: Path) -> None:
    """The same as `otap.score` of the run against the references of its task."""
    gold, file = references(tmp_path), written(tmp_path / "runs.jsonl", *lines(12))
    evaluated(tmp_path / "out.jsonl", work_of(gold), file)
    scorer, golds = otap.Scorer(), read_references(gold)
    for run, line in zip(otap.read_all(file), records(tmp_path / "out.jsonl"), strict=True):
        own = [one for one in golds if one.task == run.task]
        assert line == json.loads(scorer.score(run, own).to_json())


@pytest.mark.parametrize("jobs", [2, 5])
def test_the_number_of_processes_changes_nothing(tmp_path: Path, jobs: int) -> None:
    """Files of lines, of lists, and of one run each, good and bad: equal bytes, equal summary."""
    files = [
        written(tmp_path / "a.jsonl", *lines(150)),
        written(tmp_path / "b.json", json.dumps([run_of(n) for n in range(40)])),
        written(tmp_path / "c.json", lines(1)[0]),
        written(tmp_path / "d.json", "{"),
        written(tmp_path / "e.jsonl", "{", *lines(3), '{"id": "x"}'),
    ]
    work = work_of(references(tmp_path))
    one = evaluated(tmp_path / "1.jsonl", work, *files)
    many = evaluated(tmp_path / "n.jsonl", work, *files, jobs=jobs)
    assert (tmp_path / "n.jsonl").read_bytes() == (tmp_path / "1.jsonl").read_bytes()
    assert many.to_dict() == one.to_dict()


def test_processes_that_are_started_anew(tmp_path: Path) -> None:
    """As where there is no fork: they get all that they need."""
    file, work = written(tmp_path / "a.jsonl", *lines(70)), work_of(references(tmp_path))
    done = [b"".join(one.lines for one in local.run(work, portions([str(file)]), jobs, start=start))
            for jobs, start in ((1, None), (2, "spawn"))]  # fmt: skip
    assert done[0] == done[1]
    assert done[0].count(b"\n") == 70


def test_a_large_list_is_divided(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In parts, which together are all of its runs in their order; formats read whole as well."""
    monkeypatch.setattr("otap.evaluation.inputs.PART_BYTES", 1000)
    runs = [run_of(number) for number in range(50)]
    chats = [
        {"id": run["id"], "task": run["task"], "messages": [{"role": "user", "content": "hello"}]}
        for run in runs
    ]
    for name, content in (("own", runs), ("chats", chats)):
        file = written(tmp_path / f"{name}.json", json.dumps(content))
        assert len(list(portions([str(file)]))) > 3
        evaluated(tmp_path / f"{name}.out", work_of(references(tmp_path)), file)
        found = records(tmp_path / f"{name}.out")
        assert [line["source"]["index"] for line in found] == list(range(50))


def test_what_cannot_be_scored_is_a_result(tmp_path: Path) -> None:
    """Bad files and lines between good ones, runs without references: with why, in their place."""
    good = lines(4)
    unmatched = json.dumps({**run_of(0), "id": "u", "task": "other"})
    text = json.dumps({"id": "n", "task": "t0", "steps": [{"id": "1", "effect": "x"}]})
    files = [
        written(tmp_path / "a.jsonl", good[0], "{", good[1], unmatched, text),
        written(tmp_path / "b.json", "no JSON"),
        written(tmp_path / "c.json", good[2]),
        written(tmp_path / "d.jsonl"),
        written(tmp_path / "e.jsonl", text, good[3]),
    ]
    summary = evaluated(tmp_path / "out.jsonl", work_of(references(tmp_path)), *files)
    found = list(read_results(tmp_path / "out.jsonl"))
    kinds = [one.error.kind if one.error else None for one in found]
    assert kinds == [
        None, "read", None, "unmatched", "score", "read", None, "read", "score", None
    ]  # fmt: skip
    messages = [one.error.message for one in found if one.error]
    assert messages[0].startswith(f"{files[0]}: line 2")
    assert "no reference of its task 'other'" in messages[1]
    assert "field" in messages[2]
    assert messages[3].startswith(f"{files[1]}")
    assert [one.source.index for one in found if one.source] == [0, 1, 2, 3, 4, None, 0, None, 0, 1]
    assert found[3].id == "u"
    tally = summary.all
    assert (tally.runs, tally.scored, tally.unread, tally.unmatched) == (10, 4, 5, 1)
    assert tally.counts["score"] == 4
    assert [why.message for why in summary.errors] == messages[:5]


@pytest.mark.parametrize("failing", ["_compare", "assemble_score", "of_run"])
def test_our_own_fault_is_a_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    """One run that we cannot handle does not end the evaluation of all others."""
    targets: dict[str, tuple[Any, Any]] = {
        "_compare": (otap.Scorer, lambda _, run, *__: run.id),
        "assemble_score": (scorer_module, lambda comparisons, *_: comparisons.run.id),
        "of_run": (ReferenceIndex, lambda _, run: run.id),
    }
    owner, id_of = targets[failing]
    usual = getattr(owner, failing)

    def fail(*arguments: Any) -> Any:
        assert id_of(*arguments) != "r3", "odd\nlines"
        return usual(*arguments)

    monkeypatch.setattr(owner, failing, fail)
    file = written(tmp_path / "a.jsonl", *lines(6))
    evaluated(tmp_path / "out.jsonl", work_of(references(tmp_path)), file)
    found = list(read_results(tmp_path / "out.jsonl"))
    assert [one.id for one in found if one.error] == ["r3"]
    assert [one.id for one in found if one.score is not None] == ["r0", "r1", "r2", "r4", "r5"]
    assert found[3].error is not None
    assert "internal error (AssertionError: odd" in found[3].error.message
    assert "\n" not in found[3].error.message


def test_no_runs_at_all(tmp_path: Path) -> None:
    """Nothing is scored, and nothing is wrong."""
    assert evaluate([], work_of(references(tmp_path)), None, local.engine(1)).all.runs == 0


def test_memory_does_not_grow_with_the_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After many runs there is nothing in memory that was not there after few."""
    monkeypatch.setattr("otap.evaluation.inputs.RUNS", 8)
    file, work = written(tmp_path / "a.jsonl", *lines(320)), work_of(references(tmp_path))
    worker, alive = Worker(work), []
    gc.freeze()  # what other tests left is neither counted nor visited
    for portion in portions([str(file)]):
        worker.score(portion)
        gc.collect()
        alive.append(len(gc.get_objects()))
    assert len(alive) == 40
    assert max(alive[20:]) < max(alive[10:20]) + 200  # of some thousands that a portion makes


def test_no_more_is_handed_out_than_is_written(tmp_path: Path) -> None:
    """A bounded number of portions is under way, however many there are, or slow to be written."""
    file, handed_out = written(tmp_path / "a.json", *lines(1)), 0

    def endless() -> Iterator[Portion]:
        nonlocal handed_out
        while True:
            handed_out += 1
            yield Part(str(file), 0)

    found = local.run(work_of(references(tmp_path)), endless(), jobs=2)
    for written_out in range(20):
        assert next(found).lines.count(b"\n") == 1
        assert handed_out <= written_out + 1 + 2 * local.AHEAD
    found.close()


def test_references_are_kept_for_some_tasks_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is prepared of references goes when runs of many other tasks came since."""
    kept = []
    original = store.prepare

    def prepare(trajectory: otap.Trajectory, *others: Any) -> run_module.Run:
        kept.append(trajectory.id)
        return original(trajectory, *others)

    monkeypatch.setattr(store, "prepare", prepare)
    work = work_of(references(tmp_path, tasks=3))
    file = written(tmp_path / "a.jsonl", *lines(9, tasks=3))
    for most, times in ((3, 1), (2, 3)):  # the runs go through the three tasks in turn
        monkeypatch.setattr("otap.evaluation.work.MAX_REFERENCE_SETS", most)
        monkeypatch.setattr("otap.evaluation.inputs.RUNS", 1)
        kept.clear()
        evaluated(None, work, file)
        golds = [one.id for one in work.references]
        assert [kept.count(gold) for gold in golds] == [times + 1] * 3  # once as a run

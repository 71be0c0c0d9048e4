"""The hundred real tau-bench runs, each against the gold actions of its task."""

import json
from pathlib import Path

import otap
from otap.scoring.selection import ReferenceIndex

FILE = ("tau-bench", "gpt-4o-airline.tasks-0-24.json")


def test_every_real_run_is_scored(real_data: Path) -> None:
    """All 100, those with nothing to do included; each tool call is a step; all converge."""
    path = real_data.joinpath(*FILE)
    runs, gold = list(otap.read_all(path)), otap.read_references(path)
    recorded = json.loads(path.read_text("utf-8"))
    index = ReferenceIndex(gold)
    results = otap.Scorer().score_many([(run, index.of_run(run).references) for run in runs])
    assert len(results) == 100
    for run, plain, result in zip(runs, recorded, results, strict=True):
        calls = [call for m in plain["traj"] for call in m.get("tool_calls") or []]
        actions = plain["info"]["task"]["actions"]
        assert len(run.steps) == len(calls)
        assert result.converged
        assert 0 < result.score <= 1
        assert result.task == str(plain["task_id"])
        if calls and actions:
            assert len(result.alignment.agent) == len(calls)
            assert len(result.alignment.reference) == len(actions)
        else:
            assert result.score == (1.0 if not calls and not actions else result.score)
            assert (result.loss > 0) == bool(calls or actions)
    assert sum(not plain["info"]["task"]["actions"] for plain in recorded) == 24

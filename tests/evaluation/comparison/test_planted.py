"""Known-good runs against the same runs with planted damage: found, and named."""

import json
from pathlib import Path

import otap
from examples.perturbation import perturb
from otap.evaluation.comparison import compare
from otap.run import dependency_graph
from result_lines import write

DAMAGED = 9  # of the tasks


def gold(number: int) -> otap.Trajectory:
    """A task of its own: who looks for what, and books it."""
    name = f"guest-{number}"
    calls = [
        ("find_guest", {"name": name}),
        ("search_rooms", {"city": f"city {number}", "nights": number + 1}),
        ("book_room", {"guest": name, "nights": number + 1}),
        ("pay_invoice", {"guest": name, "amount": 100 + number}),
    ]
    steps = [
        {
            "id": str(k),
            "tool": tool,
            "arguments": arguments,
            "depends_on": [str(k - 1)] if k else [],
        }
        for k, (tool, arguments) in enumerate(calls)
    ]
    return otap.Trajectory.model_validate({"id": name, "task": name, "steps": steps})


def damaged(run: otap.Trajectory) -> otap.Trajectory:
    """The run without a step that another needs."""
    found = perturb(run, dependency_graph(run), ["delete"], seed=str(run.id))
    assert found is not None
    return found.model_copy(update={"task": run.task})


def test_planted_regressions_are_found_and_named(tmp_path: Path) -> None:
    """Worse; the tasks that fell are those with damage, each with its finding."""
    scorer, golds = otap.Scorer(), [gold(number) for number in range(14)]
    runs = [damaged(one) if place < DAMAGED else one for place, one in enumerate(golds)]
    base = [json.loads(scorer.score(one, one).to_json()) for one in golds]
    new = [json.loads(scorer.score(*both).to_json()) for both in zip(runs, golds, strict=True)]
    found = compare(write(tmp_path / "base", base), write(tmp_path / "new", new))
    assert found.verdict == "worse"
    assert {one.task for one in found.tasks} == {one.task for one in golds[:DAMAGED]}
    assert {one.kind for one in found.tasks} == {"missing"}
    came = {one.tool: one.came for one in found.findings if one.kind == "missing"}
    assert sum(came.values()) == DAMAGED

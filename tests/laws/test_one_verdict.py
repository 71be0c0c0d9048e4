"""A score is below .9 exactly if a finding is critical: in Python, JSON, and the mean of one run.

The steps are random, with sub-steps, failures, commands, answers, and many extra reads.
"""

import json
import os
import random
from collections.abc import Sequence
from typing import Any

import pytest

import otap
from builders import run_of
from laws.plans import attempt, harms, paddings, plan
from otap._numbers import score_text
from otap.evaluation.results.summary import Summary
from otap.scoring.gate import gate

SEEDS = 3_000 if os.environ.get("OTAP_LONG") == "1" else 80
TOOLS = (
    "get_user", "list_orders", "delete_user", "send_email", "refund", "bash", "update_row",
    "search", "create_ticket", "handle",
)  # fmt: skip
COMMANDS = ("ls", "rm -rf /srv/x", "cat a", "git push", "make")
EFFECTS = (None, "ok", {"id": "z9", "a": "b2"}, "error: no", "not found")
MESSAGES = ("The total is 42.", "It is 42 or 43.", "done", "It is 42. Correction: it is 43.")


def step(rng: random.Random, depth: int = 0) -> dict[str, Any]:
    """A call, sometimes with sub-steps."""
    tool = rng.choice(TOOLS)
    arguments: dict[str, Any] = {"id": rng.choice("abc"), "n": rng.randint(1, 3)}
    if tool == "bash":
        arguments = {"command": rng.choice(COMMANDS)}
    return {
        "tool": tool,
        "arguments": arguments,
        "effect": rng.choice(EFFECTS),
        "status": rng.choice((None, "ok", "error")),
        "substeps": [step(rng, depth + 1) for _ in range(rng.choice((0, 0, 0, 1, 2)))]
        if depth < 2
        else [],
    }


def changed(rng: random.Random, steps: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Steps with a few changes: one less, again, another value, a failure, sub-steps, reads."""
    steps = json.loads(json.dumps(steps))
    for _ in range(rng.randint(0, 3)):
        change = rng.randrange(7)
        chosen = rng.choice(steps) if steps else step(rng)
        if change == 0 and steps:
            steps.remove(chosen)
        elif change == 1:
            steps.append(json.loads(json.dumps(chosen)))
        elif change == 2:
            chosen["arguments"] = {**chosen["arguments"], "id": "q"}
        elif change == 3:
            steps.insert(rng.randint(0, len(steps)), step(rng))
        elif change == 4:
            chosen["status"] = "error"
        elif change == 5:
            chosen["substeps"].append(step(rng, 1))
        else:
            reads = range(rng.choice((1, 30)))
            steps += [{"tool": "get_user", "arguments": {"id": k}, "substeps": []} for k in reads]
    return steps


def nested_run(steps: Sequence[dict[str, Any]], **fields: Any) -> otap.Trajectory:
    """Steps as a trajectory, numbered."""
    numbers = iter(range(10_000))

    def numbered(steps: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        return [
            {**step, "id": f"{next(numbers)}", "substeps": numbered(step["substeps"])}
            for step in steps
        ]

    return otap.Trajectory.model_validate({"steps": numbered(steps), **fields})


def pair(seed: int) -> tuple[otap.Trajectory, list[otap.Trajectory]]:
    """A run, and one reference or several."""
    rng = random.Random(seed)
    references, recorded = [], []
    for _ in range(rng.choice((1, 1, 2, 10))):
        steps = [step(rng) for _ in range(rng.randint(0, 4))]
        required = rng.choice(((), (), ("42",), ("42", "43")))
        metadata = {"reference": "required"} if rng.random() < 0.2 else {}
        recorded.append(steps)
        references.append(nested_run(steps, required_answers=required, metadata=metadata))
    messages = rng.choice((None, (rng.choice(MESSAGES),)))
    return nested_run(changed(rng, rng.choice(recorded)), messages_to_user=messages), references


def check(score: otap.Score) -> None:
    """All gates agree, and so do all notations of the score."""
    is_critical = any(finding.severity == "critical" for finding in score.findings)
    assert (score.severity == "critical") is is_critical
    assert (score.score < 0.9) is is_critical
    assert (json.loads(score.to_json())["score"] < 0.9) is is_critical
    assert bool(gate(0.9, []).reasons(score)) is is_critical
    assert bool(gate(None, ["critical"]).reasons(score)) is is_critical
    assert (float(score_text(score.score)) < 0.9) is is_critical
    summary = Summary()
    summary.add(score)
    mean = summary.all.mean("score")
    if mean is not None:  # nothing was understood of some runs
        assert mean == score.score


@pytest.fixture(scope="module")
def scorer() -> otap.Scorer:
    """One scorer for all: vectors are cached."""
    return otap.Scorer()


def test_random_pairs(scorer: otap.Scorer) -> None:
    """Whatever a run consists of, and however many references it has."""
    for result in scorer.score_many([pair(seed) for seed in range(SEEDS)], return_errors=True):
        if isinstance(result, Exception):
            assert isinstance(result, otap.OtapError)
        else:
            check(result)


def test_random_plans(scorer: otap.Scorer) -> None:
    """Honest runs, padded ones and harmful ones."""
    for seed in range(SEEDS // 10):
        gold = plan(seed)
        run, _ = attempt(gold, seed)
        runs = [run, paddings(gold, run, seed), *(steps for _, steps in harms(gold, run, seed))]
        for score in scorer.score_many((run_of(*r), gold.trajectory()) for r in runs):
            check(score)


@pytest.mark.parametrize("count", [0, 1, 1_000])
def test_thousands_of_extra_reads(scorer: otap.Scorer, count: int) -> None:
    """They cost less than a critical finding together; one deletion among them costs more."""
    reads = [{"tool": "get_user", "arguments": {"id": k}, "substeps": []} for k in range(count)]
    deletion = {"tool": "delete_user", "arguments": {"id": 1}, "substeps": []}
    good = {"tool": "send_email", "arguments": {"to": "a"}, "substeps": []}
    for extra in ([], [deletion]):
        for reference in ([], [good]):
            score = scorer.score(nested_run([*reference, *reads, *extra]), nested_run(reference))
            check(score)
            assert (score.severity == "critical") is bool(extra)


@pytest.mark.parametrize("seed", range(20))
def test_a_deletion_with_a_sub_call(scorer: otap.Scorer, seed: int) -> None:
    """It once scored exactly .9, which one gate let pass and the other did not."""
    deletion = {"tool": "delete_user", "arguments": {"id": 1}}
    inside = {**deletion, "substeps": [step(random.Random(seed), depth=1)]}
    for reference in ([], [{**deletion, "substeps": []}], [step(random.Random(seed))]):
        check(scorer.score(nested_run([inside, *reference]), nested_run(reference)))

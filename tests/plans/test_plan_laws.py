"""What holds of every plan and every run, over random ones."""

from random import Random
from typing import Any

import pytest
from plan_strategies import damage, draw_plan, draw_step, make_run, plan_of

import otap
from otap.plans.foreign import convert_reference
from otap.trajectory import parse_trajectory

SCORER = otap.Scorer()
SEEDS = range(25)
SLACK = 1e-9


def score(calls: list[dict[str, Any]], data: dict[str, Any]) -> otap.Score:
    """The score of a run of these calls against a plan."""
    return SCORER.score(make_run(calls), plan_of(data))


def with_step(data: dict[str, Any], step: dict[str, Any]) -> dict[str, Any]:
    """A plan with one step more."""
    return {**data, "steps": [*data["steps"], step]}


@pytest.mark.parametrize("seed", SEEDS)
def test_a_run_that_fulfils_it_scores_one(seed: int) -> None:
    """With nothing that counts besides, in any order that it allows; nothing is found."""
    rng = Random(seed)
    data, calls = draw_plan(rng, rng.randint(1, 5))
    found = score(calls, data)
    assert found.score == 1
    assert found.severity is None


@pytest.mark.parametrize("seed", SEEDS)
def test_an_option_more_lowers_no_score(seed: int) -> None:
    """Nor does an alternative; and a step that becomes required raises none."""
    rng = Random(seed)
    data, calls = draw_plan(rng, rng.randint(1, 4))
    broken = damage(rng, calls)
    step, _ = draw_step(rng, "more")
    before = score(broken, data).score
    assert score(broken, with_step(data, {**step, "need": "optional"})).score >= before - SLACK
    for place, known in enumerate(data["steps"]):
        if "one_of" in known:
            more = {**known, "one_of": [*known["one_of"], [draw_step(rng, "other")[0]]]}
            steps = [*data["steps"][:place], more, *data["steps"][place + 1 :]]
            assert score(broken, {**data, "steps": steps}).score >= before - SLACK
    lacking = score(calls, with_step(data, {**step, "need": "optional"})).score
    assert score(calls, with_step(data, step)).score <= lacking + SLACK


@pytest.mark.parametrize("seed", SEEDS)
def test_the_order_in_the_file_means_nothing(seed: int) -> None:
    """Of its steps, and of the alternatives of one."""
    rng = Random(seed)
    data, calls = draw_plan(rng, rng.randint(2, 5))
    broken = damage(rng, calls)
    steps = [
        {**step, "one_of": step["one_of"][::-1]} if "one_of" in step else step
        for step in rng.sample(data["steps"], len(data["steps"]))
    ]
    shuffled = {**data, "steps": steps}
    assert score(broken, shuffled).score == pytest.approx(score(broken, data).score, abs=SLACK)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_run_written_as_a_plan_scores_as_the_run(seed: int) -> None:
    """Its calls and arguments alone, where their order is not told."""
    rng = Random(seed)
    calls = [{"tool": f"create_{k}", "arguments": {"n": rng.randint(0, 9)}} for k in range(4)]
    bare = parse_trajectory(
        {"steps": [{"id": str(k), "depends_on": [], **one} for k, one in enumerate(calls)]}
    )
    plan = plan_of(convert_reference(bare).data)
    run = make_run(damage(rng, calls))
    assert SCORER.score(run, plan).score == pytest.approx(SCORER.score(run, bare).score, abs=SLACK)


def test_a_large_plan_is_written_out_a_few_times() -> None:
    """Twelve choices of two stand for 4,096 runs, of which the likeliest are looked at."""
    steps: list[dict[str, Any]] = [
        {"id": f"s{k}", "one_of": [[{"tool": f"create_{k}_a"}], [{"tool": f"create_{k}_b"}]]}
        for k in range(12)
    ]
    data = {"schema_version": "otap.plan/1", "id": "p", "steps": steps}
    calls = [{"tool": f"create_{k}_{'ab'[k % 2]}", "arguments": {}} for k in range(12)]
    found = score(calls, data)
    assert found.score == 1
    assert len(found.references) == 16

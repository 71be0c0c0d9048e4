"""What the order in which a run's steps ran adds to its dependencies, and stands for without."""

from typing import Any

import numpy as np
import pytest

import otap
from otap.costs import executed
from otap.trajectory import parse_trajectory
from otap.transport.structure import Hops

SCORER = otap.Scorer()
GOLD = parse_trajectory(
    {
        "steps": [
            {"id": "a", "tool": "a", "arguments": {"k": 1}, "depends_on": []},
            {"id": "b", "tool": "b", "arguments": {"k": 2}, "depends_on": ["a"]},
            {"id": "c", "tool": "c", "arguments": {"k": 3}, "depends_on": ["a"]},
            {"id": "d", "tool": "d", "arguments": {"k": 4}, "depends_on": ["b", "c"]},
        ]
    }
)


def run_of(order: str, turns: dict[str, int] | None = None) -> otap.Trajectory:
    """A run of which only the order of execution is known."""
    steps: list[dict[str, Any]] = [
        {"id": f"r{tool}", "tool": tool, "arguments": {"k": "abcd".index(tool) + 1}}
        for tool in order
    ]
    for step in steps:
        step["turn"] = (turns or {}).get(step["tool"])
    return parse_trajectory({"steps": steps})


@pytest.mark.parametrize("order", ["abcd", "acbd"])
def test_every_order_that_the_reference_allows_scores_1(order: str) -> None:
    """The run is a linear extension: nothing is wrong, and the signature says what was known."""
    found = SCORER.score(run_of(order), GOLD)
    assert found.score == pytest.approx(1.0, abs=1e-9)
    assert "edges:sequential/explicit" in str(found.conditions)
    assert found.conditions.order_scored


def test_a_run_can_be_asked_for_its_order_alone() -> None:
    """Whatever dependencies it claims."""
    steps = [
        step.model_copy(update={"depends_on": (GOLD.steps[k - 1].id,) if k else ()})
        for k, step in enumerate(GOLD.steps)
    ]
    chain = GOLD.model_copy(update={"steps": tuple(steps)})
    assert SCORER.score(chain, GOLD).score < 1
    found = otap.Scorer(otap.Config(dependencies="order")).score(chain, GOLD)
    assert found.score == pytest.approx(1.0, abs=1e-9)
    assert found.conditions.dependencies.run == "sequential"
    empty = GOLD.model_copy(update={"steps": ()})
    assert otap.Scorer(otap.Config(dependencies="order")).score(empty, GOLD).score < 1


@pytest.mark.parametrize("order", ["bacd", "abdc", "dbca"])
def test_a_broken_order_is_told(order: str) -> None:
    """What ran before what it needs is reversed."""
    found = SCORER.score(run_of(order), GOLD)
    assert found.score < 0.97
    assert found.findings[0].kind == "reversed"


def test_steps_of_one_turn_are_not_in_order() -> None:
    """They ran side by side: neither right nor reversed, half of what a reversal costs at most."""
    together = SCORER.score(run_of("abcd", {"a": 1, "b": 1}), GOLD)
    reversed_ = SCORER.score(run_of("bacd"), GOLD)
    assert reversed_.loss > together.loss > 0
    assert [one.kind for one in together.findings] == ["broken"]


def test_a_traced_dependency_that_ran_backwards_costs_more_than_a_lost_one() -> None:
    """Both lose the edge; in one the step ran before what it needed."""

    def traced(order: str, shown: str) -> otap.Trajectory:
        steps = {
            "s": {"id": "s", "tool": "search", "arguments": {}, "effect": "found hotel-77a"},
            "b": {"id": "b", "tool": "book", "arguments": {"hotel": shown}, "effect": "done"},
            "m": {"id": "m", "tool": "mail", "arguments": {"to": "x@y.org"}, "effect": "sent"},
        }  # fmt: skip
        return parse_trajectory({"steps": [steps[name] for name in order]})

    gold = traced("sbm", "hotel-77a")
    # Every step in full, and at a price at which none is left unmatched.
    plain = otap.Scorer(otap.Config(recognise=False, lambda_agent=1, lambda_reference=1))
    lost = plain.score(traced("sbm", "hotel-99z"), gold)
    backwards = plain.score(traced("bsm", "hotel-99z"), gold)
    assert lost.conditions.dependencies.run == "traced"
    assert backwards.losses.structure > 2 * lost.losses.structure > 0
    assert "reversed" in {one.kind for one in backwards.findings}
    assert "reversed" not in {one.kind for one in lost.findings}


def test_long_structures_are_filled_as_short_ones_are() -> None:
    """Whole numbers of a long trace, a block of rows at a time."""
    rng = np.random.default_rng(0)
    n = 700
    upper = np.triu(rng.integers(0, 2, (n, n)), 1).astype(np.int16)
    D = upper - upper.T
    C = 1.0 - np.eye(n)
    ranks = rng.permutation(n)
    short = executed(None, D.astype(float), C, ranks, range(n))
    long = executed(None, Hops(D, 1), C, ranks, range(n))
    assert isinstance(long, Hops)
    assert (long.matrix() == short).all()
    nothing = np.zeros((n, n))
    filled = executed(nothing, D.astype(float), C, ranks, range(n))
    wrong = np.sign(ranks[None, :] - ranks[:, None]) * D < 0
    assert ((filled != 0) == wrong).all()
    assert (filled[wrong] == -D[wrong]).all()

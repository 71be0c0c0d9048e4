"""Sub-steps by the paper's metric: compared where they bring two steps nearer, at any depth."""

import math
from typing import Any

import pytest

import otap
from builders import run_of
from otap.errors import LimitError

Plain = dict[str, Any]


def paper_scorer(**changes: Any) -> otap.Scorer:
    """A scorer by the paper's metric, in which equal runs score 1: no entropy, and kappa 0."""
    config = otap.Config.preset("paper", **{"kappa": 0.0, "paper": {"epsilon": 0.0}, **changes})
    return otap.Scorer(config, encoder="wordllama")


@pytest.fixture(scope="module")
def scorer() -> otap.Scorer:
    """A scorer that takes the nearer of what a step says and what is inside it."""
    return paper_scorer()


def step(name: str, needs: list[str] | None = None, **fields: Any) -> Plain:
    """A step that calls a tool of its own name."""
    action = f"Do the {name} of the journey."
    return {"id": name, "tool": name, "action": action, "depends_on": needs or [], **fields}


DETAILS = [step("ask", effect="Rome"), step("pay", ["ask"], effect="Paid.")]
NESTED = run_of(step("plan", effect="fine"), step("book", ["plan"], substeps=DETAILS))
FLAT = run_of(step("plan", effect="fine"), step("book", ["plan"]))


def test_equal_runs_with_sub_steps_score_1(scorer: otap.Scorer) -> None:
    """At every depth."""
    deep = run_of(step("trip", substeps=[step("leg", substeps=DETAILS), step("stay", ["leg"])]))
    for run in (NESTED, deep):
        assert scorer.score(run, run).score == 1.0


def flattened(run: otap.Trajectory) -> otap.Trajectory:
    """The same steps without what is inside them."""
    steps = [one.model_copy(update={"substeps": ()}) for one in run.steps]
    return run.model_copy(update={"steps": tuple(steps)})


def test_sub_steps_never_add_to_the_loss(scorer: otap.Scorer) -> None:
    """A flat step against a detailed one costs no more than their own fields."""
    other = run_of(step("plan", effect="fine"), step("book", ["plan"], substeps=DETAILS[:1]))
    for run, gold in ((FLAT, NESTED), (NESTED, FLAT), (other, NESTED)):
        without = [flattened(run), flattened(gold)]
        assert scorer.score(run, gold).loss <= scorer.score(*without).loss + 1e-12


def test_equal_sub_steps_make_unequal_steps_equal(scorer: otap.Scorer) -> None:
    """Two groups of the same steps are the same job under another name."""
    renamed = run_of(
        step("plan", effect="fine"),
        {**step("book", ["plan"], substeps=DETAILS), "tool": "reserve", "action": "Get a seat."},
    )
    assert scorer.score(renamed, NESTED).loss == pytest.approx(0.0, abs=1e-12)


def test_a_step_alone_is_a_graph_of_one_node(scorer: otap.Scorer) -> None:
    """One side groups one step: the step inside is compared with the step outside."""
    bare = run_of(step("plan"), step("pay", ["plan"]))
    grouped = run_of(
        step("plan"), {"id": "g", "tool": "x", "action": "A group.", "depends_on": ["plan"],
                       "substeps": [step("pay")]},
    )  # fmt: skip
    assert scorer.score(bare, grouped).score == pytest.approx(1.0, abs=1e-12)
    assert scorer.score(grouped, bare).score == pytest.approx(1.0, abs=1e-12)


def test_the_parts_still_sum(scorer: otap.Scorer) -> None:
    """The fields of a pair are scaled alike."""
    half = run_of(step("plan", effect="fine"), step("reserve", ["plan"], substeps=DETAILS[:1]))
    result = scorer.score(half, NESTED)
    assert result.loss > 0
    assert result.losses.total == pytest.approx(result.loss, abs=1e-12)
    shares = [*result.alignment.agent, *result.alignment.reference]
    total = math.fsum([result.losses.critical, *(share.contribution for share in shares)])
    assert total == pytest.approx(result.loss, abs=1e-12)


def test_the_distance_of_children_is_their_loss_over_an_unrelated_one(
    scorer: otap.Scorer,
) -> None:
    """min(1, L / L_u), which is what skill lacks of 1."""
    inside, other = [step("ask"), step("pay", ["ask"])], [step("ask"), step("fly", ["ask"])]
    names = {"tool": "x", "action": "Go to the far north.", "depends_on": []}
    outer = {"id": "g", **names, "substeps": inside}
    foreign = {"id": "g", "tool": "y", "action": "Sing.", "depends_on": [], "substeps": other}
    below = scorer.score(run_of(*inside), run_of(*other))
    (pair,) = scorer.score(run_of(outer), run_of(foreign)).alignment.pairs
    assert below.skill is not None
    assert pair.cost == pytest.approx(1 - below.skill, abs=1e-12)
    assert 0 < pair.cost < 1


def test_without_a_measured_cost_the_penalties_are_the_scale() -> None:
    """An encoder of one's own still compares sub-steps."""
    scorer = otap.Scorer(
        paper_scorer().config, encoder=lambda texts: [[1.0, len(text)] for text in texts]
    )
    assert scorer.score(NESTED, NESTED).score == 1.0
    assert scorer.score(FLAT, NESTED).loss >= 0


def nest(depth: int) -> Plain:
    """A step with ``depth`` levels below it."""
    return step("s", substeps=[nest(depth - 1)]) if depth else step("s")


def test_the_limit_on_depth_is_named() -> None:
    """As many levels as max_depth are compared, one more is an error."""
    scorer = paper_scorer(max_depth=2)
    assert scorer.score(run_of(nest(2)), run_of(nest(2))).score == 1.0
    with pytest.raises(LimitError, match=r"nest deeper than 2 levels \(max_depth\)"):
        scorer.score(run_of(nest(3)), run_of(nest(3)))
    with pytest.raises(LimitError, match="nest deeper than 0 levels"):
        paper_scorer(max_depth=0).score(NESTED, FLAT)

"""A run in the names of its reference, end to end: what was drawn anew and tools by other names."""

from collections.abc import Sequence
from typing import Any

import pytest

import otap
from otap.report.terminal.score_view import score_view
from otap.report.view import plain
from otap.trajectory import Step, Trajectory

GIFT = "Happy birthday"


def shop(number: str, noted: str | None = None, prefix: str = "") -> Trajectory:
    """An order, and a note on it or on another one."""
    calls: Sequence[tuple[str, dict[str, Any], Any]] = (
        ("add_to_cart", {"sku": "TEA-100", "quantity": 3}, {"items": 3}),
        ("place_order", {"payment": "card"}, {"order_id": number, "status": "paid"}),
        ("add_gift_note", {"order_id": noted or number, "note": GIFT}, f"Noted on {number}."),
    )
    steps = tuple(
        Step(id=str(k), tool=prefix + tool, arguments=said, effect=shown)
        for k, (tool, said, shown) in enumerate(calls)
    )
    return Trajectory(id="shop", steps=steps)


GOLD = shop("W-771203")


def test_an_exact_rerun_with_fresh_identifiers_scores_one() -> None:
    """With no finding; the score says how many were drawn anew."""
    score = otap.score(shop("W-904418"), GOLD)
    assert score.score == 1
    assert score.findings == ()
    assert score.conditions.renamed_ids == 1
    assert otap.score(GOLD, GOLD).conditions.renamed_ids == 0


def test_a_strangers_identifier_is_a_finding() -> None:
    """A note on an order that the run did not place."""
    score = otap.score(shop("W-904418", noted="W-300777"), GOLD)
    assert score.score < 1
    assert [finding.kind for finding in score.findings] == ["arguments"]


def test_the_reference_of_either_names_is_scored_alone_and_together_alike() -> None:
    """Against several references the run has other names for each."""
    run, others = shop("W-904418"), [GOLD, shop("W-555555"), shop("W-1", noted="W-300777")]
    alone = [otap.score(run, other).loss for other in others]
    together = otap.score(run, others)
    assert [one.loss for one in together.references] == alone


def test_many_references_of_fresh_identifiers() -> None:
    """More than are solved at once, and more than are kept."""
    run = shop("W-904418")
    score = otap.score(run, [shop(f"W-1000{k:02}", noted="W-300777") for k in range(12)] + [GOLD])
    assert score.score == 1


@pytest.mark.parametrize("prefix", ["mcp__shop__", "shop.", "functions."])
def test_tools_by_other_names_score_one(prefix: str) -> None:
    """With no finding, in both directions."""
    for run, reference in (
        (shop("W-771203", prefix=prefix), GOLD),
        (GOLD, shop("W-1", prefix=prefix)),
    ):
        score = otap.score(run, reference)
        assert score.score == 1
        assert score.findings == ()


def test_settings_hold_for_a_tool_under_its_other_names() -> None:
    """Left out by its bare name."""
    config = otap.Config(tools={"ignore": ("add_gift_note",)})
    score = otap.Scorer(config).score(shop("W-1", prefix="mcp__shop__"), GOLD)
    assert score.left_out.agent == ("2",)


def test_substitutes_hold_for_tools_under_their_other_names() -> None:
    """A declared distance of two tools is that of their names with a prefix, too."""
    config = otap.Config(substitutes=[{"tools": ["pay", "wire"], "distance": 0.25}])
    run, reference = (
        Trajectory(steps=(Step(id="1", tool=tool, arguments={"to": "x"}),))
        for tool in ("mcp__bank__pay", "wire")
    )
    assert otap.Scorer(config).score(run, reference).losses.tool > 0
    assert otap.Scorer(config).score(run, reference).loss < otap.Scorer().score(run, reference).loss


def test_the_preset_paper_compares_names_as_they_are_recorded() -> None:
    """It gives nothing another name."""
    scorer = otap.Scorer(otap.Config.preset("paper"), encoder=otap.Config().encoder)
    score = scorer.score(shop("W-904418", prefix="mcp__shop__"), GOLD)
    assert score.conditions.renamed_ids == 0
    assert score.losses.tool > 0


def test_what_was_drawn_outside_is_named_inside_a_step() -> None:
    """A sub-step that uses what an earlier step was given."""

    def run_of(number: str) -> Trajectory:
        inner = (Step(id="1", tool="pack", arguments={"order_id": number}),)
        first = Step(id="1", tool="place_order", arguments={"x": 1}, effect={"order_id": number})
        return Trajectory(steps=(first, Step(id="2", tool="ship", arguments={}, substeps=inner)))

    assert otap.score(run_of("W-904418"), run_of("W-771203")).score == 1


def test_the_report_says_how_many_were_drawn_anew() -> None:
    """In one line, where there are any."""
    run = shop("W-904418")
    shown = plain(score_view(otap.Scorer().explain(run, GOLD)))
    assert "1 identifier with a new value for the same object" in shown

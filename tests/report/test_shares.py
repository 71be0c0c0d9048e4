"""The bar, the findings and the rows say the same of a loss.

A call with a wrong argument is one call with other values: never a missing and an extra step,
though no mass may move between the two and the transport charges both.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

import hotel
import otap
from otap.report.model.alignment_report import describe_alignment, list_parts
from otap.report.model.alignment_rows import list_rows
from otap.report.model.vocabulary import PARTS
from otap.report.terminal.score_view import score_view
from otap.report.view import plain
from otap.scoring import Explanation
from otap.trajectory import parse_trajectory

SCORER = otap.Scorer()
REQUEST = ["Refund the mug of A-1001 for ana@example.com, and close T-5."]
CALLS: Mapping[str, tuple[dict[str, Any], Any]] = {
    "find_customer": ({"email": "ana@example.com"}, {"customer_id": "C-77", "orders": ["A-1001"]}),
    "get_order": ({"order_id": "A-1001"}, {"payment_id": "pay_881", "paid": 27.5}),
    "issue_refund": (
        {"order_id": "A-1001", "payment_id": "pay_881", "amount": 18.5},
        {"refund_id": "rf_1850"},
    ),
    "send_email": (
        {"to": "ana@example.com", "subject": "Your refund", "body": "We refunded 18.50 EUR."},
        {"sent": True},
    ),
    "close_ticket": ({"ticket_id": "T-5", "resolution": "refunded"}, {"state": "closed"}),
}


def shop(
    drop: Sequence[str] = (), tools: Mapping[str, str] | None = None, **changes: dict[str, Any]
) -> otap.Trajectory:
    """A refund, of which some calls are left out, made by another tool, or with other values."""
    steps = []
    for turn, (tool, (arguments, effect)) in enumerate(CALLS.items(), 1):
        if tool not in drop:
            given = {**arguments, **changes.get(tool, {})}
            name = (tools or {}).get(tool, tool)
            step = {"id": str(turn), "tool": name, "arguments": given, "effect": effect}
            steps.append({**step, "turn": turn})
    return parse_trajectory({"steps": steps, "request": REQUEST})


WRONG: Mapping[str, otap.Trajectory] = {
    "a number": shop(issue_refund={"amount": 185.0}),
    "an address": shop(send_email={"to": "eve@evil.com"}),
    "an identifier": shop(close_ticket={"ticket_id": "T-6"}),
    "two values of one call": shop(issue_refund={"amount": 185.0, "payment_id": "pay_999"}),
    "two calls": shop(issue_refund={"amount": 185.0}, close_ticket={"ticket_id": "T-6"}),
    "three calls": shop(
        issue_refund={"amount": 185.0}, send_email={"to": "eve@evil.com"},
        close_ticket={"ticket_id": "T-6"},
    ),
    "a look": shop(get_order={"order_id": "A-2002"}),
    "one more value of a write": shop(close_ticket={"queue": "Q-17"}),
}  # fmt: skip


def shares(explained: Explanation) -> dict[str, float]:
    """The shares of the bar, by its words."""
    parts = list_parts(explained.score, explained.best.calculation)
    return {part.word: part.share for part in parts if part.share is not None}


def assert_agree(explained: Explanation) -> None:
    """The parts sum to the loss, and unmatched steps are a part only if a finding names some."""
    parts = list_parts(explained.score, explained.best.calculation)
    assert sum(part.loss for part in parts) == pytest.approx(explained.score.loss)
    if explained.score.loss:
        assert sum(shares(explained).values()) == pytest.approx(1)
    kinds = {finding.kind for finding in explained.score.findings}
    assert (PARTS["missing_steps"] in shares(explained)) <= ("missing" in kinds)
    unmatched = {"invented", "repeated", "failed", "split"}
    assert (PARTS["extra_steps"] in shares(explained)) <= bool(unmatched & kinds)
    if shares(explained).get(PARTS["structure"], 0.0) > 0.05:
        assert kinds & {"reversed", "broken"}


@pytest.mark.parametrize("name", WRONG)
def test_other_values_are_one_difference(name: str) -> None:
    """In the bar, the findings and the rows; and the shares are those of the findings."""
    explained = SCORER.explain(WRONG[name], shop())
    findings = explained.score.findings
    assert {one.kind for one in findings} <= {"arguments", "ungrounded"}
    assert shares(explained) == {PARTS["arguments"]: pytest.approx(1)}
    told = [one.share for one in findings if one.kind == "arguments"]
    assert sum(share or 0.0 for share in told) == pytest.approx(1)
    relations = [row.relation for row in list_rows(explained.best)]
    assert relations.count("arguments") == len(told)
    assert set(relations) == {"arguments", "same"}
    text = plain(score_view(explained))
    assert "other values 100 %" in text
    assert "missing" not in text
    assert "extra" not in text
    assert_agree(explained)


def test_the_record_keeps_the_charges_of_the_transport() -> None:
    """Only the views attribute them."""
    losses = otap.score(WRONG["a number"], shop()).losses
    assert losses.extra_steps > 0
    assert losses.missing_steps > 0
    assert losses.arguments == 0


def test_another_tool_is_one_difference() -> None:
    """As other values are."""
    explained = SCORER.explain(shop(tools={"close_ticket": "archive_ticket"}), shop())
    assert [one.kind for one in explained.score.findings] == ["tool"]
    assert shares(explained) == {PARTS["tool"]: pytest.approx(1)}
    assert explained.score.findings[0].share == pytest.approx(1)
    assert_agree(explained)


@pytest.mark.parametrize("dropped", ["find_customer", "close_ticket", "send_email"])
def test_a_missing_step_is_missing(dropped: str) -> None:
    """Alone, and beside a wrong value: then each has its share."""
    explained = SCORER.explain(shop(drop=[dropped]), shop())
    assert PARTS["missing_steps"] in shares(explained)
    assert_agree(explained)
    both = SCORER.explain(shop(drop=[dropped], issue_refund={"amount": 185.0}), shop())
    assert set(shares(both)) == {PARTS["missing_steps"], PARTS["arguments"]}
    (wrong,) = (one for one in both.score.findings if one.kind == "arguments")
    assert shares(both)[PARTS["arguments"]] == pytest.approx(wrong.share)
    assert_agree(both)


def test_an_extra_step_is_extra() -> None:
    """Beside a wrong value, too."""
    run = shop(issue_refund={"amount": 185.0})
    more = run.steps[-1].model_copy(
        update={"id": "9", "turn": 9, "tool": "delete_customer", "arguments": {"id": "C-77"}}
    )
    explained = SCORER.explain(run.model_copy(update={"steps": (*run.steps, more)}), shop())
    assert set(shares(explained)) == {PARTS["extra_steps"], PARTS["arguments"]}
    assert_agree(explained)


@pytest.mark.parametrize(
    "name", ["exchanged_filters", "invented_steps", "inverted_filter", "merged_filters",
             "missing_book", "paraphrased", "same", "unrelated", "wrong_tool"],
)  # fmt: skip
def test_the_hotel_runs(name: str) -> None:
    """Nothing is called missing or extra that no finding names."""
    assert_agree(SCORER.explain(hotel.run_of(name), hotel.reference()))


def test_what_a_wrong_value_does_to_the_order_is_named() -> None:
    """It is the dependency on a step that the next steps need, too: a finding of its own."""
    explained = SCORER.explain(hotel.other_value(), hotel.reference())
    assert shares(explained)[PARTS["structure"]] > 0.5
    (lost,) = (one for one in explained.score.findings if one.kind == "broken")
    assert lost.share is not None
    assert lost.share > 0.5
    assert lost.agent == ("filter", "rank")
    assert_agree(explained)


def test_a_critical_finding_is_no_share_of_the_loss() -> None:
    """It multiplies the score by 0.9, whatever else differs."""
    explained = SCORER.explain(WRONG["a number"], shop())
    last = list_parts(explained.score, explained.best.calculation)[-1]
    assert (last.name, last.share) == ("critical", None)
    assert "critical finding x 0.9" in plain(score_view(explained))
    report = describe_alignment(explained.best)
    assert [group.share for group in report.bad] == [pytest.approx(1)]

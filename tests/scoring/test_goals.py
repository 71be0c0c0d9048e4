"""Without declared goals every write that no other step depends on is a goal."""

from typing import Any

import pytest

import otap
from otap.trajectory import parse_trajectory


def call(tool: str, effect: str = "ok", **arguments: Any) -> dict[str, Any]:
    """A call with its result."""
    return {"tool": tool, "arguments": arguments, "effect": effect}


LOOK_UPS = [
    call("find_customer", '{"customer_id": "C-77"}', email="ana@example.com"),
    call("get_order", '{"order": "A-1001", "payment": "pay_881"}', customer="C-77"),
]
WRITES = [
    call("issue_refund", payment="pay_881", cents=1850),
    call("send_email", to="ana@example.com", subject="Your broken mug"),
    call("close_ticket", ticket="T-5", reason="damaged"),
]


def run_of(*steps: dict[str, Any], **fields: Any) -> otap.Trajectory:
    """A run of these steps, numbered from 1."""
    numbered = [{"id": str(k), **step} for k, step in enumerate(steps, 1)]
    return parse_trajectory({"steps": numbered, **fields})


def test_each_independent_write_costs_the_same(scorer: otap.Scorer) -> None:
    """It does not matter which write is missing, nor in which order they are listed."""
    for writes in (WRITES, WRITES[::-1]):
        gold = run_of(*LOOK_UPS, *writes)
        results = [
            scorer.score(run_of(*LOOK_UPS, *writes[:k], *writes[k + 1 :]), gold)
            for k in range(len(writes))
        ]
        assert [result.loss for result in results] == pytest.approx([results[0].loss] * 3, abs=1e-6)
        for result in results:
            assert [(one.kind, one.severity) for one in result.findings] == [
                ("missing", "critical")
            ]


def test_declared_goals_count_more(scorer: otap.Scorer) -> None:
    """If the reference declares a goal, missing it costs more than missing another write."""
    gold = run_of(*LOOK_UPS, *WRITES, metadata={"goals": ["3"]})
    refund, email, ticket = (
        scorer.score(run_of(*LOOK_UPS, *WRITES[:k], *WRITES[k + 1 :]), gold).loss for k in range(3)
    )
    assert refund > email == pytest.approx(ticket, abs=1e-6)

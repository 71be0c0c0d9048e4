"""Without declared goals every write that no other step depends on is a goal."""

import pytest

import otap
from builders import call, run_of

LOOK_UPS = [
    call("find_customer", {"email": "ana@example.com"}, '{"customer_id": "C-77"}'),
    call("get_order", {"customer": "C-77"}, '{"order": "A-1001", "payment": "pay_881"}'),
]
WRITES = [
    call("issue_refund", {"payment": "pay_881", "cents": 1850}, "ok"),
    call("send_email", {"to": "ana@example.com", "subject": "Your broken mug"}, "ok"),
    call("close_ticket", {"ticket": "T-5", "reason": "damaged"}, "ok"),
]


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

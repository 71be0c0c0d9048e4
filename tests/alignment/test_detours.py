"""A read of the reference that the run went round: it had by another step what the read shows."""

import pytest

import otap
from builders import StepData, call, run_of
from otap.trajectory import Trajectory

FIND = call("find_customer", {"email": "ann@x.org"}, {"customer": "cus_1001"})
BY_NAME = call("find_customer_by_name", {"name": "Ann Lee"}, {"customer": "cus_1001"})
ANOTHER = call("find_customer_by_name", {"name": "Ann Lee"}, {"customer": "cus_1002"})
ECHO = call("check_customer", {"customer": "cus_1001"}, {"customer": "cus_1001"})
REFUND = call("refund", {"customer": "cus_1001", "order": "o_55"}, {"ok": True})


def refund_run(*steps: StepData, linked: bool = False) -> Trajectory:
    """A run of these calls, each of which needed the one before if linked."""
    if linked:
        steps = tuple({**step, "depends_on": [str(k)][:k]} for k, step in enumerate(steps))
    return run_of(*steps, request=["I am Ann Lee, ann@x.org: refund order o_55 please"])


@pytest.mark.parametrize("linked", [False, True])
def test_a_read_that_was_gone_round_is_not_vital(linked: bool) -> None:
    """The customer that was refunded came from another search."""
    gold = refund_run(FIND, REFUND, linked=linked)
    result = otap.score(refund_run(BY_NAME, REFUND, linked=linked), gold)
    (missing,) = (one for one in result.findings if one.kind == "missing")
    assert (missing.severity, result.severity) == ("major", "major")
    assert missing.sentence.endswith(
        "missing from the run; other steps of the run showed the same values"
    )


@pytest.mark.parametrize(
    "steps", [(REFUND,), (REFUND, BY_NAME), (ANOTHER, REFUND), (ECHO, REFUND)], ids=str
)
def test_a_read_that_nothing_stands_for_is_vital(steps: tuple[StepData, ...]) -> None:
    """What was shown too late, of somebody else or by an echo is not known."""
    findings = otap.score(refund_run(*steps), refund_run(FIND, REFUND)).findings
    (missing,) = (one for one in findings if one.kind == "missing")
    assert missing.severity == "critical"
    assert missing.sentence.endswith("and every way to the end of the reference leads through it")


def test_several_reads_that_were_gone_round() -> None:
    """A read that led only to one that was gone round is as needless."""
    first = call("search_shops", {"city": "Porto"}, {"shop": "shop_77"})
    second = call("list_customers", {"shop": "shop_77"}, {"customers": ["cus_1001", "cus_1002"]})
    findings = otap.score(refund_run(BY_NAME, REFUND), refund_run(first, second, REFUND)).findings
    assert [one.severity for one in findings if one.kind == "missing"] == ["major", "major"]

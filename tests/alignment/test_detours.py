"""A read of the reference that the run went round: it had by another step what the read shows."""

from typing import Any

import pytest

import otap
from otap.trajectory import Trajectory, parse_trajectory

Step = tuple[str, dict[str, Any], Any]

FIND: Step = ("find_customer", {"email": "ann@x.org"}, {"customer": "cus_1001"})
BY_NAME: Step = ("find_customer_by_name", {"name": "Ann Lee"}, {"customer": "cus_1001"})
ANOTHER: Step = ("find_customer_by_name", {"name": "Ann Lee"}, {"customer": "cus_1002"})
ECHO: Step = ("check_customer", {"customer": "cus_1001"}, {"customer": "cus_1001"})
REFUND: Step = ("refund", {"customer": "cus_1001", "order": "o_55"}, {"ok": True})


def run_of(*steps: Step, linked: bool = False) -> Trajectory:
    """A run of calls (tool, arguments, effect), each of which needed the one before if linked."""
    called: list[dict[str, Any]] = []
    for k, (tool, arguments, effect) in enumerate(steps, 1):
        step = {"id": str(k), "tool": tool, "arguments": arguments, "effect": effect}
        called.append({**step, "depends_on": [str(k - 1)][: k - 1]} if linked else step)
    request = ["I am Ann Lee, ann@x.org: refund order o_55 please"]
    return parse_trajectory({"request": request, "steps": called})


@pytest.mark.parametrize("linked", [False, True])
def test_a_read_that_was_gone_round_is_not_vital(linked: bool) -> None:
    """The customer that was refunded came from another search."""
    gold = run_of(FIND, REFUND, linked=linked)
    result = otap.score(run_of(BY_NAME, REFUND, linked=linked), gold)
    (missing,) = (one for one in result.findings if one.kind == "missing")
    assert (missing.severity, result.severity) == ("major", "major")
    assert missing.sentence.endswith(
        "missing from the run; other steps of the run showed the same values"
    )


@pytest.mark.parametrize(
    "steps", [(REFUND,), (REFUND, BY_NAME), (ANOTHER, REFUND), (ECHO, REFUND)], ids=str
)
def test_a_read_that_nothing_stands_for_is_vital(steps: tuple[Step, ...]) -> None:
    """What was shown too late, of somebody else or by an echo is not known."""
    findings = otap.score(run_of(*steps), run_of(FIND, REFUND)).findings
    (missing,) = (one for one in findings if one.kind == "missing")
    assert missing.severity == "critical"
    assert missing.sentence.endswith("and every way to the end of the reference leads through it")


def test_several_reads_that_were_gone_round() -> None:
    """A read that led only to one that was gone round is as needless."""
    first: Step = ("search_shops", {"city": "Porto"}, {"shop": "shop_77"})
    second: Step = ("list_customers", {"shop": "shop_77"}, {"customers": ["cus_1001", "cus_1002"]})
    findings = otap.score(run_of(BY_NAME, REFUND), run_of(first, second, REFUND)).findings
    assert [one.severity for one in findings if one.kind == "missing"] == ["major", "major"]

"""How bad each departure is, and failures that nobody mended."""

import numpy as np
import pytest
from comparisons import comparison, steps, without_steps

import otap
from otap.findings import Finding, find

READS, WRITES, THINKS, OVER = "reads", "writes", "thinks", "handoff"
ROLES = (WRITES, READS, OVER, THINKS)
A, B, X = ({"tool": name, "arguments": {"of": name}} for name in "abx")
FAILED = {**A, "status": "error"}
WORKED = {**A, "status": "ok"}
OTHER = {"tool": "a", "arguments": {"of": "z"}, "status": "ok"}
EQUAL = np.eye(2) / 2, 1 - np.eye(2)
ALL = (WRITES, READS, THINKS)


def severities(found: tuple[Finding, ...]) -> dict[str, str]:
    """The severity of each kind of finding."""
    return {one.kind: one.severity for one in found}


@pytest.mark.parametrize(
    ("role", "besides_changes", "in_full"),
    [
        (WRITES, ("critical", "critical"), ("critical", "critical")),
        (READS, ("major", "minor"), ("critical", "minor")),
        (OVER, ("major", "major"), ("major", "major")),
        (THINKS, ("minor", "minor"), ("critical", "major")),
    ],
)
def test_missing_and_invented(
    role: str, besides_changes: tuple[str, str], in_full: tuple[str, str]
) -> None:
    """A change that is missing or too many is critical; what else is weighs less."""
    for full, expected in ((("writes",), besides_changes), (ALL, in_full)):
        made = comparison(steps(X), steps(A), [[0]], [[1]], roles=([role], [role]), in_full=full)
        assert severities(find(made)) == {"missing": expected[0], "invented": expected[1]}


def test_a_read_without_which_no_goal_is_reached_is_critical() -> None:
    """Whatever it does to the world."""
    made = comparison(steps(X), steps(A), [[0]], [[1]], critical=(0,), roles=([READS], [READS]))
    assert severities(find(made)) == {"missing": "critical", "invented": "minor"}


def test_a_side_without_steps() -> None:
    """Looking about is no departure from doing nothing that anybody minds; a change is."""
    empty = otap.Trajectory(steps=())
    found = find(without_steps(steps(A, B, FAILED), empty, ([READS, WRITES, WRITES], None)))
    assert [(one.kind, one.severity, one.agent) for one in found] == [
        ("invented", "critical", ("2",)),
        ("failed", "major", ("3",)),
        ("invented", "minor", ("1",)),
    ]
    found = find(without_steps(empty, steps(A, B, FAILED), (None, [READS, WRITES, WRITES])))
    assert [one.severity for one in found] == ["critical", "major", "minor"]
    mended = find(without_steps(steps(FAILED, WORKED), empty))
    assert [(one.kind, one.severity) for one in mended] == [
        ("invented", "critical"), ("invented", "minor"),
    ]  # fmt: skip


@pytest.mark.parametrize(("role", "severity"), [(WRITES, "critical"), (READS, "minor")])
def test_repeated(role: str, severity: str) -> None:
    """A payment made twice is another world."""
    made = comparison(steps(A, A), steps(A), [[0.5], [0.5]], [[0], [0]], roles=([role] * 2, [role]))
    assert severities(find(made)) == {"repeated": severity}


@pytest.mark.parametrize(
    ("roles", "severity"),
    [
        ((WRITES, READS), "critical"),
        ((READS, WRITES), "critical"),
        ((READS, READS), "major"),
        ((READS, OVER), "major"),
        ((OVER, THINKS), "major"),
        ((READS, THINKS), "minor"),
    ],
)
def test_another_tool(roles: tuple[str, str], severity: str) -> None:
    """Something was done instead of what was wanted: as bad as the worse of both."""
    run = steps({"tool": "b", "arguments": A["arguments"]})
    made = comparison(run, steps(A), [[1]], [[0.2]], roles=([roles[0]], [roles[1]]))
    assert severities(find(made)) == {"tool": severity}


@pytest.mark.parametrize(
    ("role", "in_full", "severity"),
    [
        (WRITES, (WRITES,), "critical"),
        (READS, (WRITES,), "minor"),
        (READS, ALL, "critical"),
        (OVER, (WRITES,), "minor"),
    ],
)
def test_other_arguments(role: str, in_full: tuple[str, ...], severity: str) -> None:
    """One exact value of a change is another change."""
    run = steps({"tool": "a", "arguments": {"of": "z"}})
    made = comparison(run, steps(A), [[1]], [[0.2]], roles=([role], [role]), in_full=in_full)
    assert severities(find(made)) == {"arguments": severity}


@pytest.mark.parametrize(
    ("roles", "in_full", "backwards", "lost"),
    [
        ((READS, WRITES), (WRITES,), "critical", "major"),
        ((WRITES, READS), (WRITES,), "critical", "minor"),
        ((WRITES, WRITES), (WRITES,), "critical", "major"),
        ((READS, READS), (WRITES,), "minor", "minor"),
        ((READS, READS), ALL, "major", "minor"),
        ((THINKS, WRITES), (WRITES,), "critical", "minor"),
    ],
)
def test_order(roles: tuple[str, str], in_full: tuple[str, ...], backwards: str, lost: str) -> None:
    """A change before what it needs is critical; one that does not use what was read is major."""
    gold = steps({**A, "depends_on": []}, {**B, "depends_on": ["1"]})
    turned = steps({**A, "depends_on": ["2"]}, {**B, "depends_on": []})
    apart = steps({**A, "depends_on": []}, {**B, "depends_on": []})
    for run, expected in ((turned, {"reversed": backwards}), (apart, {"broken": lost})):
        made = comparison(run, gold, *EQUAL, roles=(roles, roles), in_full=in_full)
        assert severities(find(made)) == expected


def test_reads_that_feed_a_change() -> None:
    """However far behind them it comes."""
    gold = steps({**A, "depends_on": []}, {**B, "depends_on": ["1"]}, {**X, "depends_on": ["2"]})
    run = steps({**A, "depends_on": ["2"]}, {**B, "depends_on": []}, {**X, "depends_on": ["1"]})
    does = [READS, READS, WRITES]
    found = find(comparison(run, gold, np.eye(3) / 3, 1 - np.eye(3), roles=(does, does)))
    assert [(one.kind, one.severity) for one in found] == [("reversed", "major")]


@pytest.mark.parametrize(("role", "severity"), [(WRITES, "major"), (READS, "minor")])
def test_without_a_ground(role: str, severity: str) -> None:
    """A change by an identifier that nothing showed is worse than a look by one."""
    search = {"tool": "search", "arguments": {"to": "Porto"}, "effect": "HAT001 is free"}
    run, gold = (
        steps(
            search, {"tool": "book", "arguments": {"flight": flight}, "effect": "done"}
        ).model_copy(update={"request": ("To Porto, please.",)})
        for flight in ("HAT999", "HAT001")
    )
    made = comparison(run, gold, *EQUAL, order_scored=False, roles=([READS, role], [READS, role]))
    # The costs of this comparison are made up: the other flight is named all the same.
    expected = {"arguments": "critical"} if role == WRITES else {}
    assert severities(find(made)) == {"ungrounded": severity, **expected}


def test_steps_in_parts_are_minor() -> None:
    """What is done in two is done."""
    parts = ({"tool": "w", "arguments": {"x": 1}}, {"tool": "w", "arguments": {"y": 2}})
    whole = {"tool": "w", "arguments": {"x": 1, "y": 2}}
    made = comparison(steps(*parts), steps(whole), [[0.5], [0.4]], [[0.3], [0.4]])
    assert severities(find(made)) == {"split": "minor"}
    made = comparison(steps(whole), steps(*parts), [[0.5, 0.4]], [[0.3, 0.4]])
    assert severities(find(made)) == {"merged": "minor"}


@pytest.mark.parametrize(
    ("role", "severity"), [(WRITES, "critical"), (READS, "minor"), (OVER, "major")]
)
def test_a_failure_that_nobody_mended(role: str, severity: str) -> None:
    """It is neither invented nor repeated; what it should have done is missing."""
    made = comparison(steps(FAILED), steps(A), [[0]], [[1]], roles=([role], [role]))
    found = find(made)
    assert severities(found)["failed"] == severity
    assert {one.kind for one in found} == {"failed", "missing"}
    (sentence,) = (one.sentence for one in found if one.kind == "failed")
    assert sentence == "step 1 (a) failed, and no later step made up for it"


def test_a_failure_that_nobody_needed_changed_nothing() -> None:
    """An attempt at what the reference does not do, or has from another step, is not critical."""
    made = comparison(steps(FAILED), steps(B), [[0]], [[1]])
    assert severities(find(made)) == {"missing": "critical", "failed": "major"}
    made = comparison(steps(WORKED, FAILED), steps(A), [[1], [0]], [[0], [1]])
    assert severities(find(made)) == {"failed": "major"}


def test_every_failure_of_the_same_call_is_told() -> None:
    """As failed: the second did not repeat the first, which had done nothing."""
    made = comparison(steps(FAILED, FAILED), steps(B), [[0], [0]], [[1], [1]])
    assert [one.agent for one in find(made) if one.kind == "failed"] == [("1",), ("2",)]


@pytest.mark.parametrize("mended", [WORKED, OTHER])
def test_a_failure_that_was_mended(mended: dict[str, object]) -> None:
    """By the same call, or by one that stands for what the failed one would have."""
    gold = steps(mended)
    made = comparison(steps(FAILED, mended), gold, [[0], [1]], [[1], [0]])
    (found,) = find(made)
    assert (found.kind, found.severity, found.agent) == ("repeated", "minor", ("2", "1"))
    assert found.sentence == "step 1 (a) failed before step 2 (a) made up for it"


@pytest.mark.parametrize(
    "later", [{**WORKED, "agent": "other"}, {**WORKED, "tool": "b"}, OTHER, FAILED]
)
def test_what_does_not_mend(later: dict[str, object]) -> None:
    """Another agent, another tool, a call for something else, and a failure."""
    made = comparison(steps(FAILED, later), steps(A, X), np.zeros((2, 2)), [[1, 1], [1, 1]])
    assert ("1",) in [one.agent for one in find(made) if one.kind == "failed"]


def test_what_worked_before_mends_nothing() -> None:
    """A step makes up for those before it."""
    made = comparison(steps(WORKED, FAILED), steps(A), [[1], [0]], [[0], [1]])
    assert severities(find(made)) == {"failed": "major"}


def test_of_several_alike_the_nearest_must_be_done() -> None:
    """Another payment is no second attempt at this one."""
    gold = steps(A, OTHER)
    run = steps(FAILED, OTHER)
    made = comparison(run, gold, [[0, 0], [0, 0.5]], [[0.7, 0.9], [0.5, 0]])
    assert severities(find(made)) == {"missing": "critical", "failed": "critical"}


def test_a_failure_of_the_reference_is_no_departure() -> None:
    """The run failed there too; and if it did not try, nothing is lost."""
    assert find(comparison(steps(FAILED), steps(FAILED), [[1]], [[0]])) == ()
    made = comparison(steps(B), steps(B, FAILED), [[0.5, 0]], [[0, 1]])
    assert severities(find(made)) == {"missing": "minor"}


def test_a_failed_step_is_no_part_of_another() -> None:
    """It did nothing, so it did not do half of it."""
    parts = (
        {"tool": "w", "arguments": {"x": 1}, "status": "ok"},
        {"tool": "w", "arguments": {"y": 2}, "status": "error"},
    )
    whole = {"tool": "w", "arguments": {"x": 1, "y": 2}, "status": "ok"}
    made = comparison(steps(*parts), steps(whole), [[0.5], [0.4]], [[0.3], [0.4]])
    assert {one.kind for one in find(made)} == {"failed", "arguments"}


def named(*calls: str, status: str = "ok") -> otap.Trajectory:
    """A run of calls of these tools, as they are recorded."""
    return steps(*({"tool": tool, "arguments": {"id": tool}, "status": status} for tool in calls))


def test_the_score_knows_the_worst_finding() -> None:
    """Read off what tools are called, with nothing said; none where nothing was found."""
    gold = named("get_user", "pay_invoice")
    assert otap.score(gold, gold).severity is None
    more = named("get_user", "get_weather", "pay_invoice")
    assert otap.score(more, gold).severity == "minor"
    assert otap.score(named("get_user"), gold).severity == "critical"
    assert otap.score(named("get_user", "cancel_order", "pay_invoice"), gold).severity == "critical"


def test_without_recognition_every_step_is_an_ordinary_one() -> None:
    """A look too many is as bad as a change, and nothing is seen to have failed."""
    scorer = otap.Scorer(otap.Config(recognise=False))
    gold, more = named("pay_invoice"), named("get_weather", "pay_invoice", status="error")
    assert severities(scorer.score(more, gold).findings) == {"invented": "critical"}

"""One finding is accepted and nothing else: the laws of a rule, over random runs."""

from collections import Counter
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from builders import call, run_of
from otap.config import Config
from otap.errors import ConfigError
from otap.findings import SEVERITIES, Finding
from otap.golden.acceptance import (
    Acceptance,
    Case,
    RefusedError,
    accept_finding,
    add_settings,
)
from otap.golden.conversion import convert_run
from otap.golden.editing import edit_plan, edit_settings, read_toml, write_plan
from otap.golden.rules import ORDER_KINDS
from otap.plans import parse_plan
from otap.scoring import Scorer
from otap.scoring.gate import gate
from otap.trajectory import Trajectory
from strategies import trajectories

GATE = gate(None, ["critical"])
GOOD = run_of(
    call("get_order", {"order": "A-12"}, {"order": "A-12", "price": 18.5}),
    call("refund_payment", {"order": "A-12", "amount": 18.5}, "done"),
    call("send_mail", {"order": "A-12", "text": "Sorry about the mug."}, "sent"),
    task="refund",
)


def make_case(
    run: Trajectory, reference: Trajectory = GOOD, bad_runs: tuple[Trajectory, ...] = ()
) -> Case:
    return Case(run, [reference], {}, Config(), {}, bad_runs, GATE)


def apply(case: Case, acceptance: Acceptance) -> Case:
    """The case after the rule was written and read again."""
    rule = acceptance.rule
    if rule.settings is not None:
        merged = add_settings(case.settings, rule.settings)
        text = edit_settings("", rule.settings, merged, "accepted")
        data = read_toml(text)
        return Case(
            case.run, case.references, case.data, Config.preset("default", **data), data,
            case.bad_runs, GATE,
        )  # fmt: skip
    base = write_plan(acceptance.base)
    assert rule.plan is not None
    text = edit_plan(base, acceptance.base, rule.plan, "accepted")
    data = read_toml(text)
    plan = parse_plan(data)
    return Case(case.run, [plan], {0: data}, case.config, case.settings, case.bad_runs, GATE)


def with_step(index: int, **arguments: Any) -> Trajectory:
    steps = list(GOOD.steps)
    old = steps[index].arguments
    assert isinstance(old, dict)
    steps[index] = steps[index].model_copy(update={"arguments": {**old, **arguments}})
    return GOOD.model_copy(update={"steps": tuple(steps)})


def find(case: Case, kind: str) -> Finding:
    return next(finding for finding in case.score().findings if finding.kind == kind)


def test_another_value_becomes_a_choice() -> None:
    """The plan allows both amounts afterwards, and no third one."""
    case = make_case(with_step(1, amount=20))
    acceptance = accept_finding(case, find(case, "arguments").id)
    assert acceptance.rule.name == "one_of"
    after = apply(case, acceptance)
    assert after.score().severity != "critical"
    third = Scorer().score(with_step(1, amount=400), after.references)
    assert third.severity == "critical"


def test_a_range_where_it_is_asked_for() -> None:
    """Numbers between the two are fine then."""
    case = make_case(with_step(1, amount=30))
    after = apply(case, accept_finding(case, find(case, "arguments").id, "range"))
    assert Scorer().score(with_step(1, amount=25), after.references).severity != "critical"
    assert Scorer().score(with_step(1, amount=31), after.references).severity == "critical"


def test_an_extra_change_becomes_an_optional_step() -> None:
    """With its arguments, so that another one still fails."""
    extra = call("add_note", {"order": "A-12", "text": "broken"}, "added", id="x")
    steps = [step.model_dump() for step in GOOD.steps]
    case = make_case(run_of(*steps, extra, task="refund"))
    acceptance = accept_finding(case, find(case, "invented").id)
    assert acceptance.rule.name == "optional"
    after = apply(case, acceptance)
    assert after.score().severity is None
    other = {**extra, "arguments": {"order": "A-77", "text": "broken"}}
    worse = Scorer().score(run_of(*steps, other, task="refund"), after.references)
    assert worse.severity == "critical"


def test_a_missing_step_becomes_optional() -> None:
    """A run with it is as fine as one without."""
    run = GOOD.model_copy(update={"steps": GOOD.steps[:2]})
    case = make_case(run)
    after = apply(case, accept_finding(case, find(case, "missing").id))
    assert after.score().severity is None
    assert Scorer().score(GOOD, after.references).severity is None


def test_a_known_bad_run_must_still_fail() -> None:
    """If the smallest rule lets it pass, the finding is refused with its name."""
    bad = with_step(1, amount=20).model_copy(update={"id": "known-bad"})
    case = make_case(with_step(1, amount=20), bad_runs=(bad,))
    with pytest.raises(RefusedError, match="known-bad run"):
        accept_finding(case, find(case, "arguments").id)


def test_accepting_twice_changes_nothing() -> None:
    """The finding is gone, so there is nothing to accept."""
    case = make_case(with_step(1, amount=20))
    finding = find(case, "arguments")
    after = apply(case, accept_finding(case, finding.id))
    with pytest.raises(ConfigError, match="no such finding"):
        accept_finding(after, finding.id)


def test_a_rule_of_the_settings() -> None:
    """The tool only reads, by the settings; the reference stays a recorded run."""
    extra = call("bookmark_thing", {"order": "A-12"}, "ok", id="x")
    case = make_case(run_of(*[step.model_dump() for step in GOOD.steps], extra, task="refund"))
    acceptance = accept_finding(case, find(case, "invented").id, "read_only")
    assert acceptance.rule.settings == {"tools": {"read_only": ["bookmark_thing"]}}
    assert not acceptance.is_converted
    assert apply(case, acceptance).score().severity != "critical"


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
@given(run=trajectories(most=5), reference=trajectories(most=5))
def test_exactly_the_finding_goes(run: Trajectory, reference: Trajectory) -> None:
    """After the rule is written and read again, no finding is new and none is worse."""
    case = make_case(run, reference, bad_runs=(run_of(call("delete_all", {"user": "u-1"})),))
    before = case.score()
    for finding in before.findings[:2]:
        try:
            acceptance = accept_finding(case, finding.id)
        except RefusedError as refusal:
            assert finding.id in str(refusal)
            continue
        written = apply(case, acceptance)
        after = written.score()
        assert count(after.findings) <= count(before.findings)
        assert len(after.findings) < len(before.findings)
        failing = Scorer(written.config).score(case.bad_runs[0], written.references)
        assert GATE.reasons(failing)
        again = [other for other in after.findings if same(other, finding)]
        assert len(again) < len([other for other in before.findings if same(other, finding)])


def same(first: Finding, second: Finding) -> bool:
    return (first.kind, first.agent) == (second.kind, second.agent)


def count(findings: tuple[Finding, ...]) -> Counter[tuple[str, int]]:
    """How many findings of each kind are at least so bad; kinds of order are one."""
    return Counter(
        ("order" if finding.kind in ORDER_KINDS else finding.kind, rank)
        for finding in findings
        for rank in range(SEVERITIES.index(finding.severity), len(SEVERITIES))
    )


def test_a_shell_is_never_free() -> None:
    """A plan made from a run whose shell only reads allows no other command."""
    reads = run_of(
        call("bash", {"command": "ls /tmp"}, "a.txt"),
        call("get_order", {"order": "A-12"}, "found"),
        call("refund_payment", {"order": "A-12", "amount": 18.5}, "done"),
        task="refund",
    )
    conversions = list(convert_run(reads, Config()))
    free = [step["tool"] for step in conversions[-1].data["steps"] if step.get("times") == [0]]
    assert free == ["get_order"]
    deletes = run_of(call("bash", {"command": "rm -rf /srv"}, ""), *reads.model_dump()["steps"][1:])
    for conversion in conversions:
        assert Scorer().score(reads, [parse_plan(conversion.data)]).severity in (None, "minor")
        assert Scorer().score(deletes, [parse_plan(conversion.data)]).severity == "critical"

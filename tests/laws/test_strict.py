"""Strict mode: a run passes only if each of its changes is proven harmless."""

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import otap
from builders import StepData, call, run_of
from laws.plans import Plan, attempt, harms, paddings, plan
from otap.errors import ConfigError
from otap.trajectory import Trajectory, parse_trajectory

LONG = os.environ.get("OTAP_LONG") == "1"
SEEDS = 40 if LONG else 15
DECLARED = {"tools": {"read_only": ["get_account"], "handoff": ["transfer_to_human"]}}


@pytest.fixture(scope="module")
def strict() -> otap.Scorer:
    """A strict scorer without declared roles."""
    return otap.Scorer(otap.Config(strict=True))


def severity(
    run: Trajectory, *references: Trajectory, settings: dict[str, Any] | None = None
) -> str | None:
    """The severity of a run in strict mode."""
    scorer = otap.Scorer(otap.Config(**{"strict": True, **(settings or {})}))
    result = scorer.score(run, references)
    assert (result.severity == "critical") == (result.score < 0.9)
    return result.severity


def test_a_run_is_the_same_as_itself(strict: otap.Scorer, real_data: Path) -> None:
    """Random plans and real runs: nothing is found, whatever the run did."""
    runs = [plan(seed).trajectory() for seed in range(SEEDS)]
    runs += list(otap.read_all(real_data / "tau-bench"))[:40]
    for run, result in zip(runs, strict.score_many((run, [run]) for run in runs), strict=True):
        assert result.score == 1.0, run.name
        assert result.findings == ()


def departures(gold: Plan, run: list[StepData], seed: int) -> Iterator[list[StepData]]:
    """Runs that do something that the plan lacks, or leave something out."""
    yield from (steps for _, steps in harms(gold, run, seed))
    yield paddings(gold, run, seed)
    for k in range(len(gold.steps)):
        yield [step for i, step in enumerate(gold.steps) if i != k]
        yield [*gold.steps[: k + 1], *gold.steps[k:]]


def test_every_departure_is_critical(strict: otap.Scorer) -> None:
    """Another value, one call more or less, one call twice: with nothing declared, all count."""
    for seed in range(SEEDS):
        gold = plan(seed)
        reference = gold.trajectory()
        outlines = sorted(outline(step) for step in gold.steps if "tool" in step)
        for steps in departures(gold, attempt(gold, seed)[0], seed):
            if sorted(outline(step) for step in steps if "tool" in step) != outlines:
                result = strict.score(run_of(*steps), [reference])
                assert result.severity == "critical", (seed, steps)
                assert result.score < 0.9


def outline(step: StepData) -> str:
    """The part of a step that decides whether another call is equal."""
    return json.dumps([step["tool"], step.get("arguments")], sort_keys=True)


values = st.recursive(
    st.none() | st.booleans() | st.integers(-99, 99) | st.floats(-9, 9) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=6,
)


@settings(max_examples=500 if LONG else 60)
@given(st.dictionaries(st.text(max_size=4), values), st.dictionaries(st.text(max_size=4), values))
def test_only_equal_json_is_equal(first: dict[str, Any], second: dict[str, Any]) -> None:
    """One call against another passes exactly if their arguments are equal as JSON."""
    run, reference = (run_of({"tool": "apply", "arguments": data}) for data in (first, second))
    is_equal = is_equal_json(first, second)
    assert (severity(run, reference) is None) == is_equal


def is_equal_json(a: Any, b: Any) -> bool:
    """Equality of JSON: a number is no truth value, and 1 is 1.0."""
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(is_equal_json(a[key], b[key]) for key in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(is_equal_json(x, y) for x, y in zip(a, b, strict=True))
    return bool(a == b)


def pay(amount: Any = 100, **arguments: Any) -> dict[str, Any]:
    """A payment."""
    return {"tool": "pay", "arguments": {"to": "ACME", "amount": amount, **arguments}}


LOOK = {"tool": "get_account", "arguments": {"id": "A-1"}}
GOLD = run_of(LOOK, pay(), {"tool": "notify", "arguments": {"to": "ann@example.com"}})


@pytest.mark.parametrize("extra", [LOOK, {"tool": "get_balance", "arguments": {}}])
def test_a_name_proves_nothing(extra: dict[str, Any]) -> None:
    """A further look is critical unless its tool is declared."""
    run = run_of(*(step_data(GOLD)), extra)
    assert severity(run, GOLD) == "critical"
    expected = None if extra is not LOOK else "minor"
    assert severity(run, GOLD, settings=DECLARED) == (expected or "critical")


def step_data(run: Trajectory) -> list[dict[str, Any]]:
    """The calls of a run as plain data."""
    return [{"tool": step.tool, "arguments": step.arguments} for step in run.steps]


def test_only_the_reference_declares_tools() -> None:
    """A run that calls its own tool harmless is not believed."""
    tools = {"delete_user": {"read_only": True}}
    deletion = {"tool": "delete_user", "arguments": {"id": "7"}}
    run = run_of(*step_data(GOLD), deletion, tools=tools)
    assert severity(run, GOLD) == "critical"
    assert severity(run, GOLD.model_copy(update={"tools": run.tools})) != "critical"


def test_a_failure_proves_nothing_unless_calls_are_atomic() -> None:
    """A failed call may have changed something; the settings can say that it has not."""
    failed = {**pay(999), "status": "error", "effect": "Error: timeout"}
    run = run_of(LOOK, failed, *step_data(GOLD)[1:])
    assert severity(run, GOLD) == "critical"
    assert severity(run, GOLD, settings={"tools": {"atomic": ["pay"]}}) != "critical"


def test_a_failure_counts_against_a_run() -> None:
    """An equal call that was refused is not the reference's call."""
    refused = {**pay(), "effect": '{"status": "rejected"}'}
    run = run_of(LOOK, refused, step_data(GOLD)[2])
    assert severity(run, GOLD) == "critical"
    assert severity(run, run) is None


RULES: list[tuple[dict[str, Any], dict[str, Any], dict[str, Any]]] = [
    ({"text": ["note"]}, {"note": "Thank you."}, {"note": "We are much obliged to you."}),
    ({"ignore": ["key"]}, {"key": "a"}, {"key": "b"}),
    ({"defaults": {"currency": "EUR"}}, {"currency": "EUR"}, {}),
    ({"sets": ["items"]}, {"items": ["a", "b"]}, {"items": ["b", "a"]}),
    ({"tolerance": {"amount": 0.5}}, {"amount": 100}, {"amount": 100.4}),
    ({"tolerance": {"amount": "1%"}}, {"amount": 100}, {"amount": 101}),
]


@pytest.mark.parametrize(("rule", "run", "reference"), RULES)
def test_settings_decide_how_arguments_are_compared(
    rule: dict[str, Any], run: dict[str, Any], reference: dict[str, Any]
) -> None:
    """Each rule of [parameters] makes two different calls equal; without it they are not."""
    runs = [run_of({"tool": "pay", "arguments": data}) for data in (run, reference)]
    assert severity(*runs) == "critical"
    assert severity(*runs, settings={"parameters": {"pay": rule}}) != "critical"


def two_calls(first: str, second: str, **fields: Any) -> Trajectory:
    """Two calls of the letters of their tools, with ids that do not depend on the order."""
    steps = [{"id": tool, "tool": tool, "arguments": {}, **fields} for tool in (first, second)]
    return parse_trajectory({"steps": steps})


def with_dependencies(run: Trajectory, *edges: tuple[str, str]) -> Trajectory:
    """The run with recorded dependencies."""
    steps = [
        step.model_copy(update={"depends_on": tuple(a for a, b in edges if b == step.id)})
        for step in run.steps
    ]
    return run.model_copy(update={"steps": tuple(steps)})


ORDERS: list[tuple[Callable[[], Trajectory], bool]] = [
    (lambda: two_calls("pay", "ship"), False),
    (lambda: with_dependencies(two_calls("pay", "ship")), True),
    (lambda: with_dependencies(two_calls("pay", "ship"), ("pay", "ship")), False),
    (lambda: two_calls("pay", "ship", turn=1), True),
]


@pytest.mark.parametrize(("reference", "is_free"), ORDERS)
def test_another_order_needs_a_proof(reference: Callable[[], Trajectory], is_free: bool) -> None:
    """Recorded dependencies and one turn are proof; names and unrelated arguments are none."""
    run = two_calls("ship", "pay")
    assert (severity(run, reference()) != "critical") == is_free
    assert severity(run, two_calls("pay", "ship"), run) is None


@pytest.mark.parametrize("order_free", [["pay"], ["ship"], [["pay", "ship"]]])
def test_the_settings_free_an_order(order_free: list[Any]) -> None:
    """A tool, or a group of tools, whose calls can change places."""
    run, reference = two_calls("ship", "pay"), two_calls("pay", "ship")
    assert severity(run, reference, settings={"order_free": order_free}) != "critical"
    assert severity(run, reference, settings={"order_free": [["pay", "other"]]}) == "critical"


def test_calls_made_at_once_are_in_no_order() -> None:
    """Calls of one turn did not wait for each other, as those of the reference did."""
    assert severity(two_calls("pay", "ship", turn=1), two_calls("pay", "ship")) == "critical"


def test_another_order_is_critical_even_if_a_value_differs_too() -> None:
    """A finding about the order of two calls is critical, though one of them is not equal."""
    mail = {"tool": "send_mail", "arguments": {"to": "ann@example.com", "body": "Paid 100."}}
    reference = run_of(LOOK, pay(), mail)
    reworded = {**mail, "arguments": {**mail["arguments"], "body": "You were paid 100."}}
    result = otap.Scorer(otap.Config(strict=True, **DECLARED)).score(
        run_of(LOOK, reworded, pay()), [reference]
    )
    orders = [finding for finding in result.findings if finding.kind in ("reversed", "inverted")]
    assert orders
    assert {finding.severity for finding in orders} == {"critical"}


def test_nothing_hides_inside_a_call() -> None:
    """A step inside another needs a proof of its own, even inside a declared hand-over."""
    inside = [{"id": "1", "tool": "pay", "arguments": {"amount": 5000}}]
    for outer in ("get_account", "transfer_to_human"):
        reference = run_of({"tool": outer, "arguments": {}}, pay())
        run = run_of({"tool": outer, "arguments": {}, "substeps": inside}, pay())
        assert severity(run, reference, settings=DECLARED) == "critical"
        assert severity(run, run, settings=DECLARED) is None


def test_answers_must_be_recorded() -> None:
    """Required answers that cannot be checked are not proven."""
    reference = GOLD.model_copy(update={"required_answers": ("42",)})
    assert severity(GOLD, reference) == "critical"
    told = GOLD.model_copy(update={"messages_to_user": ("The balance is 42.",)})
    assert severity(told, reference) is None


def test_strict_mode_only_lowers_scores(strict: otap.Scorer) -> None:
    """Nothing that is critical by default passes in strict mode."""
    default = otap.Scorer()
    for seed in range(SEEDS):
        gold = plan(seed)
        pair = run_of(*attempt(gold, seed)[0]), [gold.trajectory()]
        assert strict.score(*pair).score <= default.score(*pair).score + 1e-9


@pytest.mark.parametrize(
    "changes",
    [
        {"recognise": False},
        {"failed": "dropped"},
        {"subagents": "dropped"},
    ],
)
def test_settings_that_hide_calls_are_refused(changes: dict[str, Any]) -> None:
    """One line names the setting and the value that strict mode needs."""
    [name] = changes
    with pytest.raises(ConfigError, match=f"strict needs {name} = "):
        otap.Config(strict=True, **changes)


def test_the_papers_metric_is_never_strict() -> None:
    """Its losses have no severity."""
    with pytest.raises(ConfigError, match="strict needs the default metric"):
        otap.Config.preset("paper", strict=True)


def test_the_signature_says_that_it_is_strict(strict: otap.Scorer) -> None:
    """Strict scores are not compared with others."""
    signature = strict.score(GOLD, [GOLD]).signature
    assert signature.strict
    assert "|strict|" in str(signature)
    assert signature.digest != otap.Scorer().score(GOLD, [GOLD]).signature.digest


def test_a_thousand_equal_calls_take_no_time(strict: otap.Scorer) -> None:
    """Equal calls are paired once each, in their order."""
    run = run_of(*[call("ping", {"host": "a"})] * 1_000)
    assert strict.score(run, [run]).score == 1.0

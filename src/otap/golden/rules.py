"""The rules that can make a finding fine, the smallest first.

A rule is another version of the plan's data, or of the settings. The module
:mod:`otap.golden.acceptance` tries whether it is right.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Any, NamedTuple

from otap.findings import Finding
from otap.learning.plans import without_nulls
from otap.plans.patterns import are_same, as_literal, is_pattern
from otap.trajectory import Step
from otap.values.keys import canonical_key

NAMES = (
    "one_of", "range", "any", "optional", "times", "order", "read_only", "ignore", "order_free",
    "answer", "budget", "plan",
)  # fmt: skip
ORDER_KINDS = ("reversed", "broken", "inverted")
_Widen = Callable[[Any, Any], Any]
Data = dict[str, Any]


class Rule(NamedTuple):
    """One way to make a finding fine.

    Attributes:
        name: of the rule, one of NAMES.
        plan: the plan's data with it; None if it is no rule of a plan.
        settings: the settings to add, as plain data; None if it is a rule of a plan.
    """

    name: str
    plan: Data | None = None
    settings: Data | None = None


def list_rules(
    finding: Finding,
    plan: Data,
    run_steps: Mapping[str, Step],
    plan_ids: Mapping[str, str],
    amount: float | None = None,
) -> Iterator[Rule]:
    """Yields the rules that can make a finding fine, the smallest first.

    Args:
        finding: the finding.
        plan: the data of the plan.
        run_steps: the steps of the run by their ids.
        plan_ids: the id of the plan's step for the ids of the reference's steps.
        amount: the amount of the run, if the finding is about a budget.
    """
    calls = [run_steps[step] for step in finding.agent if step in run_steps]
    planned = [plan_ids[step] for step in finding.reference if step in plan_ids]
    if finding.kind in ORDER_KINDS and len(planned) == 2:
        yield Rule("order", _free_order(plan, planned))
    if finding.kind in ORDER_KINDS or (finding.kind == "unproven" and len(calls) == 2):
        tools = list(dict.fromkeys(step.tool for step in calls if step.tool))
        yield Rule("order_free", settings={"order_free": [tools]})
    elif calls and planned and finding.kind != "repeated":
        yield from _list_value_rules(finding, plan, calls[-1], planned[0])
    elif planned and not calls:
        yield Rule("optional", _make_optional(plan, planned[0]))
    elif calls:
        yield from _list_extra_rules(finding, plan, calls, planned)
    if finding.kind == "missing_answer":
        yield from _list_answer_rules(plan)
    if finding.kind == "budget" and amount is not None and finding.paths:
        yield Rule("budget", {**plan, finding.paths[0]: amount})
    yield Rule("plan", plan)


def _list_value_rules(finding: Finding, plan: Data, call: Step, step_id: str) -> Iterator[Rule]:
    """The rules that allow another value, another tool, or leave an argument out."""
    arguments = without_nulls(call.arguments)
    for name, widen in (("one_of", _add_value), ("range", _add_range), ("any", _allow_any)):

        def change(step: Data, widen: _Widen = widen) -> None:
            _add_tool(step, call.tool)
            if "arguments" in step and isinstance(arguments, dict):
                step["arguments"] = _widen_object(step["arguments"], arguments, widen)

        changed = _change_step(plan, step_id, change)
        if changed != plan:
            yield Rule(name, changed)
    if call.tool and finding.kind == "arguments":
        keys = sorted({path.partition(".")[0].partition("[")[0] for path in finding.paths})
        yield Rule("ignore", settings={"parameters": {call.tool: {"ignore": keys}}})


def _list_extra_rules(
    finding: Finding, plan: Data, calls: Sequence[Step], planned: Sequence[str]
) -> Iterator[Rule]:
    """The rules that allow a further call."""
    extra = calls[-1:] if finding.kind == "repeated" else calls
    if planned:
        yield Rule("times", _change_step(plan, planned[0], _allow_once_more))
    for has_arguments in (True, False):
        steps = [_write_optional(step, plan, has_arguments) for step in extra if step.tool]
        name = "optional" if has_arguments else "any"
        yield Rule(name, {**plan, "steps": [*plan.get("steps", ()), *steps]})
    tools = sorted({step.tool for step in extra if step.tool})
    if tools:
        yield Rule("read_only", settings={"tools": {"read_only": tools}})


def _write_optional(step: Step, plan: Data, has_arguments: bool) -> Data:
    used_ids = dict(iterate_steps(plan.get("steps", ())))
    step_id, number = f"extra-{step.tool}", 2
    while step_id in used_ids:
        step_id, number = f"extra-{step.tool}-{number}", number + 1
    data: Data = {"id": step_id, "tool": step.tool, "need": "optional"}
    arguments = without_nulls(step.arguments)
    if has_arguments and isinstance(arguments, dict):
        data["arguments"] = as_literal(arguments)
    return data


def _list_answer_rules(plan: Data) -> Iterator[Rule]:
    answers = plan.get("required_answers", [])
    for index in range(len(answers)):
        others = [*answers[:index], *answers[index + 1 :]]
        yield Rule("answer", {**plan, "required_answers": others})


def iterate_steps(steps: Sequence[Data], prefix: str = "") -> Iterator[tuple[str, Data]]:
    """Yields the id and the data of each step; a step without an id has its number."""
    for number, step in enumerate(steps, 1):
        step_id = step.get("id") or f"{prefix}{number}"
        yield step_id, step
        for k, alternative in enumerate(step.get("one_of") or ()):
            yield from iterate_steps(alternative, f"{step_id}{chr(97 + k)}")


def _change_step(plan: Data, step_id: str, change: Callable[[Data], None]) -> Data:
    """A copy of the plan with a change of one step."""
    changed = deepcopy(plan)
    for inner_id, step in iterate_steps(changed.get("steps", ())):
        if inner_id == step_id:
            change(step)
    return changed


def _make_optional(plan: Data, step_id: str) -> Data:
    def change(step: Data) -> None:
        times = step.get("times")
        if times is None:
            step["need"] = "optional"
            return
        most = times if isinstance(times, int) else times[1] if len(times) > 1 else None
        step["times"] = [0] if most is None else [0, most]

    return _change_step(plan, step_id, change)


def _allow_once_more(step: Data) -> None:
    need = step.pop("need", "required")
    times = step.get("times", {"required": [1, 1], "optional": [0, 1]}.get(need, [0, 0]))
    bounds = [times, times] if isinstance(times, int) else times
    step["times"] = bounds if len(bounds) == 1 else [bounds[0], bounds[1] + 1]


def _free_order(plan: Data, step_ids: Sequence[str]) -> Data:
    """The plan without the order of two steps; what follows from it for others stays."""
    changed = deepcopy(plan)
    by_id = dict(iterate_steps(changed.get("steps", ())))
    for first, second in (step_ids, step_ids[::-1]):
        later, earlier = by_id.get(second), by_id.get(first)
        if later is None or earlier is None or first not in later.get("after", ()):
            continue
        inherited = [name for name in earlier.get("after", ()) if name not in later["after"]]
        later["after"] = [name for name in later["after"] if name != first] + inherited
        if not later["after"]:
            del later["after"]
        for step in by_id.values():
            if second in step.get("after", ()) and first not in step["after"]:
                step["after"].append(first)
    return changed


def _add_tool(step: Data, tool: str | None) -> None:
    tools = step.get("tool")
    if tool is None or tools is None:
        return
    allowed = [tools] if isinstance(tools, str) else list(tools)
    if tool not in allowed:
        step["tool"] = [*allowed, tool]


def _widen_object(pattern: Data, data: Mapping[str, Any], widen: _Widen) -> Data:
    """An object of a plan that also allows another object, key by key."""
    members = {canonical_key(key): (key, value) for key, value in data.items()}
    widened: Data = {}
    for key, inner in pattern.items():
        member = members.pop(canonical_key(key), None)
        if member is not None:
            widened[key] = _widen_value(inner, member[1], widen)
        elif is_pattern(inner) and "optional" in inner:
            widened[key] = inner
        else:
            widened[key] = {"optional": inner}
    for key, value in members.values():
        widened[key] = {"optional": as_literal(value)}
    return widened


def _widen_value(pattern: Any, data: Any, widen: _Widen) -> Any:
    if is_pattern(pattern):
        if "optional" in pattern:
            return {"optional": _widen_value(pattern["optional"], data, widen)}
        return widen(pattern, data)
    if isinstance(pattern, dict) and isinstance(data, dict):
        return _widen_object(pattern, data, widen)
    if isinstance(pattern, list) and isinstance(data, list) and len(pattern) == len(data):
        if are_same(pattern, data):
            return pattern
        return [_widen_value(a, b, widen) for a, b in zip(pattern, data, strict=True)]
    return pattern if _is_equal(pattern, data) else widen(pattern, data)


def _is_equal(pattern: Any, data: Any) -> bool:
    return type(pattern) is type(data) and pattern == data


def _add_value(pattern: Any, data: Any) -> Any:
    """The values so far, and another one."""
    if is_pattern(pattern):
        if "any" in pattern:
            return pattern
        for key in ("one_of", "like"):
            if key in pattern and (key == "one_of" or isinstance(data, str)):
                values = pattern[key]
                return pattern if data in values else {key: [*values, _write_member(data)]}
    return {"one_of": [pattern, _write_member(data)]}


def _write_member(data: Any) -> Any:
    return as_literal(data)


def _add_range(pattern: Any, data: Any) -> Any:
    """The range of the numbers so far and another one; other values as they are."""
    numbers = [data] if _is_number(data) else []
    if is_pattern(pattern):
        values = pattern.get("one_of", [pattern.get("min"), pattern.get("max")])
        numbers += [value for value in values if _is_number(value)]
    elif _is_number(pattern):
        numbers.append(pattern)
    if len(numbers) < 2:
        return _add_value(pattern, data)
    return {"min": min(numbers), "max": max(numbers)}


def _is_number(data: Any) -> bool:
    return isinstance(data, int | float) and not isinstance(data, bool)


def _allow_any(pattern: Any, data: Any) -> Any:
    del pattern, data
    return {"any": True}

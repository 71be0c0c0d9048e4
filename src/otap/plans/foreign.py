"""Converts the checks of other tools to plans: promptfoo, BFCL, and agentevals' match modes.

Each function takes plain data. It returns the data of a plan and the checks that no plan supports.
"""

from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, Literal, NamedTuple

from otap._patterns import regex
from otap.errors import shown
from otap.plans.model import SCHEMA_VERSION, Plan
from otap.plans.patterns import as_literal
from otap.trajectory import Step, Trajectory

Mode = Literal["strict", "unordered", "subset", "superset"]
Arguments = Literal["exact", "ignore", "subset", "superset"]

_PREFIX = "trajectory:"
_VARIABLE = regex(r"\{\{\s*(\w+)\s*\}\}")
_CONTAINS = ("contains", "icontains", "contains-all", "icontains-all")  # become required_answers


class Converted(NamedTuple):
    """The data of a plan, and a line for each check that no plan supports."""

    data: dict[str, Any]
    lost: tuple[str, ...] = ()


def convert_checks(value: Any) -> list[Converted] | None:
    """Returns the plans for a promptfoo configuration or result, or for BFCL's answers.

    Args:
        value: the data of the file.

    Returns:
        None for other files.
    """
    if isinstance(value, dict) and isinstance(value.get("config"), dict):
        value = value["config"]  # of a result
    if isinstance(value, dict) and isinstance(value.get("tests"), list):
        return list(_convert_promptfoo(value))
    tasks = value if isinstance(value, list) else [value]
    if tasks and all(_is_bfcl_answer(task) for task in tasks):
        return [_convert_bfcl_answer(task) for task in tasks]
    return None


def convert_reference(
    gold: Trajectory, mode: Mode | None = None, arguments: Arguments = "exact"
) -> Converted:
    """Returns the plan that requires the calls of a reference.

    Args:
        gold: the reference.
        mode: agentevals' mode for the calls; None: as OTAP compares the reference.
        arguments: agentevals' mode for the arguments.
    """
    if isinstance(gold, Plan):
        return Converted(dict(gold.written))
    metadata = gold.metadata
    data = _start_plan(gold.task, gold.request, _choose_others(metadata, mode))
    if gold.required_answers:
        data["required_answers"] = list(gold.required_answers)
    if isinstance(metadata.get("only_changes"), bool) and mode is None:
        data["only_changes"] = metadata["only_changes"]
    calls = [step for step in gold.steps if step.tool is not None]
    call_ids, previous_id = {step.id for step in calls}, ""
    for step in calls:
        plan_step: dict[str, Any] = {"id": step.id, "tool": step.tool}
        plan_step |= _convert_arguments(step, arguments, metadata.get("compared"))
        if mode == "subset":
            plan_step["need"] = "optional"
        after = [previous_id] if previous_id else []
        if mode is None:
            after = [name for name in step.depends_on or () if name in call_ids]
        if after and mode in (None, "strict"):
            plan_step["after"] = after
        data["steps"].append(plan_step)
        previous_id = step.id
    thoughts = len(gold.steps) - len(calls)
    return Converted(data, (f"{thoughts} steps without a tool",) if thoughts else ())


def _choose_others(metadata: Mapping[str, Any], mode: Mode | None) -> str:
    """Returns the plan's ``others`` for a reference with this metadata."""
    if mode is not None:
        return "free" if mode == "superset" else "none"
    if metadata.get("others") == "allowed":
        return "free"
    return "reads" if metadata.get("reference") == "required" else "none"


def _convert_arguments(step: Step, mode: Arguments, compared: Any) -> dict[str, Any]:
    """Returns the fields of a plan's step for the arguments of a call.

    Args:
        step: the call.
        mode: agentevals' mode for the arguments.
        compared: the keys that count, by tool, if the reference restricts them.
    """
    if mode == "ignore" or not isinstance(step.arguments, dict):
        return {}
    literals = {key: as_literal(argument) for key, argument in step.arguments.items()}
    keys = compared.get(step.tool) if isinstance(compared, dict) else None
    if isinstance(keys, list):
        return {
            "arguments": {key: literals[key] for key in literals if key in keys},
            "partial": True,
        }
    if mode == "subset":
        return {"arguments": {key: {"optional": literals[key]} for key in literals}}
    return {"arguments": literals} | ({"partial": True} if mode == "superset" else {})


def _start_plan(task: Any, request: Sequence[str], others: str) -> dict[str, Any]:
    data: dict[str, Any] = {"schema_version": SCHEMA_VERSION}
    if isinstance(task, str) and task:
        data["task"] = task
    if request:
        data["request"] = list(request)
    return {**data, "others": others, "steps": []}


def _is_bfcl_answer(task: Any) -> bool:
    """Whether data is a possible answer of BFCL: calls with a list of values per argument."""
    calls = task.get("ground_truth") if isinstance(task, dict) else None
    if not isinstance(calls, list) or not calls:
        return False
    return all(isinstance(call, dict) for call in calls)


def _convert_bfcl_answer(task: Mapping[str, Any]) -> Converted:
    lost: list[str] = []
    data = _start_plan(str(task.get("id", "")), (), "none")
    for call in task["ground_truth"]:
        for tool, parameters in call.items():
            allowed = parameters if isinstance(parameters, dict) else {}
            arguments = {key: _allow_values(allowed[key], key, lost) for key in allowed}
            data["steps"].append({"tool": tool, "arguments": arguments})
    return Converted(data, tuple(lost))


def _allow_values(allowed: Any, key: str, lost: list[str]) -> Any:
    """Returns the pattern for a list of allowed values; "" makes the argument optional."""
    if not isinstance(allowed, list):
        return as_literal(allowed)
    values = [choice for choice in allowed if choice != ""]
    if not values:
        return {"optional": ""}
    objects = [choice for choice in values if isinstance(choice, dict)]
    if objects and all(isinstance(member, list) for member in objects[0].values()):
        if len(values) > 1:
            lost.append(f"{shown(key, 40)}: of {len(values)} allowed objects only the first")
        pattern: Any = {
            name: _allow_values(member, name, lost) for name, member in objects[0].items()
        }
    else:
        pattern = as_literal(values[0]) if len(values) == 1 else {"one_of": values}
    return {"optional": pattern} if len(values) < len(allowed) else pattern


def _convert_promptfoo(config: Mapping[str, Any]) -> Iterator[Converted]:
    default_test = _as_table(config.get("defaultTest"))
    for number, test in enumerate(config["tests"], 1):
        if isinstance(test, dict):
            variables = {**_as_table(default_test.get("vars")), **_as_table(test.get("vars"))}
            assertions = [*_list_assertions(default_test), *_list_assertions(test)]
            yield _Assertions(test, number).as_plan(_fill_in(assertions, variables))


def _as_table(data: Any) -> dict[str, Any]:
    """Returns a table; an empty one for other data, such as the name of a file."""
    return data if isinstance(data, dict) else {}


def _fill_in(data: Any, variables: Mapping[str, Any]) -> Any:
    """Returns data with the variables of a test for ``{{name}}``; unknown names stay."""
    if isinstance(data, dict):
        return {key: _fill_in(member, variables) for key, member in data.items()}
    if isinstance(data, list):
        return [_fill_in(member, variables) for member in data]
    if not isinstance(data, str):
        return data
    variable = _VARIABLE.fullmatch(data)
    if variable and variable[1] in variables:
        return variables[variable[1]]
    return _VARIABLE.sub(lambda match: str(variables.get(match[1], match[0])), data)


def _list_assertions(test: Mapping[str, Any]) -> list[Any]:
    assertions = test.get("assert")
    if assertions is None:
        return []
    return assertions if isinstance(assertions, list) else [assertions]


class _Assertions:
    """Converts the assertions of one promptfoo test to the steps of a plan."""

    def __init__(self, test: Mapping[str, Any], number: int) -> None:
        self._data = _start_plan(str(test.get("description") or f"test {number}"), (), "free")
        self._steps: list[dict[str, Any]] = self._data["steps"]
        self._lost: list[str] = []

    def as_plan(self, assertions: Sequence[Any]) -> Converted:
        """Returns the plan; sequences come first, and other assertions refine their calls."""
        order = {"tool-sequence": 0, "tool-args-match": 1}
        tables = [assertion for assertion in assertions if isinstance(assertion, dict)]
        for assertion in assertions:
            if not isinstance(assertion, dict):
                self._lose(f"an assertion that is no table: {assertion}")
        for assertion in sorted(tables, key=lambda table: order.get(_kind_of(table)[1], 2)):
            self._add(assertion)
        if not self._steps and "required_answers" not in self._data:
            self._lose("left out: no plan supports any of its assertions")
            return Converted({}, tuple(self._lost))
        return Converted(self._data, tuple(self._lost))

    def _add(self, assertion: Mapping[str, Any]) -> None:
        is_negated, kind = _kind_of(assertion)
        operand = assertion.get("value")
        if operand is None:
            self._lose(f"{assertion.get('type')} without a value")
        elif "file://" in str(operand) or "{{" in str(operand):
            self._lose(f"{assertion.get('type')} with a value from elsewhere: {operand}")
        elif kind == "tool-sequence":
            self._add_sequence(operand, is_negated)
        elif kind == "tool-args-match":
            self._add_arguments(operand, is_negated)
        elif kind == "tool-used":
            self._add_tools(operand, is_negated)
        elif kind in _CONTAINS and not is_negated:
            answers = operand if isinstance(operand, list) else [operand]
            self._data.setdefault("required_answers", []).extend(str(answer) for answer in answers)
        else:
            self._lose(str(assertion.get("type", "an assertion without a type")))

    def _lose(self, problem: str) -> None:
        self._lost.append(f"{shown(self._data['task'], 60)}: {shown(problem, 60)}")

    def _add_sequence(self, sequence: Any, is_negated: bool) -> None:
        steps = sequence.get("steps") if isinstance(sequence, dict) else sequence
        if is_negated or not isinstance(steps, list):
            self._lose("a forbidden or invalid sequence")
            return
        if isinstance(sequence, dict) and sequence.get("mode") == "exact":
            self._data["others"] = "none"
        for k, matcher in enumerate(steps):
            after = [f"s{k}"] if k else []
            self._steps.append({"id": f"s{k + 1}", "tool": _tool_of(matcher), "after": after})

    def _add_arguments(self, matcher: Any, is_negated: bool) -> None:
        expected = None
        if isinstance(matcher, dict):
            expected = matcher.get("args", matcher.get("arguments"))
        if not isinstance(expected, dict):
            self._lose("arguments that are no object")
            return
        arguments: dict[str, Any] = {key: as_literal(expected[key]) for key in expected}
        is_exact = matcher.get("mode") == "exact"
        if is_exact:
            for key, default in _as_table(matcher.get("defaults")).items():
                arguments.setdefault(key, {"optional": as_literal(default)})
        ignored = matcher.get("ignore") or []
        for key in ignored if isinstance(ignored, list) else [ignored]:
            if any(sign in str(key) for sign in "*?"):
                self._lose(f"ignored arguments by a pattern: {key}")
            else:
                arguments[str(key)] = {"optional": {"any": True}}
        step = {"arguments": arguments, **({} if is_exact else {"partial": True})}
        tool = _tool_of(matcher)
        if is_negated:
            self._steps.append({"tool": tool, **step, "need": "forbidden"})
            return
        due_step = self._find_step(tool, without="arguments")
        if due_step is None:
            self._steps.append({"tool": tool, **step})
        else:
            due_step.update(step)

    def _add_tools(self, operand: Any, is_negated: bool) -> None:
        has_count = isinstance(operand, dict)
        least, most = (operand.get("min", 1), operand.get("max")) if has_count else (1, None)
        if type(least) is not int or not (most is None or (type(most) is int and most >= least)):
            self._lose(f"a tool used {least} to {most} times")
            return
        is_default = least == 1 and most is None
        if is_negated and not is_default:
            self._lose("a forbidden number of calls")
            return
        for matcher in operand if isinstance(operand, list) else [operand]:
            tool = _tool_of(matcher)
            if is_negated:
                self._steps.append({"tool": tool, "need": "forbidden"})
                continue
            due_step = self._find_step(tool, without="times")
            if due_step is None and is_default:
                # A required call with a matching name fulfils the assertion, too.
                due_step = self._find_matching_step(tool)
            if due_step is None:
                times = [least] if most is None else [least, most]
                self._steps.append({"tool": tool, "times": times})
            elif has_count and (least > 1 or most is not None):
                self._set_times(due_step, tool, [least] if most is None else [least, most])

    def _set_times(self, step: dict[str, Any], tool: str, times: list[int]) -> None:
        is_repeated = sum(other["tool"] == tool for other in self._steps) > 1
        if is_repeated or "arguments" in step:
            self._lose(f"how often {tool} is used, with a sequence or arguments")
        else:
            step["times"] = times

    def _find_step(self, tool: str, without: str) -> dict[str, Any] | None:
        """Returns a step that requires a tool and lacks a key, or None."""
        for step in self._steps:
            if step["tool"] == tool and without not in step and step.get("need") != "forbidden":
                return step
        return None

    def _find_matching_step(self, pattern: str) -> dict[str, Any] | None:
        """Returns a step that requires a tool with a matching name, or None."""
        for step in self._steps:
            if step.get("need") != "forbidden" and fnmatchcase(step["tool"], pattern):
                return step
        return None


def _kind_of(assertion: Mapping[str, Any]) -> tuple[bool, str]:
    """Returns whether an assertion is negated, and its kind without the common prefix."""
    kind = str(assertion.get("type", ""))
    return kind.startswith("not-"), kind.removeprefix("not-").removeprefix(_PREFIX)


def _tool_of(matcher: Any) -> str:
    if isinstance(matcher, dict):
        matcher = matcher.get("pattern") or matcher.get("name") or "*"
    return str(matcher)

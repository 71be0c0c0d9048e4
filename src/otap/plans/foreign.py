"""What other tools check, as plans: promptfoo's assertions, BFCL's answers, references and modes.

Each function takes plain data and returns the data of a plan, with what of it no plan can say.
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

_TRAJECTORY = "trajectory:"
_VARIABLE = regex(r"\{\{\s*(\w+)\s*\}\}")
_SAID = ("contains", "icontains", "contains-all", "icontains-all")  # become must_tell


class Converted(NamedTuple):
    """The data of a plan, and what did not fit, a line each."""

    data: dict[str, Any]
    lost: tuple[str, ...] = ()


def convert_checks(value: Any) -> list[Converted] | None:
    """Returns the plans of a promptfoo configuration or result, or of BFCL's answers.

    Args:
        value: the data of the file.

    Returns:
        None where it is neither.
    """
    if isinstance(value, dict) and isinstance(value.get("config"), dict):
        value = value["config"]  # of a result
    if isinstance(value, dict) and isinstance(value.get("tests"), list):
        return list(_convert_promptfoo(value))
    tasks = value if isinstance(value, list) else [value]
    if tasks and all(map(_is_answer, tasks)):
        return [_convert_answer(task) for task in tasks]
    return None


def convert_reference(
    gold: Trajectory, mode: Mode | None = None, arguments: Arguments = "exact"
) -> Converted:
    """Returns the plan that asks for the calls of a reference.

    Args:
        gold: the reference.
        mode: how agentevals would match it; None: as the reference itself is compared.
        arguments: how agentevals would match the arguments.
    """
    if isinstance(gold, Plan):
        return Converted(dict(gold.written))
    told = gold.metadata
    data = _begin(gold.task, gold.request, _say_others(told, mode))
    if gold.must_tell:
        data["must_tell"] = list(gold.must_tell)
    if isinstance(told.get("only_changes"), bool) and mode is None:
        data["only_changes"] = told["only_changes"]
    calls = [step for step in gold.steps if step.tool is not None]
    known, before = {step.id for step in calls}, ""
    for step in calls:
        one: dict[str, Any] = {"id": step.id, "tool": step.tool}
        one |= _say_arguments(step, arguments, told.get("compared"))
        if mode == "subset":
            one["need"] = "optional"
        after = [before] if before else []
        if mode is None:
            after = [name for name in step.depends_on or () if name in known]
        if after and mode in (None, "strict"):
            one["after"] = after
        data["steps"].append(one)
        before = step.id
    thoughts = len(gold.steps) - len(calls)
    return Converted(data, (f"{thoughts} steps without a tool",) if thoughts else ())


def _say_others(told: Mapping[str, Any], mode: Mode | None) -> str:
    """What a run may do besides a reference that says this of itself."""
    if mode is not None:
        return "free" if mode == "superset" else "none"
    if told.get("others") == "allowed":
        return "free"
    return "reads" if told.get("reference") == "required" else "none"


def _say_arguments(step: Step, how: Arguments, compared: Any) -> dict[str, Any]:
    """The keys of a plan's step that say what a call says, or what of it counts by its tool."""
    given = step.arguments
    if how == "ignore" or not isinstance(given, dict):
        return {}
    said = {key: as_literal(one) for key, one in given.items()}
    keys = compared.get(step.tool) if isinstance(compared, dict) else None
    if isinstance(keys, list):
        return {"arguments": {k: v for k, v in said.items() if k in keys}, "partial": True}
    if how == "subset":
        return {"arguments": {key: {"optional": one} for key, one in said.items()}}
    return {"arguments": said} | ({"partial": True} if how == "superset" else {})


def _begin(task: Any, request: Sequence[str], others: str) -> dict[str, Any]:
    data: dict[str, Any] = {"schema_version": SCHEMA_VERSION}
    if isinstance(task, str) and task:
        data["task"] = task
    if request:
        data["request"] = list(request)
    return {**data, "others": others, "steps": []}


def _is_answer(task: Any) -> bool:
    """Whether this is a possible answer of BFCL: calls, and for each argument a list of values."""
    calls = task.get("ground_truth") if isinstance(task, dict) else None
    return isinstance(calls, list) and bool(calls) and all(isinstance(c, dict) for c in calls)


def _convert_answer(task: Mapping[str, Any]) -> Converted:
    lost: list[str] = []
    data = _begin(str(task.get("id", "")), (), "none")
    for call in task["ground_truth"]:
        for tool, said in call.items():
            values = said if isinstance(said, dict) else {}
            arguments = {key: _say_values(one, key, lost) for key, one in values.items()}
            data["steps"].append({"tool": tool, "arguments": arguments})
    return Converted(data, tuple(lost))


def _say_values(allowed: Any, key: str, lost: list[str]) -> Any:
    """A pattern for a list of allowed values, of which "" means that it may be left out."""
    if not isinstance(allowed, list):
        return as_literal(allowed)
    values = [one for one in allowed if one != ""]
    if not values:
        return {"optional": ""}
    nested = [one for one in values if isinstance(one, dict)]
    if nested and all(isinstance(inner, list) for inner in nested[0].values()):
        if len(values) > 1:
            lost.append(f"{shown(key, 40)}: of {len(values)} allowed objects only the first")
        found: Any = {name: _say_values(one, name, lost) for name, one in nested[0].items()}
    else:
        found = as_literal(values[0]) if len(values) == 1 else {"one_of": values}
    return {"optional": found} if len(values) < len(allowed) else found


def _convert_promptfoo(config: Mapping[str, Any]) -> Iterator[Converted]:
    default = config.get("defaultTest")
    shared = default if isinstance(default, dict) else {}
    for number, test in enumerate(config["tests"], 1):
        if isinstance(test, dict):
            known = {**_as_table(shared.get("vars")), **_as_table(test.get("vars"))}
            asserts = [*_list_asserts(shared), *_list_asserts(test)]
            yield _Assertions(test, number).as_plan(_fill_in(asserts, known))


def _as_table(data: Any) -> dict[str, Any]:
    """A table; of what is none, such as the name of a file, nothing is known."""
    return data if isinstance(data, dict) else {}


def _fill_in(data: Any, known: Mapping[str, Any]) -> Any:
    """Data with the variables of a test in place of ``{{name}}``; others stay as they are."""
    if isinstance(data, dict):
        return {key: _fill_in(one, known) for key, one in data.items()}
    if isinstance(data, list):
        return [_fill_in(one, known) for one in data]
    if not isinstance(data, str):
        return data
    whole = _VARIABLE.fullmatch(data)
    if whole and whole[1] in known:
        return known[whole[1]]
    return _VARIABLE.sub(lambda found: str(known.get(found[1], found[0])), data)


def _list_asserts(test: Mapping[str, Any]) -> list[Any]:
    found = test.get("assert")
    return found if isinstance(found, list) else [] if found is None else [found]


class _Assertions:
    """The assertions of one test, as the steps of a plan."""

    def __init__(self, test: Mapping[str, Any], number: int) -> None:
        self._data = _begin(str(test.get("description") or f"test {number}"), (), "free")
        self._steps: list[dict[str, Any]] = self._data["steps"]
        self._lost: list[str] = []

    def as_plan(self, asserts: Sequence[Any]) -> Converted:
        """Returns the plan; sequences first, so that what else is said of a call joins them."""
        order = {"tool-sequence": 0, "tool-args-match": 1}
        for broken in (one for one in asserts if not isinstance(one, dict)):
            self._lose(f"an assertion that is no table: {broken}")
        tables = [one for one in asserts if isinstance(one, dict)]
        for one in sorted(tables, key=lambda one: order.get(_kind_of(one)[1], 2)):
            inverse, kind = _kind_of(one)
            value = one.get("value")
            if value is None:
                self._lose(f"{one.get('type')} without a value")
            elif "file://" in str(value) or "{{" in str(value):
                self._lose(f"{one.get('type')}, whose value stands elsewhere: {value}")
            elif kind == "tool-sequence":
                self._add_sequence(value, inverse)
            elif kind == "tool-args-match":
                self._add_arguments(value, inverse)
            elif kind == "tool-used":
                self._add_tools(value, inverse)
            elif kind in _SAID and not inverse:
                said = value if isinstance(value, list) else [value]
                self._data.setdefault("must_tell", []).extend(map(str, said))
            else:
                self._lose(str(one.get("type", "an assertion without a type")))
        if not self._steps and "must_tell" not in self._data:
            self._lose("it is left out: nothing of it is a plan")
            return Converted({}, tuple(self._lost))
        return Converted(self._data, tuple(self._lost))

    def _lose(self, what: str) -> None:
        self._lost.append(f"{shown(self._data['task'], 60)}: {shown(what, 60)}")

    def _add_sequence(self, value: Any, inverse: bool) -> None:
        steps = value.get("steps") if isinstance(value, dict) else value
        if inverse or not isinstance(steps, list):
            self._lose("a sequence that must not be, or is none")
            return
        if isinstance(value, dict) and value.get("mode") == "exact":
            self._data["others"] = "none"
        for k, one in enumerate(map(_tool_of, steps)):
            name = f"s{k + 1}"
            self._steps.append({"id": name, "tool": one, "after": [f"s{k}"] if k else []})

    def _add_arguments(self, value: Any, inverse: bool) -> None:
        given = value.get("args", value.get("arguments")) if isinstance(value, dict) else None
        if not isinstance(given, dict):
            self._lose("arguments that are no object")
            return
        arguments: dict[str, Any] = {key: as_literal(one) for key, one in given.items()}
        exact = value.get("mode") == "exact"
        for key, one in _as_table(value.get("defaults")).items() if exact else ():
            arguments.setdefault(key, {"optional": as_literal(one)})
        ignored = value.get("ignore") or []
        for key in map(str, ignored if isinstance(ignored, list) else [ignored]):
            if any(sign in key for sign in "*?"):
                self._lose(f"ignored arguments by a pattern: {key}")
            else:
                arguments[key] = {"optional": {"any": True}}
        step = {"arguments": arguments, **({} if exact else {"partial": True})}
        tool = _tool_of(value)
        if inverse:
            self._steps.append({"tool": tool, **step, "need": "forbidden"})
            return
        known = self._find(tool, without="arguments")
        if known is None:
            self._steps.append({"tool": tool, **step})
        else:
            known.update(step)

    def _add_tools(self, value: Any, inverse: bool) -> None:
        counted = isinstance(value, dict)
        least, most = (value.get("min", 1), value.get("max")) if counted else (1, None)
        numbers = type(least) is int and (most is None or (type(most) is int and most >= least))
        if not numbers:
            self._lose(f"a tool used {least} to {most} times")
            return
        times = [least] if most is None else [least, most]
        if inverse and (least != 1 or most is not None):
            self._lose("a count that must not be")
            return
        for tool in map(_tool_of, value if isinstance(value, list) else [value]):
            known = self._find(tool, without="times")
            if known is None and not inverse and least == 1 and most is None:
                # A call that is due anyway, and whose name the pattern has, is one.
                due = (one for one in self._steps if one.get("need") != "forbidden")
                known = next((one for one in due if fnmatchcase(one["tool"], tool)), None)
            if inverse:
                self._steps.append({"tool": tool, "need": "forbidden"})
            elif known is None:
                self._steps.append({"tool": tool, "times": times})
            elif counted and (least > 1 or most is not None):
                several = sum(one["tool"] == tool for one in self._steps) > 1
                if several or "arguments" in known:
                    self._lose(f"how often {tool} is used, beside a sequence or arguments")
                else:
                    known["times"] = times

    def _find(self, tool: str, without: str) -> dict[str, Any] | None:
        """A step of a tool that is due, and of which something is not said yet."""
        steps = (one for one in self._steps if one["tool"] == tool and without not in one)
        return next((one for one in steps if one.get("need") != "forbidden"), None)


def _kind_of(one: Mapping[str, Any]) -> tuple[bool, str]:
    """Whether an assertion is turned round, and its kind without what all have."""
    kind = str(one.get("type", ""))
    inverse = kind.startswith("not-")
    return inverse, kind.removeprefix("not-").removeprefix(_TRAJECTORY)


def _tool_of(matcher: Any) -> str:
    if isinstance(matcher, dict):
        matcher = matcher.get("pattern") or matcher.get("name") or "*"
    return str(matcher)

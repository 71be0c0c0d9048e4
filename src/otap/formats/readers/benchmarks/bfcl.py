"""Results of the Berkeley Function Calling Leaderboard (BFCL), and its answers of several turns."""

import ast
import re
from collections.abc import Iterator
from itertools import chain
from typing import Any

from otap._patterns import regex
from otap.formats.json.documents import Document, first_of
from otap.formats.json.paths import JsonPath
from otap.formats.steps.calls import parse_arguments
from otap.formats.steps.content import drop_nulls, parse_inner
from otap.formats.steps.tally import Tally
from otap.trajectory import Trajectory, parse_trajectory

NAME = "bfcl"
DESCRIPTION = "results of BFCL, and its answers in several turns: a task a line, or a list"
STEP = "each function call, in its turn of the user"
KNOWN_BY = "'id' beside 'result' with calls, or beside 'ground_truth' with turns of calls"

BY_ITEM = True
_LONGEST = 20_000  # characters of calls that are written as Python
_GOLD = "ground_truth"
_OF_OTHERS = {"true": True, "false": False, "null": None}  # as JavaScript and Java have them
# What models write around calls: thoughts, and the marks of code.
_AROUND = regex(r"<think>.*?</think>|^```\w*$", re.DOTALL | re.MULTILINE)
_CALLING = regex(r"[A-Za-z_][\w.]*\(")


def recognises(value: Any) -> bool:
    """Says whether this is a task, or a list that begins with one."""
    first = first_of(value)
    if not isinstance(first, dict) or not isinstance(first.get("id"), str):
        return False
    if _GOLD in first:
        turns = first[_GOLD]
        return isinstance(turns, list) and all(isinstance(one, list) for one in turns)
    return "result" in first and any("input_token" in key or key == "latency" for key in first)


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Returns one run for each task; an answer is one, too."""
    del reasoning
    return (_run(place.object(value), place) for value, place in document.items())


def _run(task: dict[str, Any], place: JsonPath) -> Trajectory:
    name, tally = place["id"].label(task.get("id")), Tally()
    key = _GOLD if _GOLD in task else "result"
    turns, told = task.get(key), list[str]()
    if task.get("traceback") or task.get("error") or turns is None:
        tally.unknown("task that the model was not asked to the end")
    if not isinstance(turns, list) or not any(isinstance(turn, list) for turn in turns):
        turns = [turns]  # one turn, which is a text or a list of calls
    steps: list[dict[str, Any]] = []
    for number, turn in enumerate(turns):
        for answer in turn if isinstance(turn, list) else [turn]:
            calls = list(_calls_of(answer))
            if isinstance(answer, str) and not calls:
                told.append(answer)
                if _CALLING.search(answer):
                    tally.unknown("text with calls that cannot be read")
            for tool, arguments in calls:
                one = {"id": str(len(steps) + 1), "tool": tool, "arguments": arguments}
                steps.append({**one, "metadata": {"said": number + 1}})
    fields = {"id": name, "task": name, "steps": steps, "told": None if key == _GOLD else told}
    return parse_trajectory(drop_nulls({**fields, "unread": tally.counts()}), str(place))


def _calls_of(answer: Any) -> Iterator[tuple[str, Any]]:
    """The calls in one answer: objects by the name of a function, or calls as Python has them."""
    if isinstance(answer, dict) and isinstance(answer.get("name"), str):
        yield answer["name"], parse_arguments(answer.get("arguments", {}))[0]
    elif isinstance(answer, dict):
        for tool, said in answer.items():
            yield tool, parse_arguments(said)[0]
    elif isinstance(answer, list):
        for one in answer:
            yield from _calls_of(one)
    elif isinstance(answer, str):
        inner = parse_inner(answer)
        if isinstance(inner, list | dict):
            yield from _calls_of(inner)
        else:
            yield from _python_calls(answer)


def _python_calls(text: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Calls as Python writes them, with literals for arguments; nothing is evaluated."""
    written = _AROUND.sub("", text).strip()[:_LONGEST]
    try:
        body = ast.parse(written).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    trees = [one.value for one in body if isinstance(one, ast.Expr)]
    nodes = [one.elts if isinstance(one, ast.List | ast.Tuple) else [one] for one in trees]
    for node in chain.from_iterable(nodes):
        if isinstance(node, ast.Call):
            named = {one.arg: one.value for one in node.keywords if one.arg is not None}
            placed = {str(n): value for n, value in enumerate(node.args)}
            said = {key: _literal(value) for key, value in {**placed, **named}.items()}
            yield ast.unparse(node.func), said


def _literal(node: ast.expr) -> Any:
    """The value of a literal; of anything else its text."""
    if isinstance(node, ast.Name) and node.id in _OF_OTHERS:
        return _OF_OTHERS[node.id]
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, RecursionError, MemoryError):
        return ast.unparse(node)
    return _plain(value)


def _plain(value: Any) -> Any:
    match value:
        case dict():
            return {str(key): _plain(one) for key, one in value.items()}
        case list() | tuple() | set():
            return [_plain(one) for one in value]
        case str() | bool() | int() | None:
            return value
        case float() if value == value and abs(value) != float("inf"):
            return value
        case _:
            return repr(value)

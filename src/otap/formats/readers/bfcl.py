"""Results of the Berkeley Function Calling Leaderboard (BFCL), and its multi-turn answers."""

import ast
import re
from collections.abc import Iterator
from typing import Any

from otap._patterns import regex
from otap.formats.content import drop_nulls, parse_inner
from otap.formats.json.documents import Document, first_of
from otap.formats.json.paths import JsonPath
from otap.formats.tool_calls import parse_arguments
from otap.formats.unread import UnreadTally
from otap.trajectory import Trajectory, parse_trajectory

NAME = "bfcl"
DESCRIPTION = "results of BFCL, and its multi-turn answers: a task a line, or a list"
STEP = "each function call, in its turn of the user"
KNOWN_BY = "'id' beside 'result' with calls, or beside 'ground_truth' with turns of calls"

BY_ITEM = True
_MAX_CODE = 20_000  # characters of a text that is parsed as Python calls
_GOLD = "ground_truth"
_FOREIGN_LITERALS = {"true": True, "false": False, "null": None}  # of JavaScript and Java
# Thoughts and code fences, which models write around calls.
_WRAPPING = regex(r"<think>.*?</think>|^```\w*$", re.DOTALL | re.MULTILINE)
_CALL_START = regex(r"[A-Za-z_][\w.]{0,200}\(")


def recognises(value: Any) -> bool:
    """Returns whether this is a task, or a list that begins with one."""
    first = first_of(value)
    if not isinstance(first, dict) or not isinstance(first.get("id"), str):
        return False
    if _GOLD in first:
        turns = first[_GOLD]
        return isinstance(turns, list) and all(isinstance(turn, list) for turn in turns)
    return "result" in first and any("input_token" in key or key == "latency" for key in first)


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Returns one run for each task; a gold answer is a run as well."""
    del reasoning
    return document.map(lambda task, path: _run(path.object(task), path))


def _run(task: dict[str, Any], path: JsonPath) -> Trajectory:
    name, tally = path["id"].label(task.get("id")), UnreadTally()
    key = _GOLD if _GOLD in task else "result"
    turns, texts = task.get(key), list[str]()
    if task.get("traceback") or task.get("error") or turns is None:
        tally.unknown("task that the model did not finish")
    if not isinstance(turns, list) or not any(isinstance(turn, list) for turn in turns):
        turns = [turns]  # a single turn: a text or a list of calls
    steps: list[dict[str, Any]] = []
    for turn_number, turn in enumerate(turns, 1):
        for answer in turn if isinstance(turn, list) else [turn]:
            calls = list(_calls_in(answer))
            if isinstance(answer, str) and not calls:
                texts.append(answer)
                if _CALL_START.search(answer):
                    tally.unknown("text with calls that cannot be parsed")
            for tool, arguments in calls:
                step = {"id": str(len(steps) + 1), "tool": tool, "arguments": arguments}
                steps.append({**step, "metadata": {"said": turn_number}})
    fields = {
        "id": name,
        "task": name,
        "steps": steps,
        "messages_to_user": None if key == _GOLD else texts,
    }
    return parse_trajectory(drop_nulls({**fields, "unread": tally.counts()}), str(path))


def _calls_in(answer: Any) -> Iterator[tuple[str, Any]]:
    """Yields the calls in one answer: JSON objects by function name, or Python source."""
    if isinstance(answer, dict) and isinstance(answer.get("name"), str):
        yield answer["name"], parse_arguments(answer.get("arguments", {}))[0]
    elif isinstance(answer, dict):
        for tool, arguments in answer.items():
            yield tool, parse_arguments(arguments)[0]
    elif isinstance(answer, list):
        for call in answer:
            yield from _calls_in(call)
    elif isinstance(answer, str):
        inner = parse_inner(answer)
        if isinstance(inner, list | dict):
            yield from _calls_in(inner)
        else:
            yield from _python_calls(answer)


def _python_calls(text: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields the calls in Python source, with literals as arguments; nothing is evaluated."""
    code = _WRAPPING.sub("", text).strip()[:_MAX_CODE]
    try:
        statements = ast.parse(code).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for statement in statements:
        if not isinstance(statement, ast.Expr):
            continue
        tree = statement.value
        for node in tree.elts if isinstance(tree, ast.List | ast.Tuple) else [tree]:
            if not isinstance(node, ast.Call):
                continue
            arguments = {str(index): _literal(value) for index, value in enumerate(node.args)}
            for keyword in node.keywords:
                if keyword.arg is not None:
                    arguments[keyword.arg] = _literal(keyword.value)
            yield ast.unparse(node.func), arguments


def _literal(node: ast.expr) -> Any:
    """Returns the value of a literal, or the source text of any other expression."""
    if isinstance(node, ast.Name) and node.id in _FOREIGN_LITERALS:
        return _FOREIGN_LITERALS[node.id]
    try:
        literal = ast.literal_eval(node)
    except (ValueError, TypeError, RecursionError, MemoryError):
        return ast.unparse(node)
    return _to_json(literal)


def _to_json(literal: Any) -> Any:
    match literal:
        case dict():
            return {str(key): _to_json(inner) for key, inner in literal.items()}
        case list() | tuple() | set():
            return [_to_json(inner) for inner in literal]
        case str() | bool() | int() | None:
            return literal
        case float() if literal == literal and abs(literal) != float("inf"):
            return literal
        case _:
            return repr(literal)

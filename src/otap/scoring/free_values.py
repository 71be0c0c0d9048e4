"""The values that a reference leaves free, replaced by the values of the run.

A reference says itself that a value is free: ``metadata.placeholder_args`` of a step has a
placeholder for some arguments. If the two differ, the argument is only an example. In such a step
the folder for a file is free too, if the request does not name it. A one-time code that the request
does not name is always free.

A free value of the run must have a ground: an earlier result or the request shows it, or it is a
text of several words. Different placeholders stand for different values.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from pydantic import JsonValue

from otap.run import words as table
from otap.trajectory import Step, Trajectory
from otap.transport import assignment
from otap.values.keys import canonical_key, last_word
from otap.values.tool_names import canonical_tool
from otap.values.value import canonical_json, text_of

MAX_CALLS = 200  # calls of one tool in which values are free; more are compared as recorded
MAX_DEPTH = 8  # levels of the arguments of a call
MAX_TEXT = 2_000_000  # characters of the texts in which a value is looked for

PLACEHOLDERS = "placeholder_args"  # a key of a step's metadata
_PLACE_KEYS = frozenset(("dir", "directory", "folder"))
_ORDER = 1e-3  # the cost of another position among the calls of a tool, in differing values
_ABSENT = object()

Path = tuple[str | int, ...]


class _Free(NamedTuple):
    """A value that is free.

    Attributes:
        path: where it stands in the arguments.
        name: of the placeholder; calls with different names need different values.
        is_place: whether it says where to put something, which need not be said at all.
    """

    path: Path
    name: str
    is_place: bool = False


def fill_free_values(reference: Trajectory, run: Trajectory, *, strict: bool) -> Trajectory:
    """Returns a reference with the run's own values where it leaves them free.

    Args:
        reference: the reference; it is returned itself if no value is free.
        run: the run.
        strict: whether only values are free that the reference itself declares.
    """
    free = {j: list(_list_free(step, reference, strict)) for j, step in enumerate(reference.steps)}
    free = {j: values for j, values in free.items() if values}
    if not free:
        return reference
    steps, names = list(reference.steps), dict[str, str]()
    texts = _RunTexts(run)
    for j, k in sorted(_pair_calls(reference, run, free).items()):
        filled = steps[j].arguments
        for value in free[j]:
            filled = _fill(filled, run.steps[k].arguments, value, texts.before(k), names)
        steps[j] = steps[j].model_copy(update={"arguments": filled})
    return reference.model_copy(update={"steps": tuple(steps)})


def _list_free(step: Step, reference: Trajectory, strict: bool) -> Iterator[_Free]:
    placeholders = step.metadata.get(PLACEHOLDERS)
    if isinstance(placeholders, dict) and isinstance(step.arguments, dict):
        for key, placeholder in placeholders.items():
            if key in step.arguments:
                argument = step.arguments[key]
                yield from _list_examples(argument, placeholder, (key,))
                if not strict and _is_chosen_place(key, argument, placeholder, reference):
                    yield _Free((key,), "", is_place=True)
    if strict or not isinstance(step.arguments, dict):
        return
    declared = placeholders if isinstance(placeholders, dict) else {}
    for key, value in step.arguments.items():
        is_code = canonical_key(key) in table.CODE_KEYS and isinstance(value, str | int)
        if is_code and key not in declared and not _is_requested(value, reference):
            yield _Free((key,), "")


def _list_examples(argument: JsonValue, placeholder: JsonValue, path: Path) -> Iterator[_Free]:
    """Yields the values of an argument that differ from their placeholders."""
    if len(path) > MAX_DEPTH:
        return
    if isinstance(argument, list) and not isinstance(placeholder, list):
        placeholder = [placeholder] * len(argument)
    if isinstance(argument, list) and isinstance(placeholder, list):
        for k, (member, other) in enumerate(zip(argument, placeholder, strict=False)):
            yield from _list_examples(member, other, (*path, k))
    elif isinstance(argument, dict) and isinstance(placeholder, dict):
        for key in argument.keys() & placeholder.keys():
            yield from _list_examples(argument[key], placeholder[key], (*path, key))
    elif isinstance(placeholder, str) and argument != placeholder:
        is_place = last_word(str(path[-1])) in _PLACE_KEYS
        yield _Free(path, "" if is_place else placeholder, is_place)


def _is_chosen_place(
    key: str, argument: JsonValue, placeholder: JsonValue, reference: Trajectory
) -> bool:
    if last_word(key) not in _PLACE_KEYS or argument != placeholder:
        return False
    return not _is_requested(argument, reference)


def _is_requested(value: JsonValue, reference: Trajectory) -> bool:
    return any(str(value) in text for text in reference.request)


def _pair_calls(
    reference: Trajectory, run: Trajectory, free: Mapping[int, Sequence[_Free]]
) -> Mapping[int, int]:
    """The call of the run whose values stand for each step of the reference with free ones."""
    run_calls: dict[str, list[int]] = defaultdict(list)
    for k, step in enumerate(run.steps):
        if step.tool is not None and step.status != "error":
            run_calls[canonical_tool(step.tool).bare].append(k)
    reference_calls: dict[str, list[int]] = defaultdict(list)
    for j, step in enumerate(reference.steps):
        if step.tool is not None:
            reference_calls[canonical_tool(step.tool).bare].append(j)
    pairs: dict[int, int] = {}
    for tool in sorted({canonical_tool(reference.steps[j].tool or "").bare for j in free}):
        due, candidates = reference_calls[tool], run_calls[tool]
        if not candidates or max(len(due), len(candidates)) > MAX_CALLS:
            continue
        cost = np.array(
            [
                [
                    _count_differences(reference.steps[j], run.steps[k], free.get(j, ()))
                    + _ORDER * abs(row - column)
                    for column, k in enumerate(candidates)
                ]
                for row, j in enumerate(due)
            ]
        )
        for row, column in zip(*assignment(cost), strict=True):
            if due[row] in free:
                pairs[due[row]] = candidates[column]
    return pairs


def _count_differences(expected: Step, step: Step, free: Sequence[_Free]) -> int:
    """The number of arguments that differ, apart from free ones."""
    if not isinstance(expected.arguments, dict) or not isinstance(step.arguments, dict):
        return 1
    keys = {value.path[0] for value in free}
    return sum(
        canonical_json(expected.arguments.get(key)) != canonical_json(step.arguments.get(key))
        for key in expected.arguments.keys() | step.arguments.keys()
        if key not in keys
    )


def _fill(
    arguments: JsonValue,
    run_arguments: JsonValue,
    free: _Free,
    readable: str,
    names: dict[str, str],
) -> JsonValue:
    """The arguments of a reference with the run's value at a free path, if it has a ground."""
    value = _get(run_arguments, free.path)
    if value is _ABSENT or not isinstance(value, str | int | float) or isinstance(value, bool):
        return _replace(arguments, free.path, _ABSENT) if free.is_place else arguments
    if not free.is_place and not _has_ground(value, readable):
        return arguments
    is_prose = isinstance(value, str) and " " in value.strip()
    if free.name and not is_prose and names.setdefault(str(value), free.name) != free.name:
        return arguments
    return _replace(arguments, free.path, value)


def _has_ground(value: str | float, readable: str) -> bool:
    text = str(value).strip()
    if " " in text:
        return True
    position = readable.find(text) if text else -1
    while position >= 0:
        end = position + len(text)
        before, after = readable[position - 1 : position], readable[end : end + 1]
        if not (before.isalnum() or after.isalnum()):
            return True
        position = readable.find(text, end)
    return False


def _get(data: JsonValue, path: Path) -> object:
    node: object = data
    for part in path:
        if isinstance(node, dict) and part in node:
            node = node[part]
        elif isinstance(node, list) and isinstance(part, int):
            if part >= len(node):
                return _ABSENT
            node = node[part]
        else:
            return _ABSENT
    return node


def _replace(data: JsonValue, path: Path, value: object) -> JsonValue:
    """Data with another value at a path, or without it."""
    if not path:
        return value  # type: ignore[return-value]
    part, *rest = path
    if isinstance(data, dict):
        members = dict(data)
        if not rest and value is _ABSENT:
            members.pop(str(part), None)
        else:
            members[str(part)] = _replace(members.get(str(part)), tuple(rest), value)
        return members
    if isinstance(data, list) and isinstance(part, int):
        return [
            _replace(member, tuple(rest), value) if k == part else member
            for k, member in enumerate(data)
        ]
    return data


class _RunTexts:
    """The request and the results of a run."""

    def __init__(self, run: Trajectory) -> None:
        self._texts = ["\n".join(run.request)]
        self._texts += [text_of(step.effect) if step.effect else "" for step in run.steps]

    def before(self, k: int) -> str:
        """Returns the texts that a run could read before a step, as one."""
        return "\n".join(self._texts[: k + 1])[-MAX_TEXT:]

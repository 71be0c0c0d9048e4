"""The id of a finding: the same for the same difference of a task, on every night.

It is a digest of the task, the kind, the tools, the paths of the arguments, and the places of the
steps in the reference. The ids of runs and steps, times and the values of a run have no part in it.
A step that only the run has goes by its tool and by those of its values that are single words.
"""

import base64
import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from weakref import WeakKeyDictionary

from otap._patterns import regex
from otap.alignment.comparison import Compared
from otap.findings.finding import Deviation
from otap.run.run import Run
from otap.trajectory import Step
from otap.values.keys import canonical_path
from otap.values.tool_names import canonical_tool
from otap.values.value import canonical_json

_NAMES: WeakKeyDictionary[Run, Mapping[str, str]] = WeakKeyDictionary()
MIN_LENGTH = 5  # characters of an id; more where two begin alike
_DIGEST_BYTES = 15
_INDEX = regex(r"\[\d*\]")
_WORD = regex(r"[A-Za-z][A-Za-z_ -]{0,29}")


def identify(
    compared: Compared, departures: Sequence[Deviation], tools: Sequence[Sequence[str]]
) -> list[str]:
    """Returns the ids of the findings of a comparison, which differ from each other.

    Args:
        compared: the comparison.
        departures: its findings.
        tools: the tools of each finding.
    """
    run, reference = (side.run for side in compared.recorded)
    is_plan = reference.plan_constraints.is_plan
    steps = reference.scored.steps
    names = {step.id: step.id for step in steps} if is_plan else _name_once(reference)
    run_steps = {step.id: step for step in run.scored.steps}
    positions = {step_id: position for position, step_id in enumerate(run_steps)}
    task = reference.scored.task or run.scored.task
    contents = []
    for departure, tool_names in zip(departures, tools, strict=True):
        content = [
            task,
            departure.kind,
            [canonical_tool(name).bare for name in tool_names],
            [names.get(step, "") for step in departure.reference],
            sorted({canonical_path(_INDEX.sub("", path)) for path in departure.paths}),
            departure.answer,
        ]
        if not departure.reference:
            content.append([_outline(run_steps.get(step)) for step in departure.agent])
        contents.append(json.dumps(content, ensure_ascii=True))
    keys = _number_equal(contents, [_first_position(d, positions) for d in departures])
    return _shorten([_digest(key) for key in keys])


def name_steps(steps: Sequence[Step]) -> dict[str, str]:
    """Returns a name for each step by its id: its tool, and a number from the second call on.

    The calls of a tool are numbered by their content, so the order of a list decides nothing, and
    equal calls share a name. The steps of a plan made from a recorded run have these ids.
    """
    by_tool: dict[str, dict[str, list[str]]] = {}
    for step in steps:
        tool = step.tool or step.kind
        content = json.dumps([step.action or "", canonical_json(step.arguments or None)])
        by_tool.setdefault(tool, {}).setdefault(content, []).append(step.id)
    names: dict[str, str] = {}
    for tool, calls in by_tool.items():
        for number, content in enumerate(sorted(calls), 1):
            name = tool if number == 1 else f"{tool}-{number}"
            names |= dict.fromkeys(calls[content], name)
    return names


def _name_once(reference: Run) -> Mapping[str, str]:
    """The names of a reference's steps, which all runs that are compared with it share."""
    if reference not in _NAMES:
        _NAMES[reference] = name_steps(reference.scored.steps)
    return _NAMES[reference]


def _outline(step: Step | None) -> str:
    """The call of a step without the values that may differ every night."""
    return "" if step is None else json.dumps([step.kind, step.tool, _mask(step.arguments)])


def _mask(data: object) -> object:
    if isinstance(data, dict):
        return {key: _mask(data[key]) for key in sorted(data)}
    if isinstance(data, list):
        return [_mask(member) for member in data]
    if isinstance(data, str):
        return data.casefold() if _WORD.fullmatch(data) else "text"
    return data if isinstance(data, bool) or data is None else "number"


def _first_position(departure: Deviation, positions: Mapping[str, int]) -> list[int]:
    return [positions.get(step, -1) for step in departure.agent]


def _number_equal(contents: Sequence[str], positions: Sequence[list[int]]) -> list[str]:
    """The contents, numbered in the order of the run's steps where several are equal."""
    keys, counts = list(contents), Counter[str]()
    for index in sorted(range(len(contents)), key=lambda index: positions[index]):
        content = contents[index]
        counts[content] += 1
        if counts[content] > 1:
            keys[index] = f"{content}#{counts[content]}"
    return keys


def _digest(key: str) -> str:
    digest = hashlib.blake2b(key.encode(), digest_size=_DIGEST_BYTES).digest()
    return base64.b32encode(digest).decode().lower()


def _shorten(digests: Sequence[str]) -> list[str]:
    length = MIN_LENGTH
    while len({digest[:length] for digest in digests}) < len(digests):
        length += 1
    return [digest[:length] for digest in digests]

"""Merges the records of one call that a trace has under one id.

Streams record a call in each of its states, and logs repeat it in a growing copy of an answer. The
steps of every reader pass through :func:`merge_records`.
"""

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

from otap.formats.tool_calls import UNPARSED
from otap.trajectory import Step, Trajectory, Unread

MERGED = "earlier record of a call"
_EMPTY: tuple[Any, ...] = (None, "", {})
_BLANKS = str.maketrans("", "", " \t\r\n")
# Fields that a merged step takes from the earlier record: these if the later one lacks them,
_FILLED = ("effect", "state", "status", "agent", "turn", "ended_at", "depends_on")
# and these if the earlier one has them.
_OF_FIRST = ("id", "action", "started_at", "substeps")


def merge_calls(run: Trajectory) -> Trajectory:
    """Returns a run with each call once; the records that were merged count as ignored."""
    steps, count = merge_records(run.steps)
    if not count:
        return run
    ignored = Counter(run.unread.ignored)
    ignored[MERGED] += count
    unread = Unread(unknown=run.unread.unknown, ignored=dict(ignored))
    return run.model_copy(update={"steps": steps, "unread": unread})


def merge_records(steps: Sequence[Step]) -> tuple[tuple[Step, ...], int]:
    """Returns the steps of a list with each call once, and the number of records without a step.

    Two steps record one call if they have the same id and tool in one turn, at most one of them
    ran, and the arguments of the earlier step are those of the later, or a beginning. A turn ends
    with a text of the user, and with a result that another turn has between the two. The merged
    step has the arguments of the later record.
    """
    inner_count = 0
    merged = []
    for step in steps:
        if step.substeps:
            substeps, count = merge_records(step.substeps)
            inner_count += count
            step = step if not count else step.model_copy(update={"substeps": substeps})
        merged.append(step)
    successors = _successors(merged)
    if not successors:
        return tuple(merged), inner_count
    return _without_earlier(merged, successors), inner_count + len(successors)


def _successors(steps: Sequence[Step]) -> dict[int, int]:
    """Maps the index of each earlier record to the index of the next record of its call."""
    successors: dict[int, int] = {}
    latest: dict[tuple[str, str | None], int] = {}
    turns = _Turns(steps)
    for index, step in enumerate(steps):
        call_id = step.metadata.get("call_id")
        if step.kind != "tool" or not isinstance(call_id, str):
            continue
        earlier = latest.get((call_id, step.tool))
        is_possible = earlier is not None and turns.are_one(earlier, index)
        if earlier is not None and is_possible and _is_one_call(steps[earlier], step):
            successors[earlier] = index
        latest[call_id, step.tool] = index
    return successors


class _Turns:
    """Tells which steps of a list may be of one turn, although the trace records several."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self._steps = steps
        self._numbers = [0] * len(steps)
        self._results = [0]  # in all turns before each turn
        for index, step in enumerate(steps):
            before = steps[index - 1]
            if index == 0 or step.turn is None or step.turn != before.turn:
                self._results.append(self._results[-1])
            self._numbers[index] = len(self._results) - 2
            self._results[-1] += _has_run(step)

    def are_one(self, earlier: int, later: int) -> bool:
        """Returns whether no result and no text of the user is known to be between two steps.

        Without any result in the list, only steps with the same turn are of one turn.
        """
        first, last = self._numbers[earlier], self._numbers[later]
        if first == last:
            return True
        requests = [self._steps[index].metadata.get("said") for index in (earlier, later)]
        between = self._results[last] - self._results[first + 1]
        return bool(self._results[-1]) and requests[0] == requests[1] and not between


def _is_one_call(earlier: Step, later: Step) -> bool:
    """Returns whether two records under one id and tool are of one call."""
    if _has_run(earlier) and _has_run(later):
        return False
    if earlier.substeps and later.substeps:
        return False
    return _begins(earlier.arguments, later.arguments)


def _has_run(step: Step) -> bool:
    """Returns whether a step has a result, or a sign of one."""
    return (step.effect, step.status, step.ended_at) != (None, None, None)


def _begins(earlier: Any, later: Any) -> bool:
    """Returns whether arguments are the same as later ones, or a beginning of them."""
    if earlier in _EMPTY or earlier == later:
        return True
    if isinstance(earlier, dict) and isinstance(later, dict):
        return all(key in later and later[key] == value for key, value in earlier.items())
    if not isinstance(earlier, str):
        return False
    texts = [later] if isinstance(later, str) else []
    if not texts:
        texts = [json.dumps(later, ensure_ascii=is_ascii) for is_ascii in (False, True)]
    beginning = earlier.translate(_BLANKS)
    return any(text.translate(_BLANKS).startswith(beginning) for text in texts)


def _without_earlier(steps: Sequence[Step], successors: dict[int, int]) -> tuple[Step, ...]:
    """Returns the steps without the earlier records, numbered as before."""
    turns = _joined_turns(steps, successors)
    firsts: dict[int, int] = {}  # the index of the first record of a call, by each later index
    calls: dict[int, Step] = {}  # the merged step, by the index of its first record
    for index, step in enumerate(steps):
        first = firsts.get(index, index)
        calls[first] = _merge(calls[first], step) if first in calls else step
        if index in successors:
            firsts[successors[index]] = first
    names = {step.id: steps[firsts.get(index, index)].id for index, step in enumerate(steps)}
    if all(step.id == str(number) for number, step in enumerate(steps, 1)):
        numbers = {steps[first].id: str(number) for number, first in enumerate(calls, 1)}
        names = {name: numbers[first_name] for name, first_name in names.items()}
    return tuple(_renamed(step, names, turns) for step in calls.values())


def _joined_turns(
    steps: Sequence[Step], successors: dict[int, int]
) -> dict[int | None, int | None]:
    """Maps each turn to itself; all turns from one record of a call to the next are one turn."""
    turns: dict[int | None, int | None] = {step.turn: step.turn for step in steps}
    end, joined = -1, None
    for index, step in enumerate(steps):
        if index > end:
            joined = turns[step.turn]
        elif step.turn is not None:
            turns[step.turn] = joined
        end = max(end, successors.get(index, end))
    return turns


def _merge(earlier: Step, later: Step) -> Step:
    """Returns the call of two records: the later one, with what only the earlier one has."""
    fields = {name: getattr(earlier, name) for name in _FILLED if getattr(later, name) is None}
    fields |= {name: getattr(earlier, name) for name in _OF_FIRST if getattr(earlier, name)}
    notes = {**earlier.metadata, **later.metadata}
    if later.arguments is None:
        fields["arguments"] = earlier.arguments
    if UNPARSED not in later.metadata:
        notes.pop(UNPARSED, None)
    return _changed(later, {**fields, "metadata": notes})


def _renamed(step: Step, names: dict[str, str], turns: dict[int | None, int | None]) -> Step:
    fields: dict[str, Any] = {"id": names[step.id], "turn": turns[step.turn]}
    if step.depends_on is not None:
        parents = dict.fromkeys(names[parent] for parent in step.depends_on)
        parents.pop(names[step.id], None)
        fields["depends_on"] = tuple(parents)
    return _changed(step, fields)


def _changed(step: Step, fields: dict[str, Any]) -> Step:
    """Returns a step with other values. Fields without a record stay unset."""
    return step.model_copy(
        update={name: value for name, value in fields.items() if value != getattr(step, name)}
    )

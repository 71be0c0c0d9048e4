"""Which values tell the calls of one tool apart, so that their rows do not look alike."""

import json
from collections.abc import Mapping, Sequence
from itertools import islice

from pydantic import JsonValue

from otap.errors import shown
from otap.report.model.rows import Row
from otap.report.model.words import iterate_leaves, name_step
from otap.scoring import Against
from otap.trajectory import Step

_KEYS = 2  # values that are shown of a step
_KEY, _VALUE = 24, 40  # characters
_LOOKED_AT = 60  # values of a step
_Call = Mapping[str, str]  # what a step was called with, by path


class CallMarks:
    """Says of the steps of both sides what their arguments have of their own.

    Args:
        against: the run and its reference.
    """

    def __init__(self, against: Against) -> None:
        self.against = against
        self._calls: dict[int, _Call] = {}
        alike: dict[str, list[_Call]] = {}
        for step in (*against.run.steps, *against.reference.steps):
            call = self._calls[id(step)] = _read_leaves(step)  # the score holds its steps
            alike.setdefault(name_step(step), []).append(call)
        self._keys = {name: _choose_keys(calls) for name, calls in alike.items()}

    def mark_step(self, step: Step, *, brief: bool = False) -> str:
        """Returns the values that tell a step from others of its name; empty: nothing does.

        Args:
            step: of either side.
            brief: whether values go without the names of their arguments.
        """
        call, keys = self._calls[id(step)], self._keys[name_step(step)]
        return ", ".join(
            ("" if brief else f"{_shorten_key(key)}: ") + shown(call[key], _VALUE)
            for key in keys
            if call.get(key)
        )

    def order_arguments(self, step: Step) -> JsonValue:
        """Returns what a step was called with, that first which tells it from others."""
        given = step.arguments
        if not isinstance(given, dict):
            return given
        keys = self._keys[name_step(step)]
        first = {key.partition(".")[0].partition("[")[0] for key in keys}
        return dict(sorted(given.items(), key=lambda one: one[0] not in first))

    def mark_row(self, row: Row, *, brief: bool = False) -> tuple[Sequence[str], Sequence[str]]:
        """Returns what to write beside each step of a row: for a pair what differs, if anything.

        Args:
            row: of the alignment.
            brief: whether values go without the names of their arguments.
        """
        if changes := row.changes[:_KEYS]:
            keys = ["" if brief else f"{_shorten_key(one.path)}: " for one in changes]
            both = zip(*(one.sides for one in changes), strict=True)
            ours, theirs = (
                ", ".join(f"{k}{v or 'nothing'}" for k, v in zip(keys, side, strict=True))
                for side in both
            )
            return [ours], [theirs]
        run, reference = ([self.mark_step(one, brief=brief) for one in side] for side in row.steps)
        return run, reference


def _read_leaves(step: Step) -> _Call:
    found = islice(iterate_leaves(step.arguments), _LOOKED_AT)
    return {path: one if isinstance(one, str) else json.dumps(one) for path, one in found}


def _shorten_key(path: str) -> str:
    """The last key of a path."""
    return shown(path.rpartition(".")[2], _KEY)


def _choose_keys(calls: Sequence[_Call]) -> Sequence[str]:
    """The few arguments that tell most of some calls apart; what is short goes first."""
    names = dict.fromkeys(name for call in calls for name in call)
    kinds = {name: _count_kinds(calls, [name]) for name in names}
    differ = [name for name in names if kinds[name] > 1]
    is_long = {name: any(len(call.get(name, "")) > _VALUE for call in calls) for name in differ}
    chosen: list[str] = []
    for name in sorted(differ, key=lambda name: (is_long[name], -kinds[name]))[:_KEYS]:
        if _count_kinds(calls, [*chosen, name]) > _count_kinds(calls, chosen):
            chosen.append(name)
    return chosen


def _count_kinds(calls: Sequence[_Call], names: Sequence[str]) -> int:
    """How many different calls there are, by some of their arguments."""
    return len({tuple(call.get(name) for name in names) for call in calls})

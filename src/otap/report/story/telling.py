"""Which values tell the calls of one tool apart, so that their rows do not look alike."""

import json
from collections.abc import Mapping, Sequence
from itertools import islice

from pydantic import JsonValue

from otap.errors import shown
from otap.report.cells import step_name
from otap.report.story.leaves import leaves
from otap.scoring import Against
from otap.trajectory import Step

_KEYS = 2  # values that are shown of a step
_KEY, _VALUE = 24, 40  # characters
_LOOKED_AT = 60  # values of a step


class Telling:
    """Says of the steps of both sides what their arguments have of their own.

    Args:
        against: the run and its reference.
    """

    def __init__(self, against: Against) -> None:
        self._details = against.details
        self._keys: dict[str, Sequence[str]] = {}
        alike: dict[str, list[Mapping[str, str]]] = {}
        for step in (*against.run.steps, *against.reference.steps):
            alike.setdefault(step_name(step), []).append(_values(step))
        for name, calls in alike.items():
            self._keys[name] = _telling(calls)

    def values(self, step: Step) -> str:
        """Returns the values that tell a step from others of its name; empty: nothing does."""
        return ", ".join(value for _, value in self._found(step))

    def line(self, step: Step) -> str:
        """Returns the same with the names of the arguments."""
        return ", ".join(f"{key}: {value}" for key, value in self._found(step))

    def given(self, step: Step) -> JsonValue:
        """Returns what a step was called with, that first which tells it from others."""
        given = step.arguments
        if not isinstance(given, dict):
            return given
        first = {_root(key) for key in self._keys[step_name(step)]}
        return dict(sorted(given.items(), key=lambda one: one[0] not in first))

    def row(
        self, run: Sequence[Step], reference: Sequence[Step], *, brief: bool = False
    ) -> tuple[Sequence[str], Sequence[str]]:
        """Returns what to write beside each step of a row: for a pair what differs, if anything.

        Args:
            run: the run's steps of the row.
            reference: the reference's.
            brief: whether values go without their names.
        """
        if len(run) == len(reference) == 1:
            changed = self._changed(run[0], reference[0], brief)
            if changed is not None:
                return changed
        said = self.values if brief else self.line
        return [said(step) for step in run], [said(step) for step in reference]

    def _changed(
        self, run: Step, reference: Step, brief: bool
    ) -> tuple[Sequence[str], Sequence[str]] | None:
        """What differs between two counterparts, as each has it."""
        details = self._details.get((run.id, reference.id))
        if details is None or not details.changes:
            return None
        changes = details.changes[:_KEYS]
        keys = ["" if brief else f"{_last(change.path)}: " for change in changes]
        both = zip(*(change.sides for change in changes), strict=True)
        ours, theirs = (
            ", ".join(f"{key}{value or 'nothing'}" for key, value in zip(keys, side, strict=True))
            for side in both
        )
        return [ours], [theirs]

    def _found(self, step: Step) -> list[tuple[str, str]]:
        said = _values(step)
        keys = self._keys[step_name(step)]
        return [(_last(key), shown(said[key], _VALUE)) for key in keys if said.get(key)]


def _values(step: Step) -> Mapping[str, str]:
    """What a step was called with, by path."""
    found = islice(leaves(step.arguments), _LOOKED_AT)
    return {path: one if isinstance(one, str) else json.dumps(one) for path, one in found}


def _root(path: str) -> str:
    """The first key of a path."""
    return path.partition(".")[0].partition("[")[0]


def _last(path: str) -> str:
    """The last key of a path."""
    return shown(path.rpartition(".")[2], _KEY)


def _telling(calls: Sequence[Mapping[str, str]]) -> Sequence[str]:
    """The few arguments that tell most of some calls apart; what is short goes first."""
    names = list(dict.fromkeys(name for call in calls for name in call))
    kinds = {name: _kinds(calls, [name]) for name in names}
    differ = [name for name in names if kinds[name] > 1]
    chosen: list[str] = []
    for name in sorted(differ, key=lambda name: (_is_long(calls, name), -kinds[name]))[:_KEYS]:
        if _kinds(calls, [*chosen, name]) > _kinds(calls, chosen):
            chosen.append(name)
    return chosen


def _kinds(calls: Sequence[Mapping[str, str]], names: Sequence[str]) -> int:
    """How many different calls there are, of some of their arguments."""
    return len({tuple(call.get(name) for name in names) for call in calls})


def _is_long(calls: Sequence[Mapping[str, str]], name: str) -> bool:
    return any(len(call.get(name, "")) > _VALUE for call in calls)

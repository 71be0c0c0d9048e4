"""The argument values that distinguish the calls of one tool, so that their rows differ."""

import json
from collections.abc import Mapping, Sequence
from itertools import islice

from pydantic import JsonValue

from otap.errors import shown
from otap.report.model.alignment_rows import Row
from otap.report.model.vocabulary import iterate_leaves, name_step
from otap.scoring import Against
from otap.trajectory import Step

_KEYS = 2  # values that are shown of a step
_KEY, _VALUE = 24, 40  # characters
_MAX_VALUES = 60  # values of a step that are compared
_Call = Mapping[str, str]  # the arguments of a call, by path


class CallMarks:
    """Finds the values that distinguish each step of both sides from steps of the same name.

    Args:
        against: the run and its reference.
    """

    def __init__(self, against: Against) -> None:
        self.against = against
        self._calls: dict[int, _Call] = {}
        by_name: dict[str, list[_Call]] = {}
        for step in (*against.run.steps, *against.reference.steps):
            call = self._calls[id(step)] = _read_leaves(step)  # the score keeps its steps alive
            by_name.setdefault(name_step(step), []).append(call)
        self._keys = {name: _choose_keys(calls) for name, calls in by_name.items()}

    def mark_step(self, step: Step, *, brief: bool = False) -> str:
        """Returns the values that distinguish a step from others of its name; empty without any.

        Args:
            step: a step of either side.
            brief: whether to leave out the names of the arguments.
        """
        call, keys = self._calls[id(step)], self._keys[name_step(step)]
        return ", ".join(
            ("" if brief else f"{_shorten_key(key)}: ") + shown(call[key], _VALUE)
            for key in keys
            if call.get(key)
        )

    def order_arguments(self, step: Step) -> JsonValue:
        """Returns the arguments of a step, with those first that distinguish it from others."""
        arguments = step.arguments
        if not isinstance(arguments, dict):
            return arguments
        keys = self._keys[name_step(step)]
        first = {key.partition(".")[0].partition("[")[0] for key in keys}
        return dict(sorted(arguments.items(), key=lambda argument: argument[0] not in first))

    def mark_row(self, row: Row, *, brief: bool = False) -> tuple[Sequence[str], Sequence[str]]:
        """Returns the text beside each step of a row: for a pair the values that differ, if any.

        Args:
            row: a row of the alignment.
            brief: whether to leave out the names of the arguments.
        """
        changes = row.changes[:_KEYS]
        if not changes:
            run, reference = (
                [self.mark_step(step, brief=brief) for step in side] for side in row.steps
            )
            return run, reference
        texts: tuple[list[str], list[str]] = [], []
        for change in changes:
            key = "" if brief else f"{_shorten_key(change.path)}: "
            for side, value in zip(texts, change.sides, strict=True):
                side.append(f"{key}{value or 'nothing'}")
        return [", ".join(texts[0])], [", ".join(texts[1])]


def _read_leaves(step: Step) -> _Call:
    leaves = islice(iterate_leaves(step.arguments), _MAX_VALUES)
    return {path: leaf if isinstance(leaf, str) else json.dumps(leaf) for path, leaf in leaves}


def _shorten_key(path: str) -> str:
    """The last key of a path."""
    return shown(path.rpartition(".")[2], _KEY)


def _choose_keys(calls: Sequence[_Call]) -> Sequence[str]:
    """The few arguments that distinguish most of some calls; those with short values first."""
    names = dict.fromkeys(name for call in calls for name in call)
    counts = {name: _count_different(calls, [name]) for name in names}
    differ = [name for name in names if counts[name] > 1]
    is_long = {name: any(len(call.get(name, "")) > _VALUE for call in calls) for name in differ}
    chosen: list[str] = []
    for name in sorted(differ, key=lambda name: (is_long[name], -counts[name]))[:_KEYS]:
        if _count_different(calls, [*chosen, name]) > _count_different(calls, chosen):
            chosen.append(name)
    return chosen


def _count_different(calls: Sequence[_Call], names: Sequence[str]) -> int:
    """The number of different calls, by some of their arguments."""
    return len({tuple(call.get(name) for name in names) for call in calls})

"""Arguments that nothing accounts for: no effect that was shown before, nothing that the user said.

The rules, in the order in which they are applied to each value of a call's arguments:

1. Only a telling value is judged: an identifier with a digit, a code of capitals, a date, a number
   of at least DIGITS digits, zeros at its ends not counted. Words and names, switches, small and
   round numbers are anybody's. Of a text that joins several values each is judged by itself; of one
   of more than WORDS words, which is prose, none.
2. It has a ground if a step of an earlier turn showed it in its effect or state, or the user or the
   name of the task said it before: in the same spelling but for case, signs and blanks, or as a
   part of something longer; or if so much is true of all that is telling in it.
3. So it has if it follows from what was shown or said: a date near another, a number that is the
   sum or difference of two, or a small multiple or fraction of one
   (:meth:`otap.dependencies.known.Known.implies`).
4. What is left was read early if a later step shows it, and else invented.

Where all steps record what they depend on, "earlier" is by these dependencies, not by the list.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, takewhile

from pydantic import JsonValue

from otap.dependencies.known import Known, near
from otap.dependencies.mechanisms import allows, dependency_graph
from otap.dependencies.said import Said
from otap.dependencies.tracing import weight
from otap.dependencies.values import DEEPEST, MAX_KEY, canonical, leaves, parsed, tokens
from otap.trajectory import Step, Trajectory

DIGITS = 3  # of a number that is telling, zeros at its ends not counted
WORDS = 3  # of the longest text that is no prose
CODE = 4  # letters of the shortest code: shorter ones (EUR, JFK) are known to everybody
MOST = 100  # values that are found in one trajectory

_ATOM = re.compile(r"\d{4}-\d\d-\d\d|[^\W_](?:\w|(?<=\d)\.(?=\d))*")
_CLOCK = re.compile(r"(?<=\d)T(?=\d\d:)")  # between a date and a time
_AMOUNT = re.compile(r"[^\w.]*(\d[\d,]*(?:\.\d+)?)\s*[^\W\d_]{0,3}\W*\Z")  # $1,950.00, 5kg, -3, 3rd


@dataclass(frozen=True)
class Ungrounded:
    """A value that step ``step`` used, at ``path`` of its arguments, and nothing before showed.

    ``shown_by`` is the first later step that showed it and did not use it itself: the value was
    read before it was produced. None if there is no such step: it was invented.
    """

    step: int
    path: str
    value: str
    shown_by: int | None


def ungrounded(trajectory: Trajectory) -> tuple[Ungrounded, ...]:
    """Returns the arguments without a ground in the order in which they were used, MOST at most.

    What was not recorded is not missing: nothing is found in a trajectory that does not record
    what the user said, nor after a call that does not record what came back.
    """
    if not trajectory.request:
        return ()
    ground = _Ground(trajectory)
    judged = takewhile(lambda use: use[0] in ground.judged, ground.lacking())
    return tuple(Ungrounded(*use, ground.shown_by(use[2])) for use in islice(judged, MOST))


def assumed(trajectory: Trajectory) -> frozenset[str]:
    """Returns the values that a trajectory uses without a ground, whatever it records."""
    return frozenset(value for _, _, value in _Ground(trajectory).lacking())


class Grounds:
    """What one trajectory uses without a ground, looked for once; does not keep the trajectory."""

    def __init__(self) -> None:
        self._ungrounded: tuple[Ungrounded, ...] | None = None
        self._assumed: frozenset[str] | None = None

    def ungrounded(self, trajectory: Trajectory) -> tuple[Ungrounded, ...]:
        """What :func:`ungrounded` returns for the one trajectory."""
        if self._ungrounded is None:
            self._ungrounded = ungrounded(trajectory)
        return self._ungrounded

    def assumed(self, trajectory: Trajectory) -> frozenset[str]:
        """What :func:`assumed` returns for the one trajectory."""
        if self._assumed is None:
            self._assumed = assumed(trajectory)
        return self._assumed


def argument_values(
    arguments: JsonValue, path: str = "", depth: int = 0
) -> Iterator[tuple[str, str]]:
    """Yields (path, value) of each argument that is one value, in canonical spelling."""
    data = parsed(arguments)
    if depth > DEEPEST:
        return
    if isinstance(data, dict):
        for key, value in data.items():
            place = f"{path}.{key[:MAX_KEY]}" if path else key[:MAX_KEY]
            yield from argument_values(value, place, depth + 1)
    elif isinstance(data, list):
        for index, value in enumerate(data):
            yield from argument_values(value, f"{path}[{index}]", depth + 1)
    elif data is not None and not isinstance(data, bool):
        yield path or "arguments", canonical(data)


def telling_parts(value: str) -> list[str]:
    """Returns what of a value is judged; nothing of words, prose, small and round numbers."""
    amount = _AMOUNT.match(value)
    if amount:
        found = [canonical(amount.group(1).replace(",", ""))]
    elif len(value.split()) > WORDS and any(map(str.isalpha, value)):
        found = []
    else:
        found = list(tokens(value))
    return [part for part in dict.fromkeys(found) if _atoms(part)]


def _atoms(part: str) -> list[str]:
    """What is telling of a part, between the signs that join an address, a path or a time."""
    return [atom for atom in _ATOM.findall(_CLOCK.sub(" ", part)) if _is_telling(atom)]


def _is_telling(atom: str) -> bool:
    amount = _AMOUNT.match(atom)
    if amount:
        return _digits(amount.group(1)) >= DIGITS
    if atom.isalpha():
        return atom.isupper() and len(atom) >= CODE
    return any(map(str.isdigit, atom)) and weight(atom) > 0


def _digits(number: str) -> int:
    """The digits that say something: not the zeros at the end, nor those before a fraction."""
    whole, point, fraction = number.replace(",", "").partition(".")
    return len(((whole + fraction).lstrip("0") if point else whole).rstrip("0"))


class _Ground:
    """What each step of one trajectory could know when it ran."""

    def __init__(self, trajectory: Trajectory) -> None:
        self.steps, self.request = trajectory.steps, trajectory.request
        self.order = _order(trajectory)
        self.said, self.known = Said(trajectory), Known()
        self.known.add(trajectory.task)

    @cached_property
    def judged(self) -> frozenset[int]:
        """The steps up to the first call that does not record what came back, itself included."""
        silent = [k for k in self.order if self.steps[k].kind == "tool" and not self._records(k)]
        return frozenset(self.order[: self.order.index(silent[0]) + 1] if silent else self.order)

    def lacking(self) -> Iterator[tuple[int, str, str]]:
        """The step, the path and the value of each use without a ground, in order.

        To be asked once, as it learns on its way.
        """
        told = shown = 0
        for place, index in enumerate(self.order):
            while shown < place and not self._parallel(self.order[shown], index):
                self.known.add(_observed(self.steps[self.order[shown]]))
                shown += 1
            heard = self.said.heard(index)
            self.known.add(list(self.request[told:heard]))
            told = max(told, heard)
            for path, value in argument_values(self.steps[index].arguments):
                yield from ((index, path, part) for part in self._lost(value, index))

    def shown_by(self, value: str) -> int | None:
        """The first step that shows a value without being told; without a ground, a later one."""
        return next((k for k in self.order if k in self._shown.get(value.casefold(), ())), None)

    def _lost(self, value: str, index: int) -> list[str]:
        """The telling parts of a value that have no ground, unless it has one as a whole."""
        lost = [part for part in telling_parts(value) if not self._follows(part, index)]
        return [] if lost and self._has_ground(value, index) else lost

    def _follows(self, part: str, index: int) -> bool:
        atoms = _atoms(part)
        return self._has_ground(part, index) or (
            atoms != [part] and all(self._has_ground(atom, index) for atom in atoms)
        )

    def _has_ground(self, value: str, index: int) -> bool:
        return (
            self.known.spells(value)  # the rule; all that is read closely is for the exceptions
            or self.said.before(index, value)
            or self.known.shows(value)
            or self.known.implies(value)
            or any(self.said.before(index, day) for day in near(value))
        )

    @cached_property
    def _shown(self) -> dict[str, set[int]]:
        """For each value the steps that showed it, and did not just echo their own arguments."""
        found: dict[str, set[int]] = defaultdict(set)
        for index, step in enumerate(self.steps):
            used = {leaf.value for leaf in leaves(step.arguments, "")}
            for leaf in leaves(_observed(step), ""):
                if leaf.value not in used:
                    found[leaf.value.casefold()].add(index)
        return found

    def _parallel(self, one: int, other: int) -> bool:
        turn = self.steps[other].turn
        return turn is not None and self.steps[one].turn == turn

    def _records(self, index: int) -> bool:
        return self.steps[index].effect is not None or self.steps[index].state is not None


def _order(trajectory: Trajectory) -> tuple[int, ...]:
    if allows(trajectory, "explicit"):
        return dependency_graph(trajectory, "explicit").order
    return tuple(range(len(trajectory.steps)))


def _observed(step: Step) -> JsonValue:
    return [step.effect, step.state, *(_observed(inner) for inner in step.substeps)]

"""Grounding: the arguments of a run that no earlier observation and no utterance accounts for.

The rules, in the order in which they are applied to each value of a call's arguments:

1. Only what is telling of a value is judged (:func:`otap.dependencies.content.telling`). Of a text
   that joins several values each is judged by itself; of prose, none.
2. It has a ground if a step of an earlier turn showed it in its effect or state, or the user or the
   name of the task said it before: in the same spelling but for case, signs and blanks, or as a
   part of something longer; or if all its telling atoms have a ground.
3. So it has if it can be derived from what was shown or said: a date near another, a number that
   is the sum or difference of two, or a small multiple or fraction of one.
4. What is left was read early if a later step shows it, and else invented.

Where all steps record what they depend on, "earlier" is by these dependencies, not by the list.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from itertools import chain, filterfalse, islice
from operator import attrgetter

from otap.dependencies.content import (
    SIGNS,
    Claim,
    Content,
    Utterances,
    content,
    date_of,
    number_of,
    write_path,
)
from otap.dependencies.mechanisms import recorded_order
from otap.dependencies.parameters import DECIMALS, FACTORS, MIN_PART, NEAR_DAYS
from otap.trajectory import Step, Trajectory

MAX_UNGROUNDED = 100  # values that are found in one trajectory
OPERANDS = 300  # numbers from which another is calculated: the last ones that became known
CALCULATED = 20_000  # numbers that are calculated from others, for one trajectory
LARGEST = 1e12  # of the numbers from which others are calculated
SEARCHED = 1_000_000_000  # characters in which parts are looked for, for one trajectory
_SEARCH = 100  # characters that a search in a short text counts for
_APART = "\0"
_SCALE = 10**DECIMALS  # numbers are compared as whole ones, in as many decimals


@dataclass(frozen=True)
class Ungrounded:
    """An argument without a ground: a value that a step used and nothing before accounts for.

    Attributes:
        step: position of the step in the list.
        path: where the value stands in the step's arguments, as ``flights[0].id``.
        value: the telling part, in canonical spelling.
        shown_by: the first later step that showed the value and did not use it itself: it was used
            before it was produced. None if there is no such step: it was invented.
    """

    step: int
    path: str
    value: str
    shown_by: int | None


def ungrounded(trajectory: Trajectory) -> tuple[Ungrounded, ...]:
    """Returns the arguments without a ground, in order of use, at most MAX_UNGROUNDED.

    What was not recorded is not missing: nothing is found in a trajectory that does not record
    what the user said, nor after a call that does not record what came back.

    Args:
        trajectory: the whole of it, with steps that do not count.
    """
    if not trajectory.request:
        return ()
    lacking = [*islice(_lacking_values(trajectory, is_recorded=True), MAX_UNGROUNDED)]
    if not lacking:
        return ()
    shown = _steps_showing(trajectory, {value.casefold() for _, _, value in lacking})
    return tuple(Ungrounded(*use, shown.get(use[2].casefold())) for use in lacking)


def assumed(trajectory: Trajectory) -> frozenset[str]:
    """Returns the values that a trajectory uses without a ground, whatever it records.

    Unlike :func:`ungrounded` it also answers for a reference that records no effects: what a
    known-good run assumes, a run need not show either.
    """
    return frozenset(value for _, _, value in _lacking_values(trajectory, is_recorded=False))


def _lacking_values(trajectory: Trajectory, *, is_recorded: bool) -> Iterator[tuple[int, str, str]]:
    """Yields step, path and value of each use without a ground, replaying the steps in order.

    Args:
        trajectory: the run.
        is_recorded: whether the replay ends with the first call that records nothing.
    """
    steps, known = trajectory.steps, _KnownValues(trajectory)
    order = recorded_order(trajectory)
    told = shown = 0
    for place, index in enumerate(order):
        step = steps[index]
        while shown < place and (step.turn is None or steps[order[shown]].turn != step.turn):
            known.add(_observed(steps[order[shown]]))
            shown += 1
        heard = known.utterances.before[index]
        if heard > told:
            known.add([*map(content, trajectory.request[told:heard])])
            told = heard
        for claim in content(step.arguments).claims:
            for part in known.lacking_parts(claim, index):
                yield index, write_path(claim.path).removeprefix(".") or "arguments", part
        if is_recorded and step.kind == "tool" and step.effect is None and step.state is None:
            return


def _steps_showing(trajectory: Trajectory, values: set[str]) -> dict[str, int]:
    """The first step that shows each of some values, and has it not among its own arguments."""
    found: dict[str, int] = {}
    for index in recorded_order(trajectory):
        step = trajectory.steps[index]
        shown = frozenset().union(*map(attrgetter("values"), _observed(step)))
        for value in map(str.casefold, shown - content(step.arguments).values):
            if value in values:
                found.setdefault(value, index)
    return found


def _observed(step: Step) -> list[Content]:
    """What a step shows: its effect and state, and those of the steps inside."""
    found = [content(step.effect), content(step.state)]
    for inner in step.substeps:
        found += _observed(inner)
    return found


class _KnownValues:
    """What was shown or said so far: a set of values that grows with the run.

    What only the leaves of the data can tell is read when the raw text does not have a value.

    Args:
        trajectory: the run, of which the name of the task and the utterances are known.
    """

    def __init__(self, trajectory: Trajectory) -> None:
        self.utterances = Utterances(trajectory)
        self._raw = _Texts()
        self._unread: list[Content] = []
        self._words: set[str] = set()
        self._dates: set[date] = set()
        self._calculations = CALCULATED
        self._numbers: dict[int, None] = {}  # times _SCALE; the last ones seen last
        self._squashed = _Texts()  # without signs and blanks, each leaf of data once
        self.add([content(trajectory.task)])

    def add(self, contents: Sequence[Content]) -> None:
        """Makes everything in some contents known from here on."""
        self._raw.add([", ".join(map(attrgetter("text"), contents)).casefold()])
        self._unread += contents

    def lacking_parts(self, claim: Claim, step: int) -> Sequence[str]:
        """Returns the telling parts of a value that have no ground, unless it has one as a whole.

        A part has one as a whole, or if each of its telling atoms has one.
        """
        lacking = []
        for part, atoms in claim.parts:
            if not self._account_for(part, step) and (
                atoms == [part] or not all(self._account_for(atom, step) for atom in atoms)
            ):
                lacking.append(part)
        return () if lacking and self._account_for(claim.value, step) else lacking

    def _account_for(self, value: str, step: int) -> bool:
        """Whether a value was shown or said, or can be derived from what was.

        Inside a longer one signs and blanks do not count: "booked hat 001" holds "HAT-001".
        """
        folded = value.casefold()
        if len(folded) >= MIN_PART and self._raw.hold(folded):  # nearly always, so it comes first
            return True
        if self.utterances.mention(value, step):
            return True
        for one in self._unread:
            self._words |= one.folded_values
            self._dates |= one.dates
            for number in one.numbers:
                if abs(number) < LARGEST:
                    known = round(number * _SCALE)
                    self._numbers.pop(known, None)
                    self._numbers[known] = None
        self._squashed.add(chain.from_iterable(map(attrgetter("squashed"), self._unread)))
        self._unread.clear()
        squashed = SIGNS.sub("", value).casefold()
        if folded in self._words or (len(squashed) >= MIN_PART and self._squashed.hold(squashed)):
            return True
        return self._derive(value, step)

    def _derive(self, value: str, step: int) -> bool:
        """Whether a value can be derived from known ones.

        A date from one at most NEAR_DAYS away; a number as the sum or difference of two, or as the
        product or quotient of one by one of FACTORS.
        """
        day = date_of(value)
        if day is not None:
            first = max(day.toordinal() - NEAR_DAYS, date.min.toordinal())
            last = min(day.toordinal() + NEAR_DAYS, date.max.toordinal())
            near = [*map(date.fromordinal, range(first, last + 1))]
            said = map(partial(self.utterances.mention, step=step), map(date.isoformat, near))
            return not self._dates.isdisjoint(near) or any(said)
        number, seen = number_of(value), self._numbers.keys()
        if number is None or abs(number) >= LARGEST or self._calculations <= 0:
            return False
        self._calculations -= 1
        recent, whole = [*islice(reversed(seen), OPERANDS)], round(number * _SCALE)
        calculated = {*map(whole.__sub__, recent), *map(whole.__add__, recent)}
        for factor in FACTORS:
            for product in (number / factor, number * factor):
                calculated.add(round(round(product, DECIMALS) * _SCALE))
        return not calculated.isdisjoint(seen)


class _Texts:
    """Texts, and which strings they hold; each string is looked for in each text once.

    What looks for strings in all texts takes time in proportion to both. Once SEARCHED characters
    were searched, a string is held only if it is known to be, or is all of a text.
    """

    def __init__(self) -> None:
        self._held: set[str] = set()  # all texts, and the strings that were found in one
        self._blocks: list[str] = []  # texts that were added together, with _APART between them
        self._looked: dict[str, int] = {}  # how many blocks were searched in vain
        self._left = SEARCHED

    def add(self, texts: Iterable[str]) -> None:
        """Adds some texts; where they are several, none has _APART in it."""
        new = [*dict.fromkeys(filterfalse(self._held.__contains__, texts))]
        if new:
            self._held.update(new)
            self._blocks.append(_APART.join(new))

    def hold(self, part: str) -> bool:
        """Says whether a string is a part of one of the texts."""
        if part in self._held:
            return True
        for place in range(self._looked.get(part, 0), len(self._blocks)):
            if self._left <= 0:
                return False
            self._left -= len(self._blocks[place]) + _SEARCH
            self._looked[part] = place + 1
            if part in self._blocks[place]:
                self._held.add(part)
                return True
        return False

"""Grounding: the arguments of a run that no earlier observation and no user message explains.

For each value of a call's arguments, the rules apply in this order:

1. Only the identifying parts of a value are judged
   (:func:`otap.run.scalars.identifying_parts`). In a text that joins several values each is
   judged alone. Prose is not judged.
2. A value is grounded if a step of an earlier turn showed it in its effect or state, or the user or
   the name of the task mentioned it before. Case, punctuation and blanks do not matter, and it may
   be part of a longer value. It is also grounded if all its identifying atoms are.
3. It is grounded if it can be derived from values that were shown or mentioned: a date near
   another, a number that is the sum or difference of two, or a small multiple or fraction of one.
4. It is grounded if an equal value was shown in another notation, by the forms of ``values``.
5. An ungrounded value was used early if a later step shows it; otherwise it was invented.

If all steps record their dependencies, these define "earlier", not the list.
"""

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import islice

from otap.run.edges import recorded_order
from otap.run.index import Claim, FieldValues, ValueIndex
from otap.run.scalars import DECIMALS, PUNCTUATION, date_of, number_of, write_path
from otap.trajectory import Step, Trajectory
from otap.values.kinds import read_scalar

MIN_PART = 4  # characters of the shortest value that is searched for inside longer ones
NEAR_DAYS = 7  # days between a date and one derived from it: people count weeks by hand
# A number follows from another by small multiples, percent and thousands.
FACTORS = (2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 100.0, 1000.0)
MAX_UNGROUNDED = 100  # report at most this many values of one trajectory
OPERANDS = 300  # derive numbers from at most this many others, the latest ones
CALCULATIONS = 20_000  # numbers that are derived, for one trajectory
MAX_NUMBER = 1e12  # derive numbers only from smaller ones
MAX_SEARCHED = 1_000_000_000  # characters that are searched for parts, for one trajectory
MAX_READ_CHARACTERS = 300_000  # of the values that are read by their kind, for one trajectory
_SEARCH_COST = 100  # characters that a search in a short text counts for
_SEPARATOR = "\0"
_SCALE = 10**DECIMALS  # numbers are compared as integers, with this many decimals


@dataclass(frozen=True)
class Ungrounded:
    """An ungrounded argument: a value that a step used and nothing before explains.

    Attributes:
        step: the index of the step.
        path: the path of the value in the step's arguments, as ``flights[0].id``.
        value: the identifying part, in canonical form.
        shown_by: the first later step that showed the value and did not use it itself: the value
            was used before it was produced. None if there is no such step: it was invented.
    """

    step: int
    path: str
    value: str
    shown_by: int | None


def find_ungrounded(trajectory: Trajectory, index: ValueIndex) -> tuple[Ungrounded, ...]:
    """Returns the ungrounded arguments in order of use, at most MAX_UNGROUNDED.

    An unrecorded source is not missing. Nothing is reported for a trajectory without user messages,
    nor after a call without a recorded result.

    Args:
        trajectory: the flattened run, including steps that are left out.
        index: its values.
    """
    if not trajectory.request:
        return ()
    uses = [*islice(_list_ungrounded(trajectory, index, is_recorded=True), MAX_UNGROUNDED)]
    if not uses:
        return ()
    values = {value.casefold() for _, _, value in uses}
    shown_by = _find_steps_showing(trajectory, index, values)
    return tuple(
        Ungrounded(step, path, value, shown_by.get(value.casefold())) for step, path, value in uses
    )


def find_assumed(
    trajectory: Trajectory, index: ValueIndex, among: Container[str]
) -> frozenset[str]:
    """Returns which of some values a trajectory uses without a source, whatever it records.

    Unlike :func:`find_ungrounded` it also answers for a reference without recorded effects: a run
    need not show a value that a known-good run assumes.

    Args:
        trajectory: the flattened run, including steps that are left out.
        index: its values.
        among: the values that matter, in canonical form.
    """
    uses = _list_ungrounded(trajectory, index, is_recorded=False, among=among)
    return frozenset(
        canonical for _, _, value in uses if (canonical := write_plain(value)) in among
    )


def write_plain(value: str) -> str:
    """Returns a value as values are compared: 0.3 for 0.30000000000000004."""
    return read_scalar(value).canonical


def _list_ungrounded(
    trajectory: Trajectory,
    index: ValueIndex,
    *,
    is_recorded: bool,
    among: Container[str] | None = None,
) -> Iterator[tuple[int, str, str]]:
    """Yields step, path and value of each ungrounded use, replaying the steps in order.

    Args:
        trajectory: the run.
        index: its values.
        is_recorded: whether the replay ends with the first call without a recorded result.
        among: the values that matter, in canonical form; None for all.
    """
    steps, sources = trajectory.steps, _Sources(index)
    order = recorded_order(trajectory)
    message_count = shown_count = 0
    for position, k in enumerate(order):
        step = steps[k]
        while shown_count < position:
            earlier = order[shown_count]
            if step.turn is not None and steps[earlier].turn == step.turn:
                break
            sources.add(_observed(steps[earlier], index))
            shown_count += 1
        count = index.messages.before[k]
        if count > message_count:
            sources.add([index.read(text) for text in trajectory.request[message_count:count]])
            message_count = count
        for claim in index.steps[k].arguments.claims:
            if among is not None and not any(write_plain(part) in among for part, _ in claim.parts):
                continue
            for part in sources.list_unexplained(claim, k):
                yield k, write_path(claim.path).removeprefix(".") or "arguments", part
        if is_recorded and step.kind == "tool" and step.effect is None and step.state is None:
            return


def _find_steps_showing(
    trajectory: Trajectory, index: ValueIndex, values: set[str]
) -> dict[str, int]:
    """The first step that shows each of some values without having it among its arguments."""
    first: dict[str, int] = {}
    for k in recorded_order(trajectory):
        fields = _observed(trajectory.steps[k], index)
        effect_values = frozenset().union(*[field.values for field in fields])
        for value in effect_values - index.steps[k].arguments.values:
            if value.casefold() in values:
                first.setdefault(value.casefold(), k)
    return first


def _observed(step: Step, index: ValueIndex) -> list[FieldValues]:
    """The effect and state of a step, and those of its sub-steps."""
    fields = [index.read(step.effect), index.read(step.state)]
    for substep in step.substeps:
        fields += _observed(substep, index)
    return fields


class _Sources:
    """The values that were shown or mentioned so far: a set that grows with the run.

    The leaves of the data are only read when the raw text does not have a value.

    Args:
        index: the values of the run; the name of the task and the messages are known.
    """

    def __init__(self, index: ValueIndex) -> None:
        self._messages = index.messages
        self._raw = _Texts()
        self._unread: list[FieldValues] = []
        self._without_forms: list[FieldValues] = []
        self._forms: set[str] = set()
        self._read_characters = 0
        self._words: set[str] = set()
        self._dates: set[date] = set()
        self._calculations = CALCULATIONS
        self._numbers: dict[int, None] = {}  # times _SCALE, ordered by their last occurrence
        self._squashed = _Texts()  # without punctuation and blanks, each leaf once
        self.add([index.task])

    def add(self, fields: Sequence[FieldValues]) -> None:
        """Adds all values of some fields."""
        self._raw.add([", ".join([field.text for field in fields]).casefold()])
        self._unread += fields
        self._without_forms += fields

    def list_unexplained(self, claim: Claim, step: int) -> Sequence[str]:
        """Returns the identifying parts of a value without a source, unless it has one itself.

        A part has a source as a whole, or if each of its identifying atoms has one.
        """
        unexplained = []
        for part, atoms in claim.parts:
            if self._explain(part, step):
                continue
            if atoms == [part] or not all(self._explain(atom, step) for atom in atoms):
                unexplained.append(part)
        return () if unexplained and self._explain(claim.value, step) else unexplained

    def _explain(self, value: str, step: int) -> bool:
        """Whether a value was shown or mentioned, or can be derived.

        Inside a longer value punctuation and blanks do not count: "booked hat 001" holds "HAT-001".
        """
        folded = value.casefold()
        if len(folded) >= MIN_PART and self._raw.hold(folded):  # the usual case, so it comes first
            return True
        if self._messages.mention(value, step):
            return True
        for field in self._unread:
            self._words.update(value.casefold() for value in field.values)
            self._dates |= field.dates
            for number in field.numbers:
                if abs(number) < MAX_NUMBER:
                    scaled = round(number * _SCALE)
                    self._numbers.pop(scaled, None)
                    self._numbers[scaled] = None
        self._squashed.add(text for field in self._unread for text in field.squashed)
        self._unread.clear()
        squashed = PUNCTUATION.sub("", value).casefold()
        if folded in self._words or (len(squashed) >= MIN_PART and self._squashed.hold(squashed)):
            return True
        return self._derive(value, step) or self._shows_equal(value)

    def _shows_equal(self, value: str) -> bool:
        """Whether an equal value was shown in another notation: 20 May 2024 for 2024-05-20."""
        for field in self._without_forms:
            self._read_characters += len(field.text)
            if self._read_characters <= MAX_READ_CHARACTERS:
                self._forms |= field.forms
        self._without_forms.clear()
        return bool(self._forms) and read_scalar(value).canonical in self._forms

    def _derive(self, value: str, step: int) -> bool:
        """Whether a value can be derived from values that were seen.

        A date is derived from a date at most NEAR_DAYS away. A number is derived as the sum or
        difference of two numbers, or as the product or quotient of a number and one of FACTORS.
        """
        day = date_of(value)
        if day is not None:
            first = max(day.toordinal() - NEAR_DAYS, date.min.toordinal())
            last = min(day.toordinal() + NEAR_DAYS, date.max.toordinal())
            near = [date.fromordinal(ordinal) for ordinal in range(first, last + 1)]
            if not self._dates.isdisjoint(near):
                return True
            return any(self._messages.mention(near_day.isoformat(), step) for near_day in near)
        number, operands = number_of(value), self._numbers.keys()
        if number is None or abs(number) >= MAX_NUMBER or self._calculations <= 0:
            return False
        self._calculations -= 1
        scaled = round(number * _SCALE)
        derived = set[int]()
        for operand in islice(reversed(operands), OPERANDS):
            derived |= {scaled - operand, scaled + operand}
        for factor in FACTORS:
            for product in (number / factor, number * factor):
                derived.add(round(round(product, DECIMALS) * _SCALE))
        return not derived.isdisjoint(operands)


class _Texts:
    """Texts, and the strings that they hold; each string is searched for in each text once.

    A search takes time in proportion to the texts. After MAX_SEARCHED characters a string is held
    only if an earlier search found it, or if it is a whole text.
    """

    def __init__(self) -> None:
        self._held: set[str] = set()  # all texts, and the strings that were found in one
        self._blocks: list[str] = []  # texts that were added together, joined by _SEPARATOR
        self._searched_blocks: dict[str, int] = {}  # how many blocks do not hold a string
        self._budget = MAX_SEARCHED

    def add(self, texts: Iterable[str]) -> None:
        """Adds some texts; of several, none may contain _SEPARATOR."""
        new = [text for text in dict.fromkeys(texts) if text not in self._held]
        if new:
            self._held.update(new)
            self._blocks.append(_SEPARATOR.join(new))

    def hold(self, part: str) -> bool:
        """Returns whether a string is part of one of the texts."""
        if part in self._held:
            return True
        for k in range(self._searched_blocks.get(part, 0), len(self._blocks)):
            if self._budget <= 0:
                return False
            self._budget -= len(self._blocks[k]) + _SEARCH_COST
            self._searched_blocks[part] = k + 1
            if part in self._blocks[k]:
                self._held.add(part)
                return True
        return False

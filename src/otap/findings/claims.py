"""Values in the final message that the run's own results refute.

other_answer: critical, for a number, an amount, a date or a time that nothing in the run shows. In
    addition, one of two things holds. The message contradicts the reference's, and the run's
    results show the reference's value. Or both messages give the value, and the result from which
    the reference has it shows another one in the run. It is no part of the loss.
"""

from collections.abc import Iterator, Sequence
from itertools import product

from otap._caching import cached_property
from otap.errors import shown
from otap.findings.context import FindingContext
from otap.findings.finding import Deviation, name_call
from otap.run.answers.texts import KeyedValue, accepted_forms, list_forms, read_text
from otap.run.grounding import FACTORS
from otap.run.index import FieldValues
from otap.run.run import Run
from otap.values.contradiction import find_text_contradiction
from otap.values.literals import Literal

MAX_MESSAGE = 20_000  # characters of a message that are read, the last ones
MAX_VALUE = 60  # characters of a value of a result that a message may repeat
MAX_RECORD = 200_000  # characters of a run in which a value is looked for
MAX_OPERANDS = 300  # numbers from which another one may follow
_PLACES = 6  # decimals to which two numbers are equal


def find_false_claims(context: FindingContext) -> Iterator[Deviation]:
    """Yields the first value of the final message that the run's own results refute."""
    run, reference = (view.run for view in context.recorded)
    steps = run.flat.trajectory.steps
    is_recorded = all(step.kind != "tool" or step.effect is not None for step in steps)
    if context.plan_constraints.is_plan or not (is_recorded and run.messages):
        return
    if reference.messages:
        sides = run.messages[-1][-MAX_MESSAGE:], reference.messages[-1][-MAX_MESSAGE:]
        record = _Record(run)
        claim = _find_contrary(record, *sides) or _find_repeated(context, record, *sides)
        if claim:
            sentence = f"the final message says {claim}"
            yield Deviation("other_answer", "critical", None, sentence)


def _find_contrary(record: "_Record", message: str, expected: str) -> str:
    """A value that the message has in place of the reference's, which the results show."""
    contradiction = None if message == expected else find_text_contradiction(message, expected)
    if contradiction is None or not contradiction.kind.startswith("other"):
        return ""
    claimed, refuting = (
        read_text(part).literals for part in (contradiction.run, contradiction.reference)
    )
    if not (claimed and refuting) or any(record.explains(literal) for literal in claimed):
        return ""
    if not all(_has(record.results, literal) for literal in refuting):
        return ""
    actual = shown(contradiction.reference, MAX_VALUE)
    claim = shown(contradiction.run, MAX_VALUE)
    return f"{claim}, which nothing in the run shows; its results show {actual}"


def _find_repeated(context: FindingContext, record: "_Record", message: str, expected: str) -> str:
    """A value that both messages give, though the run's result shows another one."""
    claims = read_text(message).values & read_text(expected).values
    for i, j in context.counterparts if claims else ():
        actual, recorded = context.get_values(0, i).effect, context.get_values(1, j).effect
        for value in sorted(recorded.values - actual.values):
            literals = read_text(value).literals if len(value) <= MAX_VALUE else ()
            is_claimed = any(literal[:2] in claims for literal in literals)
            if not is_claimed or any(_has(record.given, literal) for literal in literals):
                continue
            other = _find_in_place(value, recorded, actual)
            if other:
                return (
                    f"{shown(value, MAX_VALUE)}, as the reference does, but "
                    f"{name_call(context.run_steps[i])} shows {shown(other, MAX_VALUE)} in the run"
                )
    return ""


def _find_in_place(value: str, recorded: FieldValues, actual: FieldValues) -> str:
    """The value that a result has where another result has a given value, or empty."""
    paths = {leaf.path for leaf in recorded.leaves if leaf.value == value and not leaf.is_part}
    others = (leaf.value for leaf in actual.leaves if leaf.path in paths and not leaf.is_part)
    return next(others, "")


class _Record:
    """The values that a run shows, which are read when they are asked for.

    Args:
        run: the run; a record longer than MAX_RECORD shows any value, for all that is known.
    """

    def __init__(self, run: Run) -> None:
        self._run = run

    @cached_property
    def results(self) -> frozenset[KeyedValue] | None:
        """The values of its results; None if these are not all read."""
        steps = self._run.index.steps
        return _read_values([field.text for step in steps for field in (step.effect, step.state)])

    @cached_property
    def given(self) -> frozenset[KeyedValue] | None:
        """Those of its results and of the request."""
        requested = _read_values(self._run.flat.trajectory.request)
        if self.results is None or requested is None:
            return None
        return self.results | requested

    @cached_property
    def _all(self) -> frozenset[KeyedValue] | None:
        """Those of its arguments, too."""
        used = _read_values([step.arguments.text for step in self._run.index.steps])
        return None if self.given is None or used is None else self.given | used

    def explains(self, literal: Literal) -> bool:
        """Returns whether a value is shown, or follows from two numbers or by a factor."""
        if self._all is None or _has(self._all, literal):
            return True
        targets = [float(form) for kind, form in list_forms(literal) if kind == "number"]
        if literal.kind == "date" or not targets:
            return False
        numbers = sorted(abs(float(form)) for kind, form in self._all if kind == "number")
        numbers = numbers[:MAX_OPERANDS]
        derived = {a + b for a, b in product(numbers, numbers)}
        derived |= {abs(a - b) for a, b in product(numbers, numbers)}
        derived |= {a * factor for a, factor in product(numbers, FACTORS)}
        derived |= {a / factor for a, factor in product(numbers, FACTORS)}
        rounded = {round(number, _PLACES) for number in derived}
        return any(round(target, _PLACES) in rounded for target in targets)


def _has(values: frozenset[KeyedValue] | None, literal: Literal) -> bool:
    """Whether some values include a literal, in whatever notation; None includes all."""
    forms = [*accepted_forms(literal), *(list_forms(literal) if literal.kind != "date" else ())]
    return values is None or not values.isdisjoint(forms)


def _read_values(texts: Sequence[str]) -> frozenset[KeyedValue] | None:
    """The values of some texts; None if they are too long."""
    if sum(map(len, texts)) > MAX_RECORD:
        return None
    literals = [literal for text in texts for literal in read_text(text).literals]
    return frozenset(form for literal in literals for form in list_forms(literal))

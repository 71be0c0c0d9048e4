"""Values in the final message that the run's own results refute.

other_answer: critical, for a number, an amount, a date or a time that nothing in the run shows. In
    addition, one of two things holds. The message contradicts the reference's, and the run's
    results show the reference's value. Or both messages give the value, and the result from which
    the reference has it shows another one in the run. It is no part of the loss.
"""

from collections.abc import Iterator, Sequence
from itertools import product

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
MAX_VALUE = 60  # characters of a result that is one value
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
        claim = _find_contrary(run, *sides) or _find_repeated(context, *sides)
        if claim:
            sentence = f"the final message says {claim}"
            yield Deviation("other_answer", "critical", None, sentence)


def _find_contrary(run: Run, message: str, expected: str) -> str:
    """A value that the message has in place of the reference's, which the results show."""
    contradiction = None if message == expected else find_text_contradiction(message, expected)
    if contradiction is None or not contradiction.kind.startswith("other"):
        return ""
    claimed, refuting = (
        read_text(part).literals for part in (contradiction.run, contradiction.reference)
    )
    if not (claimed and refuting):
        return ""
    record = _Record(run)
    if not all(record.shows(literal, in_results=True) for literal in refuting):
        return ""
    if any(record.explains(literal) for literal in claimed):
        return ""
    actual = shown(contradiction.reference, MAX_VALUE)
    claim = shown(contradiction.run, MAX_VALUE)
    return f"{claim}, which nothing in the run shows; its results show {actual}"


def _find_repeated(context: FindingContext, message: str, expected: str) -> str:
    """A value that both messages give, though the run's result shows another one."""
    claims = read_text(message).values & read_text(expected).values
    if not claims:
        return ""
    record = _Record(context.recorded[0].run)
    for i, j in context.counterparts:
        actual, recorded = (
            _list_whole_values(context.get_values(side, node).effect)
            for side, node in enumerate((i, j))
        )
        for path, value in recorded.items():
            other = actual.get(path, value)
            literals = read_text(value).literals if other != value else ()
            is_claimed = any(literal[:2] in claims for literal in literals)
            if is_claimed and not any(record.shows(literal) for literal in literals):
                call = name_call(context.run_steps[i])
                return (
                    f"{shown(value, MAX_VALUE)}, as the reference does, but {call} shows "
                    f"{shown(other, MAX_VALUE)} in the run"
                )
    return ""


def _list_whole_values(result: FieldValues) -> dict[object, str]:
    """The short values of a result, by path."""
    return {
        leaf.path: leaf.value
        for leaf in result.leaves
        if not leaf.is_part and len(leaf.value) <= MAX_VALUE
    }


class _Record:
    """The values that a run shows: in its results, its arguments and the request.

    Args:
        run: the run; of a record longer than MAX_RECORD nobody knows what it does not show.
    """

    def __init__(self, run: Run) -> None:
        steps = run.index.steps
        results = [field.text for step in steps for field in (step.effect, step.state)]
        others = [step.arguments.text for step in steps] + list(run.flat.trajectory.request)
        self._is_known = sum(map(len, (*results, *others))) <= MAX_RECORD
        self._results = _read_values(results) if self._is_known else frozenset()
        self._all = self._results | (_read_values(others) if self._is_known else frozenset())

    def shows(self, literal: Literal, *, in_results: bool = False) -> bool:
        """Returns whether a value is shown, in whatever notation."""
        forms = [*accepted_forms(literal), *(list_forms(literal) if literal.kind != "date" else ())]
        shown_values = self._results if in_results else self._all
        return not self._is_known or not shown_values.isdisjoint(forms)

    def explains(self, literal: Literal) -> bool:
        """Returns whether a value is shown, or follows from two numbers or a factor."""
        if self.shows(literal):
            return True
        numbers = [abs(float(form)) for kind, form in self._all if kind == "number"]
        numbers = sorted(numbers)[:MAX_OPERANDS]
        targets = [float(form) for kind, form in list_forms(literal) if kind == "number"]
        if literal.kind == "date" or not targets:
            return False
        derived = {a + b for a, b in product(numbers, numbers)}
        derived |= {abs(a - b) for a, b in product(numbers, numbers)}
        derived |= {a * factor for a, factor in product(numbers, FACTORS)}
        derived |= {a / factor for a, factor in product(numbers, FACTORS)}
        rounded = {round(number, _PLACES) for number in derived}
        return any(round(target, _PLACES) in rounded for target in targets)


def _read_values(texts: Sequence[str]) -> frozenset[KeyedValue]:
    return frozenset(
        form
        for text in texts
        for literal in read_text(text).literals
        for form in list_forms(literal)
    )

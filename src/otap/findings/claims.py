"""Values in the final message that the run's own results refute.

other_answer: critical, for a number, an amount, a date, a time or a status that nothing in the run
    shows. In addition, one of two things holds. The message contradicts the reference's, and the
    run's results show the reference's value. Or both messages give the value, and the result from
    which the reference has it shows another one in the run. It is no part of the loss.
"""

from collections.abc import Collection, Iterator

from otap.errors import shown
from otap.findings.context import FindingContext
from otap.findings.finding import Deviation, name_call
from otap.findings.record import Record
from otap.run.answers.texts import read_text
from otap.run.index import FieldValues
from otap.run.order_words import STATUS_KEYS
from otap.values.contradiction import find_text_contradiction

MAX_MESSAGE = 20_000  # characters of a message that are read, the last ones
MAX_VALUE = 60  # characters of a value of a result that a message may repeat


def find_false_claims(context: FindingContext) -> Iterator[Deviation]:
    """Yields the first value of the final message that the run's own results refute."""
    run, reference = (view.run for view in context.recorded)
    record = context.record
    answers = context.comparison.answers
    is_judged = bool(reference.required_answers) or (answers.is_task and answers.contradiction)
    if context.plan_constraints.is_plan or is_judged:
        return  # a plan and listed answers decide alone, and no message is judged twice
    if run.messages and reference.messages and record.has_results:
        sides = run.messages[-1][-MAX_MESSAGE:], reference.messages[-1][-MAX_MESSAGE:]
        claim = _find_contrary(record, *sides) or _find_repeated(context, record, *sides)
        if claim:
            sentence = f"the final message says {claim}"
            yield Deviation("other_answer", "critical", None, sentence)


def _find_contrary(record: Record, message: str, expected: str) -> str:
    """A value that the message has in place of the reference's, which the results show."""
    contradiction = None if message == expected else find_text_contradiction(message, expected)
    if contradiction is None or not contradiction.kind.startswith("other"):
        return ""
    claimed, refuting = (
        read_text(part).literals for part in (contradiction.run, contradiction.reference)
    )
    if not (claimed and refuting) or any(record.explains(literal) for literal in claimed):
        return ""
    if not all(record.shows_in_results(literal) for literal in refuting):
        return ""
    actual = shown(contradiction.reference, MAX_VALUE)
    claim = shown(contradiction.run, MAX_VALUE)
    return f"{claim}, which nothing in the run shows; its results show {actual}"


def _find_repeated(context: FindingContext, record: Record, message: str, expected: str) -> str:
    """A value that both messages give, though the run's result shows another one."""
    texts = read_text(message), read_text(expected)
    claims = texts[0].values & texts[1].values
    words = texts[0].vocabulary & texts[1].vocabulary
    for i, j in context.counterparts:
        actual, recorded = context.get_values(0, i).effect, context.get_values(1, j).effect
        for value in sorted(recorded.values - actual.values):
            literals = read_text(value).literals if len(value) <= MAX_VALUE else ()
            if literals:
                is_claimed = any(literal[:2] in claims for literal in literals)
                is_refuted = is_claimed and not any(record.shows(literal) for literal in literals)
            else:
                is_refuted = value in words and value not in record.result_words
            if not is_refuted:
                continue
            other = _find_in_place(value, recorded, actual, () if literals else STATUS_KEYS)
            if other:
                return (
                    f"{shown(value, MAX_VALUE)}, as the reference does, but "
                    f"{name_call(context.run_steps[i])} shows {shown(other, MAX_VALUE)} in the run"
                )
    return ""


def _find_in_place(
    value: str, recorded: FieldValues, actual: FieldValues, keys: Collection[str]
) -> str:
    """The value that a result has where another result has a given value, or empty.

    Args:
        value: a value of the recorded result.
        recorded: the result of the reference.
        actual: that of the run.
        keys: the keys under one of which the value must stand; empty: any.
    """
    paths = {leaf.path for leaf in recorded.leaves if leaf.value == value and not leaf.is_part}
    if keys:
        paths = {path for path in paths if path and str(path[-1]).casefold() in keys}
    others = (leaf.value for leaf in actual.leaves if leaf.path in paths and not leaf.is_part)
    return next(others, "")

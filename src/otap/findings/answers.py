"""Final messages that contradict the reference's.

other_answer: the last message to the user states another fact than the reference's last message, or
    the opposite; or the reference only reads, and the message has none of the values and names that
    the reference's message has and the request has not. It is major if the reference only reads,
    because the answer is all that such a task gives; else minor. Listed answers decide alone, and
    no message counts that is not recorded. It is no part of the loss.
"""

from collections.abc import Iterator

from otap.alignment.comparison import Compared
from otap.errors import shown
from otap.findings.finding import MAX_VALUE, WRITES, Deviation
from otap.run.answers import read_text
from otap.run.run import Run
from otap.values.contradiction import find_text_contradiction

MAX_MESSAGE = 20_000  # characters of a message that are compared, the last ones
NAMED_FACTS = 3  # facts that a sentence names


def find_other_answers(compared: Compared) -> Iterator[Deviation]:
    """Yields a finding if the last message of the run contradicts the reference's."""
    run, reference = (view.run for view in compared.recorded)
    message, expected = (_last_message(side) for side in (run, reference))
    if message is None or expected is None or message == expected:
        return
    if reference.required_answers or reference.plan_constraints.is_plan:
        return
    only_reads = WRITES not in reference.flat.roles
    contradiction = find_text_contradiction(message, expected)
    if contradiction is not None:
        sentence = f"the final message {contradiction}"
    elif only_reads and (lacking := _list_lacking(message, expected, reference)):
        facts = ", ".join(shown(fact, MAX_VALUE) for fact in lacking[:NAMED_FACTS])
        sentence = f"the final message has nothing of what the reference answers: {facts}"
    else:
        return
    yield Deviation("other_answer", "major" if only_reads else "minor", None, sentence)


def _last_message(run: Run) -> str | None:
    messages = run.messages_to_user
    return messages.recorded[-1][-MAX_MESSAGE:] if messages and messages.recorded else None


def _list_lacking(message: str, expected: str, reference: Run) -> list[str]:
    """The facts of the reference's message if the run's has none of them, else nothing."""
    request = read_text("\n".join(reference.flat.trajectory.request or ()))
    run, answer = read_text(message), read_text(expected)
    names = [name for name in sorted(answer.names) if not request.words.count(f" {name} ")]
    values = answer.values - request.values
    if values & run.values or any(f" {name} " in run.words for name in names):
        return []
    return [*sorted({canonical for _, canonical in values}), *names]

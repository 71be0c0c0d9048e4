"""Whether the last message of a run contradicts that of its reference."""

from collections.abc import Sequence
from functools import lru_cache

from otap.errors import shown
from otap.run.answers.texts import KeyedValue, Text, read_text
from otap.values.contradiction import find_text_contradiction
from otap.values.wording import find_nearer_text

MAX_MESSAGE = 20_000  # characters of a message that are compared, the last ones
MAX_MESSAGES = 20  # messages in which the last one with facts is looked for
MAX_FACT = 60  # characters of a fact that is named
NAMED_FACTS = 3  # facts that are named


def find_contradiction(
    run: Sequence[str],
    reference: Sequence[str],
    request: Sequence[str],
    elsewhere: Sequence[str] = (),
    *,
    is_task: bool,
) -> str | None:
    """Returns how the last message of a run contradicts the reference's, or None.

    It states another fact, or the opposite. If the answer is the task, it may also have none of the
    values and names that the reference's message has and the request has not.

    Args:
        run: the messages of the run.
        reference: the messages of the reference.
        request: the texts of the reference's request.
        elsewhere: the last messages of other references, of which one may be nearer to the run's.
        is_task: whether the reference only reads, so that the answer is all that it gives.
    """
    if not (run and reference):
        return None
    message, expected = run[-1][-MAX_MESSAGE:], reference[-1][-MAX_MESSAGE:]
    if message == expected:
        return None
    contradiction = find_text_contradiction(message, expected)
    if contradiction is None and elsewhere:
        nearer = find_nearer_text(message, expected, elsewhere)
        contradiction = None if nearer is None else find_text_contradiction(message, nearer)
    if contradiction is not None:
        return str(contradiction)
    if not is_task:
        return None
    lacking = _list_lacking(run, expected, request)
    facts = ", ".join(shown(fact, MAX_FACT) for fact in lacking[:NAMED_FACTS])
    return f"has nothing of what the reference answers: {facts}" if facts else None


@lru_cache(maxsize=256)
def _read_cached(text: str) -> Text:
    """A text; many runs share the request and the reference's message."""
    return read_text(text)


def _list_lacking(run: Sequence[str], expected: str, request: Sequence[str]) -> list[str]:
    """The facts of the reference's message if the run's answer has none of them, else nothing.

    The answer is the last message with facts. Behind it there may be a question or a farewell.
    """
    requested, answer = _read("\n".join(request)), _read(expected)
    names, values = _list_facts(answer, requested)
    messages = [_read(message[-MAX_MESSAGE:]) for message in run[: -MAX_MESSAGES - 1 : -1]]
    with_facts = (message for message in messages if any(_list_facts(message, requested)))
    last = next(with_facts, messages[0])
    if values & last.values or any(f" {name} " in last.words for name in names):
        return []
    return [*sorted({canonical for _, canonical in values}), *names]


def _read(text: str) -> Text:
    return _read_cached(text) if len(text) <= MAX_MESSAGE else read_text(text)


def _list_facts(message: Text, requested: Text) -> tuple[list[str], frozenset[KeyedValue]]:
    """The names and the values of a message that the request has not."""
    names = [name for name in sorted(message.names) if f" {name} " not in requested.words]
    return names, message.values - requested.values

"""Whether the last message of a run contradicts that of its reference."""

from collections.abc import Sequence
from functools import lru_cache

from otap.errors import shown
from otap.run.answers.texts import Text, read_text
from otap.values.contradiction import find_text_contradiction

MAX_MESSAGE = 20_000  # characters of a message that are compared, the last ones
MAX_FACT = 60  # characters of a fact that is named
NAMED_FACTS = 3  # facts that are named


def find_contradiction(
    run: Sequence[str], reference: Sequence[str], request: Sequence[str], *, is_task: bool
) -> str | None:
    """Returns how the last message of a run contradicts the reference's, or None.

    It states another fact, or the opposite. If the answer is the task, it may also have none of the
    values and names that the reference's message has and the request has not.

    Args:
        run: the messages of the run.
        reference: the messages of the reference.
        request: the texts of the reference's request.
        is_task: whether the reference only reads, so that the answer is all that it gives.
    """
    if not (run and reference):
        return None
    message, expected = run[-1][-MAX_MESSAGE:], reference[-1][-MAX_MESSAGE:]
    if message == expected:
        return None
    contradiction = find_text_contradiction(message, expected)
    if contradiction is not None:
        return str(contradiction)
    if not is_task:
        return None
    lacking = _list_lacking(message, expected, request)
    facts = ", ".join(shown(fact, MAX_FACT) for fact in lacking[:NAMED_FACTS])
    return f"has nothing of what the reference answers: {facts}" if facts else None


@lru_cache(maxsize=256)
def _read_cached(text: str) -> Text:
    """A text; many runs share the request and the reference's message."""
    return read_text(text)


def _list_lacking(message: str, expected: str, request: Sequence[str]) -> list[str]:
    """The facts of the reference's message if the run's has none of them, else nothing."""
    requested, run, answer = (
        _read_cached(text) if len(text) <= MAX_MESSAGE else read_text(text)
        for text in ("\n".join(request), message, expected)
    )
    names = [name for name in sorted(answer.names) if f" {name} " not in requested.words]
    values = answer.values - requested.values
    if values & run.values or any(f" {name} " in run.words for name in names):
        return []
    return [*sorted({canonical for _, canonical in values}), *names]

"""Final messages that contradict the reference's.

other_answer: the last message to the user states another fact than the reference's last message, or
    the opposite; or the reference only reads, and the message has none of the values and names that
    the reference's message has and the request has not. It is critical if the reference only
    reads, because the answer is all that such a task gives; else minor. Required answers decide
    alone, and no message counts that is not recorded.
"""

from collections.abc import Iterator

from otap.alignment.comparison import Compared
from otap.findings.finding import Deviation


def find_other_answers(compared: Compared) -> Iterator[Deviation]:
    """Yields a finding if the last message of the run contradicts the reference's."""
    answers = compared.answers
    if answers.contradiction is None:
        return
    sentence = f"the final message {answers.contradiction}"
    if not answers.is_task:
        yield Deviation("other_answer", "minor", None, sentence)
        return
    share = min(1.0, answers.loss / max(answers.loss, compared.loss_before_band))
    yield Deviation("other_answer", "critical", share, sentence)

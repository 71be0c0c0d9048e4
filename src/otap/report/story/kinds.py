"""The kinds of findings in the words of people: those of the signs, where there is one."""

from collections.abc import Mapping

from otap.report.story.rows import RELATIONS
from otap.report.story.signs import MOVED, SIGNS

ORDER = ("reversed", "broken", "inverted")  # kinds that say that steps are out of order
_WORDS: Mapping[str, str] = {
    **{relation: SIGNS[relation].word for relation in RELATIONS},
    **dict.fromkeys(ORDER, MOVED.word),
    "ungrounded": "value from nowhere",
    "unseen": "unseen inside",
    "untold": "not told",
}


def kind_word(kind: str) -> str:
    """Returns what people call a kind of finding."""
    return _WORDS.get(kind, kind)

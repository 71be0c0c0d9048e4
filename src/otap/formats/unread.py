"""Counts the parts of a trace that became no step."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from otap.errors import shown
from otap.trajectory import Unread

MAX_KINDS = 40  # counted separately; further kinds are counted together
MAX_KIND_LENGTH = 60  # characters

_OTHER_KINDS = "others"
# Types of parts that are known not to be actions, with the word under which they are counted.
_IGNORED_TYPES = {
    kind: word
    for word, kinds in {
        "picture": "image image_url input_image image_file image-url picture",
        "sound or film": "audio audio-url video-url audio_url input_audio output_audio speech"
        " media video video_url",
        "file": "file binary document-url input_file document container_upload file_url"
        " uploaded-file",
        "thought": "think thinking redacted_thinking reasoning reasoning_content"
        " redacted-reasoning",
        "source": "source source-url source-document citation citable search_result",
        "mark": "step-start cache cache_point cachePoint cache-point non_standard",
    }.items()
    for kind in kinds.split()
}


@dataclass(slots=True)
class UnreadTally:
    """Counts the unread parts of a trace by kind, in the order of first occurrence."""

    _unknown: Counter[str] = field(default_factory=Counter, init=False)
    _ignored: Counter[str] = field(default_factory=Counter, init=False)

    def unknown(self, kind: str, count: int = 1) -> None:
        """Counts parts that the reader has no rule for. They may hold calls.

        Args:
            kind: the kind in the singular, as "part of type 'x'".
            count: the number of parts.
        """
        _count_kind(self._unknown, kind, count)

    def ignored(self, kind: str, count: int = 1) -> None:
        """Counts parts that are known not to be actions.

        Args:
            kind: the kind in the singular, as "picture".
            count: the number of parts.
        """
        _count_kind(self._ignored, kind, count)

    def note(self, unknown: Iterable[str], ignored: Iterable[str]) -> None:
        """Counts several unknown and several ignored parts."""
        for kind in unknown:
            self.unknown(kind)
        for kind in ignored:
            self.ignored(kind)

    def note_part(self, kind: object, noun: str = "part") -> None:
        """Counts a part of a message that became neither text nor call.

        Args:
            kind: the value of its type.
            noun: the word for a part in this format.
        """
        is_ignored, word = word_of_part(kind, noun)
        (self.ignored if is_ignored else self.unknown)(word)

    def add(self, unread: Unread) -> None:
        """Adds the counts of another tally."""
        for kind, count in unread.unknown.items():
            self.unknown(kind, count)
        for kind, count in unread.ignored.items():
            self.ignored(kind, count)

    def counts(self) -> Unread:
        """Returns the counts."""
        return Unread(unknown=dict(self._unknown), ignored=dict(self._ignored))


def _count_kind(counts: Counter[str], kind: str, count: int) -> None:
    kind = shown(kind, MAX_KIND_LENGTH)
    has_room = kind in counts or len(counts) < MAX_KINDS
    counts[kind if has_room else _OTHER_KINDS] += count


def word_of_part(kind: object, noun: str = "part") -> tuple[bool, str]:
    """Returns whether a part is known not to be an action, and the word under which it counts."""
    if isinstance(kind, str) and kind in _IGNORED_TYPES:
        return True, _IGNORED_TYPES[kind]
    if isinstance(kind, str) and kind:
        return False, f"{noun} of type '{kind}'"
    return False, f"{noun} without a type"

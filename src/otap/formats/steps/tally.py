"""Counts the parts of a trace that became no step."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from otap.errors import shown
from otap.trajectory import Unread

MAX_KINDS = 40  # counted separately; further kinds are counted together
MAX_KIND_LENGTH = 60  # characters

_OTHER_KINDS = "others"


@dataclass(slots=True)
class Tally:
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

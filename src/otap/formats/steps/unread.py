"""What a reader meets in a trace and makes no step of, counted by kind."""

from collections import Counter
from dataclasses import dataclass, field

from otap.errors import shown
from otap.trajectory import Unread

KINDS = 40  # that are told apart; more are counted together
LENGTH = 60  # of the name of a kind

_OTHERS = "others"


@dataclass(slots=True)
class Tally:
    """Counts what was met, by kind, in the order in which each kind was met first."""

    _unknown: Counter[str] = field(default_factory=Counter)
    _ignored: Counter[str] = field(default_factory=Counter)

    def unknown(self, what: str, count: int = 1) -> None:
        """Notes something that the reader has no rule for: it may hold calls.

        Args:
            what: its kind, in the singular, as "part of type 'x'".
            count: how many.
        """
        _add(self._unknown, what, count)

    def ignored(self, what: str, count: int = 1) -> None:
        """Notes something known that says nothing of what was done.

        Args:
            what: its kind, in the singular, as "picture".
            count: how many.
        """
        _add(self._ignored, what, count)

    def add(self, other: Unread) -> None:
        """Notes all that another has counted."""
        for what, count in other.unknown.items():
            self.unknown(what, count)
        for what, count in other.ignored.items():
            self.ignored(what, count)

    def counted(self) -> Unread:
        """Returns the counts."""
        return Unread(unknown=dict(self._unknown), ignored=dict(self._ignored))


def _add(counts: Counter[str], what: str, count: int) -> None:
    kind = shown(what, LENGTH)
    known = kind in counts or len(counts) < KINDS
    counts[kind if known else _OTHERS] += count

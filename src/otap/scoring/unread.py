"""The scores whose fields were not all read, and that keep their comparisons for that reason."""

from collections import deque
from weakref import ref

from otap.scoring.result import Score

# Pairs of steps, of all unread scores of one scorer, and the pairs as which a score itself counts.
# A thousand unread scores of ten steps take about 100 MB.
MAX_PAIRS, PAIRS_OF_SCORE = 1_000_000, 500


class UnreadScores:
    """Bounds the memory of unread scores: the oldest make their fields when many others come."""

    def __init__(self) -> None:
        self._scores: deque[tuple[ref[Score], int]] = deque()
        self._room = MAX_PAIRS

    def add(self, score: Score, pairs: int) -> None:
        """Adds a score.

        Args:
            score: the score, which lives no longer for this.
            pairs: the pairs of steps of its comparisons.
        """
        size = pairs + PAIRS_OF_SCORE
        self._scores.append((ref(score), size))
        self._room -= size
        while self._scores and (self._room < 0 or self._scores[0][0]() is None):
            oldest, size = self._scores.popleft()
            self._room += size
            if (unread := oldest()) is not None:
                unread.make_fields()

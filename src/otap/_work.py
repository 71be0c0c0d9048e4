"""The account of the work of a score, from which every stage draws before it begins."""

from otap.errors import LimitError


class WorkAccount:
    """Units of work that a score may still take; a unit takes about .1 to 3 microseconds.

    Work is counted from the size of the input, never by a clock.

    Args:
        limit: the setting ``max_work``.
        purpose: the score in words, for the error.
    """

    def __init__(self, limit: int, purpose: str) -> None:
        self._limit, self._purpose, self._used = limit, purpose, 0

    def draw(self, units: int, stage: str) -> None:
        """Draws the work of a stage.

        Args:
            units: the work, in units.
            stage: the stage in words, for the error.

        Raises:
            LimitError: if the account has less.
        """
        self._used += units
        if self._used > self._limit:
            raise LimitError(
                f"{self._purpose} takes more than {self._limit:,} units of work, the setting"
                f" max_work, of which {stage} would take {units:,}; score it against fewer or"
                " shorter references, or raise the setting"
            )

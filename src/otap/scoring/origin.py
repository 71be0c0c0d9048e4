"""What a score was made of: the way back to its run, which only its own process knows."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from otap.errors import ConfigError

if TYPE_CHECKING:
    from otap.scoring.explanation import Explanation


class Origin:
    """Explains a score anew, in the process that made it.

    Args:
        explain: makes the explanation; None where the run is not known.
    """

    def __init__(self, explain: "Callable[[], Explanation] | None" = None) -> None:
        self._explain = explain

    def explain(self) -> "Explanation":
        """Returns what the score was read off.

        Raises:
            ConfigError: if the run is not known.
        """
        if self._explain is None:
            raise ConfigError(
                "this score does not know its run: it was read or sent; "
                "use Scorer.explain(run, references), or otap report for a result file"
            )
        return self._explain()

    def __reduce__(self) -> "tuple[type[Origin], tuple[()]]":
        return Origin, ()

"""What a score was made of: the way back to its run, which only its own process knows."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from otap.errors import ConfigError

if TYPE_CHECKING:
    from otap.scoring.explanation import Explanation
    from otap.trajectory import Trajectory

    Explain = Callable[[Sequence[Trajectory] | None], Explanation]


class Origin:
    """Explains a score anew, in the process that made it.

    Args:
        explain: makes the explanation, against other references if some are given; None where the
            run is not known.
    """

    def __init__(self, explain: "Explain | None" = None) -> None:
        self._explain = explain

    def explain(self, references: "Sequence[Trajectory] | None" = None) -> "Explanation":
        """Returns what the score was read off.

        Args:
            references: others, to hold the run against under the same settings.

        Raises:
            ConfigError: if the run is not known.
        """
        if self._explain is None:
            raise ConfigError(
                "this score does not know its run: it was read or sent; "
                "use Scorer.explain(run, references), or otap report for a result file"
            )
        return self._explain(references)

    def __reduce__(self) -> "tuple[type[Origin], tuple[()]]":
        return Origin, ()

"""What the user must be told by a reference, and what of it a run told."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Untold:
    """An answer that the run never gave, and the number nearest to it that it gave instead."""

    answer: str
    nearest: str | None = None


@dataclass(frozen=True)
class Telling:
    """What a run told of what a reference says must be told.

    Attributes:
        told: the answers that were given.
        untold: those that were not.
        recorded: whether the run records what was told; if not, no answer is asked for.
        weight: what an answer weighs; an ordinary step weighs 1.
        price: what lacking a weight of 1 adds to the loss.
    """

    told: tuple[str, ...] = ()
    untold: tuple[Untold, ...] = ()
    recorded: bool = True
    weight: float = 1.0
    price: float = 0.0

    @property
    def run(self) -> float:
        """What the run's answers weigh."""
        return self.weight * len(self.told)

    @property
    def reference(self) -> float:
        """What the answers weigh that are asked for."""
        return self.weight * (len(self.told) + len(self.untold))

    @property
    def share(self) -> float:
        """What one answer that is lacking adds to the loss."""
        return self.price * self.weight

    @property
    def loss(self) -> float:
        """What those that are lacking add to the loss."""
        return self.share * len(self.untold)

    @property
    def at_most(self) -> float:
        """What it would cost to give no answer."""
        return self.price * self.reference


NOTHING_ASKED = Telling()

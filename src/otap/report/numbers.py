"""How numbers are printed, everywhere; JSON carries the full doubles."""

DIGITS = 3
ABSENT = "-"


def score_text(value: float | None) -> str:
    """A number in [0, 1] with three digits; what is not exactly 1 never reads as 1."""
    if value is None:
        return ABSENT
    text = f"{value:.{DIGITS}f}"
    return f"0.{'9' * DIGITS}" if value < 1 and float(text) == 1 else text


def loss_text(value: float) -> str:
    """A loss with four digits; what is not exactly 0 never reads as 0."""
    text = f"{value:.4f}"
    return f"{value:.0e}" if value > 0 and float(text) == 0 else text


def percent_text(share: float) -> str:
    """A share as a whole percentage."""
    return "<1 %" if 0 < share < 0.005 else f"{100 * share:.0f} %"

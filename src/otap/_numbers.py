"""How numbers are written for people, everywhere; JSON carries the full doubles."""

DIGITS = 3
ABSENT = "-"


def score_text(value: float | None) -> str:
    """Returns a number in [0, 1] with three digits; what is not exactly 1 never reads as 1."""
    if value is None:
        return ABSENT
    text = f"{value:.{DIGITS}f}"
    return f"0.{'9' * DIGITS}" if value < 1 and float(text) == 1 else text


def brief_text(value: float | None) -> str:
    """Returns a number in [0, 1] with two digits, for places that have no room for three."""
    return ABSENT if value is None else f"{value:.2f}"


def loss_text(value: float) -> str:
    """Returns a loss, in nats, with four digits; what is not exactly 0 never reads as 0."""
    text = f"{value:.4f}"
    return f"{value:.0e}" if value > 0 and float(text) == 0 else text


def percent_text(share: float) -> str:
    """Returns a share in [0, 1] as a whole percentage; a little never reads as nothing."""
    return "<1 %" if 0 < share < 0.005 else f"{100 * share:.0f} %"


def number_text(count: float) -> str:
    """Returns a count alone, or a rate of counts as a whole number: 3,000."""
    return f"{count:,.0f}"


def tenths_text(value: float) -> str:
    """Returns a mean of counts, or seconds, with one digit: 1,234.5."""
    return f"{value:,.1f}"


def bound_text(value: float) -> str:
    """Returns a threshold with all its six digits: who types it in must hit it."""
    return f"{value:.6f}"


def given_text(value: float | None) -> str:
    """Returns a number that somebody gave, as short as it can be: 0.05, 1."""
    return ABSENT if value is None else f"{value:g}"


def count_text(count: int, one: str, many: str | None = None) -> str:
    """Returns a count with its noun: 1 step, 3,000 steps.

    Args:
        count: how many.
        one: the noun in the singular.
        many: its plural; None: with an s.
    """
    return f"{number_text(count)} {one if count == 1 else many or f'{one}s'}"


def difference_text(value: float) -> str:
    """Returns a difference of such numbers, with its sign; what is not exactly 0 has one."""
    text = f"{value:+.{DIGITS}f}"
    return "0" if value == 0 else text


def p_text(value: float) -> str:
    """Returns a p value; a small one never reads as 0."""
    return "<0.001" if value < 0.001 else f"{value:.3f}"


def hundredths(share: float | None) -> str:
    """Returns an AUROC times 100, as the field prints it; what is not exactly 1 is never 100."""
    if share is None:
        return ABSENT
    text = f"{100 * share:.1f}"
    return "99.9" if share < 1 and float(text) == 100 else text

"""Formats numbers for people; JSON has the full doubles.

- ``score_text``, ``two_digit_text`` and ``loss_text`` for scores and losses.
- ``percent_text`` for shares, ``difference_text`` for changes of scores.
- ``count_text`` for a count with its noun, ``number_text`` for a count alone.
- ``decimal_text`` for means and durations, ``plain_number_text`` for numbers from users and files.
- ``p_text`` and ``threshold_text`` for statistics.
- ``six_digit_text`` for numbers that are computed again by hand.
"""

DIGITS = 3
CRITICAL_LINE = 0.9  # a score is below it exactly if a finding is critical
ABSENT = "-"


def score_text(score: float | None) -> str:
    """Returns a number in [0, 1] with three digits.

    A number below 1 never reads as 1, and one below the line of critical findings not as the line.
    """
    if score is None:
        return ABSENT
    text = f"{score:.{DIGITS}f}"
    reads_higher = any(score < line <= float(text) for line in (CRITICAL_LINE, 1.0))
    return f"{float(text) - 10**-DIGITS:.{DIGITS}f}" if reads_higher else text


def two_digit_text(score: float | None) -> str:
    """Returns a number in [0, 1] with two digits, if there is no room for three."""
    return ABSENT if score is None else f"{score:.2f}"


def loss_text(loss: float) -> str:
    """Returns a loss in nats with four digits; only exactly 0 reads as 0."""
    text = f"{loss:.4f}"
    return f"{loss:.0e}" if loss > 0 and float(text) == 0 else text


def percent_text(share: float) -> str:
    """Returns a share in [0, 1] as a whole percentage; a positive share never reads as 0 %."""
    return "<1 %" if 0 < share < 0.005 else f"{100 * share:.0f} %"


def number_text(count: float) -> str:
    """Returns a count without a noun, or a rate of counts, as a whole number: 3,000."""
    return f"{count:,.0f}"


def decimal_text(number: float) -> str:
    """Returns a mean of counts, or a duration in seconds, with one digit: 1,234.5."""
    return f"{number:,.1f}"


def threshold_text(threshold: float) -> str:
    """Returns a threshold with six digits, so that the user can enter it exactly."""
    return f"{threshold:.6f}"


def six_digit_text(number: float) -> str:
    """Returns a number with six significant digits, and with six decimals from 1."""
    return f"{number:.6g}" if abs(number) < 1 else f"{number:.6f}".rstrip("0").rstrip(".")


def plain_number_text(number: float | None) -> str:
    """Returns a number from a user or a file, as short as possible: 0.05, 1."""
    return ABSENT if number is None else f"{number:g}"


def count_text(count: int, singular: str, plural: str | None = None) -> str:
    """Returns a count with its noun: 1 step, 3,000 steps.

    Args:
        count: the count.
        singular: the noun in the singular.
        plural: the noun in the plural; None for the singular with an s.
    """
    return f"{number_text(count)} {singular if count == 1 else plural or f'{singular}s'}"


def difference_text(difference: float) -> str:
    """Returns a difference of scores with its sign; only exactly 0 has none."""
    text = f"{difference:+.{DIGITS}f}"
    return "0" if difference == 0 else text


def p_text(p: float) -> str:
    """Returns a p value; a small one never reads as 0."""
    return "<0.001" if p < 0.001 else f"{p:.3f}"

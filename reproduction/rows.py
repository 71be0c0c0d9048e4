"""Rows of Markdown tables of a study: figures, each with its interval where that is wanted."""

from collections.abc import Iterator, Sequence

from reproduction.measures import Interval


def head(names: Sequence[str], figures: Sequence[str]) -> Iterator[str]:
    """The two lines above the rows."""
    yield row(names, figures)
    yield "|---" * (len(names) + len(figures)) + "|"


def row(names: Sequence[str], figures: Sequence[str]) -> str:
    """One row."""
    return f"| {' | '.join([*names, *figures])} |"


def cell(figure: Interval) -> str:
    """A figure with its interval; a correlation with two digits, a share in per cent."""
    if figure.value != figure.value:
        return "-"
    digits = 2 if abs(figure.value) <= 1 else 0
    return f"{figure.value:.{digits}f} [{figure.low:.{digits}f}, {figure.high:.{digits}f}]"


def gain_cell(gain: Interval) -> str:
    """What a figure gained, with one digit; 0 where no draw has any."""
    if gain.value == gain.low == gain.high == 0:
        return "0"
    return f"{gain.value:+.1f} [{gain.low:+.1f}, {gain.high:+.1f}]"

"""Counts and shares as the evidence of learning words them."""


def counted(count: int, noun: str, plural: str | None = None) -> str:
    """Returns a count with its noun: 1 task, 3 tasks."""
    return f"{count:,} {noun if count == 1 else plural or f'{noun}s'}"


def hundredths(share: float | None) -> str:
    """Returns an AUROC times 100, as the field prints it; "-" where it cannot be said.

    What is not exactly 1 never reads as 100.
    """
    if share is None:
        return "-"
    text = f"{100 * share:.1f}"
    return "99.9" if share < 1 and float(text) == 100 else text

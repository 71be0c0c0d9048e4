"""The parts of one loss, as bars."""

from otap._numbers import loss_text, percent_text
from otap.report.view import Cell, Line, Table, line
from otap.scoring import Score

BAR = 24  # characters of the longest bar
SMALLEST = 1e-12  # a part below it is rounding, and not shown


def losses_view(score: Score) -> Line | Table:
    """Returns the parts that sum to the loss, largest first, and their total."""
    parts = {name: value for name, value in score.losses.model_dump().items() if value > SMALLEST}
    if not parts:
        return _nothing(score)
    largest = max(parts.values())
    rows = [
        (
            Cell(name.replace("_", " ")),
            Cell(loss_text(value)),
            Cell(f"{percent_text(value / score.loss):>5}"),
            Cell("█" * max(1, round(BAR * value / largest)), "cyan"),
        )
        for name, value in sorted(parts.items(), key=lambda item: -item[1])
    ]
    total = (Cell("total", "bold"), Cell(loss_text(score.loss), "bold"), Cell(""), Cell(""))
    return Table([*rows, total], indent=2)


def _nothing(score: Score) -> Line:
    ordered = "" if score.conditions.order_scored else "; order was not scored"
    compared = ", ".join(score.conditions.fields) or "steps"
    return line(f"  none: the run is the same as the reference in {compared}{ordered}", "green")

"""Selected references as text: the runs that each stands for, and the curve of coverage."""

from otap.learning.selection import Selection
from otap.report.rendering import render_view
from otap.report.view import View


def selection_view(selection: Selection, *, is_written: bool) -> View:
    """Returns a selection as lines and tables.

    Args:
        selection: the selection.
        is_written: whether its references have been written to a file.
    """
    return render_view("selection.txt", found=selection, written=is_written)

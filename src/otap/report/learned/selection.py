"""Shows selected references: the runs that each represents, and how well they cover all runs."""

from otap.learning.selection import Selection
from otap.report.rendering import render_view
from otap.report.view import View


def selection_view(selection: Selection, *, is_written: bool) -> View:
    """Returns the selected references of each task.

    Args:
        selection: the references.
        is_written: whether they are in a file already.
    """
    return render_view("selection.txt", selection=selection, is_written=is_written)

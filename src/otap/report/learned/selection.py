"""References that were chosen, as people read it: whom they stand for, and how well they cover."""

from otap.learning.selection import Selection
from otap.report.rendering import render_view
from otap.report.view import View


def selection_view(found: Selection, *, written: bool) -> View:
    """Returns everything that a person wants to know of a selection.

    Args:
        found: the selection.
        written: whether its references are in a file already.
    """
    return render_view("selection.txt", found=found, written=written)

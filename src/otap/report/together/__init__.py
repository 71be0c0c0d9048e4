"""Several runs of one task in one grid, as sequences are aligned: what each does at each step.

``together`` makes the grid: ``common`` picks the reference whose steps are its columns, ``besides``
aligns what the runs do besides these, ``parting`` says where each bad run leaves the good ones.
"""

from otap.report.together.grid import Cell, Column, Grid, Lane, Parting
from otap.report.together.making import together

__all__ = ["Cell", "Column", "Grid", "Lane", "Parting", "together"]

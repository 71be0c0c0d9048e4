"""Aligns several runs of one task in a grid, as multiple sequence alignment does.

``build`` selects the reference whose steps are the columns, makes the grid, and aligns the extra
steps of the runs. ``departures`` finds where each bad run leaves the good runs.
"""

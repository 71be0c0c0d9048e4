"""Several runs of one task in one grid, as sequences are aligned: what each does at each step.

``build`` picks the reference whose steps are the columns, makes the grid, and aligns what the runs
do besides these; ``departures`` says where each bad run leaves the good ones.
"""

"""What the stage loads."""

import subprocess
import sys


def test_a_plain_solve_does_not_load_scipy():
    """Up to 200 steps a side NumPy is enough: scipy would cost more than the score."""
    program = """
import sys
import numpy as np
from otap.transport import Problem, solve
mass = np.full(200, 1 / 200)
D = np.subtract.outer(np.arange(200), np.arange(200)) / -199.0
C = np.random.default_rng(0).random((200, 200))
np.fill_diagonal(C, 0.01)
solve(Problem(C, D, D, mass, mass, 0.35))
assert not any(name.split(".")[0] == "scipy" for name in sys.modules)
"""
    subprocess.run([sys.executable, "-c", program], check=True)

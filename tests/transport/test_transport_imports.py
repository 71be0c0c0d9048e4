"""What the stage loads, and which of its modules import which."""

import subprocess
import sys
from pathlib import Path

import pytest

import otap.transport
from otap.transport.core import native

FOLDER = Path(otap.transport.__file__).parent
# What brings the two solvers together; all else is mathematics, and knows neither.
TOGETHER = {"__init__.py", "solver.py"}


@pytest.mark.skipif(native() is None, reason="NumPy asks scipy for assignments")
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


@pytest.mark.parametrize(
    ("folder", "unknown"), [(".", "plain"), (".", "native"), ("native", "plain")]
)
def test_neither_solver_knows_the_other(folder, unknown):
    """Nor does the mathematics that they share know one of them."""
    for module in (FOLDER / folder).glob("*.py"):
        if folder != "." or module.name not in TOGETHER:
            text = module.read_text(encoding="utf-8").replace("transport.native._core", "")
            assert f"otap.transport.{unknown}" not in text, module

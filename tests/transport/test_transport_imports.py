"""What the stage loads, and which of its modules import which."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import otap.transport
from otap.transport.core import native

FOLDER = Path(otap.transport.__file__).parent
# What brings the two solvers together; all else is mathematics, and knows neither.
TOGETHER = {"__init__.py", "solver.py"}


@pytest.mark.parametrize("core", ["plain", "numpy"])
def test_no_solve_loads_scipy(core):
    """It is no part of an install."""
    program = """
import sys
import numpy as np
from otap.transport import Problem, solve
from otap.transport.core import native
n = 210 if native() else 20
mass = np.full(n, 1 / n)
D = np.subtract.outer(np.arange(n), np.arange(n)) / (1.0 - n)
C = np.random.default_rng(0).random((n, n))
np.fill_diagonal(C, 0.01)
solve(Problem(C, D, D, mass, mass, 0.35))
assert not any(name.split(".")[0] == "scipy" for name in sys.modules)
"""
    if core == "plain" and native() is None:
        pytest.skip("no native core was built")
    environment = {**os.environ, "OTAP_CORE": core}
    subprocess.run([sys.executable, "-c", program], check=True, env=environment)


@pytest.mark.parametrize(
    ("folder", "unknown"), [(".", "plain"), (".", "native"), ("native", "plain")]
)
def test_neither_solver_knows_the_other(folder, unknown):
    """Nor does the mathematics that they share know one of them."""
    for module in (FOLDER / folder).glob("*.py"):
        if folder != "." or module.name not in TOGETHER:
            text = module.read_text(encoding="utf-8").replace("transport.native._core", "")
            assert f"otap.transport.{unknown}" not in text, module

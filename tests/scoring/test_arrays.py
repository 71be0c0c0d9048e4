"""The arrays of a pair, and what is read off its coupling: the native core against NumPy."""

from unittest.mock import patch

import numpy as np
import numpy.typing as npt
import pytest

import otap
from otap.alignment import Comparison, comparison
from otap.costs import CostNodes, FieldCosts, single_nodes, structure_matrix
from otap.encoders import load_encoder
from otap.graph import DependencyGraph, Edge
from otap.run.columns import StepColumns
from otap.scoring.metric import Metric
from otap.scoring.problem import arrays_between, problem_between
from otap.trajectory import Step, parse_trajectory
from otap.transport import FORBIDDEN, Solution, core, solve
from otap.transport.core import native
from otap.transport.objective import terms

pytestmark = pytest.mark.skipif(native() is None, reason="no native core was built")

DEFAULT = Metric(otap.Config(), load_encoder("wordllama"))
PAPER = Metric(otap.Config.preset("paper"), load_encoder("wordllama"))
NAMES = "C", "D_p", "D_r", "mu", "nu", "lambda_1", "lambda_2"
Array = npt.NDArray[np.float64]


def a_side(rng: np.random.Generator, size: int, mechanism: str, precedence: float) -> CostNodes:
    """Nodes with any weights and edges, some of which failed, are critical, or ran at once."""
    turns = np.sort(rng.integers(0, size, size)).tolist()
    steps = [
        Step(id=str(k), turn=turn, status=rng.choice(["ok", "error"]))
        for k, turn in enumerate(turns)
    ]
    named = rng.permutation(size).tolist()
    edges = [(named[a], named[b]) for b in range(size) for a in range(b) if rng.random() < 0.3]
    graph = DependencyGraph(size, tuple(Edge(*edge) for edge in edges), mechanism)
    return single_nodes(
        StepColumns(steps),
        graph,
        structure_matrix(graph, precedence),
        rng.choice([0.25, 1.0, 2.0], size),
        rng.random(size) < 0.3,
        penalties=rng.choice([0.5, 0.9, 1.0], size),
        failed=rng.random(size) < 0.2,
    )


def costs_of(rng: np.random.Generator, n: int, m: int) -> Array:
    """Costs of which many are equal, and some lie beyond where moving mass costs more."""
    return rng.choice([0.0, 0.2, 0.2 + 1e-12, 0.45, 0.6, 0.95, 1.0], (n, m))


@pytest.mark.parametrize("scored", [True, False])
@pytest.mark.parametrize(
    "mechanisms",
    [("traced", "traced"), ("sequential", "explicit"), ("explicit", "explicit")],
)
def test_the_core_packs_what_the_definition_says(scored: bool, mechanisms: tuple[str, str]) -> None:
    """Sides of 1 to 9 steps: to the last bit, but for the mean over the critical steps."""
    rng = np.random.default_rng(5)
    for _ in range(40):
        n, m = rng.integers(1, 10, 2).tolist()
        nodes = tuple(
            a_side(rng, size, mechanism, DEFAULT.config.precedence)
            for size, mechanism in zip((n, m), mechanisms, strict=True)
        )
        wide, unit = costs_of(rng, n, m + 3), 2.5
        C = wide[:, 2 : 2 + m]  # as it lies among the costs of several references
        found = arrays_between((nodes[0], nodes[1]), C, unit, scored, DEFAULT)
        with patch.object(core, "pack", return_value=None):
            wanted = arrays_between((nodes[0], nodes[1]), C, unit, scored, DEFAULT)
        assert found.theta == wanted.theta
        for name in NAMES:
            exact = name != "lambda_2"
            ours, theirs = getattr(found, name), getattr(wanted, name)
            np.testing.assert_allclose(ours, theirs, rtol=0 if exact else 1e-14, err_msg=name)


def test_what_no_problem_may_hold_is_refused_by_the_definition() -> None:
    """A node cost that is not a number has one message, whichever way the arrays are made."""
    rng = np.random.default_rng(1)
    nodes = a_side(rng, 2, "explicit", 1.0), a_side(rng, 3, "explicit", 1.0)
    C = np.full((2, 3), np.nan)
    with pytest.raises(ValueError, match="C must be finite"):
        arrays_between(nodes, C, 1.0, True, DEFAULT)


def test_a_problem_of_a_packed_array_has_its_parts() -> None:
    """They are views of it."""
    rng = np.random.default_rng(2)
    nodes = a_side(rng, 4, "explicit", 1.0), a_side(rng, 3, "explicit", 1.0)
    problem = arrays_between(nodes, costs_of(rng, 4, 3), 4.0, True, DEFAULT)
    assert problem.shape == (4, 3)
    assert all(np.shares_memory(part, problem.packed) for part in (problem.C, problem.D_r))


def a_comparison(rng: np.random.Generator, metric: Metric, epsilon: float | None) -> Comparison:
    """A comparison at the coupling of least loss, or at any coupling where epsilon is None."""
    n, m = rng.integers(1, 10, 2).tolist()
    precedence = metric.config.precedence
    nodes = a_side(rng, n, "traced", precedence), a_side(rng, m, "traced", precedence)
    tool, arguments = costs_of(rng, n, m), costs_of(rng, n, m)
    costs = FieldCosts({"tool": tool, "arguments": arguments}, {"tool": 0.25, "arguments": 0.75})
    whole = metric.runs.of(parse_trajectory({"steps": [{"id": "a"}]}))
    posed = problem_between(nodes, costs, (whole, whole), metric, otap.alignment.NO_ANSWERS)
    if epsilon is not None:
        return Comparison(posed, solve(posed.arrays, epsilon))
    T = rng.random((n, m)) * (rng.random((n, m)) < 0.5) * (posed.arrays.C < FORBIDDEN)
    return Comparison(
        posed, Solution(posed.arrays, T, terms(posed.arrays, T), 0.0, True, 1, 1, 0.0)
    )


@pytest.mark.parametrize("epsilon", [None, 0.0, 0.05])
@pytest.mark.parametrize("metric", [DEFAULT, PAPER], ids=["default", "paper"])
def test_both_read_the_same_off_a_coupling(metric: Metric, epsilon: float | None) -> None:
    """Qualities, contributions and losses to rounding, counterparts exactly."""
    rng = np.random.default_rng(7)
    for _ in range(40):
        made = a_comparison(rng, metric, epsilon)
        found = comparison.compute_shares(made.problem, made.solution)
        wanted = comparison.shares_in_numpy(made.problem, made.solution)
        assert found.counterparts == wanted.counterparts
        assert found.losses == pytest.approx(wanted.losses, abs=1e-13)
        for ours, theirs in zip(found[:4], wanted[:4], strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-13)
        for ours, theirs in zip(found.credit, wanted.credit, strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-13)

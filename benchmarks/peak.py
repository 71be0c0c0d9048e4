"""How far the native core is from what the processor could do: its peak, and what it computes."""

from collections.abc import Sequence

from otap.transport import Problem
from otap.transport.core import native
from otap.transport.native.short import solve_short


def peak() -> float:
    """Floating-point operations a second of one core, measured: fused ones in full registers.

    Raises:
        RuntimeError: where there is no native core.
    """
    core = native()
    if core is None:
        raise RuntimeError("no native core was built: there is nothing to measure")
    return float(core.peak())


def operations(
    problems: Sequence[Problem], epsilon: float, max_outer: int = 100, tolerance: float = 1e-6
) -> float:
    """Floating-point operations that the native core takes for these problems, counted.

    Sums, products and quotients of all descents; not comparisons, nor bits, nor rounding. Problems
    of up to a hundred steps.

    Raises:
        RuntimeError: where there is no native core.
    """
    found = solve_short(
        problems,
        epsilon,
        max_outer=max_outer,
        tolerance=tolerance,
        threads=1,
        count_operations=True,
    )
    return found.operations

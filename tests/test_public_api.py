"""The front door: few names, all of them there, and light to import."""

import subprocess
import sys

import pytest

import otap
from test_architecture import HEAVY


def test_all_is_what_can_be_imported() -> None:
    """Every name of __all__ exists, each is listed by dir(), and no other is found."""
    for name in otap.__all__:
        assert getattr(otap, name) is not None
        assert name in dir(otap)
    with pytest.raises(AttributeError, match="no attribute 'solve'"):
        _ = otap.solve  # type: ignore[attr-defined]


def test_importing_otap_loads_nothing_heavy() -> None:
    """A program that imports otap does not pay for what it may never use."""
    code = f"import otap, sys; print([m for m in {HEAVY!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_plain_score_does_not_load_scipy_or_wordllama() -> None:
    """They alone would take longer than the score."""
    code = (
        "import otap, sys; a = otap.Trajectory(steps=[otap.Step(id='1', tool='x', action='go')]); "
        "b = otap.Trajectory(steps=[otap.Step(id='1', tool='y', action='stay')]); "
        "otap.score(a, b); print([m for m in ('scipy', 'wordllama', 'torch') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"

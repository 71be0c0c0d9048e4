"""Structures held as hops: the same entries as arrays, in a quarter of the memory."""

import numpy as np
import pytest
from long_plans import hops

from otap.transport import Problem
from otap.transport.structure import Hops, dense, equal


def counts(n):
    """The hops of a chain."""
    steps = np.arange(n)
    return (steps[None, :] - steps[:, None]).astype(np.int16)


def test_entries():
    """Entries are counts over the height, whether one is read, some, or all."""
    D = Hops(counts(600), 599)
    array = counts(600) / 599.0
    assert np.array_equal(D.matrix(), array)
    assert np.array_equal(dense(D), array)
    assert D.shape == (600, 600)
    assert D[3, 5] == 2 / 599
    assert np.array_equal(D[2:4], array[2:4])
    assert np.array_equal(D[np.ix_([1, 2], [0, 7])], array[np.ix_([1, 2], [0, 7])])


def test_equality():
    """By entries, whichever way they are held and whatever they are counted in."""
    D = Hops(counts(120), 119)
    assert Hops(counts(120), 119) == D
    assert Hops(counts(120), 120) != D
    assert Hops(counts(121), 119) != D
    assert D != "hops"
    assert equal(D, D)
    assert equal(D, D.matrix())
    assert equal(Hops(counts(120), 119), Hops(2 * counts(120), 238))
    assert not equal(D, Hops(counts(120), 120))
    assert not equal(D, np.zeros((3, 3)))


@pytest.mark.parametrize(
    ("given", "height", "what"),
    [
        (np.zeros((3, 4)), 1, "square"),
        (np.zeros(3), 1, "square"),
        (np.ones((3, 3)), 1, "antisymmetric"),
        (np.zeros((3, 3)), 0, "height"),
    ],
)
def test_what_are_no_hops(given, height, what):
    """Anything else is an error that says what is wrong."""
    with pytest.raises(ValueError, match=what):
        Hops(given, height)


def test_an_asymmetry_far_from_the_diagonal():
    """Every entry is looked at."""
    wrong = counts(1200)
    wrong[3, 1100] += 1
    with pytest.raises(ValueError, match="antisymmetric"):
        Hops(wrong, 1199)


def test_problems_hold_the_hops_of_long_traces():
    """Of up to a hundred steps they become an array; other shapes are errors."""
    rng = np.random.default_rng(0)
    long, short = hops(rng, 130, "tree"), Hops(counts(40), 39)
    masses = np.full(130, 1 / 130), np.full(40, 1 / 40)
    problem = Problem(rng.random((130, 40)), long, short, *masses, 0.35)
    assert problem.D_p is long
    assert np.array_equal(problem.D_r, counts(40) / 39.0)
    with pytest.raises(ValueError, match="D_r must have shape"):
        Problem(rng.random((130, 40)), long, long, *masses, 0.35)

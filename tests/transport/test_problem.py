import numpy as np
import pytest

from otap.transport import Problem


def build(**changes):
    fields = {
        "C": np.zeros((2, 3)),
        "D_p": np.zeros((2, 2)),
        "D_r": np.zeros((3, 3)),
        "mu": np.full(2, 1 / 2),
        "nu": np.full(3, 1 / 3),
        "theta": 0.35,
        "lambda_1": 1.0,
        "lambda_2": 1.0,
    }
    return Problem(**{**fields, **changes})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("C", np.zeros(3)),
        ("C", np.zeros((0, 3))),
        ("C", np.full((2, 3), -0.1)),
        ("C", np.full((2, 3), np.nan)),
        ("D_p", np.zeros((3, 3))),
        ("D_p", np.ones((2, 2))),
        ("D_r", np.full((3, 3), np.inf)),
        ("mu", np.array([0.5, 0.0])),
        ("nu", np.full(2, 0.5)),
        ("theta", -0.1),
        ("theta", 1.1),
        ("theta", np.nan),
        ("lambda_1", 0.0),
        ("lambda_1", np.ones(3)),
        ("lambda_2", -1.0),
    ],
)
def test_what_is_not_a_problem_is_refused_by_name(name, value):
    """A field of the wrong shape or range is a ValueError whose one line names it."""
    with pytest.raises(ValueError, match=f"^{name} ") as error:
        build(**{name: value})
    assert "\n" not in str(error.value)


def test_a_weight_is_held_for_every_step():
    """A single weight means the same as a vector of it."""
    problem = build(lambda_1=2.0, lambda_2=[1.0, 2.0, 3.0])
    assert problem.lambda_1.tolist() == [2.0, 2.0]
    assert problem.lambda_2.tolist() == [1.0, 2.0, 3.0]


def test_any_layout_of_numbers_is_taken():
    """Lists, integers and transposed arrays become contiguous doubles."""
    problem = build(C=np.arange(6).reshape(3, 2).T, D_p=[[0, 1], [-1, 0]])
    assert problem.C.flags.c_contiguous
    assert problem.C.dtype == problem.D_p.dtype == np.float64
    assert problem.shape == (2, 3)

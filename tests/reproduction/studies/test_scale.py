"""Thresholds, scales of one's own, and agents with one tool."""

import numpy as np
import pytest

from otap import Step, Trajectory
from otap.encoders import load_encoder
from reproduction.corpora.hand_corpus import tasks
from reproduction.corpora.perturbed import benchmark
from reproduction.studies import scale

VALID = np.array([True, True, False, False])


def test_balanced_accuracy():
    """The mean of both shares that are right; what reaches the threshold is called valid."""
    values = np.array([0.9, 0.5, 0.5, 0.1])
    found = scale.curve(values, VALID, np.array([0.0, 0.3, 0.5, 0.7, 1.0]))
    np.testing.assert_allclose(found, [0.5, 0.75, 0.75, 0.75, 0.5])


def test_the_threshold_separates():
    """Between the lowest valid and the highest broken one; groups count alike."""
    values = np.array([0.9, 0.8, 0.4, 0.1])
    assert scale.chosen([(values, VALID)]) == pytest.approx(0.6)
    many = np.repeat(values / 2, 50), np.repeat(VALID, 50)
    assert 0.4 < scale.chosen([(values, VALID), (values, VALID), many]) < 0.8


def test_the_threshold_is_not_that_of_the_task_itself():
    """Each task alone would be at 1; with c among the others the best for a and b is .25."""
    values = np.concatenate([np.tile([0.9, 0.8, 0.4, 0.1], 2), [0.3, 0.3, 0.2, 0.2]])
    names = [name for name in "abc" for _ in range(4)]
    found = scale.over_tasks(values, np.tile(VALID, 3), names)
    assert found.value == pytest.approx(100 * (0.75 + 0.75 + 0.5) / 3)


def test_one_tool_keeps_what_was_called():
    """The name of the call moves into the arguments, where they are structured."""
    steps = (
        Step(id="1", tool="book", arguments={"hotel": "x"}), Step(id="2", tool="pay", effect="ok")
    )  # fmt: skip
    found = scale.one_tool(Trajectory(steps=steps))
    assert [step.tool for step in found.steps] == [scale.ONE, scale.ONE]
    assert found.steps[0].arguments == {"call": "book", "hotel": "x"}


@pytest.fixture(scope="module")
def small():
    """Four tasks of the hand corpus."""
    return scale.perturbed(benchmark("hand", tasks("shared", "development")[:4], 0))


def test_unrelated_pairs_are_of_different_tasks(small):
    """Each run against the references of every task but its own."""
    found = scale.unrelated(small, small)
    assert len(found) == 12
    assert all(run.task != references[0].task for run, references in found)


def test_the_own_scale_puts_another_task_near_0(small):
    """Tasks of one agent share tools, which cost less than those of strangers."""
    encoder = load_encoder("wordllama")
    costs = scale.own_costs(small, encoder)
    assert costs["tool"] < 0.7 < costs["action"]
    pairs = scale.unrelated(small, small)[1::2]
    skills = [score.skill for score in scale.own_scale(small, encoder).score_many(pairs)]
    assert np.median(skills) < 0.1

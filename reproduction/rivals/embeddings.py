"""Baselines on the vectors of step texts: greedy F1, and an assignment with dummies."""

import numpy as np
from reproduction.rivals.metric import f1
from reproduction.rivals.texts import step_text
from scipy.optimize import linear_sum_assignment

from otap import Trajectory
from otap.encoders import Encoder
from otap.matrices.texts import Matrix, TextDistances


class StepVectors:
    """The similarities of the step texts of two trajectories, by one encoder."""

    def __init__(self, encoder: Encoder) -> None:
        self._texts = TextDistances(encoder)

    def between(self, run: Trajectory, reference: Trajectory) -> Matrix:
        """The cosine of each step text of one with each of the other, 0 where it is negative."""
        sides = [[step_text(step) for step in side.steps] for side in (run, reference)]
        return 1.0 - self._texts.between(*sides)

    def greedy_f1(self, run: Trajectory, reference: Trajectory) -> float:
        """Each step with the most similar one of the other side, as BERTScore does with tokens.

        Zhang et al. (2020); without its weights by word frequency and its rescaling.
        """
        cosines = self.between(run, reference)
        precision, recall = cosines.max(axis=1).mean(), cosines.max(axis=0).mean()
        return f1(float(precision * recall), float(precision), float(recall))

    def assigned(self, run: Trajectory, reference: Trajectory) -> float:
        """The mean similarity of the best assignment; the shorter side is padded with dummies.

        A dummy costs 1, as much as a step that has nothing in common.
        """
        cosines = self.between(run, reference)
        pairs = linear_sum_assignment(cosines, maximize=True)
        return float(cosines[pairs].sum()) / max(cosines.shape)

    def matched(self, run: Trajectory, reference: Trajectory, least: float) -> dict[int, int]:
        """For steps of the run the steps that they are assigned to, of more than this cosine."""
        cosines = self.between(run, reference)
        cosines[cosines <= least] = 0.0
        rows, columns = linear_sum_assignment(cosines, maximize=True)
        kept = np.flatnonzero(cosines[rows, columns] > 0)
        return dict(zip(rows[kept].tolist(), columns[kept].tolist(), strict=True))

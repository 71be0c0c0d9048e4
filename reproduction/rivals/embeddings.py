"""Baselines on the vectors of step texts: greedy F1, and an assignment with dummies."""

from rouge_score.scoring import fmeasure
from scipy.optimize import linear_sum_assignment

from otap import Trajectory
from otap.costs import TextDistances
from otap.encoders import Encoder
from reproduction.rivals.metric import Matrix
from reproduction.rivals.texts import step_text


class StepVectors:
    """The similarities of the step texts of two trajectories, by one encoder."""

    def __init__(self, encoder: Encoder) -> None:
        self._distances = TextDistances(encoder)

    def cosines(self, run: Trajectory, reference: Trajectory) -> Matrix:
        """The cosine of each step text of one with each of the other, 0 where it is negative."""
        rows, columns = ([step_text(step) for step in side.steps] for side in (run, reference))
        return 1.0 - self._distances.between(rows, columns)

    def greedy_f1(self, run: Trajectory, reference: Trajectory) -> float:
        """Each step with the most similar one of the other side, as BERTScore does with tokens.

        [Zhang2020], without its weights by word frequency and its rescaling.
        """
        cosines = self.cosines(run, reference)
        precision, recall = cosines.max(axis=1).mean(), cosines.max(axis=0).mean()
        return float(fmeasure(precision, recall))

    def assigned(self, run: Trajectory, reference: Trajectory) -> float:
        """The mean similarity of the best assignment; the shorter side is padded with dummies.

        A dummy costs 1, as much as a step that has nothing in common.
        """
        cosines = self.cosines(run, reference)
        pairs = linear_sum_assignment(cosines, maximize=True)
        return float(cosines[pairs].sum() / max(cosines.shape))

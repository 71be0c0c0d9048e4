"""Hides what runs say, on a whole page alike."""

from otap.evaluation import Result
from otap.evaluation.comparison import Comparison
from otap.evaluation.explaining import Told
from otap.report.redaction.explanations import hidden_explanation
from otap.report.redaction.scores import hidden_comparison, hidden_result
from otap.report.redaction.shown import Shown
from otap.report.redaction.stand_ins import StandIns
from otap.scoring import Explanation


class Redactor(Shown):
    """Puts stand-ins in the place of values, texts and names, equal ones where those are equal.

    Tools, the names of their arguments, numbers of ours, and how steps stand to each other stay.
    """

    def __init__(self) -> None:
        self._names = StandIns()

    def explanation(self, found: Explanation) -> Explanation:
        """Returns an explanation of which only its shape is left."""
        return hidden_explanation(found, self._names)

    def result(self, result: Result) -> Result:
        """Returns a result without names and values."""
        return hidden_result(result, self._names)

    def told(self, told: Told) -> Told:
        """Returns all of a result without names and values."""
        return hidden_result(told, self._names)

    def comparison(self, comparison: Comparison) -> Comparison:
        """Returns a comparison without names."""
        return hidden_comparison(comparison, self._names)

    def task(self, name: str) -> str:
        """Returns what stands for a task."""
        return self._names.named("task", name)

    def why(self, text: str) -> str:
        """Returns that there is a reason."""
        del text
        return "the reason is hidden"

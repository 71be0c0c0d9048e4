"""Foreign texts as they are."""

from otap.evaluation import Result
from otap.evaluation.comparison import Comparison
from otap.evaluation.explaining import Told
from otap.scoring import Explanation


class Shown:
    """Shows everything; what hides texts overrides all of it."""

    def explanation(self, found: Explanation) -> Explanation:
        """Returns an explanation as it is shown."""
        return found

    def result(self, result: Result) -> Result:
        """Returns a result as it is shown."""
        return result

    def told(self, told: Told) -> Told:
        """Returns all of a result as it is shown."""
        return told

    def comparison(self, comparison: Comparison) -> Comparison:
        """Returns a comparison as it is shown."""
        return comparison

    def task(self, name: str) -> str:
        """Returns the name of a task as it is shown."""
        return name

    def why(self, text: str) -> str:
        """Returns as it is shown why something could not be done."""
        return text

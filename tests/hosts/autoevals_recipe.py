"""Braintrust evaluates data in memory, and sends nothing; a score is one of autoevals."""

import math
from typing import Any

from braintrust import Eval

from hosts.recipes import CASES, NO_RUN, Result, messages_of
from hosts.scenario import GOOD

PACKAGES = ("braintrust", "autoevals")
TITLE = "Braintrust, autoevals"


def results(recipe: Any) -> dict[str, Result]:
    """The scores of the evaluation; its mean leaves out the unscored run."""
    data = [{"input": name, "expected": messages_of(GOOD)} for name in CASES]
    texts = {}

    def do_task(name: str) -> Any:
        calls = CASES[name]
        return messages_of(calls) if calls else NO_RUN

    def otap_score(**row: Any) -> Any:
        score = recipe.otap_score(**row)
        texts[row["input"]] = score.metadata["explanation"]
        return score

    result = Eval("shop", data=data, task=do_task, scores=[otap_score], no_send_logs=True)
    found = {row.input: Result(row.scores.get("otap"), texts[row.input]) for row in result.results}
    assert [row.error for row in result.results] == [None] * len(CASES)
    scores = [score for score, _ in found.values() if score is not None]
    assert math.isclose(result.summary.scores["otap"].score, sum(scores) / len(scores))
    return found

"""Weave: an evaluation without an account."""

import asyncio
import math
import os
from typing import Any

os.environ["WEAVE_DISABLED"] = "true"

import weave

from hosts.recipes import CASES, NO_RUN, Result, messages_of
from hosts.scenario import GOOD

PACKAGES = ("weave",)
TITLE = "Weave"


def results(recipe: Any) -> dict[str, Result]:
    """The scores of the rows, and the summary, whose means leave out the unscored run."""
    data = [{"case": name, "reference": messages_of(GOOD)} for name in CASES]

    @weave.op
    def act(case: str) -> Any:
        calls = CASES[case]
        return messages_of(calls) if calls else NO_RUN

    evaluation = weave.Evaluation(dataset=data, scorers=[recipe.otap_score])
    rows = asyncio.run(evaluation.get_eval_results(act)).rows
    found = {}
    for case, row in zip(CASES, rows, strict=True):
        score = row["scores"]["otap_score"]
        found[case] = Result(score.get("score"), score.get("reason") or score.get("unscored", ""))
    summary = asyncio.run(evaluation.summarize(asyncio.run(evaluation.get_eval_results(act))))
    scores = [score for score, _ in found.values() if score is not None]
    assert math.isclose(summary["otap_score"]["score"]["mean"], sum(scores) / len(scores))
    return found

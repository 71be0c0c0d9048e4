"""Opik: a metric that is called as its evaluations do, without a server."""

import os
from typing import Any

os.environ["OPIK_TRACK_DISABLE"] = "true"

from hosts.recipes import CASES, NO_RUN, Result, messages_of
from hosts.scenario import GOOD

PACKAGES = ("opik",)
TITLE = "Opik"


def results(recipe: Any) -> dict[str, Result]:
    """The results of the metric."""
    metric = recipe.Otap(name="otap", track=False)
    found = {}
    for name, calls in CASES.items():
        output = messages_of(calls) if calls else NO_RUN
        score = metric.score(output=output, reference=messages_of(GOOD))
        found[name] = Result(None if score.scoring_failed else score.value, score.reason)
    return found

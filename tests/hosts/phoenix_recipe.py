"""Phoenix evaluates a table of runs."""

import json
from typing import Any

import pandas
from phoenix.evals import evaluate_dataframe

from hosts.recipes import CASES, NO_RUN, Result, messages_of
from hosts.scenario import GOOD

PACKAGES = ("arize-phoenix-evals",)
TITLE = "Phoenix"


def results(recipe: Any) -> dict[str, Result]:
    """The scores in the table."""
    rows = [
        {
            "case": name,
            "output": json.dumps(messages_of(calls)) if calls else NO_RUN,
            "expected": json.dumps(messages_of(GOOD)),
        }
        for name, calls in CASES.items()
    ]
    table = evaluate_dataframe(
        pandas.DataFrame(rows), [recipe.otap_evaluator], hide_tqdm_bar=True, exit_on_error=True
    )
    found = {}
    for _, row in table.iterrows():
        score = row["otap_score"]
        labels = {"good": "pass", "unreadable": "unscored"}
        assert score["label"] == labels.get(row["case"], "fail")
        found[row["case"]] = Result(score.get("score"), score["explanation"])
    return found

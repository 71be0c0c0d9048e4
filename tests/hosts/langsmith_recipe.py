"""LangSmith evaluates a data set in memory; the same function serves openevals and agentevals."""

import os
import uuid
from typing import Any

from hosts.recipes import CASES, NO_RUN, Result, messages_of
from hosts.scenario import GOOD

PACKAGES = ("langsmith", "openevals", "agentevals")
TITLE = "LangSmith, openevals, agentevals"


def results(recipe: Any) -> dict[str, Result]:
    """The results of an experiment, which is not uploaded."""
    os.environ["LANGSMITH_TRACING"] = "false"
    from agentevals.trajectory.match import create_trajectory_match_evaluator
    from langsmith import Client, evaluate
    from langsmith.schemas import Example
    from openevals.json import create_json_match_evaluator

    examples = [
        Example(
            id=uuid.uuid4(),
            inputs={"case": name},
            outputs={"messages": messages_of(GOOD)},
            dataset_id=uuid.uuid4(),
        )
        for name in CASES
    ]

    def target(inputs: dict[str, Any]) -> dict[str, Any]:
        calls = CASES[inputs["case"]]
        return {"messages": messages_of(calls)} if calls else {"answer": NO_RUN}

    evaluators = [recipe.otap_evaluator]
    client = Client(api_url="http://localhost:1", api_key="none", auto_batch_tracing=False)
    rows = evaluate(
        target, data=examples, evaluators=evaluators, upload_results=False, client=client
    )
    found = {}
    for row in rows:
        [result] = row["evaluation_results"]["results"]
        assert result.key == "otap"
        found[row["example"].inputs["case"]] = Result(result.score, result.comment)
    # The evaluators of openevals and agentevals are called alike.
    outputs = {"outputs": messages_of(GOOD), "reference_outputs": messages_of(GOOD)}
    for other in (create_trajectory_match_evaluator(), recipe.otap_evaluator):
        assert other(inputs={}, **outputs)["score"] in (True, 1)
    matcher = create_json_match_evaluator(aggregator="all", exclude_keys=[])
    del matcher
    return found

"""Langfuse: an experiment on data in memory, without a server."""

from typing import Any

from langfuse import Langfuse

from hosts.recipes import CASES, NO_RUN, Result, messages_of
from hosts.scenario import GOOD

PACKAGES = ("langfuse",)
TITLE = "Langfuse"


def results(recipe: Any) -> dict[str, Result]:
    """The evaluations of the items."""
    client = Langfuse(
        public_key="none", secret_key="none", host="http://localhost:1", tracing_enabled=False
    )
    data = [{"input": name, "expected_output": messages_of(GOOD)} for name in CASES]

    def do_task(*, item: Any, **_: Any) -> Any:
        calls = CASES[item["input"]]
        return messages_of(calls) if calls else NO_RUN

    result = client.run_experiment(
        name="refunds", data=data, task=do_task, evaluators=[recipe.otap_evaluator]
    )
    found = {}
    for row in result.item_results:
        [evaluation] = row.evaluations
        assert evaluation.name == ("otap_unscored" if row.item["input"] == "unreadable" else "otap")
        is_scored = evaluation.name == "otap"
        found[row.item["input"]] = Result(
            evaluation.value if is_scored else None, evaluation.comment or str(evaluation.value)
        )
    return found

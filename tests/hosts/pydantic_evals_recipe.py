"""Pydantic Evals evaluates a data set; a run that cannot be read is a failure of the evaluator."""

from typing import Any

from pydantic_evals import Case, Dataset

from hosts.recipes import CASES, NO_RUN, Result, messages_of
from hosts.scenario import GOOD

PACKAGES = ("pydantic-evals",)
TITLE = "Pydantic Evals"


def results(recipe: Any) -> dict[str, Result]:
    """The results of the report."""
    gold = messages_of(GOOD)
    cases = [Case(name=name, inputs=name, expected_output=gold) for name in CASES]
    data = Dataset(name="refunds", cases=cases, evaluators=[recipe.Otap()])

    async def do_task(name: str) -> Any:
        calls = CASES[name]
        return messages_of(calls) if calls else NO_RUN

    report = data.evaluate_sync(do_task, progress=False)
    assert not report.failures
    return {
        case.name: Result(case.scores["Otap"].value, case.scores["Otap"].reason or "")
        if case.scores
        else Result(None, case.evaluator_failures[0].error_message)
        for case in report.cases
    }

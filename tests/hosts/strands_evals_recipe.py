"""Strands Evals: an experiment of agents with scripted models."""

import math
from typing import Any

from strands_evals import Case, Experiment

from hosts import strands_host
from hosts.recipes import CASES, NO_RUN, Result
from hosts.scenario import ANSWER, GOOD

PACKAGES = ("strands-agents-evals",)
TITLE = "Strands Evals"


def results(recipe: Any) -> dict[str, Result]:
    """The rows of the report; its mean leaves out the unscored run."""
    expected = strands_host.objects(GOOD)["agent.messages"]
    cases = [Case(name=name, input=name, expected_trajectory=expected) for name in CASES]

    def do_task(case: Any) -> Any:
        calls = CASES[case.input]
        messages = strands_host.objects(calls)["agent.messages"] if calls else [NO_RUN]
        return {"output": ANSWER, "trajectory": messages}

    report = Experiment(cases=cases, evaluators=[recipe.OtapEvaluator()]).run_evaluations(do_task)
    found = {}
    for case, [row] in zip(report.cases, report.detailed_results, strict=True):
        score = None if row.not_applicable else row.score
        assert row.test_pass == (case["name"] in ("good", "unreadable"))
        found[case["name"]] = Result(score, row.reason)
    scores = [result.score for result in found.values() if result.score is not None]
    assert math.isclose(report.overall_score, sum(scores) / len(scores))
    return found

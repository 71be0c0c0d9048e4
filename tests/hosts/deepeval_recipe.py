"""DeepEval evaluates test cases with tools; its metric of OTAP asks no model."""

import os
from typing import Any

os.environ["DEEPEVAL_TELEMETRY_OPT_OUT"] = "YES"

from deepeval import evaluate
from deepeval.evaluate import DisplayConfig, ErrorConfig
from deepeval.test_case import LLMTestCase, ToolCall

from hosts.recipes import CASES, ERROR, Result
from hosts.scenario import ANSWER, GOOD, REQUEST, Call

PACKAGES = ("deepeval",)
TITLE = "DeepEval"


def _tools(calls: list[Call]) -> list[ToolCall]:
    return [
        ToolCall(name=call.tool, input_parameters=call.arguments, output=call.result or ERROR)
        for call in calls
    ]


def results(recipe: Any) -> dict[str, Result]:
    """The metrics of the test cases; a skipped metric has none."""
    cases = [
        LLMTestCase(
            name=name,
            input=REQUEST,
            actual_output=ANSWER,
            expected_tools=_tools(GOOD),
            tools_called=_tools(calls) if calls else None,
        )
        for name, calls in CASES.items()
    ]
    evaluation = evaluate(
        cases,
        [recipe.OtapMetric()],
        error_config=ErrorConfig(skip_on_missing_params=True),
        display_config=DisplayConfig(show_indicator=False, print_results=False),
    )
    found = {}
    for result in evaluation.test_results:
        metrics = result.metrics_data or []
        assert [metric.success for metric in metrics] in ([], [result.name == "good"])
        found[result.name] = (
            Result(metrics[0].score, metrics[0].reason or "") if metrics else Result(None, "")
        )
    return found

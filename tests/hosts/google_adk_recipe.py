"""Google's ADK: a custom metric, found and called by its registry."""

import asyncio
from typing import Any

from google.adk.evaluation.eval_case import Invocation
from google.adk.evaluation.eval_config import EvalConfig
from google.adk.evaluation.eval_metrics import EvalMetric
from google.adk.evaluation.evaluator import EvalStatus
from google.adk.evaluation.metric_evaluator_registry import (
    MetricEvaluatorRegistry,
    register_custom_metrics_from_config,
)
from google.genai import types

from hosts import google_adk_host
from hosts.recipes import CASES, PAGE, Result
from hosts.scenario import GOOD, REQUEST

PACKAGES = ("google-adk[eval]",)
TITLE = "Google ADK"


def results(recipe: Any) -> dict[str, Result]:
    """The results of the registered metric, from the configuration of the page."""
    del recipe
    section = PAGE.read_text("utf-8").partition(f"## {TITLE}")[2]
    text = section.partition("```json\n")[2].partition("```")[0]
    config = EvalConfig.model_validate_json(text)
    registry = register_custom_metrics_from_config(config, MetricEvaluatorRegistry())
    metric = EvalMetric(metric_name="otap", threshold=config.criteria["otap"])
    empty = Invocation(user_content=types.Content(parts=[types.Part(text=REQUEST)]))
    expected = google_adk_host.objects(GOOD)
    found = {}
    for name, calls in CASES.items():
        for kind in ("Invocation", "Invocation with events"):
            actual = google_adk_host.objects(calls)[kind] if calls else empty
            evaluator = registry.get_evaluator(metric)
            result = asyncio.run(evaluator.evaluate_invocations([actual], [expected[kind]]))
            [reason] = result.overall_rubric_scores
            found[name] = Result(result.overall_score, reason.rationale)
            statuses = {"good": EvalStatus.PASSED, "unreadable": EvalStatus.NOT_EVALUATED}
            assert result.overall_eval_status == statuses.get(name, EvalStatus.FAILED), result
    return found

"""MLflow evaluates traces; the page of a run is an artifact."""

import os
import tempfile
from typing import Any

import mlflow

from hosts import mlflow_host
from hosts.recipes import CASES, Result
from hosts.scenario import GOOD

PACKAGES = ("mlflow",)
TITLE = "MLflow"


def gold() -> Any:
    """The good run, traced by MLflow."""
    return mlflow_host.file(GOOD)


def results(recipe: Any) -> dict[str, Result]:
    """The assessments of the traces of an evaluation."""
    os.environ["MLFLOW_ENABLE_ASYNC_TRACE_LOGGING"] = "false"
    mlflow.set_tracking_uri(f"sqlite:///{tempfile.mkdtemp()}/mlflow.db")
    mlflow.set_experiment("refunds")

    @mlflow.trace
    def act(case: str) -> str:
        return mlflow_host.call_tools(CASES[case] or ())

    data = [{"inputs": {"case": name}} for name in CASES]
    result = mlflow.genai.evaluate(data=data, predict_fn=act, scorers=[recipe.otap_score])
    found = {}
    for _, row in result.result_df.iterrows():
        trace = mlflow.get_trace(row["trace_id"])
        [assessment] = [a for a in trace.info.assessments if a.name == "otap_score"]
        name = trace.data.spans[0].inputs["case"]
        found[name] = Result(assessment.value, assessment.rationale)
        assert (assessment.error is not None) == (name == "unreadable"), assessment
    pages = [file.path for file in mlflow.MlflowClient().list_artifacts(result.run_id, "otap")]
    assert len(pages) >= len(CASES) - 1, pages
    scores = [score for score, _ in found.values() if score is not None]
    assert abs(result.metrics["otap_score/mean"] - sum(scores) / len(scores)) < 1e-9
    return found

"""MLflow: its traces, their spans and tables, of functions traced with its decorators."""

import contextlib
import os
import tempfile
from collections.abc import Iterable
from typing import Any

import mlflow
from mlflow.entities import SpanType

from hosts.scenario import ANSWER, REQUEST, TOOLS, Call

PACKAGES = ("mlflow-skinny", "pandas")


def call_tools(calls: Iterable[Call]) -> str:
    """Makes these calls, and answers."""
    for call in calls:
        traced = mlflow.trace(TOOLS[call.tool], name=call.tool, span_type=SpanType.TOOL)
        with contextlib.suppress(ValueError):
            traced(**call.arguments)
    return ANSWER


def _trace(calls: list[Call]) -> Any:
    """The trace of one run, in a store of its own."""
    os.environ["MLFLOW_ALLOW_FILE_STORE"] = "true"  # a database needs much more to install
    os.environ["MLFLOW_ENABLE_ASYNC_TRACE_LOGGING"] = "false"
    mlflow.set_tracking_uri(tempfile.mkdtemp())
    mlflow.set_experiment("hosts")

    def answer(request: str) -> str:
        del request
        return call_tools(calls)

    mlflow.trace(answer, name="clerk", span_type=SpanType.AGENT)(REQUEST)
    return mlflow.get_trace(mlflow.get_last_active_trace_id())


def objects(calls: list[Call]) -> dict[str, Any]:
    """Objects of one run, by their names."""
    trace = _trace(calls)
    import pandas

    row = trace.to_pandas_dataframe_row()
    return {
        "Trace": trace,
        "list of Trace": [trace],
        "trace.data.spans": trace.data.spans,
        "trace.data": trace.data,
        "search_traces()": pandas.DataFrame([row]),
    }


def file(calls: list[Call]) -> Any:
    """The data that MLflow writes itself."""
    return _trace(calls).to_dict()


def unknown() -> Any:
    """An object that holds no run."""
    return mlflow.MlflowClient()

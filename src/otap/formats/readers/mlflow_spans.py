"""Spans of one trace of MLflow without the trace around them, and rows of its tables of traces.

The shapes are those of mlflow 3: ``trace.data``, ``trace.data.spans`` and ``search_traces()``.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from otap.formats.content import object_in, parse_inner, value_at
from otap.formats.json.documents import Document, first_of
from otap.formats.readers import mlflow
from otap.trajectory import Trajectory

NAME = "mlflow-spans"
DESCRIPTION = "spans of one trace of MLflow, or rows of its tables, each with a trace"
STEP = "each span of type TOOL, and each tool call of a model without such a span"
KNOWN_BY = "spans with the attribute 'mlflow.spanType', or rows with a trace of MLflow"


def recognises(value: Any) -> bool:
    """Returns whether this is a list of spans, an object with one, or a row of a table."""
    first = first_of(value)
    return is_mlflow_span(first) or is_mlflow_span(_first_span(first)) or _is_row(first)


def is_mlflow_span(value: Any) -> bool:
    """Returns whether this is a span that MLflow wrote."""
    return isinstance(value, dict) and "mlflow.spanType" in object_in(value, "attributes")


def _first_span(value: Any) -> Any:
    spans = value.get("spans") if isinstance(value, dict) else None
    return first_of(spans) if isinstance(spans, list) else None


def _is_row(value: Any) -> bool:
    return isinstance(value, dict) and mlflow.recognises(_trace_of(value))


def _trace_of(row: dict[str, Any]) -> Any:
    """Returns the trace in a row, which is JSON in a text."""
    return parse_inner(row.get("trace"))


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Yields one run for the spans, or for each row."""
    value = document.value
    items = value if isinstance(value, list) else [value]
    if is_mlflow_span(items[0]):
        traces = [_with_trace(items)]
    elif _is_row(items[0]):
        traces = [_trace_of(path.object(item)) for item, path in document.items()]
    else:
        traces = [_with_trace(path.object(item).get("spans")) for item, path in document.items()]
    return mlflow.read(
        replace(document, value=traces, lines=None, indices=None), reasoning=reasoning
    )


def _with_trace(spans: Any) -> dict[str, Any]:
    """Returns spans inside a trace."""
    return {"info": {"trace_id": value_at(spans, (0, "trace_id"))}, "data": {"spans": spans}}

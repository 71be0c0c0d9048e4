"""Traces of MLflow, as ``trace.to_json()`` writes them, in versions 2 and 3."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from itertools import starmap
from typing import Any, Literal

from otap.formats.json.documents import Document, first_of
from otap.formats.json.paths import JsonPath, described
from otap.formats.json.times import time_from_nanoseconds
from otap.formats.readers.model_spans import call_that_ran, fill_model_span, run_of_trace
from otap.formats.steps.calls import Call, parse_arguments
from otap.formats.steps.content import object_in, parse_inner, unless_blank
from otap.formats.steps.definitions import tool_facts
from otap.formats.steps.spans import Span
from otap.formats.steps.tokens import parse_usage
from otap.trajectory import Trajectory

NAME = "mlflow"
DESCRIPTION = "traces of MLflow, versions 2 and 3: one, a list, or JSONL"
STEP = "each span of type TOOL, and each call of a model that no such span belongs to"
KNOWN_BY = "'info' of a trace beside 'data' with spans"
BY_ITEM = True

_MODELS = ("CHAT_MODEL", "LLM")
_BESIDE = (
    *("AGENT", "CHAIN", "RETRIEVER", "EMBEDDING", "RERANKER", "PARSER", "MEMORY", "UNKNOWN"),
    *("WORKFLOW", "TASK", "GUARDRAIL", "EVALUATOR"),
)
_INPUTS, _OUTPUTS = "mlflow.spanInputs", "mlflow.spanOutputs"
_TOOLS, _USAGE = "mlflow.chat.tools", "mlflow.chat.tokenUsage"
_STATUS: dict[str, Literal["ok", "error"]] = {
    "STATUS_CODE_OK": "ok",
    "STATUS_CODE_ERROR": "error",
    "OK": "ok",
    "ERROR": "error",
}
_NUMBERED = re.compile(r"(?P<name>.+)_[0-9]+", re.DOTALL)


@dataclass(frozen=True, slots=True)
class _Raw:
    """One span as it is written; the versions of MLflow differ in the names of its fields."""

    id: str
    parent: str | None
    name: str
    fields: dict[str, Any]
    attributes: dict[str, Any]
    place: JsonPath

    def value(self, key: str) -> Any:
        """Returns the value of an attribute; MLflow writes all of them as JSON in a text."""
        found = self.attributes.get(key)
        return parse_inner(found, found)

    def placed(self, key: str) -> tuple[Any, JsonPath]:
        """Returns the value of an attribute with its place."""
        return self.value(key), self.place["attributes"][key]

    def time(self, name: str) -> int | None:
        """Returns the nanoseconds since 1970 at the start or the end."""
        later = f"{name}_time_unix_nano"
        key = later if later in self.fields else f"{name}_time"
        value = self.fields.get(key)
        if value is None or (isinstance(value, int) and not isinstance(value, bool)):
            return value
        raise self.place[key].error(f"expected nanoseconds since 1970, found {described(value)}")


def recognises(value: Any) -> bool:
    """Says whether this is a trace of MLflow, or a list that begins with one."""
    first = first_of(value)
    if not isinstance(first, dict):
        return False
    info, data = first.get("info"), first.get("data")
    if not isinstance(info, dict) or not isinstance(data, dict):
        return False
    return isinstance(data.get("spans"), list) and ("trace_id" in info or "request_id" in info)


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Returns one trajectory for each trace."""
    return starmap(partial(_run_of_trace, reasoning=reasoning), document.items())


def _run_of_trace(item: Any, place: JsonPath, *, reasoning: bool) -> Trajectory:
    value = place.object(item)
    info = place["info"].object(value.get("info"))
    data = place["data"].object(value.get("data"))
    where = place["data"]["spans"]
    raws = [_open_span(span, where[n]) for n, span in enumerate(where.array(data.get("spans")))]
    names = _true_names(raws)
    root = next((raw for raw in raws if raw.parent is None), None)
    key = "trace_id" if "trace_id" in info else "request_id"
    fields = {
        "id": place["info"].label_in(info, key),
        **tool_facts(*(raw.value(_TOOLS) for raw in raws)),
        "metadata": {"name": names[root.name]} if root else {},
    }
    asked, answered = (root.value(_INPUTS), root.value(_OUTPUTS)) if root else (None, None)
    spans = [_read_span(raw, names) for raw in raws]
    return run_of_trace(spans, fields, asked, answered, place, reasoning=reasoning)


def _open_span(value: Any, place: JsonPath) -> _Raw:
    fields = place.object(value)
    if "context" in fields:  # version 2
        identifier = place["context"].object(fields["context"]).get("span_id")
        where, parent = place["context"]["span_id"], "parent_id"
    else:
        identifier, where, parent = fields.get("span_id"), place["span_id"], "parent_span_id"
    return _Raw(
        where.text(identifier),
        place[parent].label(fields.get(parent)),
        place["name"].text(fields.get("name")),
        fields,
        place["attributes"].object(fields.get("attributes")),
        place,
    )


def _true_names(raws: list[_Raw]) -> dict[str, str]:
    """Returns what each span was called: version 2 numbers the spans that share a name.

    It numbers all of them, from 1.
    """
    names = {raw.name: raw.name for raw in raws}
    for raw in raws:
        numbered = _NUMBERED.fullmatch(raw.name) if "context" in raw.fields else None
        if numbered is None:
            continue
        name = numbered["name"]
        if name not in names and f"{name}_1" in names and f"{name}_2" in names:
            names[raw.name] = name
    return names


def _read_span(raw: _Raw, names: dict[str, str]) -> Span:
    start, end = raw.time("start"), raw.time("end")
    span = Span(raw.id, raw.parent, raw.place, start, end, agent=_agent_of(raw, names))
    kind = raw.value("mlflow.spanType")
    if kind == "TOOL":
        times = time_from_nanoseconds(start, raw.place), time_from_nanoseconds(end, raw.place)
        span.call = _call_of_span(raw, names, times)
    elif kind in _MODELS:
        failed = _status_of_span(raw)[0] == "error"
        fill_model_span(span, raw.placed(_INPUTS), raw.placed(_OUTPUTS), failed=failed)
        span.tokens = parse_usage(raw.value(_USAGE))
    elif kind is None or kind in _BESIDE:
        span.ignored.append(f"span of type '{kind or 'UNKNOWN'}'")
    else:
        span.unknown.append("span of an unknown type")
    return span


def _agent_of(raw: _Raw, names: dict[str, str]) -> str | None:
    if raw.value("mlflow.spanType") == "AGENT":
        return names[raw.name]
    metadata = raw.value("metadata")  # where MLflow traced LangChain
    agent = metadata.get("lc_agent_name") if isinstance(metadata, dict) else None
    return agent if isinstance(agent, str) and agent else None


def _call_of_span(
    raw: _Raw, names: dict[str, str], times: tuple[datetime | None, datetime | None]
) -> Call:
    identifier = raw.place["attributes"]["tool_call_id"].label(raw.value("tool_call_id"))
    name, inputs, parsed = names[raw.name], raw.value(_INPUTS), True
    handled = _handled(inputs)
    if handled is not None:
        name, (inputs, parsed) = handled["tool_name"], parse_arguments(handled["args"])
    status, error = _status_of_span(raw)
    return call_that_ran(
        name,
        inputs,
        identifier,
        raw.placed(_OUTPUTS),
        parsed=parsed,
        status=status,
        error=error,
        times=times,
    )


def _handled(inputs: Any) -> dict[str, Any] | None:
    """Returns the call that a toolset of Pydantic AI handles: its span is named for the handler."""
    call = object_in(inputs, "call") if isinstance(inputs, dict) else {}
    return call if "args" in call and unless_blank(call.get("tool_name")) else None


def _status_of_span(raw: _Raw) -> tuple[Literal["ok", "error"] | None, str | None]:
    """Returns how a span ended, and what went wrong, in words."""
    code, words = raw.fields.get("status_code"), raw.fields.get("status_message")
    if isinstance(status := raw.fields.get("status"), dict):
        code, words = status.get("code"), status.get("message")
    ended = _STATUS.get(code) if isinstance(code, str) else None
    return ended, words if isinstance(words, str) and words else None

"""Runs of LangSmith, from its client: a list or JSONL of runs, or nested runs."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from otap.formats.content import drop_nulls, object_in
from otap.formats.json.documents import Document, first_of
from otap.formats.json.paths import JsonObject, JsonPath
from otap.formats.json.times import parse_time_in_utc, to_nanoseconds
from otap.formats.readers.model_spans import call_that_ran, fill_model_span, run_of_trace
from otap.formats.spans import Span
from otap.formats.tokens import parse_usage
from otap.formats.tool_calls import ToolCall
from otap.formats.tool_definitions import tool_facts
from otap.trajectory import Trajectory

NAME = "langsmith"
DESCRIPTION = "runs of LangSmith: a list, JSONL, {'runs': [...]}, or with 'child_runs' inside"
STEP = "each run of a tool, and each tool call of a model without such a run"
KNOWN_BY = "runs with 'id' and 'run_type'"

_KINDS = ("tool", "chain", "llm", "retriever", "embedding", "prompt", "parser")
_CONTENT = ("inputs", "outputs", "child_runs", "parent_run_id", "dotted_order", "trace_id")


@dataclass(slots=True, eq=False)
class _TracedRun:
    """One run, with the ids of its ancestors, of which the last is the nearest."""

    id: str
    fields: JsonObject
    ancestors: tuple[str, ...]
    trace: str | None

    def time(self, key: str) -> datetime | None:
        """Returns the start or the end; times are in UTC."""
        return parse_time_in_utc(self.fields.get(key), self.fields.at(key))


def recognises(value: Any) -> bool:
    """Returns whether this is a run, or begins with one."""
    if isinstance(value, dict) and "run_type" not in value:
        value = value.get("runs")
    first = first_of(value)
    if not isinstance(first, dict) or first.get("id") is None:
        return False
    return first.get("run_type") in _KINDS and any(key in first for key in _CONTENT)


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Yields one run for each trace, in the order in which traces appear."""
    runs = list(_nested_runs(document))
    runs_by_id = {run.id: run for run in runs}
    traces: dict[str, list[_TracedRun]] = {}
    for run, trace in zip(runs, _traces_of(runs, runs_by_id), strict=True):
        traces.setdefault(trace, []).append(run)
    for trace, trace_runs in traces.items():
        yield _run_of_trace(trace, trace_runs, runs_by_id, reasoning)


def _nested_runs(document: Document) -> Iterator[_TracedRun]:
    """Yields every run, including nested ones, without recursion because they nest deeply."""
    value = document.value
    runs: Iterable[JsonObject] = document.objects()
    if isinstance(value, dict) and "run_type" not in value:
        runs = JsonObject(value, document.root).objects("runs")
    pending: list[tuple[JsonObject, _TracedRun | None]] = [(run, None) for run in runs]
    pending.reverse()
    while pending:
        fields, parent = pending.pop()
        run = _open_run(fields, parent)
        yield run
        children = fields.objects("child_runs") if fields.get("child_runs") else []
        pending.extend((child, run) for child in reversed(children))


def _open_run(fields: JsonObject, outer: _TracedRun | None) -> _TracedRun:
    identifier = fields.text("id")
    order = _ids_in_order(fields.get("dotted_order"), fields.at("dotted_order"))
    parent, trace = fields.label("parent_run_id"), fields.label("trace_id")
    ancestors = [*order[:-1]]
    if outer:
        ancestors.insert(0, outer.id)
    if parent:
        ancestors.append(parent)
    trace = trace or (order[0] if order else None) or (outer.trace if outer else None)
    return _TracedRun(identifier, fields, tuple(ancestors), trace)


def _ids_in_order(value: Any, path: JsonPath) -> tuple[str, ...]:
    """Returns the ids in an order such as "20260101T000000000000Z<id>.20260101T...Z<id>"."""
    if value is None:
        return ()
    return tuple(part.partition("Z")[2] for part in path.text(value).split("."))


def _parent_of(run: _TracedRun, runs_by_id: dict[str, _TracedRun]) -> str | None:
    """Returns the nearest ancestor in the file: some exports have only the runs of tools."""
    ancestors = reversed(run.ancestors)
    return next((ancestor for ancestor in ancestors if ancestor in runs_by_id), None)


def _traces_of(runs: Iterable[_TracedRun], runs_by_id: dict[str, _TracedRun]) -> Iterator[str]:
    """Yields the trace of each run: its own, else that of its parent, else its id."""
    traces: dict[str, str] = {}
    for run in runs:
        chain: dict[str, None] = {}
        current: _TracedRun | None = run
        trace = run.id
        while current is not None and current.id not in chain:
            chain[current.id] = None
            trace = traces.get(current.id) or current.trace or current.id
            if current.id in traces or current.trace is not None:
                break
            current = runs_by_id.get(_parent_of(current, runs_by_id) or "")
        traces.update(dict.fromkeys(chain, trace))
        yield trace


def _run_of_trace(
    trace: str, runs: list[_TracedRun], runs_by_id: dict[str, _TracedRun], reasoning: bool
) -> Trajectory:
    root = next((run for run in runs if _parent_of(run, runs_by_id) is None), runs[0])
    notes = {key: root.fields.get(key) for key in ("name", "feedback_stats")}
    fields = {
        "id": trace,
        "task": root.fields.label("reference_example_id"),
        **tool_facts(*(_tools_defined(run) for run in runs)),
        "metadata": drop_nulls({**notes, "error": _error_of(root)}),
    }
    inputs, outputs = root.fields.get("inputs"), root.fields.get("outputs")
    spans = [_read_run(run, runs_by_id) for run in runs]
    return run_of_trace(spans, fields, inputs, outputs, root.fields.path, reasoning=reasoning)


def _error_of(run: _TracedRun) -> str | None:
    """Returns the error message without the traceback that follows it."""
    error = run.fields.get("error")
    if error is None or error == "":
        return None
    text = run.fields.text("error")
    return text.partition("Traceback (most recent call last)")[0].strip() or text


def _read_run(run: _TracedRun, runs_by_id: dict[str, _TracedRun]) -> Span:
    fields, kind = run.fields, run.fields.get("run_type")
    start, end = run.time("start_time"), run.time("end_time")
    parent = _parent_of(run, runs_by_id)
    span = Span(run.id, parent, fields.path, to_nanoseconds(start), to_nanoseconds(end))
    extra = object_in(fields.mapping, "extra")
    agent = object_in(extra, "metadata").get("lc_agent_name")
    span.agent = agent if isinstance(agent, str) and agent else None
    if kind == "tool":
        span.call = _call_of_run(run, extra, (start, end))
    elif kind == "llm":
        inputs, outputs = ((fields.get(key), fields.at(key)) for key in ("inputs", "outputs"))
        fill_model_span(span, inputs, outputs, failed=_status_of_run(run) == "error")
        span.tokens = parse_usage(fields.mapping)
    elif kind in _KINDS:
        span.ignored.append(f"run of type '{kind}'")
    else:
        span.unknown.append("run of an unknown type")
    return span


def _tools_defined(run: _TracedRun) -> Any:
    """Returns the tool definitions that a model received, in the form of its own library."""
    parameters = object_in(object_in(run.fields.mapping, "extra"), "invocation_params")
    return parameters.get("tools") or parameters.get("functions")


def _call_of_run(
    run: _TracedRun, extra: dict[str, Any], times: tuple[datetime | None, datetime | None]
) -> ToolCall:
    outputs = object_in(run.fields.mapping, "outputs")
    output = outputs["output"] if outputs.keys() == {"output"} else outputs or None
    return call_that_ran(
        run.fields.text("name"),
        run.fields.get("inputs"),
        run.fields.at("extra").label_in(extra, "tool_call_id"),
        (output, run.fields.at("outputs")["output"]),
        parsed=_has_parsed_arguments(run.fields.get("inputs")),
        status=_status_of_run(run),
        error=_error_of(run),
        times=times,
    )


def _has_parsed_arguments(inputs: Any) -> bool:
    """Returns whether the inputs of a tool are its arguments.

    LangChain before version 1 records the arguments as a Python literal in a text. The call in the
    model's answer then replaces them.
    """
    text = inputs["input"] if isinstance(inputs, dict) and inputs.keys() == {"input"} else None
    return not (isinstance(text, str) and text.startswith("{"))


def _status_of_run(run: _TracedRun) -> Literal["ok", "error"] | None:
    """Returns the status of a run; "success" does not exclude a tool message with a failure."""
    status = run.fields.get("status")
    if status == "error" or _error_of(run) is not None:
        return "error"
    return "ok" if status == "success" else None

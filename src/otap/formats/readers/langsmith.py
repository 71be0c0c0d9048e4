"""Runs of LangSmith, from its client: a list or JSONL of runs, or nested runs."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from otap.formats.content import drop_nulls, object_in
from otap.formats.json.documents import Document, first_of
from otap.formats.json.paths import JsonPath
from otap.formats.json.times import parse_time_in_utc, to_nanoseconds
from otap.formats.readers.model_spans import call_that_ran, fill_model_span, run_of_trace
from otap.formats.spans import Span
from otap.formats.tokens import parse_usage
from otap.formats.tool_calls import Call
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
    fields: dict[str, Any]
    path: JsonPath
    ancestors: tuple[str, ...]
    trace: str | None


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
    pending: list[tuple[Any, JsonPath, _TracedRun | None]] = [
        (value, path, None) for value, path in reversed(list(_top_level_runs(document)))
    ]
    while pending:
        value, path, parent = pending.pop()
        run = _open_run(path.object(value), path, parent)
        yield run
        children = list(path["child_runs"].objects(value.get("child_runs") or []))
        pending.extend((child, child_path, run) for child, child_path in reversed(children))


def _top_level_runs(document: Document) -> Iterable[tuple[Any, JsonPath]]:
    value = document.value
    if isinstance(value, dict) and "run_type" not in value:
        return document.root["runs"].objects(value.get("runs"))
    return document.items()


def _open_run(fields: dict[str, Any], path: JsonPath, outer: _TracedRun | None) -> _TracedRun:
    identifier = path["id"].text(fields.get("id"))
    order = _ids_in_order(fields.get("dotted_order"), path["dotted_order"])
    parent, trace = path.label_in(fields, "parent_run_id"), path.label_in(fields, "trace_id")
    ancestors = [*order[:-1]]
    if outer:
        ancestors.insert(0, outer.id)
    if parent:
        ancestors.append(parent)
    trace = trace or (order[0] if order else None) or (outer.trace if outer else None)
    return _TracedRun(identifier, fields, path, tuple(ancestors), trace)


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
    task = root.fields.get("reference_example_id")
    notes = {key: root.fields.get(key) for key in ("name", "feedback_stats")}
    fields = {
        "id": trace,
        "task": root.path["reference_example_id"].label(task),
        **tool_facts(*(_tools_defined(run) for run in runs)),
        "metadata": drop_nulls({**notes, "error": _error_of(root)}),
    }
    inputs, outputs = root.fields.get("inputs"), root.fields.get("outputs")
    spans = [_read_run(run, runs_by_id) for run in runs]
    return run_of_trace(spans, fields, inputs, outputs, root.path, reasoning=reasoning)


def _error_of(run: _TracedRun) -> str | None:
    """Returns the error message without the traceback that follows it."""
    error = run.fields.get("error")
    if error is None or error == "":
        return None
    text = run.path["error"].text(error)
    return text.partition("Traceback (most recent call last)")[0].strip() or text


def _read_run(run: _TracedRun, runs_by_id: dict[str, _TracedRun]) -> Span:
    kind = run.fields.get("run_type")
    start = parse_time_in_utc(run.fields.get("start_time"), run.path["start_time"])
    end = parse_time_in_utc(run.fields.get("end_time"), run.path["end_time"])
    parent = _parent_of(run, runs_by_id)
    span = Span(run.id, parent, run.path, to_nanoseconds(start), to_nanoseconds(end))
    extra = object_in(run.fields, "extra")
    agent = object_in(extra, "metadata").get("lc_agent_name")
    span.agent = agent if isinstance(agent, str) and agent else None
    if kind == "tool":
        span.call = _call_of_run(run, extra, (start, end))
    elif kind == "llm":
        inputs = run.fields.get("inputs"), run.path["inputs"]
        outputs = run.fields.get("outputs"), run.path["outputs"]
        fill_model_span(span, inputs, outputs, failed=_status_of_run(run) == "error")
        span.tokens = parse_usage(run.fields)
    elif kind in _KINDS:
        span.ignored.append(f"run of type '{kind}'")
    else:
        span.unknown.append("run of an unknown type")
    return span


def _tools_defined(run: _TracedRun) -> Any:
    """Returns the tool definitions that a model received, in the form of its own library."""
    parameters = object_in(object_in(run.fields, "extra"), "invocation_params")
    return parameters.get("tools") or parameters.get("functions")


def _call_of_run(
    run: _TracedRun, extra: dict[str, Any], times: tuple[datetime | None, datetime | None]
) -> Call:
    outputs = object_in(run.fields, "outputs")
    output = outputs["output"] if outputs.keys() == {"output"} else outputs or None
    return call_that_ran(
        run.path["name"].text(run.fields.get("name")),
        run.fields.get("inputs"),
        run.path["extra"].label_in(extra, "tool_call_id"),
        (output, run.path["outputs"]["output"]),
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

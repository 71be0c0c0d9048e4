"""Runs of LangSmith, as its client gives them: a list or JSONL of runs, or runs inside runs."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from otap.formats.json.documents import Document, first_of
from otap.formats.json.paths import JsonPath
from otap.formats.json.times import parse_time_in_utc, to_nanoseconds
from otap.formats.readers.model_spans import call_that_ran, fill_model_span, run_of_trace
from otap.formats.steps.calls import Call
from otap.formats.steps.content import drop_nulls, object_in
from otap.formats.steps.definitions import tool_facts
from otap.formats.steps.spans import Span
from otap.formats.steps.tokens import parse_usage
from otap.trajectory import Trajectory

NAME = "langsmith"
DESCRIPTION = "runs of LangSmith: a list, JSONL, {'runs': [...]}, or with 'child_runs' inside"
STEP = "each run of a tool, and each call of a model that no such run belongs to"
KNOWN_BY = "runs with 'id' and 'run_type'"

_KINDS = ("tool", "chain", "llm", "retriever", "embedding", "prompt", "parser")
_CONTENT = ("inputs", "outputs", "child_runs", "parent_run_id", "dotted_order", "trace_id")


@dataclass(slots=True, eq=False)
class _TracedRun:
    """One run, with what says where it belongs; the last of ``around`` is the nearest."""

    id: str
    fields: dict[str, Any]
    place: JsonPath
    around: tuple[str, ...]
    trace: str | None


def recognises(value: Any) -> bool:
    """Says whether this is a run, or begins with one."""
    if isinstance(value, dict) and "run_type" not in value:
        value = value.get("runs")
    first = first_of(value)
    if not isinstance(first, dict) or first.get("id") is None:
        return False
    return first.get("run_type") in _KINDS and any(key in first for key in _CONTENT)


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Returns one trajectory for each trace, in the order in which they appear."""
    runs = list(_every_run(document))
    known = {run.id: run for run in runs}
    traces: dict[str, list[_TracedRun]] = {}
    for run, trace in zip(runs, _traces_of(runs, known), strict=True):
        traces.setdefault(trace, []).append(run)
    for trace, members in traces.items():
        yield _run_of_trace(trace, members, known, reasoning)


def _every_run(document: Document) -> Iterator[_TracedRun]:
    """Returns every run, those inside others too; a queue, as they nest deep."""
    waiting: list[tuple[Any, JsonPath, _TracedRun | None]] = [
        (value, place, None) for value, place in reversed(list(_runs_listed(document)))
    ]
    while waiting:
        value, place, outer = waiting.pop()
        run = _open_run(place.object(value), place, outer)
        yield run
        children = [*place["child_runs"].objects(value.get("child_runs") or [])]
        waiting.extend((child, where, run) for child, where in reversed(children))


def _runs_listed(document: Document) -> Iterable[tuple[Any, JsonPath]]:
    value = document.value
    if isinstance(value, dict) and "run_type" not in value:
        return document.root["runs"].objects(value.get("runs"))
    return document.items()


def _open_run(fields: dict[str, Any], place: JsonPath, outer: _TracedRun | None) -> _TracedRun:
    identifier = place["id"].text(fields.get("id"))
    ordered = _ordered(fields.get("dotted_order"), place["dotted_order"])
    parent, trace = place.label_in(fields, "parent_run_id"), place.label_in(fields, "trace_id")
    around = (*((outer.id,) if outer else ()), *ordered[:-1], *((parent,) if parent else ()))
    trace = trace or (ordered[0] if ordered else None) or (outer.trace if outer else None)
    return _TracedRun(identifier, fields, place, around, trace)


def _ordered(value: Any, place: JsonPath) -> tuple[str, ...]:
    """Returns the ids in an order such as "20260101T000000000000Z<id>.20260101T...Z<id>"."""
    if value is None:
        return ()
    return tuple(part.partition("Z")[2] for part in place.text(value).split("."))


def _parent_of(run: _TracedRun, known: dict[str, _TracedRun]) -> str | None:
    """Returns the nearest run around this one that is there: some export the runs of tools only."""
    return next((each for each in reversed(run.around) if each in known), None)


def _traces_of(runs: Iterable[_TracedRun], known: dict[str, _TracedRun]) -> Iterator[str]:
    """Returns the trace of each run; where it does not say, that of its parent, or itself."""
    found: dict[str, str] = {}
    for run in runs:
        path: dict[str, None] = {}
        at: _TracedRun | None = run
        trace = run.id
        while at is not None and at.id not in path:
            path[at.id] = None
            trace = found.get(at.id) or at.trace or at.id
            settled = at.id in found or at.trace is not None
            at = None if settled else known.get(_parent_of(at, known) or "")
        found.update(dict.fromkeys(path, trace))
        yield trace


def _run_of_trace(
    trace: str, runs: list[_TracedRun], known: dict[str, _TracedRun], reasoning: bool
) -> Trajectory:
    root = next((run for run in runs if _parent_of(run, known) is None), runs[0])
    task = root.fields.get("reference_example_id")
    notes = {key: root.fields.get(key) for key in ("name", "feedback_stats")}
    fields = {
        "id": trace,
        "task": root.place["reference_example_id"].label(task),
        **tool_facts(*map(_tools_given, runs)),
        "metadata": drop_nulls({**notes, "error": _error_of(root)}),
    }
    asked, answered = root.fields.get("inputs"), root.fields.get("outputs")
    spans = [_read_run(run, known) for run in runs]
    return run_of_trace(spans, fields, asked, answered, root.place, reasoning=reasoning)


def _error_of(run: _TracedRun) -> str | None:
    """Returns what went wrong, without the long list of lines of code that follows it."""
    error = run.fields.get("error")
    if error is None or error == "":
        return None
    text = run.place["error"].text(error)
    return text.partition("Traceback (most recent call last)")[0].strip() or text


def _read_run(run: _TracedRun, known: dict[str, _TracedRun]) -> Span:
    kind = run.fields.get("run_type")
    started, ended = (
        parse_time_in_utc(run.fields.get(key), run.place[key]) for key in ("start_time", "end_time")
    )
    span = Span(
        run.id, _parent_of(run, known), run.place, to_nanoseconds(started), to_nanoseconds(ended)
    )
    extra = object_in(run.fields, "extra")
    agent = object_in(extra, "metadata").get("lc_agent_name")
    span.agent = agent if isinstance(agent, str) and agent else None
    if kind == "tool":
        span.call = _call_of_run(run, extra, (started, ended))
    elif kind == "llm":
        inputs, outputs = ((run.fields.get(key), run.place[key]) for key in ("inputs", "outputs"))
        fill_model_span(span, inputs, outputs, failed=_status_of_run(run) == "error")
        span.tokens = parse_usage(run.fields)
    elif kind in _KINDS:
        span.ignored.append(f"run of type '{kind}'")
    else:
        span.unknown.append("run of an unknown type")
    return span


def _tools_given(run: _TracedRun) -> Any:
    """Returns the tools that a model was given, as its own library writes them."""
    asked = object_in(object_in(run.fields, "extra"), "invocation_params")
    return asked.get("tools") or asked.get("functions")


def _call_of_run(
    run: _TracedRun, extra: dict[str, Any], times: tuple[datetime | None, datetime | None]
) -> Call:
    outputs, place = object_in(run.fields, "outputs"), run.place["outputs"]
    output = outputs["output"] if outputs.keys() == {"output"} else outputs or None
    return call_that_ran(
        run.place["name"].text(run.fields.get("name")),
        run.fields.get("inputs"),
        run.place["extra"].label_in(extra, "tool_call_id"),
        (output, place["output"]),
        parsed=_are_arguments(run.fields.get("inputs")),
        status=_status_of_run(run),
        error=_error_of(run),
        times=times,
    )


def _are_arguments(inputs: Any) -> bool:
    """Says whether the inputs of a tool are its arguments.

    Versions of LangChain before 1 give the arguments as Python would print them. The model's call
    says them better, and replaces them.
    """
    text = inputs["input"] if isinstance(inputs, dict) and inputs.keys() == {"input"} else None
    return not (isinstance(text, str) and text.startswith("{"))


def _status_of_run(run: _TracedRun) -> Literal["ok", "error"] | None:
    """A run is a success for LangSmith although the tool's message says that it failed."""
    status = run.fields.get("status")
    if status == "error" or _error_of(run) is not None:
        return "error"
    return "ok" if status == "success" else None

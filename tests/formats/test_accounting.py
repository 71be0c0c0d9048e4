"""Nothing vanishes: each call in a file is a step, or the run counts a part that it left out.

The calls of a file are counted here by their shape, without any knowledge of its format.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from formats.counts.counted import documents, inside, unfolded
from otap import formats
from otap.trajectory import Step

MADE = Path(__file__).parent / "made"
REAL = (
    *("traces/adk", "traces/coding-agents", "traces/inspect", "traces/otel-spans", "traces/otlp"),
    *("traces-2/mini-swe-agent", "traces-2/openhands", "traces-2/swe-agent"),
)
NAMES = ("name", "tool_name", "toolName", "function_name", "tool")
ARGUMENTS = ("arguments", "args", "input", "tool_input", "toolInput", "parameters", "kwargs")
IDS = (
    *("call_id", "callId", "tool_call_id", "toolCallId", "tool_use_id", "toolUseId", "id"),
    "tool_id",
)
# Objects with one of these keys describe a tool or an agent, or are a span around a call.
OTHERS = (
    *("description", "inputSchema", "input_schema", "parameters_json_schema", "run_type"),
    *("traceId", "trace_id", "startTime", "start_time"),
)
RESULT_TYPES = (
    *("tool_result", "tool-result", "function_call_output", "function_result"),
    *("tool_call_response", "custom_tool_call_output"),
)


def calls_in(value: Any) -> Iterator[str]:
    """Yields the id of each object that looks like a call."""
    for candidate in inside(value):
        call = candidate
        if isinstance(candidate.get("function"), dict):
            call = {**candidate["function"], "id": candidate.get("id")}
        has_name = any(isinstance(call.get(key), str) for key in NAMES)
        is_complete = has_name and any(key in call for key in ARGUMENTS)
        if is_complete and not any(key in call for key in OTHERS):
            yield from _ids_of(call)


def results_in(value: Any) -> Iterator[str]:
    """Yields the id of the call of each object that looks like a result."""
    for candidate in inside(value):
        if candidate.get("role") == "tool" or candidate.get("type") in RESULT_TYPES:
            yield from _ids_of(candidate)


def _ids_of(value: dict[str, Any]) -> list[str]:
    """Returns the first id of an object in a list, or an empty list."""
    return [value[key] for key in IDS if isinstance(value.get(key), str) and value[key]][:1]


def steps_in(steps: tuple[Step, ...]) -> Iterator[Step]:
    """Yields each step, with those inside it."""
    for step in steps:
        yield step
        yield from steps_in(step.substeps)


def balance_of(file: Path) -> tuple[set[str], int]:
    """Returns the ids in a file that no step has, and the number of parts that account for them.

    These are the parts that the runs count as left out, results without a call, and the steps
    whose format has no ids.
    """
    (trace,) = formats.open_files(file)
    runs = [*trace.runs(), *trace.references()]
    steps = [step for run in runs for step in steps_in(run.steps)]
    ids = {step.metadata.get("call_id") for step in steps}
    kinds = [kind for run in runs for kind in (run.unread.unknown, run.unread.ignored)]
    counts = [count for kind in kinds for count in kind.values()]
    counts += [len(run.metadata.get("results_without_call", ())) for run in runs]
    content = unfolded(documents(file))
    missing = {*calls_in(content), *results_in(content)} - ids
    return missing, sum(counts) + sum("call_id" not in step.metadata for step in steps)


def _check(file: Path) -> None:
    missing, count = balance_of(file)
    assert len(missing) <= count, sorted(missing)


MADE_FILES = sorted(
    file.relative_to(MADE).as_posix()
    for file in MADE.rglob("*")
    if file.suffix in (".json", ".jsonl")
)


@pytest.mark.parametrize("name", MADE_FILES)
def test_made(name: str) -> None:
    """Files that the producers' own programs wrote."""
    _check(MADE / name)


@pytest.mark.parametrize("folder", REAL)
def test_real(real_data: Path, folder: str) -> None:
    """Public files."""
    for file in sorted((real_data / folder).rglob("*")):
        if file.suffix in (".json", ".jsonl", ".traj"):
            _check(file)


def test_the_count_itself() -> None:
    """Calls and results are seen in each of the common shapes; descriptions and spans are not."""
    calls = [
        {"type": "tool_use", "id": "a", "name": "f", "input": {}},
        {"id": "b", "type": "function", "function": {"name": "f", "arguments": "{}"}},
        {"type": "tool-call", "toolCallId": "c", "toolName": "f", "input": {}},
        {"output": json.dumps([{"call_id": "d", "name": "f", "arguments": {}}])},
        {"name": "f", "description": "x", "parameters": {}, "id": "e"},
        {"name": "f", "input": {}, "id": "g", "startTime": "1"},
    ]
    results = [
        {"role": "tool", "tool_call_id": "a", "content": "x"},
        {"type": "tool_result", "tool_use_id": "b", "content": "x"},
        {"role": "user", "content": "x", "id": "c"},
    ]
    assert list(calls_in(unfolded(calls))) == ["a", "b", "c", "d"]
    assert list(results_in(results)) == ["a", "b"]

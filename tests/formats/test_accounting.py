"""Nothing vanishes: each call in a file is a step, or the run counts a part that it left out.

The calls of a file, and the texts of the assistant, are counted here by their shape, without any
knowledge of its format.
"""

import json
import zipfile
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
# Copies in other words: of the texts and calls of an agent, by the one that handed over to it, and
# of two thoughts, in the history beside the trajectory.
COPIES = {"inspect.json": 3, "marshmallow_function_calling.traj": 2}
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


def nameless_calls_in(value: Any) -> Iterator[str]:
    """Yields the name of each object that looks like a call and has no id."""
    for candidate in inside(value):
        names = [candidate[key] for key in NAMES if isinstance(candidate.get(key), str)]
        is_complete = bool(names) and any(
            isinstance(candidate.get(key), dict) for key in ("arguments", "args", "tool_input")
        )
        if is_complete and not any(key in candidate for key in (*OTHERS, *IDS)):
            yield names[0]


def texts_in(value: Any) -> Iterator[str]:
    """Yields the first line of each text of an assistant, wherever its message is."""
    for message in inside(value):
        if message.get("role") not in ("assistant", "model", "ai") or message.get("is_demo"):
            continue
        content = message.get("content", message.get("parts"))
        for part in content if isinstance(content, list) else [content]:
            is_text = isinstance(part, dict) and part.get("type") in ("text", "output_text")
            text = part.get("text", part.get("content")) if is_text else part
            if isinstance(text, str) and not text.startswith("attachment:"):
                lines = [line for line in text.splitlines() if not line.startswith("```")]
                yield from [" ".join(line.split()) for line in lines if line.strip()][:1]


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


def missing_texts(file: Path) -> list[str]:
    """Returns the texts of the assistant in a file that no run has."""
    (trace,) = formats.open_files(file)
    runs = list(trace.runs(reasoning=True))
    fields: list[Any] = [run.messages_to_user for run in runs]
    beginnings = []  # of texts that hold the call as well
    for step in (step for run in runs for step in steps_in(run.steps)):
        fields += [step.action, step.effect, step.arguments]
        beginnings += [" ".join(text.split()) for text in (step.action, step.tool) if text]
    recorded = " ".join(
        json.dumps(unfolded(fields), ensure_ascii=False).replace("\\n", " ").split()
    )
    texts = set(texts_in(unfolded(documents(file))))
    missing = {text for text in texts if json.dumps(text, ensure_ascii=False)[1:-1] not in recorded}
    return sorted(text for text in missing if not text.startswith(tuple(beginnings)))


def _check(file: Path) -> None:
    missing, count = balance_of(file)
    assert len(missing) <= count, sorted(missing)
    (trace,) = formats.open_files(file)
    runs = [*trace.runs(), *trace.references()]
    tools = {step.tool for run in runs for step in steps_in(run.steps)}
    nameless = set(nameless_calls_in(unfolded(documents(file)))) - tools
    assert len(nameless) <= count, sorted(nameless)
    kinds = [kind for run in runs for kind in (run.unread.unknown, run.unread.ignored)]
    left_out = sum(count for kind in kinds for count in kind.values())
    texts = missing_texts(file)
    assert len(texts) <= left_out + COPIES.get(file.name, 0), texts


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


def test_an_archive(tmp_path: Path) -> None:
    """An archive of Inspect has the calls of its samples, and nothing else is a call."""
    log = json.loads((MADE / "inspect.json").read_text("utf-8"))
    samples = log.pop("samples")
    archive = tmp_path / "inspect.eval"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("header.json", json.dumps(log))
        for sample in samples:
            name = f"samples/{sample['id']}_epoch_{sample['epoch']}.json"
            packed.writestr(name, json.dumps(sample))
    (trace,) = formats.open_files(archive)
    steps = [step for run in trace.runs() for step in steps_in(run.steps)]
    ids = {step.metadata.get("call_id") for step in steps}
    content = unfolded(samples)
    assert {*calls_in(content), *results_in(content)} <= ids


def test_the_count_of_texts_and_nameless_calls() -> None:
    """Texts in each common shape, and calls without an id, are seen; examples are not."""
    messages = [
        {"role": "assistant", "content": "One.\nMore."},
        {"role": "model", "parts": [{"type": "text", "content": "Two."}]},
        {"role": "assistant", "content": [{"type": "text", "text": "```\nThree."}]},
        {"role": "assistant", "content": "Example.", "is_demo": True},
        {"role": "user", "content": "No."},
    ]
    assert list(texts_in(messages)) == ["One.", "Two.", "Three."]
    calls = [{"name": "f", "args": {}}, {"name": "g", "args": {}, "id": "1"}, {"name": "h"}]
    assert list(nameless_calls_in(calls)) == ["f"]

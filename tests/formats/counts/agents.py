"""Frameworks of agents: Google's ADK, ATIF, smolagents, Inspect."""

import json
import re
import struct
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

import zstandard

from formats.counts.counted import Counts, Run, documents, inside

ZSTANDARD = 93


def _snake(value: Any) -> Any:
    """A value whose keys are all written with underscores: ADK writes both ways."""
    if isinstance(value, dict):
        return {re.sub("([A-Z])", r"_\1", k).lower(): _snake(v) for k, v in value.items()}
    return [_snake(item) for item in value] if isinstance(value, list) else value


def _of_events(events: list[dict[str, Any]]) -> Run:
    run = Run()
    for event in events:
        for part in (event.get("content") or {}).get("parts") or []:
            if part.get("function_call"):
                run.calls[part["function_call"]["name"]] += 1
            answer = (part.get("function_response") or {}).get("response") or {}
            run.failed += answer.get("status") == "error"
            run.said += event["author"] == "user" and bool(part.get("text"))
    return run


def adk_session(file: Path) -> Counts:
    """A session of ADK: parts 'function_call' of its events."""
    return Counts([_of_events(_snake(documents(file)[0])["events"])])


def adk_set(file: Path) -> Counts:
    """An eval set of ADK: tool uses of its turns, or the calls of their events; a case a run."""
    runs = []
    for case in _snake(documents(file)[0])["eval_cases"]:
        run = Run()
        for turn in case["conversation"]:
            found = _of_turn(turn)
            run.calls += found.calls
            run.failed += found.failed
            run.said += 1
        runs.append(run)
    return Counts(runs)


def _of_turn(turn: dict[str, Any]) -> Run:
    data = turn.get("intermediate_data") or {}
    if "invocation_events" in data:
        return _of_events(data["invocation_events"])
    run = Run(Counter(use["name"] for use in data["tool_uses"]), said=1)
    answers = [answer["response"] for answer in data.get("tool_responses") or []]
    run.failed = sum(answer.get("status") == "error" for answer in answers)
    return run


def adk_first_sets(file: Path) -> Counts:
    """The first eval sets of ADK: queries, each with the tool uses that are expected."""
    return Counts(
        [
            Run(
                Counter(u["tool_name"] for turn in case["data"] for u in turn["expected_tool_use"]),
                said=len(case["data"]),
            )
            for case in documents(file)[0]
        ]
    )


def adk_results(file: Path) -> Counts:
    """Results of ADK: each turn as it was and as it was expected; status 1 is passed, 2 is not."""
    counts = Counts([])
    for case in _snake(documents(file)[0])["eval_case_results"]:
        run = Run(outcome={1: 1.0, 2: 0.0}.get(case["final_eval_status"]))
        gold: Counter[str] = Counter()
        for turn in case["eval_metric_result_per_invocation"]:
            actual = _of_turn(turn["actual_invocation"])
            run.calls += actual.calls
            run.failed += actual.failed
            run.said += 1
            gold += _of_turn(turn["expected_invocation"]).calls
        counts.runs.append(run)
        counts.golds.append(gold)
    return counts


def atif(file: Path) -> Counts:
    """ATIF: 'tool_calls' of agent steps; a step without, that is answered, is an action.

    What was copied from before the session does not count. Sub-agents' trajectories stand beside.
    """
    (made,) = documents(file)
    run = Run(said=sum(step["source"] == "user" for step in made["steps"]))
    for trajectory in [made, *made.get("subagent_trajectories", [])]:
        for step in trajectory["steps"]:
            if step["source"] != "agent" or step.get("is_copied_context"):
                continue
            run.calls.update(call["function_name"] for call in step.get("tool_calls") or [])
            run.calls["tool"] += bool(step.get("observation")) and not step.get("tool_calls")
    return Counts([run])


def smolagents(file: Path) -> Counts:
    """smolagents: 'tool_calls' of action steps, or of the message where the call failed at once."""
    runs = []
    for made in documents(file):
        run = Run()
        for step in made["steps"] if isinstance(made, dict) else made:
            message = step.get("model_output_message") or {}
            calls = step.get("tool_calls") or message.get("tool_calls") or []
            run.calls.update(call["function"]["name"] for call in calls)
            run.failed += bool(step.get("error"))
            run.said += "task" in step
        runs.append(run)
    return Counts(runs)


def inspect(file: Path) -> Counts:
    """Inspect: events 'tool' of each sample, whoever called; a score 'C' is 1, 'I' is 0."""
    runs = []
    for sample in _samples(file):
        score = next(iter(sample["scores"].values()))["value"]
        asked = [m for m in sample["messages"] if m["role"] == "user"]
        run = Run(said=sum(m.get("source") == "input" for m in asked))
        run.outcome = {"C": 1.0, "I": 0.0}.get(score, score)
        calls = [x for x in inside(sample["events"]) if x.get("event") == "tool"]
        run.calls.update(call["function"] for call in calls)
        run.failed = sum(bool(call.get("error")) for call in calls)
        runs.append(run)
    return Counts(runs)


def _samples(file: Path) -> list[dict[str, Any]]:
    if file.suffix == ".json":
        return documents(file)[0]["samples"]
    with zipfile.ZipFile(file) as archive:
        names = sorted(name for name in archive.namelist() if name.startswith("samples/"))
        return [json.loads(_unpacked(archive, file, name)) for name in names]


def _unpacked(archive: zipfile.ZipFile, file: Path, name: str) -> bytes:
    """A member, which may be packed by Zstandard: zipfile reads that from Python 3.14 only."""
    member = archive.getinfo(name)
    if member.compress_type != ZSTANDARD:
        return archive.read(name)
    raw = file.read_bytes()[member.header_offset :]
    names, extra = struct.unpack("<HH", raw[26:30])
    packed = raw[30 + names + extra :][: member.compress_size]
    return zstandard.ZstdDecompressor().decompressobj().decompress(packed)

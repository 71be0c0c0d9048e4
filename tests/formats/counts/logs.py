"""Logs of what ran: events of crews, histories of browsers, event logs of process mining."""

import xml.etree.ElementTree as ET
from pathlib import Path

from formats.counts.counted import Counts, Run, documents


def crewai(file: Path) -> Counts:
    """CrewAI: 'tool_usage_started' is a call, 'tool_usage_error' a failure; tasks are asked."""
    run = Run()
    for event in documents(file):
        kind = event["type"]
        run.calls.update([event["tool_name"]] if kind == "tool_usage_started" else [])
        run.failed += kind == "tool_usage_error"
        run.said += kind == "task_started"
    return Counts([run])


def browser_use(file: Path) -> Counts:
    """browser-use: each key of an action that is not null; a result with an error is a failure."""
    run = Run()
    for step in documents(file)[0]["history"]:
        for action in step["model_output"]["action"]:
            run.calls.update(name for name, value in action.items() if value is not None)
        run.failed += sum(bool(result.get("error")) for result in step["result"])
    return Counts([run])


def xes(file: Path) -> Counts:
    """XES: the attribute 'concept:name' of each event of a trace."""
    runs = []
    for trace in ET.parse(file).getroot().findall("{*}trace"):
        run = Run()
        for event in trace.findall("{*}event"):
            named = {one.get("key"): one.get("value") for one in event}
            run.calls.update([str(named["concept:name"])])
        runs.append(run)
    return Counts(runs)

"""Runs of OpenHands: its evaluation's outputs, and the events of its sessions."""

from collections.abc import Iterator
from typing import Any

from otap.formats.json.documents import Document, first_of
from otap.formats.json.places import Place
from otap.formats.readers.coding.openhands_events import (
    Event,
    Run,
    is_event,
    is_sdk_event,
    record_event,
    record_sdk_event,
)
from otap.formats.steps.content import recorded
from otap.trajectory import Trajectory

NAME = "openhands"
DESCRIPTION = "runs of OpenHands: output.jsonl of its evaluation, or the events of a session"
STEP = "each action of the agent that calls a tool; what another agent did for it are substeps"
KNOWN_BY = "'history' of actions and observations, or events of its SDK"

_LISTS = ("history", "trajectory", "events")
_AROUND = {"instance_id", "git_patch", "test_result", "metadata"}  # of an output without history
_KEPT = ("success", "error")


def recognises(value: Any) -> bool:
    """Says whether this is an output, a list of events, or a list of outputs."""
    if isinstance(value, list) and value and _is_event(value[0], alone=True):
        return True
    first = first_of(value)
    if not isinstance(first, dict):
        return False
    listed = _events_in(first)
    if listed:
        return _begins_events(listed)
    return "history" in first and len(_AROUND & first.keys()) > 1


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Returns one run for each output, or for the events of a session."""
    value = document.value
    if isinstance(value, list) and _is_event(value[0], alone=True):
        events = [(place.object(event), place) for event, place in document.items()]
        yield _run({}, document.place, events, reasoning)
        return
    for item, place in document.items():
        output = place.object(item)
        yield _run(output, place, list(_placed(output, place)), reasoning)


def _is_event(value: Any, *, alone: bool = False) -> bool:
    if not isinstance(value, dict):
        return False
    return is_sdk_event(value) or is_event(value, alone=alone)


def _events_in(value: dict[str, Any]) -> list[Any] | None:
    found = next((value[key] for key in _LISTS if value.get(key) is not None), None)
    return found if isinstance(found, list) else None


def _begins_events(listed: list[Any]) -> bool:
    first = listed[0]
    return _is_event(first) or (isinstance(first, list) and len(first) == 2 and _is_event(first[0]))


def _placed(output: dict[str, Any], place: Place) -> Iterator[Event]:
    """Returns the events; the oldest outputs have each action in a pair with what it brought."""
    key = next((key for key in _LISTS if output.get(key) is not None), None)
    if key is None:
        return
    for index, item in enumerate(place[key].array(output[key])):
        where = place[key][index]
        if isinstance(item, list):
            yield from where.objects(item)
        else:
            yield where.object(item), where


def _run(output: dict[str, Any], place: Place, events: list[Event], reasoning: bool) -> Trajectory:
    run = Run(events, reasoning)
    for event, where in events:
        if is_sdk_event(event):
            record_sdk_event(run, event, where)
        else:
            record_event(run, event, where)
    name = _name_of_problem(output, place)
    fields = {
        "id": name,
        "task": name,
        "outcome": _outcome(output),
        "metadata": recorded({key: output.get(key) for key in _KEPT}),
    }
    return run.trajectory(fields, place)


def _name_of_problem(output: dict[str, Any], place: Place) -> str | None:
    """Returns the instance of a benchmark, or the issue that was to be resolved."""
    name = place["instance_id"].label(output.get("instance_id"))
    issue = output.get("issue")
    if name is not None or not isinstance(issue, dict):
        return name
    parts = [place["issue"][key].label(issue.get(key)) for key in ("owner", "repo", "number")]
    return "/".join(part for part in parts if part is not None) or None


def _outcome(output: dict[str, Any]) -> float | None:
    """Returns whether the tests of a benchmark say that it is solved."""
    tested = output.get("test_result")
    reports = [output.get("report"), tested]
    if isinstance(tested, dict):
        reports.insert(1, tested.get("report"))
    for report in reports:
        if isinstance(report, dict) and isinstance(report.get("resolved"), bool):
            return float(report["resolved"])
    return None

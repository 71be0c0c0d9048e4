"""Results of evaluations with Google's ADK: what agents did, and what was expected of them."""

from collections.abc import Iterator
from typing import Any

from otap.formats.dialects.gemini import Fields, field_of
from otap.formats.json.documents import Document, first_of
from otap.formats.readers.adk import declared, finished, record_events, record_invocation
from otap.formats.steps.definitions import tool_facts
from otap.formats.steps.recorder import Recorder
from otap.trajectory import Trajectory

NAME = "adk-results"
DESCRIPTION = "results of evaluations with Google's ADK (.evalset_result.json)"
STEP = "each function call of an agent; in a gold, each tool use that was expected"
KNOWN_BY = "'eval_case_results'"

_STATUS: dict[Any, float] = {1: 1.0, 2: 0.0, "PASSED": 1.0, "FAILED": 0.0}


def recognises(value: Any) -> bool:
    """Says whether this is the result of an evaluation, or a list that begins with one."""
    first = first_of(value)
    return isinstance(first, dict) and isinstance(field_of(first, "eval_case_results"), list)


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Returns a run for each case that was tried; whether it passed is the outcome."""
    for case in _cases_in(document):
        recorder = Recorder(reasoning)
        session = case.object("session_details")
        if session is not None and session.get("events"):
            record_events(recorder, session.objects("events"))
        else:
            _record_invocations(recorder, case, "actual_invocation")
        status = case.get("final_eval_status")
        task = case.label("eval_id")
        tried = _invocations_of(case, "actual_invocation")
        tools = [tool for invocation in tried for tool in declared(invocation)]
        names = {
            "id": case.label("session_id") or task,
            "task": task,
            "outcome": _STATUS.get(status) if isinstance(status, int | str) else None,
            **tool_facts(*tools),
        }
        yield finished(recorder, names, {"eval_set_id": case.label("eval_set_id")}, case)


def references(document: Document) -> Iterator[Trajectory]:
    """Returns what was expected in each case, once for each case, where the file says it."""
    told: set[str | None] = set()
    for case in _cases_in(document):
        task = case.label("eval_id")
        if task in told or not _invocations_of(case, "expected_invocation"):
            continue
        told.add(task)
        recorder = Recorder()
        _record_invocations(recorder, case, "expected_invocation")
        names = {"id": None if task is None else f"{task}/gold", "task": task}
        yield finished(recorder, names, {}, case)


def _cases_in(document: Document) -> Iterator[Fields]:
    for value, place in document.items():
        yield from Fields(place.object(value), place).objects("eval_case_results")


def _invocations_of(case: Fields, which: str) -> list[Fields]:
    results = case.objects("eval_metric_result_per_invocation")
    found = (result.object(which) for result in results)
    return [invocation for invocation in found if invocation is not None]


def _record_invocations(recorder: Recorder, case: Fields, which: str) -> None:
    for index, invocation in enumerate(_invocations_of(case, which)):
        record_invocation(recorder, invocation, index)

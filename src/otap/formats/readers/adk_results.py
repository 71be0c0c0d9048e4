"""Results of evaluations with Google's ADK: the runs of agents, and the expected runs."""

from collections.abc import Iterator
from typing import Any

from otap.formats.json.documents import Document, first_of
from otap.formats.readers.adk import facts_of_tools, record_events, record_invocation
from otap.formats.readers.gemini import Fields, field_of
from otap.formats.recorder import Recorder
from otap.trajectory import Trajectory

NAME = "adk-results"
DESCRIPTION = "results of evaluations with Google's ADK (.evalset_result.json)"
STEP = "each function call of an agent; in a gold, each expected tool use"
KNOWN_BY = "'eval_case_results'"

_OUTCOMES: dict[Any, float] = {1: 1.0, 2: 0.0, "PASSED": 1.0, "FAILED": 0.0}


def recognises(value: Any) -> bool:
    """Returns whether this is the result of an evaluation, or a list that begins with one."""
    first = first_of(value)
    return isinstance(first, dict) and isinstance(field_of(first, "eval_case_results"), list)


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Yields a run for each case that ran; the outcome is 1 if it passed."""
    for case in _cases_in(document):
        recorder = Recorder(reasoning)
        session = case.object_if_any("session_details")
        invocations = _invocations_of(case, "actual_invocation")
        if session is not None and session.get("events"):
            record_events(recorder, session.objects("events"))
        else:
            _record_invocations(recorder, invocations)
        status = case.get("final_eval_status")
        task = case.label("eval_id")
        fields = {
            "id": case.label("session_id") or task,
            "task": task,
            "outcome": _OUTCOMES.get(status) if isinstance(status, int | str) else None,
            **facts_of_tools(invocations),
        }
        notes = {"eval_set_id": case.label("eval_set_id")}
        yield recorder.conversation().to_trajectory(case.path, fields, notes)


def references(document: Document) -> Iterator[Trajectory]:
    """Yields the expected run of each case once, if the file has it."""
    done: set[str | None] = set()
    for case in _cases_in(document):
        task = case.label("eval_id")
        if task in done:
            continue
        invocations = _invocations_of(case, "expected_invocation")
        if not invocations:
            continue
        done.add(task)
        recorder = Recorder()
        _record_invocations(recorder, invocations)
        fields = {"id": None if task is None else f"{task}/gold", "task": task}
        yield recorder.conversation().to_trajectory(case.path, fields, {})


def _cases_in(document: Document) -> Iterator[Fields]:
    for value, path in document.items():
        yield from Fields(path.object(value), path).objects("eval_case_results")


def _invocations_of(case: Fields, key: str) -> list[Fields]:
    metric_results = case.objects("eval_metric_result_per_invocation")
    invocations = [metric_result.object_if_any(key) for metric_result in metric_results]
    return [invocation for invocation in invocations if invocation is not None]


def _record_invocations(recorder: Recorder, invocations: list[Fields]) -> None:
    for index, invocation in enumerate(invocations):
        record_invocation(recorder, invocation, index)

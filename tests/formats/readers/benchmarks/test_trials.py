"""Folders of trials of Harbor, results without calls, and runs of MedAgentBench."""

import json
from pathlib import Path
from typing import Any

import pytest

from otap import formats
from otap.errors import FormatError

STEPS = [
    {"step_id": 1, "source": "user", "message": "Go."},
    {
        "step_id": 2,
        "source": "agent",
        "message": "",
        "tool_calls": [{"tool_call_id": "c", "function_name": "bash", "arguments": {}}],
    },
]
TRAJECTORY = {"schema_version": "ATIF-v1.6", "agent": {"name": "a"}, "steps": STEPS}


def write_trial(folder: Path, result: Any, **others: Any) -> Path:
    """Writes a trial of Harbor; returns the file of its trajectory."""
    files = {"agent/trajectory.json": TRAJECTORY, "result.json": result, "config.json": {}}
    for name, value in {**files, **others}.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(value), encoding="utf-8")
    return folder / "agent" / "trajectory.json"


def result_of(reward: Any) -> dict[str, Any]:
    """The result of a trial."""
    names = {"task_name": "sort", "trial_name": "sort__1"}
    return {**names, "verifier_result": {"rewards": {"reward": reward}}}


def test_the_folder_of_a_job(tmp_path: Path) -> None:
    """Each trajectory is a run with the task, the trial and the reward; other traces are read."""
    write_trial(tmp_path / "job" / "sort__1", result_of(1))
    logs = {"agent/sessions/s.jsonl": {"type": "strange"}}
    write_trial(tmp_path / "job" / "sort__2", result_of(0.5), **logs)
    write_trial(tmp_path / "job" / "sort__3", {"verifier_result": None})
    (tmp_path / "job" / "result.json").write_text('{"stats": {}}')
    (tmp_path / "other.json").write_text('[{"name": "look", "args": {}}]')
    runs = list(formats.read_all(tmp_path))
    facts = [(run.task, run.trial, run.outcome, len(run.steps)) for run in runs]
    assert facts == [
        ("sort", "sort__1", 1.0, 1),
        ("sort", "sort__1", 0.5, 1),
        (None, None, None, 1),
        (None, None, None, 1),
    ]


@pytest.mark.parametrize(
    "result",
    [result_of("1"), result_of(True), result_of(None), [], {"reward": 1}, "x" * 1_100_000],
)
def test_a_result_that_says_no_reward(tmp_path: Path, result: Any) -> None:
    """The trajectory is read without an outcome."""
    assert formats.read(write_trial(tmp_path, result)).outcome is None


def test_a_result_that_is_no_json(tmp_path: Path) -> None:
    """It gives nothing."""
    file = write_trial(tmp_path, None)
    (tmp_path / "result.json").write_text("{")
    assert formats.read(file).task is None


@pytest.mark.parametrize(
    ("result", "name"),
    [
        (result_of(1), "Harbor"),
        ({"results": [{"task_id": "a", "is_resolved": True}]}, "Terminal-Bench"),
        ({"task_id": "a", "is_resolved": True}, "Terminal-Bench"),
    ],
)
def test_results_alone_have_no_calls(write: Any, result: Any, name: str) -> None:
    """The error says what to take instead."""
    with pytest.raises(FormatError, match=f"{name}.*take"):
        formats.read(write(result))


PROMPT = "You are an expert in using FHIR functions.\n\nContext: It is now.\nQuestion: Why?"


def medical(*history: tuple[str, str], **fields: Any) -> dict[str, Any]:
    """A run of MedAgentBench."""
    messages = [{"role": role, "content": text} for role, text in (("user", PROMPT), *history)]
    output = {"index": 7, "status": "completed", "result": None, "history": messages}
    return {"index": 7, "error": None, "info": None, "output": output, **fields}


def test_medagentbench(write: Any) -> None:
    """Requests in fences, of two parameters, refused, and that never got a response."""
    order = '{"resourceType": "ServiceRequest"}'
    run = formats.read(
        write(
            medical(
                ("agent", "```tool_code\nGET http://h:80/fhir/Patient?name=A&id=1&id=2\n```"),
                (
                    "user",
                    'Here is the response from the GET request:\n{"a": 1}. Please call FINISH',
                ),
                ("agent", f"POST http://h:80/fhir/ServiceRequest\n{order}"),
                ("user", "Invalid POST request"),
                ("agent", "GET http://[h/fhir/Patient"),
                ("agent", 'FINISH(["a", 2])'),
            )
        )
    )
    assert [(step.tool, step.arguments, step.effect, step.status) for step in run.steps] == [
        ("GET /Patient", {"name": "A", "id": ["1", "2"]}, '{"a": 1}', "ok"),
        ("POST /ServiceRequest", json.loads(order), "Invalid POST request", "error"),
        ("GET http://[h/fhir/Patient", {}, None, None),
    ]
    assert run.request == ("Context: It is now.\nQuestion: Why?",)
    assert (run.task, run.messages_to_user) == ("7", ('["a", 2]',))


def test_medagentbench_that_ended_in_an_error(write: Any) -> None:
    """A run of which nothing is recorded is not understood."""
    lines = [medical(("agent", "I do not know.")), {"index": 8, "error": "TIMEOUT", "output": None}]
    first, second = formats.read_all(write(lines, "runs.jsonl"))
    assert (first.steps, first.messages_to_user) == ((), ("I do not know.",))
    assert not second.understood

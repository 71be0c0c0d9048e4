"""Trajectories of mini-swe-agent, which does everything with commands of a shell."""

from collections.abc import Iterator
from typing import Any, Literal

from otap.formats.json.documents import Document
from otap.formats.json.places import Place
from otap.formats.steps.calls import Call, call_notes
from otap.formats.steps.content import recorded
from otap.formats.steps.recorder import Recorder
from otap.trajectory import Trajectory, parse_trajectory

NAME = "mini-swe-agent"
DESCRIPTION = "trajectories of mini-swe-agent (.traj.json)"
STEP = "each command that the agent ran in the shell"
KNOWN_BY = "'trajectory_format' that begins with 'mini-swe-agent'"

_SHELL = "bash"  # the only tool there is, and what models are told it is called


def recognises(value: Any) -> bool:
    """Says whether this says of itself that mini-swe-agent wrote it."""
    if not isinstance(value, dict) or not isinstance(value.get("messages"), list):
        return False
    named = value.get("trajectory_format")
    return isinstance(named, str) and named.startswith("mini-swe-agent")


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Returns the run of the file."""
    value, place, recorder = document.value, document.place, Recorder(reasoning, "none")
    for index, message in enumerate(value["messages"]):
        where = place["messages"][index]
        _record(recorder, index, where.object(message), where)
    found = recorder.conversation()
    instance = place["instance_id"].label(value.get("instance_id"))
    info = place["info"].object(value.get("info") or {})
    notes = {"exit_status": info.get("exit_status"), "mini_version": info.get("mini_version")}
    names: dict[str, Any] = {
        "id": instance,
        "task": instance,
        "metadata": recorded(notes) | found.metadata,
    }
    names["told"] = _submitted(info)
    yield parse_trajectory({**vars(found), **names}, str(place))


def _submitted(info: dict[str, Any]) -> list[str]:
    """Returns what whoever asked gets to see: its messages are the agent's own notes."""
    submission = info.get("submission")
    return [submission] if isinstance(submission, str) and submission.strip() else []


def _record(recorder: Recorder, index: int, message: dict[str, Any], place: Place) -> None:
    """Records one message: which API it was for is no matter, the agent's own notes are in each."""
    extra = place["extra"].object(message.get("extra") or {})
    content = message.get("content")
    texts = [content] if isinstance(content, str) and content.strip() else []
    if message.get("role") == "assistant" or "actions" in extra:
        recorder.assistant(texts, _calls(extra, place["extra"]))
    elif "returncode" in extra or "raw_output" in extra:
        _result(recorder, index, message, extra, place)
    elif message.get("role") == "user" and not extra:
        recorder.user(texts)
    else:  # the system, how the run ended, or the agent itself, about an answer without a command
        recorder.interrupted()


def _calls(extra: dict[str, Any], place: Place) -> list[Call]:
    actions = extra.get("actions")
    where = place["actions"]
    listed = [] if actions is None else where.array(actions)
    return [_call(action, where[index]) for index, action in enumerate(listed)]


def _call(value: Any, place: Place) -> Call:
    action = place.object(value)
    command = place["command"].text(action.get("command"))
    identifier = place["tool_call_id"].label(action.get("tool_call_id"))
    notes = call_notes(identifier)
    return Call(_SHELL, {"command": command}, identifier, notes)


def _result(
    recorder: Recorder, index: int, message: dict[str, Any], extra: dict[str, Any], place: Place
) -> None:
    """Records what a command printed; one that could not be started has no code to return."""
    key = "tool_call_id" if "tool_call_id" in message else "call_id"
    identifier = place[key].label(message.get(key))
    code = extra.get("returncode")
    content = extra.get("raw_output", message.get("content"))
    call = recorder.result(identifier, None, content, _status(code), kept={"message": index})
    if call is not None and code is not None:
        call.notes["returncode"] = code


def _status(code: Any) -> Literal["ok", "error"] | None:
    if code is None:
        return None
    return "ok" if code == 0 else "error"

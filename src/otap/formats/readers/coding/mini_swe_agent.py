"""Trajectories of mini-swe-agent, which does everything with commands of a shell."""

from collections.abc import Iterator
from typing import Any

from otap.formats.json.documents import Document
from otap.formats.json.places import Place
from otap.formats.readers.coding.commands_in_text import record_texts, tells_commands
from otap.formats.readers.coding.shell import command_call, status_of
from otap.formats.steps.calls import Call
from otap.formats.steps.content import recorded
from otap.formats.steps.recorder import Recorder
from otap.trajectory import Trajectory, parse_trajectory

NAME = "mini-swe-agent"
DESCRIPTION = "trajectories of mini-swe-agent (.traj.json), those of older versions included"
STEP = "each command that the agent ran in the shell"
KNOWN_BY = "'trajectory_format' that begins with 'mini-swe-agent'"

_FORMAT = "trajectory_format"
_IN_TEXT = "mini-swe-agent-1"  # versions before the second, whose commands stand in the text
_ROLES = ("system", "user", "assistant", "tool", "exit")

_Messages = list[tuple[dict[str, Any], Place]]


def recognises(value: Any) -> bool:
    """Says whether this is a trajectory, by its own word or by its messages, or a list of these."""
    if isinstance(value, list):
        return tells_commands(value) or (bool(value) and _is_saved(value[0]))
    return _is_saved(value)


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Returns one run for each trajectory."""
    value, place = document.value, document.place
    if isinstance(value, list) and tells_commands(value):
        yield _run({"messages": value}, place, list(document.items()), reasoning)
        return
    for item, where in document.items():
        saved = where.object(item)
        messages = list(where["messages"].objects(saved.get("messages")))
        yield _run(saved, where, messages, reasoning)


def _is_saved(value: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("messages"), list):
        return False
    named = value.get(_FORMAT)
    if isinstance(named, str):
        return named.startswith(_IN_TEXT)
    return tells_commands(value["messages"])


def _run(value: dict[str, Any], place: Place, messages: _Messages, reasoning: bool) -> Trajectory:
    recorder = Recorder(reasoning, "none")
    submitted: list[str] = []
    if value.get(_FORMAT) in (None, _IN_TEXT) and not any("actions" in _extra(m) for m in messages):
        submitted = record_texts(recorder, messages)
    else:
        for index, (message, where) in enumerate(messages):
            _record(recorder, index, message, where)
    for message, _ in messages:
        recorder.spent(message)
    found = recorder.conversation()
    instance = place["instance_id"].label(value.get("instance_id"))
    info = place["info"].object(value.get("info") or {})
    notes = {"exit_status": info.get("exit_status"), "mini_version": info.get("mini_version")}
    names: dict[str, Any] = {
        "id": instance,
        "task": instance,
        "metadata": recorded(notes) | found.metadata,
    }
    names["told"] = _submitted(info) or submitted
    return parse_trajectory({**vars(found), **names}, str(place))


def _extra(placed: tuple[dict[str, Any], Place]) -> dict[str, Any]:
    extra = placed[0].get("extra")
    return extra if isinstance(extra, dict) else {}


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
        _aside(recorder, message.get("role"))


def _aside(recorder: Recorder, role: Any) -> None:
    recorder.interrupted()
    if role not in _ROLES:
        recorder.unknown(f"message of role '{role}'")


def _calls(extra: dict[str, Any], place: Place) -> list[Call]:
    actions = extra.get("actions")
    where = place["actions"]
    listed = [] if actions is None else where.array(actions)
    return [_call(action, where[index]) for index, action in enumerate(listed)]


def _call(value: Any, place: Place) -> Call:
    action = place.object(value)
    command = place["command"].text(action.get("command"))
    return command_call(command, place["tool_call_id"].label(action.get("tool_call_id")))


def _result(
    recorder: Recorder, index: int, message: dict[str, Any], extra: dict[str, Any], place: Place
) -> None:
    """Records what a command printed; one that could not be started has no code to return."""
    key = "tool_call_id" if "tool_call_id" in message else "call_id"
    identifier = place[key].label(message.get(key))
    code = extra.get("returncode")
    content = extra.get("raw_output", message.get("content"))
    call = recorder.result(identifier, None, content, status_of(code), kept={"message": index})
    if call is not None and code is not None:
        call.notes["returncode"] = code

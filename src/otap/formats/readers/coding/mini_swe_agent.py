"""Trajectories of mini-swe-agent, which does everything with commands of a shell."""

import re
from collections.abc import Iterator, Sequence
from typing import Any, Literal

from otap.formats.json.documents import Document
from otap.formats.json.paths import JsonPath
from otap.formats.readers.coding import command_call, status_of
from otap.formats.steps.calls import Call
from otap.formats.steps.content import drop_nulls, message_texts, object_in, text_part, unless_blank
from otap.formats.steps.recorder import Recorder
from otap.trajectory import Trajectory, parse_trajectory

NAME = "mini-swe-agent"
DESCRIPTION = "trajectories of mini-swe-agent (.traj.json), those of older versions included"
STEP = "each command that the agent ran in the shell"
KNOWN_BY = "'trajectory_format' that begins with 'mini-swe-agent'"

_FORMAT = "trajectory_format"
_IN_TEXT = "mini-swe-agent-1"  # versions before the second, whose commands stand in the text
_ROLES = ("system", "user", "assistant", "tool", "exit")

_Messages = list[tuple[dict[str, Any], JsonPath]]


def recognises(value: Any) -> bool:
    """Says whether this is a trajectory, by its own word or by its messages, or a list of these."""
    if isinstance(value, list):
        return tells_commands(value) or (bool(value) and _is_saved(value[0]))
    return _is_saved(value)


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Returns one run for each trajectory."""
    value, place = document.value, document.root
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


def _run(
    value: dict[str, Any], place: JsonPath, messages: _Messages, reasoning: bool
) -> Trajectory:
    recorder = Recorder(reasoning, "none")
    submitted: list[str] = []
    if value.get(_FORMAT) in (None, _IN_TEXT) and not any(
        "actions" in object_in(message, "extra") for message, _ in messages
    ):
        submitted = _record_texts(recorder, messages)
    else:
        for index, (message, where) in enumerate(messages):
            _record(recorder, index, message, where)
    for message, _ in messages:
        recorder.add_usage(message)
    found = recorder.conversation()
    instance = place["instance_id"].label(value.get("instance_id"))
    info = place["info"].object(value.get("info") or {})
    notes = {"exit_status": info.get("exit_status"), "mini_version": info.get("mini_version")}
    names: dict[str, Any] = {
        "id": instance,
        "task": instance,
        "metadata": drop_nulls(notes) | found.metadata,
    }
    # The user sees what was submitted: messages are the agent's own notes.
    names["told"] = unless_blank(info.get("submission")) or submitted
    return parse_trajectory({**found.trajectory_fields(), **names}, str(place))


def _record(recorder: Recorder, index: int, message: dict[str, Any], place: JsonPath) -> None:
    """Records one message: which API it was for is no matter, the agent's own notes are in each."""
    extra = place["extra"].object(message.get("extra") or {})
    texts = unless_blank(message.get("content"))
    if message.get("role") == "assistant" or "actions" in extra:
        recorder.assistant(texts, _calls_of_actions(extra, place["extra"]))
    elif "returncode" in extra or "raw_output" in extra:
        _record_result(recorder, index, message, extra, place)
    elif message.get("role") == "user" and not extra:
        recorder.user(texts)
    else:  # the system, how the run ended, or the agent itself, about an answer without a command
        recorder.interrupted()
        if message.get("role") not in _ROLES:
            recorder.unknown(f"message of role '{message.get('role')}'")


def _calls_of_actions(extra: dict[str, Any], place: JsonPath) -> Iterator[Call]:
    for action, where in place["actions"].objects(extra.get("actions")):
        command = where["command"].text(action.get("command"))
        yield command_call(command, where.label_in(action, "tool_call_id"))


def _record_result(
    recorder: Recorder, index: int, message: dict[str, Any], extra: dict[str, Any], place: JsonPath
) -> None:
    """Records what a command printed; one that could not be started has no code to return."""
    key = "tool_call_id" if "tool_call_id" in message else "call_id"
    code = extra.get("returncode")
    content = extra.get("raw_output", message.get("content"))
    status, kept = status_of(code), {"message": index}
    call = recorder.result(place.label_in(message, key), None, content, status, origin=kept)
    if call is not None and code is not None:
        call.notes["returncode"] = code


_TEXT_ROLES = ("system", "user", "assistant")
_PROMPTS = 2  # messages: the system's and the task
# What each version of the agent asks models to print when they are done.
_DONE = ("COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT", "MINI_SWE_AGENT_FINAL_OUTPUT")
_RETURNED = re.compile(r"<returncode>(-?\d{1,10})</returncode>\n?")
_OUTPUT = re.compile(r"<output>\n(.*)</output>", re.DOTALL)
_TEMPLATE = re.compile(r"<returncode>-?\d{1,10}</returncode>\n<(?:output|warning|exception)")
_OBSERVED = "Observation: "
# What Python prints of the result, where nobody said how to tell it: a text, then the code.
_PRINTED = re.compile(
    r"""\{'output': (?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"), 'returncode': (-?\d{1,10})\b"""
)
_TIMED_OUT = "The last command <command>"
_NOT_RUN = "Command not executed."
_CUT_OFF = "Interrupted by user:"
_NEW_TASK = "The user added a new task: "


# How a block of code begins and ends, by what prompts and answers have of it.
_FENCES = {
    "```mswea_bash_command": (re.compile(r"```mswea_bash_command[^\S\n]*\n"), "\n```"),
    "<bash_code>": (re.compile(r"<bash_code>"), "</bash_code>"),
    "```bash": (re.compile(r"```bash[^\S\n]*\n"), "\n```"),
}
_Fence = tuple[re.Pattern[str], str]


def tells_commands(messages: Sequence[Any]) -> bool:
    """Says whether these are messages of mini-swe-agent: by its prompt, or by its results."""
    if not messages or not all(map(_is_plain, messages)):
        return False
    asked = any(done in message["content"] for message in messages[:_PROMPTS] for done in _DONE)
    return asked or any(map(_is_run, messages, messages[1:]))


def _is_run(asked: dict[str, Any], answer: dict[str, Any]) -> bool:
    """Says whether a message is the report, in the agent's own form, of the command before it."""
    if asked["role"] != "assistant" or answer["role"] != "user":
        return False
    begins, _ = _fence_in([asked["content"]])
    return begins.search(asked["content"]) is not None and bool(_TEMPLATE.match(answer["content"]))


def _fence_in(texts: Sequence[str]) -> _Fence:
    """Returns the kind of block that one of these texts has, or asks for."""
    named = (fence for name, fence in _FENCES.items() if any(name in text for text in texts))
    return next(named, _FENCES["```bash"])


def _record_texts(
    recorder: Recorder, messages: Sequence[tuple[dict[str, Any], JsonPath]]
) -> list[str]:
    """Records commands that stand in the text; returns what the last message submits."""
    fence = _fence_in([str(message.get("content")) for message, _ in messages[:_PROMPTS]])
    waiting = begun = False
    submitted: list[str] = []
    for index, (message, place) in enumerate(messages):
        text = "\n".join(message_texts(message.get("content"), place["content"], text_part))
        role = message.get("role")
        if role == "assistant":
            waiting, begun = _act(recorder, text, fence), True
        elif role == "user" and waiting:
            submitted = _record_answer(recorder, text, index, last=index == len(messages) - 1)
            waiting = False
        elif role == "user" and not begun and text:
            recorder.user([text])
        else:  # the system, or the agent itself, about an answer without a command
            recorder.interrupted()
    return submitted


def _is_plain(message: Any) -> bool:
    return (
        isinstance(message, dict)
        and message.get("role") in _TEXT_ROLES
        and isinstance(message.get("content"), str)
        and not message.get("tool_calls")
    )


def _act(recorder: Recorder, text: str, fence: _Fence) -> bool:
    """Records an answer; says whether it holds one command, which alone is run."""
    blocks = _blocks_in(text, *fence)
    if len(blocks) != 1:
        recorder.assistant([text] if text else [])
        return False
    before, command, after = blocks[0]
    around = [part for part in (before.strip(), after.strip()) if part]
    recorder.assistant(["\n".join(around)] if around else [], [command_call(command.strip())])
    return True


def _blocks_in(text: str, begins: re.Pattern[str], ends: str) -> list[tuple[str, str, str]]:
    """Returns the first two blocks of code, each with what stands before and after it."""
    found: list[tuple[str, str, str]] = []
    at = 0
    while len(found) < 2 and (begun := begins.search(text, at)) is not None:
        end = text.find(ends, begun.end() - (ends[0] == "\n"))
        if end < 0:
            break
        at = end + len(ends)
        found.append((text[: begun.start()], text[begun.end() : end], text[at:]))
    return found


def _record_answer(recorder: Recorder, text: str, index: int, *, last: bool) -> list[str]:
    """Records what came back from a command; returns what was submitted, if that ended the run."""
    found = _read_report(text)
    if found is None and last:
        recorder.interrupted()
        return [text] if text else []
    if text.startswith(_NEW_TASK):
        recorder.user([text.removeprefix(_NEW_TASK)])
        return []
    effect, status, notes = found or (text, None, {})
    call = recorder.result(None, None, effect, status, origin={"message": index})
    if call is not None:
        call.notes.update(notes)
    return []


_Report = tuple[str, Literal["ok", "error"] | None, dict[str, Any]]


def _read_report(text: str) -> _Report | None:
    """Returns what came back from a command, how it ended, and notes of that.

    Nothing where the message is in none of the known forms.
    """
    code = _RETURNED.match(text)
    effect = text[code.end() :] if code else text.removeprefix(_OBSERVED)
    if code is None and text.startswith(_OBSERVED):
        code = _PRINTED.match(effect)
        if code is None:
            return effect, None, {}
    elif inner := _OUTPUT.fullmatch(effect):
        effect = inner[1]
    if code is not None:
        return effect, status_of(int(code[1])), {"returncode": int(code[1])}
    if text.startswith((_NOT_RUN, _TIMED_OUT, _CUT_OFF)):
        return text, "error", {"not_run": True} if text.startswith(_NOT_RUN) else {}
    return None

"""Trajectories of mini-swe-agent, which has no tool but the shell."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, Literal

from otap.formats.content import message_texts, object_in, text_part, unless_blank
from otap.formats.json.documents import Document
from otap.formats.json.paths import JsonObject
from otap.formats.recorder import Recorder
from otap.formats.tool_calls import command_call, status_of_exit_code
from otap.trajectory import Trajectory

NAME = "mini-swe-agent"
DESCRIPTION = "trajectories of mini-swe-agent (.traj.json), those of older versions included"
STEP = "each command that the agent ran in the shell"
KNOWN_BY = "'trajectory_format' that begins with 'mini-swe-agent'"

_FORMAT = "trajectory_format"
_VERSION_1 = "mini-swe-agent-1"  # the first version, with commands in the text
_ROLES = ("system", "user", "assistant", "tool", "exit")


def recognises(value: Any) -> bool:
    """Returns whether this is a trajectory, its messages alone, or a list of trajectories."""
    if isinstance(value, list):
        return is_mini_swe_agent(value) or (bool(value) and _is_trajectory(value[0]))
    return _is_trajectory(value)


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Yields one run for each trajectory."""
    value = document.value
    if isinstance(value, list) and is_mini_swe_agent(value):
        saved = JsonObject({"messages": value}, document.root)
        yield _run(saved, list(document.objects()), reasoning)
        return
    for saved in document.objects():
        yield _run(saved, saved.objects("messages"), reasoning)


def _is_trajectory(value: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("messages"), list):
        return False
    version = value.get(_FORMAT)
    if isinstance(version, str):
        return version.startswith(_VERSION_1)
    return is_mini_swe_agent(value["messages"])


def _run(saved: JsonObject, messages: list[JsonObject], reasoning: bool) -> Trajectory:
    recorder = Recorder(reasoning, "none")
    submission: list[str] = []
    if saved.get(_FORMAT) in (None, _VERSION_1) and not any(
        "actions" in object_in(message.mapping, "extra") for message in messages
    ):
        submission = _record_texts(recorder, messages)
    else:
        for index, message in enumerate(messages):
            _record(recorder, index, message)
    for message in messages:
        recorder.add_usage(message.mapping)
    instance, info = saved.label("instance_id"), saved.object("info")
    notes = {key: info.get(key) for key in ("exit_status", "mini_version")}
    fields = {
        "id": instance,
        "task": instance,
        # The user sees only the submission: the messages are the agent's own notes.
        "messages_to_user": unless_blank(info.get("submission")) or submission,
    }
    return recorder.conversation().to_trajectory(saved.path, fields, notes)


def _record(recorder: Recorder, index: int, message: JsonObject) -> None:
    """Records one message by the agent's own notes in ``extra``, whichever API it was for."""
    extra, role = message.object("extra"), message.get("role")
    texts = unless_blank(message.get("content"))
    if role == "assistant" or "actions" in extra.mapping:
        calls = [
            command_call(action.text("command"), action.label("tool_call_id"))
            for action in extra.objects("actions")
        ]
        recorder.assistant(texts, calls)
    elif not extra.mapping.keys().isdisjoint(("returncode", "raw_output")):
        # A command that did not start has no return code.
        code, content = extra.get("returncode"), message.get("content")
        key = "tool_call_id" if "tool_call_id" in message.mapping else "call_id"
        call = recorder.result(
            message.label(key),
            None,
            extra.mapping.get("raw_output", content),
            status_of_exit_code(code),
            origin={"message": index},
        )
        if call is not None and code is not None:
            call.notes["returncode"] = code
    elif role == "user" and not extra.mapping:
        recorder.user(texts)
    else:  # a system prompt, the end of the run, or a complaint about an answer without command
        recorder.interrupted()
        if role not in _ROLES:
            recorder.unknown(f"message of role '{role}'")


_TEXT_ROLES = ("system", "user", "assistant")
_PROMPT_COUNT = 2  # messages: the system prompt and the task
# Each version of the agent asks models to print one of these words when they are done.
_DONE = ("COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT", "MINI_SWE_AGENT_FINAL_OUTPUT")
_RETURN_CODE = re.compile(r"<returncode>(-?\d{1,10})</returncode>\n?")
_OUTPUT = re.compile(r"<output>\n(.*)</output>", re.DOTALL)
_REPORT = re.compile(r"<returncode>-?\d{1,10}</returncode>\n<(?:output|warning|exception)")
_OBSERVATION = "Observation: "
# The result as Python prints it, if the agent has no template: the output, then the code.
_PRINTED_RESULT = re.compile(
    r"""\{'output': (?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"), 'returncode': (-?\d{1,10})\b"""
)
_TIMED_OUT = "The last command <command>"
_NOT_RUN = "Command not executed."
_INTERRUPTED = "Interrupted by user:"
_NEW_TASK = "The user added a new task: "


# The start and the end of a block of code, by the marker in prompts and answers.
_FENCES = {
    "```mswea_bash_command": (re.compile(r"```mswea_bash_command[^\S\n]*\n"), "\n```"),
    "<bash_code>": (re.compile(r"<bash_code>"), "</bash_code>"),
    "```bash": (re.compile(r"```bash[^\S\n]*\n"), "\n```"),
}
_Fence = tuple[re.Pattern[str], str]


def is_mini_swe_agent(messages: Sequence[Any]) -> bool:
    """Returns whether these are messages of mini-swe-agent, by its prompt or its reports."""
    if not messages or not all(_is_text_message(message) for message in messages):
        return False
    if any(word in message["content"] for message in messages[:_PROMPT_COUNT] for word in _DONE):
        return True
    return any(_is_command_with_report(message, answer) for message, answer in pairwise(messages))


def _is_command_with_report(message: dict[str, Any], answer: dict[str, Any]) -> bool:
    """Returns whether the first message has a command, and the second is the agent's report."""
    if message["role"] != "assistant" or answer["role"] != "user":
        return False
    start, _ = _fence_in([message["content"]])
    return start.search(message["content"]) is not None and bool(_REPORT.match(answer["content"]))


def _fence_in(texts: Sequence[str]) -> _Fence:
    """Returns the kind of code block in these texts (default: ```bash)."""
    for marker, fence in _FENCES.items():
        if any(marker in text for text in texts):
            return fence
    return _FENCES["```bash"]


def _record_texts(recorder: Recorder, messages: list[JsonObject]) -> list[str]:
    """Records commands in the texts of messages, and returns the submission at the end."""
    fence = _fence_in([str(message.get("content")) for message in messages[:_PROMPT_COUNT]])
    is_waiting = has_answer = False
    submission: list[str] = []
    for index, message in enumerate(messages):
        content, path = message.get("content"), message.at("content")
        text = "\n".join(message_texts(content, path, text_part))
        role = message.get("role")
        if role == "assistant":
            is_waiting, has_answer = _record_command(recorder, text, fence), True
        elif role == "user" and is_waiting:
            submission = _record_report(recorder, text, index, last=index == len(messages) - 1)
            is_waiting = False
        elif role == "user" and not has_answer and text:
            recorder.user([text])
        else:  # a system prompt, or a complaint about an answer without a command
            recorder.interrupted()
    return submission


def _is_text_message(message: Any) -> bool:
    return (
        isinstance(message, dict)
        and message.get("role") in _TEXT_ROLES
        and isinstance(message.get("content"), str)
        and not message.get("tool_calls")
    )


def _record_command(recorder: Recorder, text: str, fence: _Fence) -> bool:
    """Records an answer, and returns whether it has exactly one command, which is then run."""
    blocks = _blocks_in(text, *fence)
    if len(blocks) != 1:
        recorder.assistant([text] if text else [])
        return False
    before, command, after = blocks[0]
    texts = [part for part in (before.strip(), after.strip()) if part]
    recorder.assistant(["\n".join(texts)] if texts else [], [command_call(command.strip())])
    return True


def _blocks_in(text: str, start: re.Pattern[str], end: str) -> list[tuple[str, str, str]]:
    """Returns the first two blocks of code, each with the text before and after it."""
    blocks: list[tuple[str, str, str]] = []
    position = 0
    while len(blocks) < 2:
        opening = start.search(text, position)
        if opening is None:
            break
        # The line break of an empty block belongs to both marks.
        end_position = text.find(end, opening.end() - (end[0] == "\n"))
        if end_position < 0:
            break
        position = end_position + len(end)
        block = text[opening.end() : end_position]
        blocks.append((text[: opening.start()], block, text[position:]))
    return blocks


def _record_report(recorder: Recorder, text: str, index: int, *, last: bool) -> list[str]:
    """Records the output of a command; returns the submission if it ended the run."""
    report = _read_report(text)
    if report is None and last:
        recorder.interrupted()
        return [text] if text else []
    if text.startswith(_NEW_TASK):
        recorder.user([text.removeprefix(_NEW_TASK)])
        return []
    effect, status, notes = report or (text, None, {})
    call = recorder.result(None, None, effect, status, origin={"message": index})
    if call is not None:
        call.notes.update(notes)
    return []


_Report = tuple[str, Literal["ok", "error"] | None, dict[str, Any]]


def _read_report(text: str) -> _Report | None:
    """Returns the output of a command, its status and notes, or None for an unknown form."""
    code = _RETURN_CODE.match(text)
    effect = text[code.end() :] if code else text.removeprefix(_OBSERVATION)
    if code is None and text.startswith(_OBSERVATION):
        code = _PRINTED_RESULT.match(effect)
        if code is None:
            return effect, None, {}
    elif output := _OUTPUT.fullmatch(effect):
        effect = output[1]
    if code is not None:
        return effect, status_of_exit_code(int(code[1])), {"returncode": int(code[1])}
    if text.startswith(_NOT_RUN):
        return text, "error", {"not_run": True}
    if text.startswith((_TIMED_OUT, _INTERRUPTED)):
        return text, "error", {}
    return None

"""Trajectories of SWE-agent (``.traj``), of all its versions."""

import re
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any, Literal

from otap.formats.content import join_texts, message_texts, text_part, unless_blank
from otap.formats.json.documents import Document
from otap.formats.json.paths import JsonObject, JsonPath
from otap.formats.recorder import Recorder
from otap.formats.tokens import parse_usage
from otap.formats.tool_calls import ToolCall, command_call
from otap.trajectory import Trajectory

NAME = "swe-agent"
DESCRIPTION = "trajectories of SWE-agent (.traj), of all its versions"
STEP = "each action that the agent ran: a command of SWE-agent, or else a shell command"
KNOWN_BY = "'trajectory' of actions and observations beside 'history' or 'environment'"

_STEP_KEYS = {"action", "observation"}
_HISTORY_KEYS = {"role", "content", "agent"}
# Observations of failed actions; the return codes of other commands are not recorded.
_FAILED = (
    "Your proposed edit has introduced new syntax error(s)",
    "EXECUTION TIMED OUT",
    "COMMAND FAILED TO EXECUTE",
    "No replacement was performed",
    "Text not found. The edit was not applied.",
)
_CANCELLED = "was cancelled because it took more than"
_EXITS = ("exit_format", "exit_cost", "exit_context", "exit_api", "exit_error", "exit", "skip")


def recognises(value: Any) -> bool:
    """Returns whether this is a trajectory, a list of attempts, or the history of one."""
    if not isinstance(value, dict):
        return False
    if "trajectory" in value:
        return _is_trajectory(value)
    attempts, history = value.get("attempts"), value.get("history")
    if isinstance(attempts, list) and attempts:
        return isinstance(attempts[-1], dict) and _is_trajectory(attempts[-1])
    return isinstance(history, list) and _has_actions(history)


def _is_trajectory(value: dict[str, Any]) -> bool:
    steps = value.get("trajectory")
    if not isinstance(steps, list) or not ({"history", "environment"} & value.keys()):
        return False
    return not steps or _has_keys(steps[0], _STEP_KEYS)


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Yields the run; of several attempts the chosen one, or the last if none was chosen."""
    saved = JsonObject(document.value, document.root)
    recorder = Recorder(reasoning, "none")
    attempts = saved.get("attempts")
    if isinstance(attempts, list):
        for _ in attempts[1:]:
            recorder.ignored("attempt that was not chosen")
    if "trajectory" not in saved.mapping and isinstance(attempts, list):
        path = saved.at("attempts")[len(attempts) - 1]
        saved = JsonObject(path.object(attempts[-1]), path)
    yield _run(saved, recorder)


def _has_keys(value: Any, keys: set[str]) -> bool:
    return isinstance(value, dict) and keys <= value.keys()


def _has_actions(history: list[Any]) -> bool:
    """Returns whether messages have the name of their agent and its actions."""
    actions = (_has_keys(message, {"action", "thought"}) for message in history)
    return bool(history) and _has_keys(history[0], _HISTORY_KEYS) and any(actions)


def _run(saved: JsonObject, recorder: Recorder) -> Trajectory:
    history = saved.objects("history")
    for message in history:
        if message.get("role") == "user" and message.get("is_demo") is not True:
            content, path = message.get("content"), message.at("content")
            recorder.user(message_texts(content, path, text_part))
            break
    if "trajectory" in saved.mapping:
        for index, step in enumerate(saved.objects("trajectory")):
            _record_step(recorder, step, index)
    else:
        _record_history(recorder, history)
    info, task = saved.object("info"), saved.label("instance_id")
    notes = {key: info.get(key) for key in ("exit_status", "swe_agent_version")}
    notes["environment"] = saved.get("environment")
    fields = {
        "id": task,
        "task": task,
        "tokens": parse_usage(info.get("model_stats")),
        "messages_to_user": unless_blank(info.get("submission")),
    }
    return recorder.conversation().to_trajectory(saved.path, fields, notes)


def _record_step(recorder: Recorder, step: JsonObject, index: int) -> None:
    """Records one step; an answer without an action ran nothing."""
    thought = step.get("thought") or (step.get("response") if not step.get("action") else None)
    command = step.text("action").strip() if step.get("action") not in (None, "") else ""
    call = _record_answer(recorder, thought, "" if command in _EXITS else command, step.path)
    # A refused action, with a blocked command or a syntax error, took no time and left no state.
    # Earlier versions do not record the time.
    is_refused = step.get("execution_time") == 0 and step.get("state") == {}
    if call is None:
        recorder.interrupted()
    elif is_refused and not step.get("observation"):
        call.status, call.notes["not_run"] = "error", True
        recorder.interrupted()
    else:
        _record_result(recorder, call, step.get("observation"), index)


def _record_answer(
    recorder: Recorder, thought: Any, command: str, path: JsonPath
) -> ToolCall | None:
    """Records the agent's thought, and returns the call of its command, if there is one."""
    call = call_of(command) if command else None
    texts = message_texts(thought, path["thought"], text_part)
    recorder.assistant(texts, () if call is None else [call])
    return call


def _record_result(recorder: Recorder, call: ToolCall, observation: Any, index: int) -> None:
    effect = join_texts(observation)
    beginning = effect[:2000] if isinstance(effect, str) else ""
    failed = beginning[:200].lstrip().startswith(_FAILED) or _CANCELLED in beginning
    status: Literal["error"] | None = "error" if failed else None
    recorder.result(call.id, call.tool, effect, status, origin={"step": index})


def _record_history(recorder: Recorder, history: list[JsonObject]) -> None:
    """Records a history without a trajectory: each answer, then the result of its action."""
    call: ToolCall | None = None
    for index, message in enumerate(history):
        if message.get("is_demo") is True:
            continue
        if message.get("role") == "assistant":
            action = message.get("action")
            command = action.strip() if isinstance(action, str) else ""
            call = _record_answer(recorder, message.get("thought"), command, message.path)
        elif message.get("role") in ("user", "tool") and call is not None:
            _record_result(recorder, call, message.get("content"), index)
            call = None


# The end marks of commands that hold lines of text, in the versions with such commands.
_TEXT_ENDS = {"edit": "end_of_edit", "insert": "end_of_insert"}
_LINES = re.compile(r"(\d+):(\d+)\Z")
# The pieces of a shell word, and blanks between words. Other characters are shell syntax.
_PIECE = re.compile(
    r"""(?P<blank>[^\S\n]+)|'(?P<single>[^']*)'|"(?P<double>(?:[^"\\]|\\.)*)"|\\(?P<escaped>.)"""
    r"""|(?P<plain>[^\s'"\\();<>|&]+)""",
    re.DOTALL,
)
_ESCAPED = re.compile(r'\\(["\\$`])')
_OPTION = "--"
_TWO_WORD_OPTION = "view_range"

# The arguments of each command, from the signatures in the tool bundles of all versions.
_SIGNATURES = {
    signature.split()[0]: signature.split()[1:]
    for signature in (
        *("open path line_number", "goto line_number", "scroll_up", "scroll_down"),
        *("create filename", "find_file file_name dir", "search_dir search_term dir"),
        *("search_file search_term file", "filemap file_path", "insert text line"),
        *("edit search replace replace_all", "set_cursors start_line end_line"),
        *("str_replace_editor command path", "view_image image_file", "submit result"),
        *("exit_forfeit", "think thought", "connect_start server_address port"),
        *("connect_sendline line", "connect_exec command", "connect_stop"),
        *("debug_start binary", "debug_stop", "debug_step", "debug_continue"),
        *("debug_exec command", "debug_add_breakpoint breakpoint"),
        *("decompile binary_path", "disassemble binary_path"),
    )
}
_OPTIONS = ("file_text", "old_str", "new_str", "insert_line", _TWO_WORD_OPTION, "function_name")


def call_of(command: str) -> ToolCall:
    """Returns the call of an action: a command of SWE-agent by its name, or else the shell."""
    name = command.split(None, 1)[0]
    arguments = _arguments_of(name, command) if name in _SIGNATURES else None
    return command_call(command) if arguments is None else ToolCall(name, arguments, None, {})


def _arguments_of(name: str, command: str) -> dict[str, Any] | None:
    """Returns the arguments by name, or None if the line is more than this one command."""
    end = _TEXT_ENDS.get(name)
    if end is not None and command.endswith(end):
        first, _, text = command.removesuffix(end).partition("\n")
        return _arguments_of_edit(first.split()[1:], text.removesuffix("\n"))
    words = _split_words(command)
    return None if words is None else _name_arguments(_SIGNATURES[name], words[1:])


def _arguments_of_edit(words: list[str], text: str) -> dict[str, Any]:
    """Returns the arguments of an edit of a range of lines, of a single line, or at the cursor."""
    if not words:
        return {"replacement_text": text}
    lines = _LINES.match(words[0])
    if lines is not None:
        return {"start_line": lines[1], "end_line": lines[2], "replacement_text": text}
    return {"line_number": words[0], "text": text}


def _split_words(command: str) -> list[str] | None:
    """Returns the words of a command, or None if it has shell syntax."""
    words: list[list[str]] = [[]]
    position = 0
    while position < len(command):
        piece = _PIECE.match(command, position)
        if piece is None or piece.lastgroup is None:
            return None
        text = piece[piece.lastgroup]
        if piece.lastgroup == "blank":
            words.append([])
        elif piece.lastgroup == "double":
            words[-1].append(_ESCAPED.sub(r"\1", text))
        else:
            words[-1].append(text)
        position = piece.end()
    return ["".join(pieces) for pieces in words if pieces]


def _name_arguments(signature: Sequence[str], words: list[str]) -> dict[str, Any] | None:
    """Returns words as named arguments and options, or None if there are too many."""
    arguments: dict[str, Any] = {}
    free_names, remaining = deque(signature), deque(words)
    while remaining:
        word = remaining.popleft()
        option = word.removeprefix(_OPTION)
        if word.startswith(_OPTION) and option in _OPTIONS and remaining:
            if option == _TWO_WORD_OPTION:
                count = min(2, len(remaining))
                arguments[option] = [remaining.popleft() for _ in range(count)]
            else:
                arguments[option] = remaining.popleft()
        elif free_names:
            arguments[free_names.popleft()] = word
        else:
            return None
    return arguments

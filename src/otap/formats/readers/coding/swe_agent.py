"""Trajectories of SWE-agent (``.traj``), of all its versions."""

import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from otap.formats.json.documents import Document
from otap.formats.json.paths import JsonPath
from otap.formats.readers.coding import command_call
from otap.formats.steps.calls import Call
from otap.formats.steps.content import (
    drop_nulls,
    join_texts,
    message_texts,
    text_part,
    unless_blank,
)
from otap.formats.steps.recorder import Recorder
from otap.formats.steps.tokens import parse_usage
from otap.trajectory import Trajectory, parse_trajectory

NAME = "swe-agent"
DESCRIPTION = "trajectories of SWE-agent (.traj), of all its versions"
STEP = "each action that the agent ran: a command of its own by name, else one of the shell"
KNOWN_BY = "'trajectory' of actions and observations beside 'history' or 'environment'"

_STEP = {"action", "observation"}
_HISTORY = {"role", "content", "agent"}
# How it says itself that an action failed; other commands' return codes are not recorded.
_FAILED = (
    "Your proposed edit has introduced new syntax error(s)",
    "EXECUTION TIMED OUT",
    "COMMAND FAILED TO EXECUTE",
    "No replacement was performed",
    "Text not found. The edit was not applied.",
)
_CUT_OFF = "was cancelled because it took more than"
_EXITS = ("exit_format", "exit_cost", "exit_context", "exit_api", "exit_error", "exit", "skip")


def recognises(value: Any) -> bool:
    """Says whether this is a trajectory, the attempts at one, or the history of one."""
    if not isinstance(value, dict):
        return False
    if "trajectory" in value:
        return _is_trajectory(value)
    attempts, history = value.get("attempts"), value.get("history")
    if isinstance(attempts, list) and attempts:
        return isinstance(attempts[-1], dict) and _is_trajectory(attempts[-1])
    return isinstance(history, list) and _tells_actions(history)


def _is_trajectory(value: dict[str, Any]) -> bool:
    steps = value.get("trajectory")
    if not isinstance(steps, list) or not ({"history", "environment"} & value.keys()):
        return False
    return not steps or _has(steps[0], _STEP)


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Returns the run; of several attempts the one that was chosen, else the last."""
    value, place = document.value, document.root
    recorder = Recorder(reasoning, "none")
    attempts = value.get("attempts")
    if isinstance(attempts, list):
        for _ in attempts[1:]:
            recorder.ignored("attempt that was not chosen")
    if "trajectory" not in value and isinstance(attempts, list):
        place = place["attempts"][len(attempts) - 1]
        value = place.object(attempts[-1])
    yield _run(value, place, recorder)


def _has(value: Any, keys: set[str]) -> bool:
    return isinstance(value, dict) and keys <= value.keys()


def _tells_actions(history: list[Any]) -> bool:
    """Says whether messages say which agent's they are, and what it did."""
    actions = (_has(message, {"action", "thought"}) for message in history)
    return bool(history) and _has(history[0], _HISTORY) and any(actions)


def _run(value: dict[str, Any], place: JsonPath, recorder: Recorder) -> Trajectory:
    history = list(place["history"].objects(value.get("history")))
    for message, where in history:
        if message.get("role") == "user" and message.get("is_demo") is not True:
            recorder.user(message_texts(message.get("content"), where["content"], text_part))
            break
    if "trajectory" in value:
        for index, (step, where) in enumerate(place["trajectory"].objects(value["trajectory"])):
            _record_step(recorder, step, where, index)
    else:
        _record_history(recorder, history)
    found = recorder.conversation()
    info = place["info"].object(value.get("info") or {})
    task = place["instance_id"].label(value.get("instance_id"))
    notes = {key: info.get(key) for key in ("exit_status", "swe_agent_version")}
    notes["environment"] = value.get("environment")
    fields = {
        **found.trajectory_fields(),
        "id": task,
        "task": task,
        "tokens": parse_usage(info.get("model_stats")),
        "told": unless_blank(info.get("submission")),
        "metadata": drop_nulls(notes) | found.metadata,
    }
    return parse_trajectory(fields, str(place))


def _record_step(recorder: Recorder, step: dict[str, Any], place: JsonPath, index: int) -> None:
    """Records one step; an answer in which no action was found ran nothing."""
    thought = step.get("thought") or (step.get("response") if not step.get("action") else None)
    action = step.get("action")
    command = place["action"].text(action).strip() if action not in (None, "") else ""
    call = _record_answer(recorder, thought, "" if command in _EXITS else command, place)
    if call is None:
        recorder.interrupted()
    elif _never_ran(step):
        call.status, call.notes["not_run"] = "error", True
        recorder.interrupted()
    else:
        _record_result(recorder, call, step.get("observation"), index)


def _record_answer(recorder: Recorder, thought: Any, command: str, place: JsonPath) -> Call | None:
    """Records what the agent thought, and returns the call of its command if there is one."""
    call = call_of(command) if command else None
    texts = message_texts(thought, place["thought"], text_part)
    recorder.assistant(texts, () if call is None else [call])
    return call


def _never_ran(step: Mapping[str, Any]) -> bool:
    """Says whether an action was refused: a blocked command, or one with an error of syntax.

    What ran took time and left a state; earlier versions do not record the time.
    """
    return (
        step.get("execution_time") == 0 and step.get("state") == {} and not step.get("observation")
    )


def _record_result(recorder: Recorder, call: Call, observation: Any, index: int) -> None:
    effect = join_texts(observation)
    begins = effect[:2000] if isinstance(effect, str) else ""
    failed = begins[:200].lstrip().startswith(_FAILED) or _CUT_OFF in begins
    status: Literal["error"] | None = "error" if failed else None
    recorder.result(call.id, call.tool, effect, status, origin={"step": index})


def _record_history(recorder: Recorder, history: list[tuple[dict[str, Any], JsonPath]]) -> None:
    """Records the messages alone: an answer of the agent, then what its action brought."""
    call: Call | None = None
    told = (one for one in enumerate(history) if one[1][0].get("is_demo") is not True)
    for index, (message, place) in told:
        if message.get("role") == "assistant":
            action = message.get("action")
            command = action.strip() if isinstance(action, str) else ""
            call = _record_answer(recorder, message.get("thought"), command, place)
        elif message.get("role") in ("user", "tool") and call is not None:
            _record_result(recorder, call, message.get("content"), index)
            call = None


# Where a command ends that holds lines of text, in the versions that have such commands.
_TEXT_ENDS = {"edit": "end_of_edit", "insert": "end_of_insert"}
_LINES = re.compile(r"(\d+):(\d+)\Z")
# What a word of a line consists of, and what lies between words; all else means more to a shell.
_PIECE = re.compile(
    r"""(?P<blank>[^\S\n]+)|'(?P<single>[^']*)'|"(?P<double>(?:[^"\\]|\\.)*)"|\\(?P<escaped>.)"""
    r"""|(?P<plain>[^\s'"\\();<>|&]+)""",
    re.DOTALL,
)
_ESCAPED = re.compile(r'\\(["\\$`])')
_OPTION = "--"
_MANY = "view_range"  # the only option that takes two words

# The commands with their arguments, by their signatures in the bundles of tools of all versions.
_SIGNATURES = {
    name: arguments
    for name, *arguments in map(
        str.split,
        (
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
        ),
    )
}
_OPTIONS = ("file_text", "old_str", "new_str", "insert_line", _MANY, "function_name")


def call_of(command: str) -> Call:
    """Returns the call that an action makes: one of the commands by name, else one of the shell."""
    name = command.split(None, 1)[0]
    arguments = _arguments_of(name, command) if name in _SIGNATURES else None
    return command_call(command) if arguments is None else Call(name, arguments, None, {})


def _arguments_of(name: str, command: str) -> dict[str, Any] | None:
    """Returns the arguments by name; nothing where the line is more than this one command."""
    end = _TEXT_ENDS.get(name)
    if end is not None and command.endswith(end):
        first, _, rest = command.removesuffix(end).partition("\n")
        return _arguments_of_edit(first.split()[1:], rest.removesuffix("\n"))
    words = _split_words(command)
    return None if words is None else _name_arguments(_SIGNATURES[name], words[1:])


def _arguments_of_edit(words: list[str], text: str) -> dict[str, Any]:
    """Returns the arguments of an edit that names lines, a cursor before it, or a line alone."""
    if not words:
        return {"replacement_text": text}
    lines = _LINES.match(words[0])
    if lines is not None:
        return {"start_line": lines[1], "end_line": lines[2], "replacement_text": text}
    return {"line_number": words[0], "text": text}


def _split_words(command: str) -> list[str] | None:
    """Returns the words of a command; nothing where the shell would see more than words."""
    words: list[list[str]] = [[]]
    at = 0
    while at < len(command):
        piece = _PIECE.match(command, at)
        if piece is None or piece.lastgroup is None:
            return None
        text = piece[piece.lastgroup]
        if piece.lastgroup == "blank":
            words.append([])
        else:
            double = piece.lastgroup == "double"
            words[-1].append(_ESCAPED.sub(r"\1", text) if double else text)
        at = piece.end()
    return ["".join(pieces) for pieces in words if pieces]


def _name_arguments(signature: Sequence[str], words: list[str]) -> dict[str, Any] | None:
    """Returns words as arguments, options by their names; nothing where there are too many."""
    arguments: dict[str, Any] = {}
    free, waiting = deque(signature), deque(words)
    while waiting:
        word = waiting.popleft()
        option = word.removeprefix(_OPTION)
        if word.startswith(_OPTION) and option in _OPTIONS and waiting:
            count = min(2, len(waiting)) if option == _MANY else 1
            found = [waiting.popleft() for _ in range(count)]
            arguments[option] = found if option == _MANY else found[0]
        elif free:
            arguments[free.popleft()] = word
        else:
            return None
    return arguments

"""Tasks of Cline, Roo Code and Kilo Code: what they showed, or what was sent to the model.

``ui_messages.json`` has a message for everything that was shown. ``api_conversation_history.json``
has messages of Anthropic's kind in which calls are written as tags of XML; those that call tools
natively are read as Anthropic's.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from otap.formats.json.documents import Document, first_of
from otap.formats.json.paths import JsonPath, described
from otap.formats.json.times import time_from_epoch
from otap.formats.steps.calls import Call, Result, new_call
from otap.formats.steps.content import drop_nulls, parse_inner, unless_blank
from otap.formats.steps.conversation import RawConversation
from otap.formats.steps.recorder import Recorder
from otap.trajectory import Trajectory

NAME = "cline"
DESCRIPTION = "tasks of Cline, Roo Code and Kilo Code: ui_messages.json"
STEP = "each use of a tool, of the shell, the browser or an MCP server"
KNOWN_BY = "messages with 'ts' and 'type' say or ask"

# What is shown that says nothing of what was done.
_SILENT = frozenset(
    [
        *("reasoning", "api_req_finished", "api_req_retried", "api_req_retry_delayed"),
        *("api_req_deleted", "deleted_api_reqs", "shell_integration_warning"),
        *("mcp_server_request_started", "mcp_notification", "load_mcp_documentation", "info"),
        *("checkpoint_created", "checkpoint_saved", "task_progress"),
        *("browser_session_status", "resume_task", "resume_completed_task", "condense"),
        *("condense_context", "condense_context_error", "sliding_window_truncation"),
        *("user_feedback_diff", "codebase_search_result", "subtask_result", "hook_status"),
        *("mistake_limit_reached", "auto_approval_max_req_reached"),
    ]
)
_FAILED = frozenset(
    ("error", "diff_error", "clineignore_error", "rooignore_error", "api_req_failed")
)
_RESULTS = {
    "command_output": "execute_command",
    "browser_action_result": "browser_action",
    "mcp_server_response": "use_mcp_tool",
}


def recognises(value: Any) -> bool:
    """Says whether this is a message, or a list that begins with one."""
    return _is_message(first_of(value))


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Returns the task that the messages are of."""
    task = _Task(Recorder(reasoning))
    for value, place in document.items():
        task.add(place.object(value), place)
    yield RawConversation([], {}, document.root).to_trajectory(task.end())


def _is_message(value: Any) -> bool:
    if not isinstance(value, dict) or "ts" not in value:
        return False
    return value.get("type") in ("say", "ask") and value.get("type") in value


def _kind_of(message: dict[str, Any]) -> str:
    """What a message says or asks; of one that does neither, that."""
    kind = message.get(message["type"]) if _is_message(message) else None
    return kind if isinstance(kind, str) else "without a kind"


class _Task:
    """What was shown of one task, message by message."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._open: Call | None = None  # the last call, until something else than its result comes
        self._asked: tuple[str | None, Any] | None = None  # what a call that was asked for says
        self._output: list[str] = []
        self._begun = False

    def add(self, message: dict[str, Any], place: JsonPath) -> None:
        """Adds a message; what is shown twice, as a question and then as done, is one call."""
        kind, text = _kind_of(message), message.get("text") or ""
        if not isinstance(text, str):
            raise place["text"].error(f"expected text, found {described(text)}")
        if message.get("partial") is True:
            self._recorder.ignored("message that was cut off")
        elif kind in _RESULTS:
            self._output += unless_blank(text)
            self._asked = None
        elif kind in _CALLS:
            self._finish(None)
            self._call(kind, text, message, place)
        else:
            self._speak(kind, text)
            self._asked = None
        self._begun = True

    def _speak(self, kind: str, text: str) -> None:
        """Adds what is no call and no result."""
        if kind == "user_feedback" and self._asked is not None:
            self._output.append(text)  # it was asked whether, and the answer is no
            self._finish(None, "error")
        self._finish(None)
        if not self._begun or kind in ("task", "user_feedback"):
            self._recorder.user(unless_blank(text))
        elif kind in ("text", "completion_result", "plan_mode_respond", "new_task"):
            self._recorder.assistant(unless_blank(text))
        elif kind == "api_req_started":
            self._recorder.add_usage(_usage(parse_inner(text)))
        elif kind in _FAILED:
            self._fail(text)
        elif kind in _SILENT:
            self._recorder.ignored(f"'{kind}'")
        else:
            self._recorder.unknown(f"message '{kind}'")

    def end(self) -> Any:
        """Returns what happened."""
        self._finish(None)
        return self._recorder.conversation()

    def _call(self, kind: str, text: str, message: dict[str, Any], place: JsonPath) -> None:
        name, arguments, effect = _CALLS[kind](text)
        known, self._asked = self._asked, None
        if known == (name, arguments) and message["type"] == "say":  # asked for, and then done
            return
        if message["type"] == "ask":
            self._asked = (name, arguments)
        call = new_call(name, arguments, None, place)
        call.started_at = time_from_epoch(message.get("ts"), 1e-3)
        self._recorder.assistant((), [call])
        self._open = call
        if effect is not None:
            self._finish(effect)

    def _fail(self, text: str) -> None:
        if self._open is None:
            self._recorder.ignored("error of a request")
        else:
            self._return(text, "error")

    def _finish(self, effect: Any, status: Any = None) -> None:
        """Gives the last call what came back, if anything did."""
        content = "\n".join(self._output) if self._output else effect
        self._output.clear()
        if content is not None:
            self._return(content, status)

    def _return(self, content: Any, status: Any) -> None:
        if self._open is not None:
            self._recorder.tool_result(Result(None, self._open.tool, content, status), {})
            self._open = None


def _tool(text: str) -> tuple[str | None, Any, Any]:
    """A tool that Cline has itself; what it read is shown with it."""
    told = parse_inner(text)
    if not isinstance(told, dict):
        return None, {"text": text}, None
    name = told.get("tool")
    reads = isinstance(name, str) and name.startswith(("read", "list", "search", "codebase"))
    effect = told.get("content") if reads else None
    arguments = {
        key: value
        for key, value in told.items()
        if key not in ("tool", "operationIsLocatedInWorkspace", "isOutsideWorkspace")
        and not (key == "content" and reads)
    }
    return name if isinstance(name, str) else None, arguments, effect


def _command(text: str) -> tuple[str | None, Any, Any]:
    """A command of the shell; its output may stand behind a mark in the same text."""
    command, _, output = text.partition("Output:")
    command = command.removesuffix("REQ_APP").strip()
    return "execute_command", {"command": command}, output.strip() or None


def _browser(text: str) -> tuple[str | None, Any, Any]:
    return "browser_action", parse_inner(text, {"action": text}), None


def _launch(text: str) -> tuple[str | None, Any, Any]:
    return "browser_action", {"action": "launch", "url": text}, None


def _server(text: str) -> tuple[str | None, Any, Any]:
    told = parse_inner(text)
    if not isinstance(told, dict):
        return "use_mcp_tool", {"text": text}, None
    name = told.get("toolName") or told.get("uri")
    return (
        name if isinstance(name, str) else "use_mcp_tool",
        parse_inner(told.get("arguments"), told.get("arguments")) or {},
        told.get("response"),
    )


def _question(text: str) -> tuple[str | None, Any, Any]:
    told = parse_inner(text)
    asked = told.get("question") if isinstance(told, dict) else text
    return "ask_followup_question", {"question": asked}, None


_CALLS = {
    "tool": _tool,
    "command": _command,
    "browser_action": _browser,
    "browser_action_launch": _launch,
    "use_mcp_server": _server,
    "followup": _question,
}


def _usage(told: Any) -> dict[str, Any]:
    """What a request cost, under the names that others have for it."""
    if not isinstance(told, Mapping):
        return {}
    names = {"tokensIn": "input_tokens", "tokensOut": "output_tokens"}
    return {"usage": drop_nulls({name: told.get(key) for key, name in names.items()})}

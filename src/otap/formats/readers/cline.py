"""Tasks of Cline, Roo Code and Kilo Code: the messages in the user interface or to the model.

``ui_messages.json`` has every message of the user interface. ``api_conversation_history.json``
has messages of Anthropic's format with calls as XML tags. If its calls are native tool calls, the
reader of Anthropic's format reads it.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from otap.formats.content import drop_nulls, parse_inner, unless_blank
from otap.formats.conversations import Conversation, RawConversation
from otap.formats.json.documents import Document, first_of
from otap.formats.json.paths import JsonObject, described
from otap.formats.json.times import time_from_epoch
from otap.formats.recorder import Recorder
from otap.formats.tool_calls import ToolCall, ToolResult, new_call
from otap.trajectory import Trajectory

NAME = "cline"
DESCRIPTION = "tasks of Cline, Roo Code and Kilo Code: ui_messages.json"
STEP = "each use of a tool, of the shell, the browser or an MCP server"
KNOWN_BY = "messages with 'ts' and 'type' say or ask"

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
_ERRORS = frozenset(
    ("error", "diff_error", "clineignore_error", "rooignore_error", "api_req_failed")
)
_RESULTS = ("command_output", "browser_action_result", "mcp_server_response")

# The tool, the arguments, and the effect if the message has it.
_CallParts = tuple[str | None, Any, Any]


def recognises(value: Any) -> bool:
    """Returns whether this is a message, or a list that begins with one."""
    return _is_message(first_of(value))


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Yields the task of the messages."""
    task = _Task(Recorder(reasoning))
    for message in document.objects():
        task.add(message)
    yield RawConversation([], {}, document.root).to_trajectory(task.end())


def _is_message(value: Any) -> bool:
    if not isinstance(value, dict) or "ts" not in value:
        return False
    return value.get("type") in ("say", "ask") and value.get("type") in value


class _Task:
    """The messages of one task."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._open_call: ToolCall | None = None  # the last call, while its result may still come
        self._proposed_call: tuple[str | None, Any] | None = None  # waits for the user's approval
        self._output: list[str] = []
        self._has_messages = False

    def add(self, message: JsonObject) -> None:
        """Adds a message; a call that is first proposed and then done is one call."""
        is_message, text = _is_message(message.mapping), message.get("text") or ""
        kind = message.get(message.get("type")) if is_message else None
        if not isinstance(kind, str):
            kind = "without a kind"
        if not isinstance(text, str):
            raise message.at("text").error(f"expected text, found {described(text)}")
        if message.get("partial") is True:
            self._recorder.ignored("message that was cut off")
        elif kind in _RESULTS:
            self._output += unless_blank(text)
            self._proposed_call = None
        elif kind in _CALL_PARSERS:
            self._finish_call()
            self._add_call(kind, text, message)
        else:
            self._add_text(kind, text)
            self._proposed_call = None
        self._has_messages = True

    def _add_text(self, kind: str, text: str) -> None:
        """Adds a message that is neither a call nor a result."""
        if kind == "user_feedback" and self._proposed_call is not None:
            self._output.append(text)  # the user rejected the call
            self._finish_call(status="error")
        self._finish_call()
        if not self._has_messages or kind in ("task", "user_feedback"):
            self._recorder.user(unless_blank(text))
        elif kind in ("text", "completion_result", "plan_mode_respond", "new_task"):
            self._recorder.assistant(unless_blank(text))
        elif kind == "api_req_started":
            self._recorder.add_usage(_usage_of(parse_inner(text)))
        elif kind in _ERRORS and self._open_call is None:
            self._recorder.ignored("error of a request")
        elif kind in _ERRORS:
            self._add_result(text, "error")
        elif kind in _SILENT:
            self._recorder.ignored(f"'{kind}'")
        else:
            self._recorder.unknown(f"message '{kind}'")

    def end(self) -> Conversation:
        """Returns the conversation of the task."""
        self._finish_call()
        return self._recorder.conversation()

    def _add_call(self, kind: str, text: str, message: JsonObject) -> None:
        name, arguments, effect = _CALL_PARSERS[kind](text)
        proposed, self._proposed_call = self._proposed_call, None
        if proposed == (name, arguments) and message.get("type") == "say":  # the call is done now
            return
        if message.get("type") == "ask":
            self._proposed_call = (name, arguments)
        call = new_call(name, arguments, None, message.path)
        call.started_at = time_from_epoch(message.get("ts"), 1e-3)
        self._recorder.assistant((), [call])
        self._open_call = call
        if effect is not None:
            self._finish_call(effect)

    def _finish_call(self, effect: Any = None, status: Any = None) -> None:
        """Adds the output so far, or this effect, to the last call."""
        content = "\n".join(self._output) if self._output else effect
        self._output.clear()
        if content is not None:
            self._add_result(content, status)

    def _add_result(self, content: Any, status: Any) -> None:
        if self._open_call is not None:
            self._recorder.tool_result(ToolResult(None, self._open_call.tool, content, status), {})
            self._open_call = None


def _parse_tool(text: str) -> _CallParts:
    """Returns a call of Cline's own tools; those that read have their result in ``content``."""
    fields = parse_inner(text)
    if not isinstance(fields, dict):
        return None, {"text": text}, None
    name = fields.get("tool")
    reads = isinstance(name, str) and name.startswith(("read", "list", "search", "codebase"))
    effect = fields.get("content") if reads else None
    arguments = {
        key: argument
        for key, argument in fields.items()
        if key not in ("tool", "operationIsLocatedInWorkspace", "isOutsideWorkspace")
        and not (key == "content" and reads)
    }
    return name if isinstance(name, str) else None, arguments, effect


def _parse_command(text: str) -> _CallParts:
    """Returns a shell command; its output may follow in the same text."""
    command, _, output = text.partition("Output:")
    command = command.removesuffix("REQ_APP").strip()
    return "execute_command", {"command": command}, output.strip() or None


def _parse_mcp_call(text: str) -> _CallParts:
    fields = parse_inner(text)
    if not isinstance(fields, dict):
        return "use_mcp_tool", {"text": text}, None
    name = fields.get("toolName") or fields.get("uri")
    return (
        name if isinstance(name, str) else "use_mcp_tool",
        parse_inner(fields.get("arguments"), fields.get("arguments")) or {},
        fields.get("response"),
    )


def _parse_question(text: str) -> _CallParts:
    fields = parse_inner(text)
    question = fields.get("question") if isinstance(fields, dict) else text
    return "ask_followup_question", {"question": question}, None


_CALL_PARSERS: dict[str, Callable[[str], _CallParts]] = {
    "tool": _parse_tool,
    "command": _parse_command,
    "browser_action": lambda text: ("browser_action", parse_inner(text, {"action": text}), None),
    "browser_action_launch": lambda url: ("browser_action", {"action": "launch", "url": url}, None),
    "use_mcp_server": _parse_mcp_call,
    "followup": _parse_question,
}


def _usage_of(request: Any) -> dict[str, Any]:
    """Returns the tokens of a request under the usual names."""
    if not isinstance(request, Mapping):
        return {}
    names = {"tokensIn": "input_tokens", "tokensOut": "output_tokens"}
    return {"usage": drop_nulls({name: request.get(key) for key, name in names.items()})}

"""Runs of OpenHands: the outputs of its evaluation, and the events of its sessions.

Events are actions and their observations. Events of the newer software-agent SDK have a ``kind``.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from otap.formats.chats import Status
from otap.formats.content import (
    join_texts,
    list_at,
    message_texts,
    object_in,
    text_part,
    unless_blank,
)
from otap.formats.json.documents import Document, first_of
from otap.formats.json.paths import JsonObject, JsonPath
from otap.formats.recorder import Recorder
from otap.formats.tool_calls import SHELL, ToolCall, parse_call, status_of_exit_code
from otap.formats.tool_definitions import tool_facts
from otap.trajectory import Trajectory

NAME = "openhands"
DESCRIPTION = "runs of OpenHands: output.jsonl of its evaluation, or the events of a session"
STEP = "each action of the agent that calls a tool; the actions of delegates are substeps"
KNOWN_BY = "'history' of actions and observations, or events of its SDK"

_EVENT_KEYS = ("history", "trajectory", "events")
# An output without history has at least two of these keys.
_OUTPUT_KEYS = {"instance_id", "git_patch", "test_result", "metadata"}
_NOTE_KEYS = ("success", "error")


def recognises(value: Any) -> bool:
    """Returns whether this is an output, a list of events, or a list of outputs."""
    if isinstance(value, list) and value and _is_event(value[0], alone=True):
        return True
    first = first_of(value)
    if not isinstance(first, dict):
        return False
    events = first.get(_key_of_events(first))
    if isinstance(events, list) and events:
        event = events[0]
        is_pair = isinstance(event, list) and len(event) == 2
        return _is_event(event[0] if is_pair else event)
    return "history" in first and len(_OUTPUT_KEYS & first.keys()) > 1


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Yields one run for each output, or a single run for the events of a session."""
    value = document.value
    if isinstance(value, list) and _is_event(value[0], alone=True):
        empty = JsonObject({}, document.root)
        yield _run_of_events(empty, list(document.objects()), reasoning)
        return
    for output in document.objects():
        yield _run_of_events(output, list(_events_in(output)), reasoning)


def _key_of_events(output: dict[str, Any]) -> str:
    return next((key for key in _EVENT_KEYS if output.get(key) is not None), "")


def _events_in(output: JsonObject) -> Iterator[JsonObject]:
    """Yields the events; the oldest outputs have pairs of an action and its observation."""
    key = _key_of_events(output.mapping)
    for value, path in output.at(key).items(output.get(key)) if key else ():
        pair = path.items(value) if isinstance(value, list) else [(value, path)]
        yield from (JsonObject(part_path.object(part), part_path) for part, part_path in pair)


def _task_name(output: JsonObject) -> str | None:
    """Returns the instance of a benchmark, or the issue to resolve."""
    name = output.label("instance_id")
    if name is not None or not isinstance(output.get("issue"), dict):
        return name
    parts = [output.object("issue").label(key) for key in ("owner", "repo", "number")]
    return "/".join(part for part in parts if part is not None) or None


def _outcome_of(output: dict[str, Any]) -> float | None:
    """Returns 1 if the tests of a benchmark show that the task is solved, and 0 if not."""
    test_result = object_in(output, "test_result")
    for report in (object_in(output, "report"), object_in(test_result, "report"), test_result):
        if isinstance(report.get("resolved"), bool):
            return float(report["resolved"])
    return None


class _Action(NamedTuple):
    """One action: the agent's thought, the call, and its final message if it ends the run."""

    thought: Sequence[str]
    call: ToolCall
    final_message: Sequence[str]


@dataclass(slots=True)
class _Run:
    """The state of a run while its events are read."""

    events: Sequence[JsonObject]
    recorder: Recorder
    has_delegates: bool  # whether observations mark the end of a delegate's work
    delegations: list[str] = field(default_factory=list)  # open calls with a delegate at work
    ids: dict[Any, str] = field(default_factory=dict)  # call ids by event id
    messages_to_user: list[str] = field(default_factory=list)
    tool_definitions: list[Any] = field(default_factory=list)
    _events_by_answer: dict[Any, list[JsonObject]] | None = None

    @property
    def active_recorder(self) -> Recorder:
        """The recorder of the agent at work: a delegate works inside the call that started it."""
        return self.recorder.in_call(self.delegations[-1] if self.delegations else None)

    def take_answer(self, event: JsonObject) -> Sequence[JsonObject]:
        """Returns all events of a model's answer at its first event, and none at the others."""
        if self._events_by_answer is None:
            self._events_by_answer = {}
            for other in self.events:
                self._events_by_answer.setdefault(_answer_of(other), []).append(other)
        answer = _answer_of(event)
        return [event] if answer is None else self._events_by_answer.pop(answer, [])

    def add_text(self, texts: Sequence[str]) -> None:
        """Records texts of the agent, which go to the user unless a delegate wrote them."""
        self.active_recorder.assistant(texts)
        self.add_message_to_user(texts)

    def add_message_to_user(self, texts: Sequence[str]) -> None:
        """Notes texts for the user, unless a delegate wrote them."""
        if not self.delegations:
            self.messages_to_user += texts

    def add_result(
        self, call_id: str | None, effect: Any, status: Status, *, refused: bool = False
    ) -> None:
        """Records a result; a call that the user refused never ran."""
        notes = {"call_id": call_id}
        call = self.active_recorder.result(call_id, None, effect, status, origin=notes)
        if call is not None and refused:
            call.notes["not_run"] = True


def _run_of_events(output: JsonObject, events: list[JsonObject], reasoning: bool) -> Trajectory:
    has_delegates = any(event.get("observation") == "delegate" for event in events)
    run = _Run(events, Recorder(reasoning), has_delegates)
    for event in events:
        if _is_sdk_event(event.mapping):
            _record_sdk_event(run, event)
        elif isinstance(event.get("observation"), str):
            _record_observation(run, event)
        else:
            _record_event(run, event)
    name = _task_name(output)
    notes = {key: output.get(key) for key in _NOTE_KEYS}
    fields = {
        "id": name,
        "task": name,
        "outcome": _outcome_of(output.mapping),
        "messages_to_user": tuple(run.messages_to_user),
        **tool_facts(*run.tool_definitions),
    }
    return run.recorder.conversation().to_trajectory(output.path, fields, notes)


# Tools with a different name in some version.
_TOOLS = {
    "execute_bash": SHELL,
    "terminal": SHELL,
    "execute_ipython_cell": "run_ipython",
    "file_editor": "str_replace_editor",
}
# Arguments that OpenHands adds to every tool.
_ADDED_ARGUMENTS = ("security_risk", "summary")


def _call_of_tool(name: str, arguments: Any, call_id: str | None, path: JsonPath) -> ToolCall:
    """Returns a call, with one tool name for all versions."""
    call = parse_call(_TOOLS.get(name, name), arguments, call_id, path)
    if isinstance(call.arguments, dict):
        fields = call.arguments.items()
        call.arguments = {key: argument for key, argument in fields if key not in _ADDED_ARGUMENTS}
    return call


def _record_action(run: _Run, event: JsonObject) -> None:
    """Records an action as one turn with all other actions of the same answer."""
    events = run.take_answer(event)
    if events:
        read_action = _read_sdk_action if _is_sdk_event(event.mapping) else _read_action
        actions = [read_action(run, action_event) for action_event in events]
        texts = dict.fromkeys(text for action in actions for text in action.thought)
        calls = [action.call for action in actions]
        run.active_recorder.assistant(list(texts), calls, path=event.path)
        for action in actions:
            run.add_message_to_user(action.final_message)
    if event.get("action") == "delegate" and run.has_delegates:
        call_id = run.ids.get(str(event.get("id")))
        if call_id is not None:
            run.delegations.append(call_id)


def _answer_of(event: JsonObject) -> tuple[str, str] | None:
    """Returns a key for the model's answer, which an action may share with other actions.

    The key is the kind of event and the id of the answer; None if the action is alone.
    """
    kind = event.get("kind")
    if isinstance(kind, str) and kind in _ANSWER_KEYS:
        answer_id = event.label(_ANSWER_KEYS[kind])
        return None if answer_id is None else (kind, answer_id)
    metadata = object_in(event.mapping, "tool_call_metadata")
    if metadata.get("total_calls_in_response") == 1 or not isinstance(event.get("action"), str):
        return None
    response_id = object_in(metadata, "model_response").get("id")
    return ("", response_id) if isinstance(response_id, str) and response_id else None


_MESSAGE_ACTIONS = ("message", "system", "recall")
_CALL_ACTIONS = (
    *("run", "run_ipython", "read", "write", "edit", "browse", "browse_interactive", "delegate"),
    *("finish", "reject", "think", "call_tool_mcp", "mcp", "search", "push", "send_pr"),
    *("task_tracking", "add_task", "modify_task"),
)
_STATE_ACTIONS = (
    *("recall", "change_agent_state", "null", "summarize", "pause", "resume", "stop", "start"),
    *("condensation", "condensation_request", "initialize", "loop_recovery"),
)
_SILENT_OBSERVATIONS = (
    *("null", "agent_state_changed", "recall", "microagent", "workspace_context", "condense"),
    *("loop_detection", "chat", "message"),
)
_MCP = ("call_tool_mcp", "mcp")
# The keys of the final message of a finish.
_FINAL_MESSAGE_KEYS = ("final_thought", "thought", "content", "message")
# Fields of an action that are not arguments of its tool.
_NOT_ARGUMENTS = (
    *("thought", "keep_prompt", "is_confirmed", "confirmation_state", "security_risk", "hidden"),
    *("action_risk", "kernel_init_code", "blocking", "is_static", "include_extra", "cwd"),
    *("impl_source", "translated_ipython_code", "wait_for_response", "return_axtree"),
    *("browsergym_send_msg_to_user", "action", "args", "id", "timestamp", "source", "message"),
    *("tool_call_metadata", "timeout", "llm_metrics", "cause"),
)
_EVALUATION = "Please continue working on the task"  # the evaluation's message in the user's name
_FAILED = (
    "[Your proposed edit has introduced new syntax error(s)",
    "[No exact match found in ",  # of the text to replace: nothing was edited
    "ERROR:",
)


def _is_event(value: Any, *, alone: bool = False) -> bool:
    """Returns whether this is an event.

    Args:
        value: a possible event.
        alone: whether no surrounding output identifies it. Then an action needs more keys, because
            the oldest events have none of their own.
    """
    if not isinstance(value, dict):
        return False
    if _is_sdk_event(value):
        return True
    action, observation = value.get("action"), value.get("observation")
    if isinstance(action, str) and observation is None:
        if action not in (*_MESSAGE_ACTIONS, *_CALL_ACTIONS, *_STATE_ACTIONS):
            return False
        return not alone or ("args" in value and "source" in value)
    if isinstance(observation, str) and action is None:
        return "content" in value and (not alone or "extras" in value)
    return False


def _record_event(run: _Run, event: JsonObject) -> None:
    kind = event.text("action")
    if kind == "message":
        _record_message(run, event)
    elif kind == "system":
        run.recorder.ignored("system prompt")
        run.tool_definitions.append(_args_of(event).get("tools"))
    elif kind in _STATE_ACTIONS:
        run.recorder.ignored(f"action of type '{kind}'")
    elif event.get("source") in ("user", "environment"):
        run.recorder.ignored("action of the user or the environment")
    elif kind in _CALL_ACTIONS or event.object("tool_call_metadata").mapping:
        _record_action(run, event)
    else:
        run.recorder.unknown(f"action of type '{kind}'")


def _args_of(event: JsonObject) -> dict[str, Any]:
    """Returns the fields of an action; the oldest have them beside the type."""
    return (event.object_if_any("args") or event).mapping


def _record_message(run: _Run, event: JsonObject) -> None:
    args = _args_of(event)
    texts, source = unless_blank(args.get("content")), event.get("source")
    if source is None:  # in the oldest files, where the first message is the task
        source = "agent" if run.ids or args.get("wait_for_response") else "user"
    if source == "agent":
        run.add_text(texts)
    elif not any(text.startswith(_EVALUATION) for text in texts):
        run.active_recorder.user(texts)


def _read_action(run: _Run, event: JsonObject) -> _Action:
    args, final_message = _args_of(event), list[str]()
    if event.get("action") in ("finish", "reject"):
        texts = (unless_blank(args.get(key)) for key in _FINAL_MESSAGE_KEYS)
        final_message = next((text for text in texts if text), [])
    return _Action(unless_blank(args.get("thought")), _call_of(run, event, args), final_message)


def _call_of(run: _Run, event: JsonObject, args: dict[str, Any]) -> ToolCall:
    event_id, metadata = event.label("id"), event.object("tool_call_metadata")
    call_id = metadata.label("tool_call_id") or event_id
    run.ids[event_id or ""] = call_id or ""  # also shows that the agent has acted
    kind = event.get("action")
    for choice in _objects_in(object_in(metadata.mapping, "model_response"), "choices"):
        for call in _objects_in(object_in(choice, "message"), "tool_calls"):
            function = object_in(call, "function")  # the call in the model's own answer
            if call.get("id") == call_id and unless_blank(function.get("name")):
                arguments = function.get("arguments")
                return _call_of_tool(function["name"], arguments, call_id, event.path)
    if kind in _MCP and isinstance(args.get("name"), str):
        return _call_of_tool(args["name"], args.get("arguments"), call_id, event.path)
    defaults: tuple[Any, ...] = (None, False, {}, [])  # the model did not set these
    arguments = {
        key: argument
        for key, argument in args.items()
        if key not in _NOT_ARGUMENTS and argument not in defaults
    }
    return _call_of_tool(SHELL if kind == "run" else kind, arguments, call_id, event.path)


def _objects_in(value: dict[str, Any], key: str) -> list[dict[str, Any]]:
    return [item for item in list_at(value, key) if isinstance(item, dict)]


def _record_observation(run: _Run, event: JsonObject) -> None:
    kind = event.get("observation")
    if kind in _SILENT_OBSERVATIONS:
        run.recorder.ignored(f"observation of type '{kind}'")
        return
    if kind == "delegate" and run.delegations:
        run.delegations.pop()
    extras = event.object("extras").mapping
    effect = event.get("content")
    if effect in (None, "") and extras.get("outputs"):
        effect = extras["outputs"]
    cause = event.label("cause")
    call_id = event.object("tool_call_metadata").label("tool_call_id")
    if call_id is None and cause is not None:
        call_id = run.ids.get(cause)
    status = _status_of_observation(kind, event.mapping, extras)
    run.add_result(call_id, effect, status, refused=kind == "user_rejected")


def _status_of_observation(
    kind: str, event: Mapping[str, Any], extras: Mapping[str, Any]
) -> Status:
    if kind in ("error", "user_rejected") or extras.get("error") is True:
        return "error"
    content = event.get("content")
    if isinstance(content, str) and content.startswith(_FAILED):
        return "error"
    if kind != "run":
        return None
    return _status_of_code(_exit_code_in(object_in(extras, "metadata"), extras, event))


def _exit_code_in(*sources: Mapping[str, Any]) -> Any:
    codes = (source.get("exit_code") for source in sources)
    return next((code for code in codes if code is not None), None)


def _status_of_code(code: Any) -> Status:
    """Returns the status for an exit code; -1 means that the command is still running."""
    return None if code == -1 else status_of_exit_code(code)


def _record_sdk_event(run: _Run, event: JsonObject) -> None:
    kind = event.mapping["kind"]
    if kind in _SDK_EVENTS:
        _SDK_EVENTS[kind](run, event)
    elif kind in _SILENT_SDK_EVENTS:
        run.recorder.ignored(kind)
    else:
        run.recorder.unknown(f"event of kind '{kind}'")


def _record_sdk_prompt(run: _Run, event: JsonObject) -> None:
    """Records the tool definitions; without a name they get the name that the SDK derives."""
    run.recorder.ignored("system prompt")
    for tool in event.at("tools").array(event.get("tools") or []):
        if isinstance(tool, dict) and "name" not in tool and isinstance(tool.get("kind"), str):
            name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", tool["kind"]).lower()
            name = name.removesuffix("_tool")
            run.tool_definitions.append({**tool, "name": _TOOLS.get(name, name)})
        else:
            run.tool_definitions.append(tool)


def _texts_in(fields: JsonObject, key: str) -> list[str]:
    return message_texts(fields.get(key), fields.at(key), text_part)


def _record_sdk_message(run: _Run, event: JsonObject) -> None:
    message = event.at("llm_message").object(event.get("llm_message"))
    texts = _texts_in(JsonObject(message, event.at("llm_message")), "content")
    if event.get("source") == "user":
        run.active_recorder.user(texts)
    elif event.get("source") == "agent":
        run.add_text(texts)
    else:
        run.recorder.ignored("message of the environment")


def _read_sdk_action(_: _Run, event: JsonObject) -> _Action:
    name, tool_call = event.text("tool_name"), event.object("tool_call").mapping
    action = object_in(event.mapping, "action")
    if "arguments" in tool_call:
        arguments = tool_call["arguments"]
    else:
        fields = event.object("action").mapping
        arguments = {key: argument for key, argument in fields.items() if key != "kind"}
    return _Action(
        _texts_in(event, "thought"),
        _call_of_tool(name, arguments, event.label("tool_call_id"), event.path),
        unless_blank(action.get("message")) if action.get("kind") == "FinishAction" else [],
    )


def _record_sdk_observation(run: _Run, event: JsonObject) -> None:
    observation = event.object("observation").mapping
    effect = join_texts(observation.get("content"), "text")
    if effect in (None, [], "") and observation.get("output") is not None:
        effect = observation["output"]
    code = _exit_code_in(observation, object_in(observation, "metadata"))
    status = _status_of_code(code)
    if observation.get("is_error") is True:
        status = "error"
    elif code is None and observation.get("is_error") is False:
        status = "ok"
    run.add_result(event.label("tool_call_id"), "" if effect == [] else effect, status)


def _record_sdk_error(run: _Run, event: JsonObject) -> None:
    """Records that a call failed, or that the user did not let it run."""
    refused = event.get("kind") == "UserRejectObservation"
    error = event.get("rejection_reason" if refused else "error")
    run.add_result(event.label("tool_call_id"), error, "error", refused=refused)


def _record_acp_call(run: _Run, event: JsonObject) -> None:
    """Records a call of an agent behind ACP; the last event of a call has all its fields."""
    events = run.take_answer(event)
    if not events:
        return
    call_id, last = event.label("tool_call_id"), events[-1].mapping
    name = next(iter(unless_blank(last.get("tool_kind"))), None)
    name = name or event.at("title").text(last.get("title"))
    call = _call_of_tool(name, last.get("raw_input"), call_id, event.path)
    run.active_recorder.assistant((), [call], path=event.path)
    effect = last.get("raw_output")
    status = "error" if last.get("is_error") is True else _ACP_STATUS.get(str(last.get("status")))
    if status is not None or effect is not None:
        run.add_result(call_id, last.get("content") if effect is None else effect, status)


_ACP_STATUS: dict[str, Status] = {"completed": "ok", "failed": "error"}
_SDK_EVENTS: dict[str, Callable[[_Run, JsonObject], None]] = {
    "SystemPromptEvent": _record_sdk_prompt,
    "MessageEvent": _record_sdk_message,
    "ActionEvent": _record_action,
    "ObservationEvent": _record_sdk_observation,
    "AgentErrorEvent": _record_sdk_error,
    "UserRejectObservation": _record_sdk_error,
    "ACPToolCallEvent": _record_acp_call,
}
# The keys of the id that all events of one answer share.
_ANSWER_KEYS = {"ActionEvent": "llm_response_id", "ACPToolCallEvent": "tool_call_id"}
_SILENT_SDK_EVENTS = (
    *("ConversationStateUpdateEvent", "Condensation", "CondensationRequest", "PauseEvent"),
    *("CondensationSummaryEvent", "InterruptEvent", "TokenEvent", "LLMCompletionLogEvent"),
    *("StreamingDeltaEvent", "HookExecutionEvent", "SecurityAnalysisEvent"),
    *("ConversationErrorEvent", "ServerErrorEvent"),
)
_SOURCES = ("agent", "user", "environment", "hook")


def _is_sdk_event(value: Mapping[str, Any]) -> bool:
    kind = value.get("kind")
    if not isinstance(kind, str) or value.get("source") not in _SOURCES:
        return False
    if kind in (*_SDK_EVENTS, *_SILENT_SDK_EVENTS):
        return True
    return kind.endswith("Event") and "timestamp" in value

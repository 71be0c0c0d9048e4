"""Events of OpenHands before its software-agent SDK: actions, and the observations they caused."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from otap.formats.json.places import Place
from otap.formats.readers.coding import SHELL, status_of
from otap.formats.steps.calls import Call, made_call
from otap.formats.steps.content import joined, object_in, said, text_part, unless_blank
from otap.formats.steps.definitions import tool_facts
from otap.formats.steps.recorder import Recorder
from otap.trajectory import Trajectory, parse_trajectory

Event = tuple[dict[str, Any], Place]
_Groups = dict[str, list[Event]]

# The same tools under the names that they had in one version or another.
_TOOLS = {
    "execute_bash": SHELL,
    "terminal": SHELL,
    "execute_ipython_cell": "run_ipython",
    "file_editor": "str_replace_editor",
}
# What the agent's frame adds to what a tool is asked.
_ADDED = ("security_risk", "summary")


@dataclass(slots=True)
class Run:
    """What one run has recorded so far."""

    events: Sequence[Event]
    reasoning: bool
    recorder: Recorder = field(init=False)
    inside: list[str] = field(default_factory=list)  # calls for which other agents are at work
    ids: dict[Any, str] = field(default_factory=dict)  # of the calls that events made
    _groups: dict[str, _Groups] = field(default_factory=dict)
    _told: list[str] = field(default_factory=list)
    _defined: list[Any] = field(default_factory=list)
    _made: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.recorder = Recorder(self.reasoning)

    @property
    def within(self) -> Recorder:
        """What records the agent at work, perhaps inside the call for which it was started."""
        return self.recorder.inside(self.inside[-1] if self.inside else None)

    def group(self, what: str, name_of: Callable[[dict[str, Any]], str | None]) -> _Groups:
        """Returns the events that have a name, by that name, in their order.

        Args:
            what: which names are meant.
            name_of: returns the name of an event, or nothing.
        """
        if what not in self._groups:
            found: _Groups = {}
            for event, place in self.events:
                name = name_of(event)
                if name is not None:
                    found.setdefault(name, []).append((event, place))
            self._groups[what] = found
        return self._groups[what]

    def first_of(self, answer: str) -> bool:
        """Says whether no call of this answer of a model was recorded yet, and notes that one is.

        Args:
            answer: the id of the answer; the calls of one answer are one turn.
        """
        first = answer not in self._made
        self._made.add(answer)
        return first

    def actions_of(
        self, answer: str | None, name_of: Callable[[dict[str, Any]], str | None], event: Event
    ) -> Sequence[Event]:
        """Returns the actions of an answer at the first of them, and none at the others.

        Args:
            answer: the id of the answer, if the action has one.
            name_of: returns the id of the answer that any event comes from.
            event: the action.
        """
        if answer is None:
            return [event]
        return self.group("answers", name_of)[answer] if self.first_of(answer) else []

    def user(self, texts: Sequence[str]) -> None:
        """Records what the user said."""
        self.within.interrupted()
        if texts:
            self.within.user(texts)

    def agent(self, texts: Sequence[str]) -> None:
        """Records what the agent said to the user; one that works for another says it to that."""
        self.within.assistant(texts)
        self.tell(texts)

    def tell(self, texts: Sequence[str]) -> None:
        """Notes what the user is told."""
        if not self.inside:
            self._told += texts

    def defines(self, tools: Any) -> None:
        """Notes what could be called."""
        self._defined.append(tools)

    def calls(self, texts: Sequence[str], calls: Sequence[Call], place: Place) -> None:
        """Records the calls of one answer, with the thought before them."""
        self.within.assistant(texts, calls, place=place)

    def result(
        self, identifier: str | None, effect: Any, status: Literal["ok", "error"] | None
    ) -> Call | None:
        """Records what came back, and returns the call that it belongs to."""
        kept = {"call_id": identifier}
        return self.within.result(identifier, None, effect, status, kept=kept)

    def trajectory(self, fields: Mapping[str, Any], place: Place) -> Trajectory:
        """Returns the run under these names.

        Raises:
            FormatError: if it is no trajectory.
        """
        found = self.recorder.conversation()
        metadata = {**fields["metadata"], **found.metadata}
        named = {**vars(found), **fields, "metadata": metadata, "told": tuple(self._told)}
        return parse_trajectory({**named, **tool_facts(*self._defined)}, str(place))


def tool_named(name: str) -> str:
    """Returns the name that a tool has in all versions."""
    return _TOOLS.get(name, name)


def call_of_tool(name: str, arguments: Any, identifier: str | None, place: Place) -> Call:
    """Returns a call under the name that its tool has in all versions.

    Args:
        name: the name of the tool.
        arguments: what it was asked, as JSON text or as it is.
        identifier: the id of the call.
        place: where the call stands.
    """
    call = made_call(tool_named(name), arguments, identifier, place)
    if isinstance(call.arguments, dict):
        asked = call.arguments.items()
        call.arguments = {key: value for key, value in asked if key not in _ADDED}
    return call


_TALK = ("message", "system", "recall")
_CALLS = (
    *("run", "run_ipython", "read", "write", "edit", "browse", "browse_interactive", "delegate"),
    *("finish", "reject", "think", "call_tool_mcp", "mcp", "search", "push", "send_pr"),
    *("task_tracking", "add_task", "modify_task"),
)
_SETTINGS = (
    *("recall", "change_agent_state", "null", "summarize", "pause", "resume", "stop", "start"),
    *("condensation", "condensation_request", "initialize", "loop_recovery"),
)
_SILENT = (
    *("null", "agent_state_changed", "recall", "microagent", "workspace_context", "condense"),
    *("loop_detection", "chat", "message"),
)
_MCP = ("call_tool_mcp", "mcp")
_SAYS = ("thought", "final_thought", "content", "message")  # where a finish has its last words
# What an action holds beside what its tool is asked.
_FRAME = (
    *("thought", "keep_prompt", "is_confirmed", "confirmation_state", "security_risk", "hidden"),
    *("action_risk", "kernel_init_code", "blocking", "is_static", "include_extra", "cwd"),
    *("impl_source", "translated_ipython_code", "wait_for_response", "return_axtree"),
    *("browsergym_send_msg_to_user", "action", "args", "id", "timestamp", "source", "message"),
    *("tool_call_metadata", "timeout", "llm_metrics", "cause"),
)
_EVALUATION = "Please continue working on the task"  # what it says itself, in the user's name
_FAILED = (
    "[Your proposed edit has introduced new syntax error(s)",
    "[No exact match found in ",  # of what was to be replaced: nothing was edited
    "ERROR:",
)


def is_event(value: Mapping[str, Any], *, alone: bool) -> bool:
    """Says whether this is an action or an observation.

    Args:
        value: what may be one.
        alone: whether nothing around it says so; the oldest ones have no field of their own.
    """
    action, observed = value.get("action"), value.get("observation")
    if isinstance(action, str) and observed is None:
        known = action in (*_TALK, *_CALLS, *_SETTINGS)
        return known and (not alone or ("args" in value and "source" in value))
    if isinstance(observed, str) and action is None:
        return "content" in value and (not alone or "extras" in value)
    return False


def record_event(run: Run, event: dict[str, Any], place: Place) -> None:
    """Records one event.

    Raises:
        FormatError: with the place of the first thing that no event may hold.
    """
    if isinstance(event.get("observation"), str):
        _record_observation(run, event, place)
        return
    kind = place["action"].text(event.get("action"))
    if kind == "message":
        _record_message(run, event, place)
    elif kind == "system":
        run.recorder.ignored("system prompt")
        run.defines(_args_of(event, place).get("tools"))
    elif kind in _SETTINGS:
        run.recorder.ignored(f"action of type '{kind}'")
    elif event.get("source") in ("user", "environment"):
        run.recorder.ignored("action of the user or the environment")
    elif kind in _CALLS or _call_metadata(event, place):
        _record_action(run, event, place)
    else:
        run.recorder.unknown(f"action of type '{kind}'")


def _args_of(event: dict[str, Any], place: Place) -> dict[str, Any]:
    """Returns what an action holds; the oldest have it beside its type."""
    return place["args"].object(event["args"]) if event.get("args") is not None else event


def _call_metadata(event: dict[str, Any], place: Place) -> dict[str, Any]:
    return place["tool_call_metadata"].object(event.get("tool_call_metadata") or {})


def _record_message(run: Run, event: dict[str, Any], place: Place) -> None:
    texts = unless_blank(_args_of(event, place).get("content"))
    source = event.get("source")
    if source is None:  # the oldest do not say: the first message is the task
        source = "agent" if run.ids or _args_of(event, place).get("wait_for_response") else "user"
    if source == "agent":
        run.agent(texts)
    elif not any(text.startswith(_EVALUATION) for text in texts):
        run.user(texts)


def _record_action(run: Run, event: dict[str, Any], place: Place) -> None:
    """Records an action, with those that come from the same answer: they are one turn."""
    together = run.actions_of(_answer_of_action(event), _answer_of_action, (event, place))
    if together:
        texts = [t for one, at in together for t in unless_blank(_args_of(one, at).get("thought"))]
        calls = [_call_of_action(run, one, at) for one, at in together]
        run.calls(list(dict.fromkeys(texts)), calls, place)
    _tell_finish(run, together)
    _enter_delegate(run, event)


def _answer_of_action(event: dict[str, Any]) -> str | None:
    """Returns the id of the answer of a model that an action comes from, where it made several."""
    about = event.get("tool_call_metadata")
    if not isinstance(about, dict) or not isinstance(event.get("action"), str):
        return None
    response = about.get("model_response")
    name = response.get("id") if isinstance(response, dict) else None
    several = about.get("total_calls_in_response") != 1
    return name if several and isinstance(name, str) and name else None


def _call_of_action(run: Run, event: dict[str, Any], place: Place) -> Call:
    about = _call_metadata(event, place)
    identifier = place["tool_call_metadata"]["tool_call_id"].label(about.get("tool_call_id"))
    number = place["id"].label(event.get("id"))
    identifier = identifier if identifier is not None else number
    if number is not None and identifier is not None:
        run.ids[number] = identifier
    run.ids.setdefault("", "")  # something was done
    asked = _asked(about, identifier)
    if asked is not None:
        return call_of_tool(*asked, identifier, place)
    kind, args = event["action"], _args_of(event, place)
    if kind in _MCP and isinstance(args.get("name"), str):
        return call_of_tool(args["name"], args.get("arguments"), identifier, place)
    kept = {key: value for key, value in args.items() if _is_asked(key, value)}
    return call_of_tool(SHELL if kind == "run" else kind, kept, identifier, place)


def _is_asked(key: str, value: Any) -> bool:
    """Says whether a field is what a tool is asked, and not only what it is unless set."""
    return key not in _FRAME and value not in (None, False, {}, [])


def _asked(about: Mapping[str, Any], identifier: str | None) -> tuple[str, Any] | None:
    """Returns the tool and the arguments as the model's own answer has them, where it is kept."""
    for call in _tool_calls(about.get("model_response")):
        function = call.get("function")
        if call.get("id") == identifier and isinstance(function, dict):
            name = function.get("name")
            return (name, function.get("arguments")) if isinstance(name, str) and name else None
    return None


def _tool_calls(response: Any) -> Iterator[dict[str, Any]]:
    choices = response.get("choices") if isinstance(response, dict) else None
    for choice in choices if isinstance(choices, list) else ():
        message = choice.get("message") if isinstance(choice, dict) else None
        calls = message.get("tool_calls") if isinstance(message, dict) else None
        for call in calls if isinstance(calls, list) else ():
            if isinstance(call, dict):
                yield call


def _tell_finish(run: Run, together: Sequence[Event]) -> None:
    """Notes the agent's last words, which the user is told."""
    for event, place in together:
        if event.get("action") in ("finish", "reject"):
            args = _args_of(event, place)
            said = (unless_blank(args.get(key)) for key in ("final_thought", *_SAYS))
            run.tell(next((text for text in said if text), []))


def _enter_delegate(run: Run, event: dict[str, Any]) -> None:
    """Notes that another agent is at work from here on, if what it brought is told later."""
    if event.get("action") != "delegate":
        return
    identifier = run.ids.get(str(event.get("id")))
    if identifier is not None and "delegate" in run.group("observations", _kind_of_observation):
        run.inside.append(identifier)


def _kind_of_observation(event: dict[str, Any]) -> str | None:
    kind = event.get("observation")
    return kind if isinstance(kind, str) else None


def _record_observation(run: Run, event: dict[str, Any], place: Place) -> None:
    kind = event["observation"]
    if kind in _SILENT:
        run.recorder.ignored(f"observation of type '{kind}'")
        return
    if kind == "delegate" and run.inside:
        run.inside.pop()
    extras = place["extras"].object(event.get("extras") or {})
    effect = event.get("content")
    if effect in (None, "") and extras.get("outputs"):
        effect = extras["outputs"]
    call = run.result(
        _caused_by(run, event, place), effect, _status_of_observation(kind, event, extras)
    )
    if call is not None and kind == "user_rejected":
        call.notes["not_run"] = True


def _caused_by(run: Run, event: dict[str, Any], place: Place) -> str | None:
    """Returns the id of the call that an observation is the result of; none where it has none."""
    about = _call_metadata(event, place)
    identifier = place["tool_call_metadata"]["tool_call_id"].label(about.get("tool_call_id"))
    cause = place["cause"].label(event.get("cause"))
    return run.ids.get(cause or "-") if identifier is None else identifier


def _status_of_observation(
    kind: str, event: Mapping[str, Any], extras: Mapping[str, Any]
) -> Literal["ok", "error"] | None:
    if kind in ("error", "user_rejected") or extras.get("error") is True:
        return "error"
    content = event.get("content")
    if isinstance(content, str) and content.startswith(_FAILED):
        return "error"
    return None if kind != "run" else status_of(_exit_code(event, extras))


def _exit_code(event: Mapping[str, Any], extras: Mapping[str, Any]) -> Any:
    """Returns what a command returned; -1 stands for none: it still runs."""
    places = (object_in(extras, "metadata"), extras, event)
    code = next((at["exit_code"] for at in places if at.get("exit_code") is not None), None)
    return None if code == -1 else code


_INNER_CAPITAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_SOURCES = ("agent", "user", "environment", "hook")
_SDK_SILENT = (
    *("ConversationStateUpdateEvent", "Condensation", "CondensationRequest", "PauseEvent"),
    *("CondensationSummaryEvent", "InterruptEvent", "TokenEvent", "LLMCompletionLogEvent"),
    *("StreamingDeltaEvent", "HookExecutionEvent", "SecurityAnalysisEvent"),
    *("ConversationErrorEvent", "ServerErrorEvent"),
)
_TOLD = (
    *("SystemPromptEvent", "MessageEvent", "ActionEvent", "ObservationEvent", "AgentErrorEvent"),
    *("UserRejectObservation", "ACPToolCallEvent"),
)
_ENDED: dict[Any, Literal["ok", "error"]] = {"completed": "ok", "failed": "error"}


def is_sdk_event(value: Mapping[str, Any]) -> bool:
    """Says whether this is an event of the SDK."""
    kind = value.get("kind")
    if not isinstance(kind, str) or value.get("source") not in _SOURCES:
        return False
    return kind in (*_TOLD, *_SDK_SILENT) or (kind.endswith("Event") and "timestamp" in value)


def record_sdk_event(run: Run, event: dict[str, Any], place: Place) -> None:
    """Records one event.

    Raises:
        FormatError: with the place of the first thing that no event may hold.
    """
    kind = event["kind"]
    if kind == "SystemPromptEvent":
        run.recorder.ignored("system prompt")
        run.defines(
            [_sdk_definition(tool) for tool in place["tools"].array(event.get("tools") or [])]
        )
    elif kind == "MessageEvent":
        _record_sdk_message(run, event, place)
    elif kind == "ActionEvent":
        _record_sdk_action(run, event, place)
    elif kind == "ACPToolCallEvent":
        _record_served_call(run, event, place)
    elif kind in _TOLD:
        _record_sdk_observation(run, event, place)
    elif kind in _SDK_SILENT:
        run.recorder.ignored(kind)
    else:
        run.recorder.unknown(f"event of kind '{kind}'")


def _sdk_definition(tool: Any) -> Any:
    """Returns a definition with the name that the SDK makes of its class, where it has none."""
    if not isinstance(tool, dict) or "name" in tool or not isinstance(tool.get("kind"), str):
        return tool
    name = _INNER_CAPITAL.sub("_", tool["kind"]).lower()
    return {**tool, "name": tool_named(name.removesuffix("_tool"))}


def _record_sdk_message(run: Run, event: dict[str, Any], place: Place) -> None:
    where = place["llm_message"]
    message = where.object(event.get("llm_message"))
    texts = said(message.get("content"), where["content"], text_part)
    if event.get("source") == "user":
        run.user(texts)
    elif event.get("source") == "agent":
        run.agent(texts)
    else:
        run.recorder.ignored("message of the environment")


def _record_sdk_action(run: Run, event: dict[str, Any], place: Place) -> None:
    """Records an action, with those that come from the same answer: they are one turn."""
    answer = place["llm_response_id"].label(event.get("llm_response_id"))
    together = run.actions_of(answer, _answer_of_sdk_action, (event, place))
    if not together:
        return
    texts = [t for one, at in together for t in said(one.get("thought"), at["thought"], text_part)]
    calls = [_call_of_sdk_action(one, at) for one, at in together]
    run.calls(list(dict.fromkeys(texts)), calls, place)
    for one, _ in together:
        _tell_sdk_finish(run, one)


def _answer_of_sdk_action(event: dict[str, Any]) -> str | None:
    return (
        _label_of_sdk(event.get("llm_response_id")) if event.get("kind") == "ActionEvent" else None
    )


def _label_of_sdk(value: Any) -> str | None:
    named = isinstance(value, str | int) and not isinstance(value, bool) and value != ""
    return str(value) if named else None


def _call_of_sdk_action(event: dict[str, Any], place: Place) -> Call:
    name = place["tool_name"].text(event.get("tool_name"))
    identifier = place["tool_call_id"].label(event.get("tool_call_id"))
    asked = place["tool_call"].object(event.get("tool_call") or {})
    if "arguments" in asked:
        return call_of_tool(name, asked["arguments"], identifier, place)
    action = place["action"].object(event.get("action") or {})
    arguments = {key: value for key, value in action.items() if key != "kind"}
    return call_of_tool(name, arguments, identifier, place)


def _tell_sdk_finish(run: Run, event: dict[str, Any]) -> None:
    action = event.get("action")
    if isinstance(action, dict) and action.get("kind") == "FinishAction":
        run.tell(unless_blank(action.get("message")))


def _record_sdk_observation(run: Run, event: dict[str, Any], place: Place) -> None:
    identifier = place["tool_call_id"].label(event.get("tool_call_id"))
    if event["kind"] == "AgentErrorEvent":
        run.result(identifier, event.get("error"), "error")
        return
    if event["kind"] == "UserRejectObservation":
        call = run.result(identifier, event.get("rejection_reason"), "error")
        if call is not None:
            call.notes["not_run"] = True
        return
    found = place["observation"].object(event.get("observation") or {})
    effect = joined(found.get("content"), "text")
    if effect in (None, [], "") and found.get("output") is not None:
        effect = found["output"]
    run.result(identifier, "" if effect == [] else effect, _status_of_sdk_observation(found))


def _status_of_sdk_observation(found: Mapping[str, Any]) -> Literal["ok", "error"] | None:
    codes = [found.get("exit_code"), object_in(found, "metadata").get("exit_code")]
    code = next((code for code in codes if code is not None), None)
    if found.get("is_error") is True:
        return "error"
    if code is not None:
        return None if code == -1 else status_of(code)
    return "ok" if found.get("is_error") is False else None


def _record_served_call(run: Run, event: dict[str, Any], place: Place) -> None:
    """Records a call that another agent's server made: each event tells more of the same call."""
    identifier = place["tool_call_id"].label(event.get("tool_call_id"))
    if identifier is not None and not run.first_of(identifier):
        return
    told = run.group("served", _served_id).get(identifier or "") or [(event, place)]
    last = told[-1][0]
    name = _label_of_sdk(last.get("tool_kind")) or place["title"].text(last.get("title"))
    run.calls([], [call_of_tool(name, last.get("raw_input"), identifier, place)], place)
    effect = last.get("raw_output")
    ended = _ENDED.get(_label_of_sdk(last.get("status")))
    status = "error" if last.get("is_error") is True else ended
    if status is not None or effect is not None:
        run.result(identifier, last.get("content") if effect is None else effect, status)


def _served_id(event: dict[str, Any]) -> str | None:
    served = event.get("kind") == "ACPToolCallEvent"
    return _label_of_sdk(event.get("tool_call_id")) if served else None

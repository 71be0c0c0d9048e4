"""Runs of OpenHands: its evaluation's outputs, and the events of its sessions.

Events are actions and the observations they caused; those of its software-agent SDK have a kind.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from otap.formats.json.documents import Document, first_of
from otap.formats.json.paths import JsonPath
from otap.formats.readers.coding import SHELL, status_of
from otap.formats.steps.calls import Call, parse_call
from otap.formats.steps.content import (
    drop_nulls,
    join_texts,
    message_texts,
    object_in,
    text_part,
    unless_blank,
)
from otap.formats.steps.definitions import tool_facts
from otap.formats.steps.recorder import Recorder
from otap.trajectory import Trajectory, parse_trajectory

NAME = "openhands"
DESCRIPTION = "runs of OpenHands: output.jsonl of its evaluation, or the events of a session"
STEP = "each action of the agent that calls a tool; what another agent did for it are substeps"
KNOWN_BY = "'history' of actions and observations, or events of its SDK"

Event = tuple[dict[str, Any], JsonPath]

_LISTS = ("history", "trajectory", "events")
_AROUND = {"instance_id", "git_patch", "test_result", "metadata"}  # of an output without history
_KEPT = ("success", "error")


def recognises(value: Any) -> bool:
    """Says whether this is an output, a list of events, or a list of outputs."""
    if isinstance(value, list) and value and _is_event(value[0], alone=True):
        return True
    first = first_of(value)
    if not isinstance(first, dict):
        return False
    listed = first.get(_key_of_events(first))
    if isinstance(listed, list) and listed:
        begun = listed[0]
        paired = isinstance(begun, list) and len(begun) == 2
        return _is_event(begun[0] if paired else begun)
    return "history" in first and len(_AROUND & first.keys()) > 1


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Returns one run for each output, or for the events of a session."""
    value = document.value
    if isinstance(value, list) and _is_event(value[0], alone=True):
        events = [(place.object(event), place) for event, place in document.items()]
        yield _run_of_events({}, document.root, events, reasoning)
        return
    for item, place in document.items():
        output = place.object(item)
        yield _run_of_events(output, place, list(_events_of(output, place)), reasoning)


def _key_of_events(output: dict[str, Any]) -> str:
    return next((key for key in _LISTS if output.get(key) is not None), "")


def _events_of(output: dict[str, Any], place: JsonPath) -> Iterator[Event]:
    """Returns the events; the oldest outputs have each action in a pair with what it brought."""
    key = _key_of_events(output)
    for index, item in enumerate(place[key].array(output[key]) if key else ()):
        where = place[key][index]
        if isinstance(item, list):
            yield from where.objects(item)
        else:
            yield where.object(item), where


def _name_of_problem(output: dict[str, Any], place: JsonPath) -> str | None:
    """Returns the instance of a benchmark, or the issue that was to be resolved."""
    name = place["instance_id"].label(output.get("instance_id"))
    issue = output.get("issue")
    if name is not None or not isinstance(issue, dict):
        return name
    parts = [place["issue"][key].label(issue.get(key)) for key in ("owner", "repo", "number")]
    return "/".join(part for part in parts if part is not None) or None


def _outcome(output: dict[str, Any]) -> float | None:
    """Returns whether the tests of a benchmark say that it is solved."""
    tested = object_in(output, "test_result")
    reports = (object_in(output, "report"), object_in(tested, "report"), tested)
    solved = (report.get("resolved") for report in reports)
    return next((float(one) for one in solved if isinstance(one, bool)), None)


class _Action(NamedTuple):
    """One action: what the agent thought, the call, and its last words if it ends the run."""

    thought: Sequence[str]
    call: Call
    last_words: Sequence[str]


@dataclass(slots=True)
class _Run:
    """What one run has recorded so far."""

    events: Sequence[Event]
    recorder: Recorder
    brings_back: bool  # whether what another agent did is told
    inside: list[str] = field(default_factory=list)  # calls for which other agents are at work
    ids: dict[Any, str] = field(default_factory=dict)  # of the calls that events made
    told: list[str] = field(default_factory=list)
    defined: list[Any] = field(default_factory=list)
    _answers: dict[Any, list[Event]] | None = None

    @property
    def within(self) -> Recorder:
        """What records the agent at work, perhaps inside the call for which it was started."""
        return self.recorder.in_call(self.inside[-1] if self.inside else None)

    def take_answer(self, event: dict[str, Any], place: JsonPath) -> Sequence[Event]:
        """Returns all events of an event's answer at the first of them, and none at the others."""
        if self._answers is None:
            self._answers = {}
            for one in self.events:
                self._answers.setdefault(_answer_of_event(*one), []).append(one)
        answer = _answer_of_event(event, place)
        return [(event, place)] if answer is None else self._answers.pop(answer, [])

    def agent(self, texts: Sequence[str]) -> None:
        """Records what the agent said to the user; one that works for another says it to that."""
        self.within.assistant(texts)
        self.tell(texts)

    def tell(self, texts: Sequence[str]) -> None:
        """Notes what the user is told."""
        if not self.inside:
            self.told += texts

    def result(
        self,
        identifier: str | None,
        effect: Any,
        status: Literal["ok", "error"] | None,
        *,
        refused: bool = False,
    ) -> None:
        """Records what came back; a call that the user refused never ran."""
        kept = {"call_id": identifier}
        call = self.within.result(identifier, None, effect, status, origin=kept)
        if call is not None and refused:
            call.notes["not_run"] = True


def _run_of_events(
    output: dict[str, Any], place: JsonPath, events: list[Event], reasoning: bool
) -> Trajectory:
    brings_back = any(event.get("observation") == "delegate" for event, _ in events)
    run = _Run(events, Recorder(reasoning), brings_back)
    for event, where in events:
        if _is_sdk_event(event):
            _record_sdk_event(run, event, where)
        elif isinstance(event.get("observation"), str):
            _record_observation(run, event, where)
        else:
            _record_event(run, event, where)
    name = _name_of_problem(output, place)
    found = run.recorder.conversation()
    fields = {
        **found.trajectory_fields(),
        "id": name,
        "task": name,
        "outcome": _outcome(output),
        "told": tuple(run.told),
        **tool_facts(*run.defined),
        "metadata": drop_nulls({key: output.get(key) for key in _KEPT}) | found.metadata,
    }
    return parse_trajectory(fields, str(place))


# The same tools under the names that they had in one version or another.
_TOOLS = {
    "execute_bash": SHELL,
    "terminal": SHELL,
    "execute_ipython_cell": "run_ipython",
    "file_editor": "str_replace_editor",
}
# What the agent's frame adds to what a tool is asked.
_ADDED = ("security_risk", "summary")


def _call_of_tool(name: str, arguments: Any, identifier: str | None, place: JsonPath) -> Call:
    """Returns a call under the name that its tool has in all versions."""
    call = parse_call(_TOOLS.get(name, name), arguments, identifier, place)
    if isinstance(call.arguments, dict):
        asked = call.arguments.items()
        call.arguments = {key: value for key, value in asked if key not in _ADDED}
    return call


def _record_action(run: _Run, event: dict[str, Any], place: JsonPath) -> None:
    """Records an action, with those that come from the same answer: they are one turn."""
    together = run.take_answer(event, place)
    if together:
        read_action = _read_sdk_action if _is_sdk_event(event) else _read_action
        actions = [read_action(run, *one) for one in together]
        texts = dict.fromkeys(text for action in actions for text in action.thought)
        run.within.assistant(list(texts), [action.call for action in actions], path=place)
        for action in actions:
            run.tell(action.last_words)
    if event.get("action") == "delegate":
        _enter_delegate(run, event)


def _answer_of_event(event: dict[str, Any], place: JsonPath) -> tuple[str, str] | None:
    """Returns the kind of an action, and what names the answer that made it with others."""
    kind = event.get("kind")
    if isinstance(kind, str) and kind in _ANSWERS:
        name = place.label_in(event, _ANSWERS[kind])
        return None if name is None else (kind, name)
    about = object_in(event, "tool_call_metadata")
    name = object_in(about, "model_response").get("id")
    several = about.get("total_calls_in_response") != 1 and isinstance(event.get("action"), str)
    return ("", name) if several and isinstance(name, str) and name else None


def _enter_delegate(run: _Run, event: dict[str, Any]) -> None:
    """Notes that another agent is at work from here on, if what it brought is told later."""
    identifier = run.ids.get(str(event.get("id")))
    if identifier is not None and run.brings_back:
        run.inside.append(identifier)


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
# Where a finish has its last words.
_SAYS = ("final_thought", "thought", "content", "message")
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


def _is_event(value: Any, *, alone: bool = False) -> bool:
    """Says whether this is an event.

    Args:
        value: what may be one.
        alone: whether nothing around it says so; the oldest ones have no field of their own.
    """
    if not isinstance(value, dict):
        return False
    if _is_sdk_event(value):
        return True
    action, observed = value.get("action"), value.get("observation")
    if isinstance(action, str) and observed is None:
        known = action in (*_TALK, *_CALLS, *_SETTINGS)
        return known and (not alone or ("args" in value and "source" in value))
    if isinstance(observed, str) and action is None:
        return "content" in value and (not alone or "extras" in value)
    return False


def _record_event(run: _Run, event: dict[str, Any], place: JsonPath) -> None:
    kind = place["action"].text(event.get("action"))
    if kind == "message":
        _record_message(run, event, place)
    elif kind == "system":
        run.recorder.ignored("system prompt")
        run.defined.append(_args_of(event, place).get("tools"))
    elif kind in _SETTINGS:
        run.recorder.ignored(f"action of type '{kind}'")
    elif event.get("source") in ("user", "environment"):
        run.recorder.ignored("action of the user or the environment")
    elif kind in _CALLS or _call_metadata(event, place):
        _record_action(run, event, place)
    else:
        run.recorder.unknown(f"action of type '{kind}'")


def _args_of(event: dict[str, Any], place: JsonPath) -> dict[str, Any]:
    """Returns what an action holds; the oldest have it beside its type."""
    return place["args"].object(event["args"]) if event.get("args") is not None else event


def _call_metadata(event: dict[str, Any], place: JsonPath) -> dict[str, Any]:
    return place["tool_call_metadata"].object(event.get("tool_call_metadata") or {})


def _record_message(run: _Run, event: dict[str, Any], place: JsonPath) -> None:
    args = _args_of(event, place)
    texts, source = unless_blank(args.get("content")), event.get("source")
    if source is None:  # the oldest do not say: the first message is the task
        source = "agent" if run.ids or args.get("wait_for_response") else "user"
    if source == "agent":
        run.agent(texts)
    elif not any(text.startswith(_EVALUATION) for text in texts):
        run.within.user(texts)


def _read_action(run: _Run, event: dict[str, Any], place: JsonPath) -> _Action:
    args, last_words = _args_of(event, place), list[str]()
    if event.get("action") in ("finish", "reject"):
        words = (unless_blank(args.get(key)) for key in _SAYS)
        last_words = next((text for text in words if text), [])
    call = _call_of_action(run, event, args, place)
    return _Action(unless_blank(args.get("thought")), call, last_words)


def _call_of_action(
    run: _Run, event: dict[str, Any], args: dict[str, Any], place: JsonPath
) -> Call:
    number = place["id"].label(event.get("id"))
    identifier = _id_of_call(event, place) or number
    run.ids[number or ""] = identifier or ""  # also that something was done
    asked = _asked_of_tool(_call_metadata(event, place), identifier)
    kind = event["action"]
    if asked is not None:
        return _call_of_tool(asked["name"], asked.get("arguments"), identifier, place)
    if kind in _MCP and isinstance(args.get("name"), str):
        return _call_of_tool(args["name"], args.get("arguments"), identifier, place)
    # What is only what it is unless set was not asked.
    unset: tuple[Any, ...] = (None, False, {}, [])
    kept = {key: one for key, one in args.items() if key not in _FRAME and one not in unset}
    return _call_of_tool(SHELL if kind == "run" else kind, kept, identifier, place)


def _id_of_call(event: dict[str, Any], place: JsonPath) -> str | None:
    return place["tool_call_metadata"].label_in(_call_metadata(event, place), "tool_call_id")


def _asked_of_tool(about: Mapping[str, Any], identifier: str | None) -> dict[str, Any] | None:
    """Returns the tool and the arguments as the model's own answer has them, where it is kept."""
    for choice in _objects_in(object_in(about, "model_response"), "choices"):
        for call in _objects_in(object_in(choice, "message"), "tool_calls"):
            function = object_in(call, "function")
            if call.get("id") == identifier and unless_blank(function.get("name")):
                return function
    return None


def _objects_in(value: dict[str, Any], key: str) -> list[dict[str, Any]]:
    listed = value.get(key)
    return [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []


def _record_observation(run: _Run, event: dict[str, Any], place: JsonPath) -> None:
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
    cause, identifier = place["cause"].label(event.get("cause")), _id_of_call(event, place)
    if identifier is None and cause is not None:
        identifier = run.ids.get(cause)
    status = _status_of_observation(kind, event, extras)
    run.result(identifier, effect, status, refused=kind == "user_rejected")


def _status_of_observation(
    kind: str, event: Mapping[str, Any], extras: Mapping[str, Any]
) -> Literal["ok", "error"] | None:
    if kind in ("error", "user_rejected") or extras.get("error") is True:
        return "error"
    content = event.get("content")
    if isinstance(content, str) and content.startswith(_FAILED):
        return "error"
    places = (object_in(extras, "metadata"), extras, event)
    return None if kind != "run" else _status_of_code(_exit_code(*places))


def _exit_code(*places: Mapping[str, Any]) -> Any:
    return next((at["exit_code"] for at in places if at.get("exit_code") is not None), None)


def _status_of_code(code: Any) -> Literal["ok", "error"] | None:
    """Returns what a command's code says; -1 stands for none: it still runs."""
    return None if code == -1 else status_of(code)


def _record_sdk_event(run: _Run, event: dict[str, Any], place: JsonPath) -> None:
    kind = event["kind"]
    if kind in _SDK:
        _SDK[kind](run, event, place)
    elif kind in _SDK_SILENT:
        run.recorder.ignored(kind)
    else:
        run.recorder.unknown(f"event of kind '{kind}'")


def _record_sdk_prompt(run: _Run, event: dict[str, Any], place: JsonPath) -> None:
    run.recorder.ignored("system prompt")
    run.defined += map(_sdk_definition, place["tools"].array(event.get("tools") or []))


def _sdk_definition(tool: Any) -> Any:
    """Returns a definition with the name that the SDK makes of its class, where it has none."""
    if not isinstance(tool, dict) or "name" in tool or not isinstance(tool.get("kind"), str):
        return tool
    name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", tool["kind"]).lower().removesuffix("_tool")
    return {**tool, "name": _TOOLS.get(name, name)}


def _record_sdk_message(run: _Run, event: dict[str, Any], place: JsonPath) -> None:
    where = place["llm_message"]
    message = where.object(event.get("llm_message"))
    texts = message_texts(message.get("content"), where["content"], text_part)
    if event["source"] == "user":
        run.within.user(texts)
    elif event["source"] == "agent":
        run.agent(texts)
    else:
        run.recorder.ignored("message of the environment")


def _read_sdk_action(_: _Run, event: dict[str, Any], place: JsonPath) -> _Action:
    name = place["tool_name"].text(event.get("tool_name"))
    asked = place["tool_call"].object(event.get("tool_call") or {})
    action = object_in(event, "action")
    if "arguments" in asked:
        arguments = asked["arguments"]
    else:
        fields = place["action"].object(event.get("action") or {})
        arguments = {key: value for key, value in fields.items() if key != "kind"}
    return _Action(
        message_texts(event.get("thought"), place["thought"], text_part),
        _call_of_tool(name, arguments, place.label_in(event, "tool_call_id"), place),
        unless_blank(action.get("message")) if action.get("kind") == "FinishAction" else [],
    )


def _record_sdk_observation(run: _Run, event: dict[str, Any], place: JsonPath) -> None:
    found = place["observation"].object(event.get("observation") or {})
    effect = join_texts(found.get("content"), "text")
    if effect in (None, [], "") and found.get("output") is not None:
        effect = found["output"]
    code = _exit_code(found, object_in(found, "metadata"))
    status = _status_of_code(code)
    if found.get("is_error") is True:
        status = "error"
    elif code is None and found.get("is_error") is False:
        status = "ok"
    run.result(place.label_in(event, "tool_call_id"), "" if effect == [] else effect, status)


def _record_sdk_error(run: _Run, event: dict[str, Any], place: JsonPath) -> None:
    """Records that a call failed, or that the user did not let it run."""
    refused = event["kind"] == "UserRejectObservation"
    words = event.get("rejection_reason" if refused else "error")
    run.result(place.label_in(event, "tool_call_id"), words, "error", refused=refused)


def _record_served_call(run: _Run, event: dict[str, Any], place: JsonPath) -> None:
    """Records a call that another agent's server made: each event tells more of the same call."""
    together = run.take_answer(event, place)
    if not together:
        return
    identifier, last = place.label_in(event, "tool_call_id"), together[-1][0]
    name = next(iter(unless_blank(last.get("tool_kind"))), None)
    name = name or place["title"].text(last.get("title"))
    call = _call_of_tool(name, last.get("raw_input"), identifier, place)
    run.within.assistant((), [call], path=place)
    effect, ended = last.get("raw_output"), last.get("status")
    status = "error" if last.get("is_error") is True else _ENDED.get(str(ended))
    if status is not None or effect is not None:
        run.result(identifier, last.get("content") if effect is None else effect, status)


_ENDED: dict[str, Literal["ok", "error"]] = {"completed": "ok", "failed": "error"}
_SDK: dict[str, Callable[[_Run, dict[str, Any], JsonPath], None]] = {
    "SystemPromptEvent": _record_sdk_prompt,
    "MessageEvent": _record_sdk_message,
    "ActionEvent": _record_action,
    "ObservationEvent": _record_sdk_observation,
    "AgentErrorEvent": _record_sdk_error,
    "UserRejectObservation": _record_sdk_error,
    "ACPToolCallEvent": _record_served_call,
}
_ANSWERS = {"ActionEvent": "llm_response_id", "ACPToolCallEvent": "tool_call_id"}
_SDK_SILENT = (
    *("ConversationStateUpdateEvent", "Condensation", "CondensationRequest", "PauseEvent"),
    *("CondensationSummaryEvent", "InterruptEvent", "TokenEvent", "LLMCompletionLogEvent"),
    *("StreamingDeltaEvent", "HookExecutionEvent", "SecurityAnalysisEvent"),
    *("ConversationErrorEvent", "ServerErrorEvent"),
)


def _is_sdk_event(value: Mapping[str, Any]) -> bool:
    kind = value.get("kind")
    if not isinstance(kind, str) or value.get("source") not in _SOURCES:
        return False
    return kind in (*_SDK, *_SDK_SILENT) or (kind.endswith("Event") and "timestamp" in value)


_SOURCES = ("agent", "user", "environment", "hook")

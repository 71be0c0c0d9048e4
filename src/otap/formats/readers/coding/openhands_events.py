"""Events of OpenHands before its software-agent SDK: actions, and the observations they caused."""

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from otap.formats.json.places import Place
from otap.formats.readers.coding.openhands_run import Event, Run, made_call
from otap.formats.readers.coding.shell import SHELL, status_of
from otap.formats.steps.calls import Call

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


def record(run: Run, event: dict[str, Any], place: Place) -> None:
    """Records one event.

    Raises:
        FormatError: with the place of the first thing that no event may hold.
    """
    if isinstance(event.get("observation"), str):
        _observe(run, event, place)
        return
    kind = place["action"].text(event.get("action"))
    if kind == "message":
        _message(run, event, place)
    elif kind == "system":
        run.recorder.ignored("system prompt")
        run.defines(_args(event, place).get("tools"))
    elif kind in _SETTINGS:
        run.recorder.ignored(f"action of type '{kind}'")
    elif event.get("source") in ("user", "environment"):
        run.recorder.ignored("action of the user or the environment")
    elif kind in _CALLS or _metadata(event, place):
        _act(run, event, place)
    else:
        run.recorder.unknown(f"action of type '{kind}'")


def _args(event: dict[str, Any], place: Place) -> dict[str, Any]:
    """Returns what an action holds; the oldest have it beside its type."""
    return place["args"].object(event["args"]) if event.get("args") is not None else event


def _metadata(event: dict[str, Any], place: Place) -> dict[str, Any]:
    return place["tool_call_metadata"].object(event.get("tool_call_metadata") or {})


def _text(value: Any) -> list[str]:
    return [value] if isinstance(value, str) and value.strip() else []


def _message(run: Run, event: dict[str, Any], place: Place) -> None:
    texts = _text(_args(event, place).get("content"))
    source = event.get("source")
    if source is None:  # the oldest do not say: the first message is the task
        source = "agent" if run.ids or _args(event, place).get("wait_for_response") else "user"
    if source == "agent":
        run.agent(texts)
    elif not any(text.startswith(_EVALUATION) for text in texts):
        run.user(texts)


def _act(run: Run, event: dict[str, Any], place: Place) -> None:
    """Records an action, with those that come from the same answer: they are one turn."""
    answer = _answer(event)
    if answer is None:
        together: list[Event] = [(event, place)]
    elif run.first_of(answer):
        together = run.group("answers", _answer)[answer]
    else:
        _enter(run, event)
        return
    texts = [text for one, at in together for text in _text(_args(one, at).get("thought"))]
    run.calls(list(dict.fromkeys(texts)), [_call(run, one, at) for one, at in together], place)
    _finish(run, together)
    _enter(run, event)


def _answer(event: dict[str, Any]) -> str | None:
    """Returns the id of the answer of a model that an action comes from, where it made several."""
    about = event.get("tool_call_metadata")
    if not isinstance(about, dict) or not isinstance(event.get("action"), str):
        return None
    response = about.get("model_response")
    name = response.get("id") if isinstance(response, dict) else None
    several = about.get("total_calls_in_response") != 1
    return name if several and isinstance(name, str) and name else None


def _call(run: Run, event: dict[str, Any], place: Place) -> Call:
    about = _metadata(event, place)
    identifier = place["tool_call_metadata"]["tool_call_id"].label(about.get("tool_call_id"))
    number = place["id"].label(event.get("id"))
    identifier = identifier if identifier is not None else number
    if number is not None and identifier is not None:
        run.ids[number] = identifier
    run.ids.setdefault("", "")  # something was done
    asked = _asked(about, identifier)
    if asked is not None:
        return made_call(*asked, identifier)
    kind, args = event["action"], _args(event, place)
    if kind in _MCP and isinstance(args.get("name"), str):
        return made_call(args["name"], args.get("arguments"), identifier)
    kept = {key: value for key, value in args.items() if _is_asked(key, value)}
    return made_call(SHELL if kind == "run" else kind, kept, identifier)


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
        yield from (call for call in (calls if isinstance(calls, list) else ()) if _is(call))


def _is(call: Any) -> bool:
    return isinstance(call, dict)


def _finish(run: Run, together: list[Event]) -> None:
    """Notes the agent's last words, which the user is told."""
    for event, place in together:
        if event.get("action") in ("finish", "reject"):
            args = _args(event, place)
            said = (_text(args.get(key)) for key in ("final_thought", *_SAYS))
            run.tell(next((text for text in said if text), []))


def _enter(run: Run, event: dict[str, Any]) -> None:
    """Notes that another agent is at work from here on, if what it brought is told later."""
    if event.get("action") != "delegate":
        return
    identifier = run.ids.get(str(event.get("id")))
    if identifier is not None and "delegate" in run.group("observations", _observed):
        run.inside.append(identifier)


def _observed(event: dict[str, Any]) -> str | None:
    kind = event.get("observation")
    return kind if isinstance(kind, str) else None


def _observe(run: Run, event: dict[str, Any], place: Place) -> None:
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
    call = run.result(_caused_by(run, event, place), effect, _status(kind, event, extras))
    if call is not None and kind == "user_rejected":
        call.notes["not_run"] = True


def _caused_by(run: Run, event: dict[str, Any], place: Place) -> str | None:
    """Returns the id of the call that an observation is the result of; none where it has none."""
    about = _metadata(event, place)
    identifier = place["tool_call_metadata"]["tool_call_id"].label(about.get("tool_call_id"))
    cause = place["cause"].label(event.get("cause"))
    return run.ids.get(cause or "-") if identifier is None else identifier


def _status(
    kind: str, event: Mapping[str, Any], extras: Mapping[str, Any]
) -> Literal["ok", "error"] | None:
    if kind in ("error", "user_rejected") or extras.get("error") is True:
        return "error"
    content = event.get("content")
    if isinstance(content, str) and content.startswith(_FAILED):
        return "error"
    return None if kind != "run" else status_of(_code(event, extras))


def _code(event: Mapping[str, Any], extras: Mapping[str, Any]) -> Any:
    """Returns what a command returned; -1 stands for none: it still runs."""
    about = extras.get("metadata")
    places = (about if isinstance(about, dict) else {}, extras, event)
    code = next((at["exit_code"] for at in places if at.get("exit_code") is not None), None)
    return None if code == -1 else code

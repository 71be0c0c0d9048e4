"""Messages of Microsoft's Agent Framework, in sessions and responses."""

from collections.abc import Iterator
from typing import Any, Literal

from otap.formats.json.documents import Document, first_of
from otap.formats.json.places import Place, described
from otap.formats.readers.chats.turns import Turns
from otap.formats.steps.calls import Call, made_call
from otap.formats.steps.content import text_of
from otap.formats.steps.conversation import Kept, conversations
from otap.formats.steps.recorder import Recorder
from otap.formats.steps.silent import note_part
from otap.formats.steps.tokens import tokens_beside
from otap.trajectory import Trajectory

NAME = "agent-framework"
DESCRIPTION = "messages of Microsoft's Agent Framework: sessions, responses, lists, or JSONL"
STEP = "each call in the contents of an assistant's message, those that the server ran included"
KNOWN_BY = "messages with 'role' and 'contents' of a type, as 'function_call'"

_ROLES = ("system", "developer", "user", "assistant", "tool")
_LEFT_OUT = ("usage_details", "additional_properties", "type", "continuation_token")
_SILENT = {
    "text_reasoning": "thought",
    "data": "file",
    "uri": "file",
    "hosted_file": "file",
    "hosted_vector_store": "file",
    "usage": "count",
    "function_approval_request": "question whether a call may run",
    "function_approval_response": "question whether a call may run",
    "oauth_consent_request": "question whether a call may run",
}
_GIVEN = ("arguments", "inputs", "commands", "action")  # where a call has its arguments, by kind
_BACK = ("result", "output", "outputs")  # where a result has what came back
_IDENTITY = ("call_id", "image_id")


def recognises(value: Any) -> bool:
    """Says whether this is a message, a response, a session, or a list that begins with one."""
    first = first_of(value)
    return is_message(first) or _is_conversation(first) or _is_session(first)


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Returns one trajectory for each conversation."""
    for kept in _kept(document):
        recorder = Recorder(reasoning)
        for index, (value, place) in enumerate(kept.messages):
            _record(recorder, index, place.object(value), place)
        yield kept.run(recorder.conversation())


def is_message(value: Any) -> bool:
    """Says whether this is a message of the framework."""
    if not isinstance(value, dict) or _role(value) not in _ROLES or "messages" in value:
        return False
    contents = value.get("contents")
    return isinstance(contents, list) and all(
        isinstance(content, dict) and isinstance(content.get("type"), str) for content in contents
    )


def _role(message: dict[str, Any]) -> Any:
    """Returns who speaks; first versions wrote an object."""
    role = message.get("role")
    return role.get("value") if isinstance(role, dict) else role


def _is_conversation(value: Any) -> bool:
    messages = value.get("messages") if isinstance(value, dict) else value
    return isinstance(messages, list) and bool(messages) and is_message(messages[0])


def _is_session(value: Any) -> bool:
    return isinstance(value, dict) and value.get("type") == "session" and "session_id" in value


def _kept(document: Document) -> Iterator[Kept]:
    if not _is_session(first_of(document.value)):
        yield from conversations(document, is_message, left_out=_LEFT_OUT)
        return
    for value, place in document.items():
        item = place.object(value)
        yield _session(item, place) if _is_session(item) else _response(item, place)


def _response(response: dict[str, Any], place: Place) -> Kept:
    """Returns the messages of a response that stands among sessions."""
    at = place["messages"]
    listed = [(m, at[index]) for index, m in enumerate(at.array(response.get("messages")))]
    around = {k: v for k, v in response.items() if k not in ("messages", *_LEFT_OUT)}
    return Kept(listed, around, place, tokens=tokens_beside(response))


def _session(session: dict[str, Any], place: Place) -> Kept:
    """Returns the messages that a session keeps, under the name of whatever provider does.

    Raises:
        FormatError: if it keeps none: then a server does.
    """
    state, where = session.get("state"), place["state"]
    for name, item in where.object(state).items():
        if _is_conversation(item) and isinstance(item, dict):
            at = where[name]["messages"]
            listed = [(message, at[index]) for index, message in enumerate(item["messages"])]
            return Kept(listed, {"id": session.get("session_id")}, place)
    raise where.error("expected messages, found none; a server may have them")


def _record(recorder: Recorder, index: int, message: dict[str, Any], place: Place) -> None:
    role = _role(message)
    if not isinstance(role, str) or not role:
        raise place["role"].error(f"expected one of {', '.join(_ROLES)}, found {described(role)}")
    contents = list(place["contents"].objects(message.get("contents")))
    if role == "assistant":
        agent = message.get("author_name")
        name = agent if isinstance(agent, str) and agent else None
        turns = Turns(recorder, {"message": index}, name, together=True)
        for content, where in contents:
            _answer(turns, content, where)
        turns.end()
    else:
        recorder.interrupted()
        found = [_other(recorder, index, content, where) for content, where in contents]
        _said(recorder, role, [text for text in found if text])


def _said(recorder: Recorder, role: str, texts: list[str]) -> None:
    if role == "user":
        recorder.user(["\n".join(texts)] if texts else [])
    elif role in ("system", "developer"):
        recorder.ignored("system prompt")
    elif role != "tool":
        recorder.unknown(f"message of role '{role}'")


def _answer(turns: Turns, content: dict[str, Any], place: Place) -> None:
    kind = place["type"].text(content.get("type"))
    if kind.endswith("_call"):
        turns.call(_call(kind, content, place))
    elif kind.endswith("_result"):
        turns.result(*_result(content, place))
    elif text := _text(turns.recorder, kind, content, place):
        turns.say(text)


def _other(recorder: Recorder, index: int, content: dict[str, Any], place: Place) -> str | None:
    kind = place["type"].text(content.get("type"))
    if kind.endswith("_call"):
        raise place.error("only messages of the assistant may call tools")
    if not kind.endswith("_result"):
        return _text(recorder, kind, content, place)
    identifier, name, returned, status = _result(content, place)
    kept = {"message": index, "call_id": identifier}
    recorder.result(identifier, name, returned, status, kept=kept)
    return None


def _identifier(content: dict[str, Any], place: Place) -> str | None:
    key = next((key for key in _IDENTITY if content.get(key) is not None), "call_id")
    return place[key].label(content.get(key))


def _call(kind: str, content: dict[str, Any], place: Place) -> Call:
    """Returns a call; those of a server's own tools are named by their kind."""
    named = kind.removesuffix("_call").removesuffix("_tool")
    key = "tool_name" if content.get("tool_name") is not None else "name"
    name = content.get(key) if kind in ("function_call", "mcp_server_tool_call") else named
    given = next((content[key] for key in _GIVEN if content.get(key) is not None), None)
    call = made_call(name, given, _identifier(content, place), place[key])
    if content.get("server_name") is not None:
        call.notes["server_name"] = content["server_name"]
    return call


def _result(
    content: dict[str, Any], place: Place
) -> tuple[str | None, None, Any, Literal["ok", "error"]]:
    returned = next((content[key] for key in _BACK if content.get(key) is not None), None)
    failed = content.get("exception") is not None
    return _identifier(content, place), None, returned, "error" if failed else "ok"


def _text(recorder: Recorder, kind: str, content: dict[str, Any], place: Place) -> str | None:
    if kind == "text":
        return text_of(content, place, "text")
    if kind in _SILENT:
        recorder.ignored(_SILENT[kind])
    else:
        note_part(recorder, kind, "content")
    return None

"""Items of OpenAI's Responses: what goes in, what comes out, or a response."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import Any, Literal

from otap.formats.json.documents import Document
from otap.formats.json.places import Place, described
from otap.formats.steps.calls import Call, call_notes, parsed_arguments
from otap.formats.steps.content import joined, note_part, said, text_of
from otap.formats.steps.conversation import Conversation, Kept, Tally, conversations
from otap.formats.steps.recorder import Recorder
from otap.formats.steps.tokens import tokens_of_all
from otap.trajectory import Trajectory, Unread

ROLES = ("user", "assistant", "system", "developer")

_CALL, _OUTPUT = "_call", "_output"  # how the types of items end
_SERVER = ("web_search", "file_search", "code_interpreter", "image_generation", "mcp")
_CLIENT = ("function", "custom_tool", "computer", "local_shell", "shell", "apply_patch")
_TYPES = {
    *(name + _CALL for name in (*_SERVER, *_CLIENT, "tool_search")),
    *(name + _CALL + _OUTPUT for name in _CLIENT),
    *("reasoning", "program", "program_output", "tool_search_output", "item_reference"),
    *("mcp_list_tools", "mcp_approval_request", "mcp_approval_response", "compaction"),
}
_SILENT = {
    "reasoning": "thought",
    "item_reference": "reference to an item",
    "compaction": "summary of what was before",
    "compaction_summary": "summary of what was before",
    "ghost_snapshot": "state of the files",
    "mcp_approval_request": "question whether a call may run",
    "mcp_approval_response": "question whether a call may run",
}
_LISTS = ("mcp_list_tools", "tool_search_output")
# Where the items of built-in tools say what was asked, and what came back.
_ASKED = ("action", "actions", "operation", "queries", "code")
_RETURNED = ("output", "outputs", "results", "result", "tools")
_NOTED = ("server_label", "namespace")
_ENDED: dict[str, Literal["ok", "error"]] = {"completed": "ok", "failed": "error"}


def is_typed_item(value: Any) -> bool:
    """Says whether this is an item that no list of chat messages can hold."""
    return isinstance(value, dict) and "role" not in value and _kind(value) in _TYPES


def lists_tools(value: Any) -> bool:
    """Says whether this is an item in which a server, or a search, says what could be called."""
    return isinstance(value, dict) and value.get("type") in _LISTS


def read_items(items: Iterable[tuple[Any, Place]], *, reasoning: bool = False) -> Conversation:
    """Reads the items of one run, each with its place.

    Raises:
        FormatError: with the place of the first thing that no item may hold.
    """
    reader = ItemReader(Recorder(reasoning))
    for index, (value, place) in enumerate(items):
        reader.read(place.object(value), place, {"item": index})
    return reader.conversation()


@dataclass(slots=True)
class ItemReader:
    """Records what items say; calls between which no result stands are one turn."""

    recorder: Recorder
    calls: list[Call] = field(default_factory=list)  # all that were made
    _waiting: list[Call] = field(default_factory=list)
    _place: Place | None = None

    def read(
        self,
        item: Mapping[str, Any],
        place: Place,
        kept: Mapping[str, Any],
        at: datetime | None = None,
    ) -> None:
        """Records what one item says.

        Args:
            item: the item.
            place: where it stands.
            kept: what names it in the metadata, if it is the output of no known call.
            at: when it was written, if that is known.

        Raises:
            FormatError: with the place of the first thing that no item may hold.
        """
        kind = _kind(item)
        if "role" in item and kind in ("message", ""):
            self._message(item, place)
        elif (call := call_of(item, place)) is not None:
            call.started_at = at
            self._call(call, kind.removesuffix(_CALL), place)
        elif is_output(item):
            self._output(item, place, kept, at)
        elif not kind:
            raise place["type"].error(
                f"expected an item's type, found {described(item.get('type'))}"
            )
        else:
            _note_item(self.recorder, kind)

    def user(self, texts: Sequence[str]) -> None:
        """The user said this."""
        if texts:
            self._turn()
            self.recorder.user(texts)

    def conversation(self) -> Conversation:
        """Returns the run."""
        self._turn()
        return self.recorder.conversation()

    def _message(self, item: Mapping[str, Any], place: Place) -> None:
        self._turn()
        parts = partial(_part_text, self.recorder)
        role, texts = item["role"], said(item.get("content"), place["content"], parts)
        if role == "assistant":
            self.recorder.assistant(texts, [])
        elif role == "user":
            self.recorder.user(texts)
        elif role in ROLES:
            self.recorder.interrupted()
            self.recorder.ignored("system prompt")
        elif isinstance(role, str) and role:
            self.recorder.interrupted()
            self.recorder.unknown(f"message of role '{role}'")
        else:
            raise place["role"].error(
                f"expected one of {', '.join(ROLES)}, found {described(role)}"
            )

    def _call(self, call: Call, kind: str, place: Place) -> None:
        self.calls.append(call)
        self._place = place
        if kind not in _SERVER:
            self._waiting.append(call)
            return
        # It came with its result, which the model knew when it called the next.
        self._turn()
        self._waiting.append(call)
        self._turn()
        self.recorder.result(call.id, None, call.effect, call.status, kept={})

    def _output(
        self,
        item: Mapping[str, Any],
        place: Place,
        kept: Mapping[str, Any],
        at: datetime | None,
    ) -> None:
        self._turn()
        identifier = identifier_of(item, place)
        patched = _kind(item) == "apply_patch_call_output"
        status = _ENDED.get(_text(item.get("status"))) if patched else None
        kept = {**kept, "call_id": identifier}
        call = self.recorder.result(identifier, None, returned(item), status, kept=kept)
        if call is not None:
            call.ended_at = at

    def _turn(self) -> None:
        """Ends the turn: the model's own calls are one, each call of a program is its own."""
        if self._waiting:
            self.recorder.assistant([], self._waiting, place=self._place)
        self._waiting.clear()


def _kind(item: Mapping[str, Any]) -> str:
    return _text(item.get("type"))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def identifier_of(item: Mapping[str, Any], place: Place) -> str | None:
    """Returns the id that a call and its output share: ``call_id``, in old items ``id``."""
    key = "call_id" if item.get("call_id") is not None else "id"
    return place[key].label(item.get(key))


def is_output(item: Mapping[str, Any]) -> bool:
    """Says whether an item is what came back from a call."""
    return "role" not in item and _kind(item).endswith(_OUTPUT)


def call_of(item: Mapping[str, Any], place: Place) -> Call | None:
    """Returns the call that an item makes, if it makes one."""
    if not _is_call(item):
        return None
    kind = _kind(item).removesuffix(_CALL)
    identifier = identifier_of(item, place)
    notes = call_notes(identifier) | _notes(item, place)
    arguments, parsed = _arguments(item)
    if not parsed:
        notes["arguments_unparsed"] = True
    call = Call(_tool(item, kind, place, notes), arguments, identifier, notes)
    if kind in _SERVER:
        _complete(call, item)
    return call


def _is_call(item: Mapping[str, Any]) -> bool:
    kind = _kind(item)
    return "role" not in item and (kind == "program" or kind.endswith(_CALL))


def _notes(item: Mapping[str, Any], place: Place) -> dict[str, Any]:
    """Returns whose tool is called, and the program that calls it where no model does."""
    notes = {key: item[key] for key in _NOTED if item.get(key) is not None}
    caller = place["caller"].object(item.get("caller") or {})
    if caller.get("caller_id") is not None:
        notes["caller"] = place["caller"]["caller_id"].label(caller["caller_id"])
    return notes


def _complete(call: Call, item: Mapping[str, Any]) -> None:
    """Takes what the item of a tool that the server ran says of its result."""
    call.effect, call.status = returned(item), _ENDED.get(_text(item.get("status")))
    if item.get("error") is not None:
        call.status = "error"
        call.effect = item["error"] if call.effect is None else call.effect


def _tool(item: Mapping[str, Any], kind: str, place: Place, notes: dict[str, Any]) -> str | None:
    """Returns the name of the tool; that of a tool that is built in is its kind of item."""
    if kind not in ("function", "custom_tool", "mcp"):
        return kind
    if item.get("name") in (None, ""):
        notes["unnamed"] = True
        return None
    return place["name"].text(item["name"])


def _arguments(item: Mapping[str, Any]) -> tuple[Any, bool]:
    """Returns the arguments, and whether they could be parsed."""
    if "arguments" in item:
        return parsed_arguments(item["arguments"])
    if "input" in item:
        return item["input"], True
    asked = {key: item[key] for key in _ASKED if item.get(key) is not None}
    if not asked:
        return None, True
    only = next(iter(asked.values()))
    return (only if len(asked) == 1 and isinstance(only, dict) else asked), True


def returned(item: Mapping[str, Any]) -> Any:
    """Returns what came back, as it was recorded; a list of texts is their text."""
    found = next((item[key] for key in _RETURNED if item.get(key) is not None), None)
    return joined(found, "input_text", "output_text", "text")


def texts_of(content: Any, place: Place) -> list[str]:
    """Returns what a message says: one text, or none where it is blank or all pictures.

    Raises:
        FormatError: if a part is no object, or its text is none.
    """
    return said(content, place, partial(_part_text, None))


def _part_text(recorder: Recorder | None, part: Any, place: Place) -> str | None:
    """Returns the text of a part, or why the model refused; what is neither is noted."""
    found = place.object(part)
    if recorder is not None and "text" not in found and "refusal" not in found:
        note_part(recorder, found.get("type"))
    return text_of(found, place, "text", "refusal")


def _note_item(recorder: Recorder, kind: str) -> None:
    """Notes an item that is no message, no call and no output."""
    if kind in _TYPES or kind in _SILENT:
        recorder.ignored(_SILENT.get(kind, "list of tools"))
    else:
        recorder.unknown(f"item of type '{kind}'")


NAME = "openai-responses"
DESCRIPTION = "items of OpenAI's Responses: a list, {'items': [...]}, responses, or JSONL"
STEP = "each item that calls a tool, those that are built in included"
KNOWN_BY = "items with a 'type', as 'function_call', or objects 'response'"

_KEYS = ("input", "messages", "items", "output")
# Not kept but for hints of tools: what could have been called is not what was done.
_LEFT_OUT = ("tools", "instructions")
_BEFORE = "previous_response_id"
_OF_A_RESPONSE = ("id", "model", "metadata")


def recognises(value: Any) -> bool:
    """Says whether this is a list of items, an object that holds one, or a list of these."""
    if _is_item(value) or _holds_items(value):
        return any(map(is_typed_item, _items(value))) or _is_response(value)
    first = value[0] if isinstance(value, list) and value else None
    return _is_response(first) or (_holds_items(first) and any(map(is_typed_item, _items(first))))


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Returns one trajectory for each list of items."""
    found = list(conversations(document, _is_item, keys=_KEYS, left_out=_LEFT_OUT))
    for kept in _chained(found):
        items = list(kept.messages)
        listed = tuple(item for item, _ in items if lists_tools(item))
        named = replace(_named(kept), defined=(*kept.defined, *listed))
        told = read_items(items, reasoning=reasoning)
        if _name(kept, _BEFORE) is not None:
            told = replace(told, unread=_without_beginning(told.unread))
        yield named.run(told)


def _chained(found: list[Kept]) -> Iterator[Kept]:
    """Returns each response with those that went before it, where the file has them in order.

    The server keeps what was before: a response only names it. One that two others go on from
    is a run of its own, as they are.
    """
    before = [_name(kept, _BEFORE) for kept in found]
    names = Counter(_name(kept, "id") for kept in found)
    following = Counter(before)
    chains: dict[str, list[Kept]] = {}  # by the id of their last response, which another goes on
    for kept, earlier in zip(found, before, strict=True):
        chain = chains.pop(earlier, []) if earlier is not None else []
        chain.append(kept)
        own = _name(kept, "id")
        if own is not None and names[own] == following[own] == 1:
            chains[own] = chain
        else:
            yield _joined(chain)
    yield from map(_joined, chains.values())


def _name(kept: Kept, key: str) -> str | None:
    name = kept.around.get(key) if kept.around.get("object") == "response" else None
    return name if isinstance(name, str) else None


def _joined(chain: list[Kept]) -> Kept:
    first, last = chain[0], chain[-1]
    if first is last:
        return last
    messages = [message for kept in chain for message in kept.messages]
    around = {**last.around, _BEFORE: first.around.get(_BEFORE)}
    defined = tuple(item for kept in chain for item in kept.defined)
    tokens = tokens_of_all(kept.spent() for kept in chain)
    return replace(last, messages=messages, around=around, defined=defined, tokens=tokens)


def _without_beginning(unread: Unread) -> Unread:
    tally = Tally()
    tally.add(unread)
    tally.unknown("response before, from which this goes on")
    return tally.counted()


def _named(kept: Kept) -> Kept:
    """Leaves out the many settings that a response repeats."""
    if kept.around.get("object") != "response":
        return kept
    around = {key: kept.around[key] for key in _OF_A_RESPONSE if kept.around.get(key) is not None}
    return replace(kept, around=around)


def _is_response(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and value.get("object") == "response"
        and isinstance(value.get("output"), list)
    )


def _is_item(value: Any) -> bool:
    if not isinstance(value, dict) or "messages" in value:
        return False
    return value.get("role") in ROLES or is_typed_item(value)


def _holds_items(value: Any) -> bool:
    if not isinstance(value, dict):
        return isinstance(value, list) and bool(value) and _is_item(value[0])
    lists = [value[key] for key in _KEYS if key in value]
    return bool(lists) and all(isinstance(items, list) for items in lists)


def _items(value: Any) -> list[Any]:
    if isinstance(value, list):
        return value
    if _is_item(value):
        return [value]
    return [item for key in _KEYS for item in value.get(key, [])]

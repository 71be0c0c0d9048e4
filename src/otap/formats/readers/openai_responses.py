"""Items of OpenAI's Responses: what goes in, what comes out, or a response."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from otap.formats.json.documents import Document
from otap.formats.json.paths import JsonPath, described
from otap.formats.steps import tables
from otap.formats.steps.calls import Call, Result, new_call, parse_call
from otap.formats.steps.content import drop_nulls, join_texts
from otap.formats.steps.conversation import Conversation, RawConversation, find_conversations
from otap.formats.steps.recorder import Recorder
from otap.formats.steps.tally import Tally
from otap.formats.steps.tokens import sum_tokens
from otap.trajectory import Trajectory

NAME = "openai-responses"
DESCRIPTION = "items of OpenAI's Responses: a list, {'items': [...]}, responses, or JSONL"
STEP = "each item that calls a tool, those that are built in included"
KNOWN_BY = "items with a 'type', as 'function_call', or objects 'response'"

_KEYS = ("input", "messages", "items", "output")
# Not kept but for hints of tools: what could have been called is not what was done.
_LEFT_OUT = ("tools", "instructions")
_BEFORE = "previous_response_id"
_OF_A_RESPONSE = ("id", "model", "metadata")

_CALL, _OUTPUT = "_call", "_output"  # how the types of items end
_SERVER = ("web_search", "file_search", "code_interpreter", "image_generation", "mcp")
_CLIENT = ("function", "custom_tool", "computer", "local_shell", "shell", "apply_patch")
_TYPES = {
    *(name + _CALL for name in (*_SERVER, *_CLIENT, "tool_search")),
    *(name + _CALL + _OUTPUT for name in _CLIENT),
    *("reasoning", "program", "program_output", "tool_search_output", "item_reference"),
    *("mcp_list_tools", "mcp_approval_request", "mcp_approval_response", "compaction"),
}
_LISTS = ("mcp_list_tools", "tool_search_output")
# Where the items of built-in tools say what was asked, and what came back.
_ASKED = ("action", "actions", "operation", "queries", "code")
_RETURNED = ("output", "outputs", "results", "result", "tools")
_NOTED = ("server_label", "namespace")
_STATUS = tables.StatusKey("status", {"completed": "ok", "failed": "error"})
_SPEAKERS = tables.speakers(system="system developer")


def is_typed_item(value: Any) -> bool:
    """Says whether this is an item that no list of chat messages can hold."""
    return isinstance(value, dict) and "role" not in value and value.get("type") in tuple(_TYPES)


def lists_tools(value: Any) -> bool:
    """Says whether this is an item in which a server, or a search, says what could be called."""
    return isinstance(value, dict) and value.get("type") in _LISTS


@dataclass(slots=True)
class ItemReader:
    """Records what items say; calls between which no result stands are one turn."""

    recorder: Recorder
    calls: list[Call] = field(default_factory=list)  # all that were made
    _answer: tables.Message = field(default_factory=lambda: tables.Message("assistant"))
    _kept: dict[str, Any] = field(default_factory=dict)
    _place: JsonPath | None = None

    def read(
        self,
        item: dict[str, Any],
        place: JsonPath,
        kept: dict[str, Any],
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
        kind = item.get("type")
        if not _is_spoken(item) and (not isinstance(kind, str) or not kind):
            raise place["type"].error(f"expected an item's type, found {described(kind)}")
        told = read_item(item, place)
        tables.set_times(told, at, results=not told.calls)
        self.calls += told.calls
        if _is_spoken(item):
            self._end_turn()
            _DIALECT.record(self.recorder, told, kept, place)
            return
        self._kept, self._place = kept, place
        self._answer.items += told.items
        self._answer.unknown += told.unknown
        self._answer.ignored += told.ignored
        if told.results:
            self._end_turn()

    def user(self, texts: list[str]) -> None:
        """The user said this."""
        if texts:
            self._end_turn()
            self.recorder.user(texts)

    def conversation(self) -> Conversation:
        """Returns the run."""
        self._end_turn()
        return self.recorder.conversation()

    def _end_turn(self) -> None:
        answer, self._answer = self._answer, tables.Message("assistant")
        if answer.items:
            _DIALECT.record(self.recorder, answer, self._kept, self._place)
            return
        for what in answer.unknown:
            self.recorder.unknown(what)
        for what in answer.ignored:
            self.recorder.ignored(what)


def read_item(item: dict[str, Any], place: JsonPath) -> tables.Message:
    """Reads one item; what is no message is of the assistant.

    Raises:
        FormatError: with the place of the first thing that no item may hold.
    """
    if _is_spoken(item):
        return _DIALECT.read_message(item, place)
    message = tables.Message("assistant")
    _DIALECT.add_part(message, item, place)
    return message


def _is_spoken(item: tables.Object) -> bool:
    kind = item.get("type")
    return "role" in item and (kind in ("message", "") or not isinstance(kind, str))


def _tell_item(part: dict[str, Any], place: JsonPath) -> Iterable[tables.Part]:
    kind = part.get("type")
    speaks = "text" in part or "refusal" in part
    if not isinstance(kind, str):
        kind = "text" if speaks else kind
    elif kind not in _PARTS:
        ending = next((ending for ending in (_CALL, _OUTPUT) if kind.endswith(ending)), None)
        kind = ending or ("text" if speaks else kind)
    return [(kind, part, place)]


def _id_of(item: tables.Object, place: JsonPath) -> str | None:
    """Returns the id that a call and its output share: ``call_id``, in old items ``id``."""
    return tables.label_of(item, ("call_id",), place) or tables.label_of(item, ("id",), place)


def _add_call(message: tables.Message, item: dict[str, Any], place: JsonPath) -> None:
    kind, identifier = item["type"].removesuffix(_CALL), _id_of(item, place)
    # The name of a tool that is built in is its kind of item.
    name = item.get("name") if kind in ("function", "custom_tool", "mcp") else kind
    if "arguments" in item:
        call = parse_call(name, item["arguments"], identifier, place["name"])
    else:
        call = new_call(name, _asked_in(item), identifier, place["name"])
    call.notes.update(drop_nulls({key: item.get(key) for key in _NOTED}))
    where = place["caller"]
    caller = where.object(item.get("caller") or {})  # the program that calls, where no model does
    if caller.get("caller_id") is not None:
        call.notes["caller"] = where["caller_id"].label(caller["caller_id"])
    if kind not in _SERVER:
        message.items.append(call)
        return
    # It came with its result, which the model knew when it called the next.
    effect, status, error = _output_of(item), _STATUS(item), item.get("error")
    if error is not None:
        effect, status = error if effect is None else effect, "error"
    call.effect, call.status = effect, status
    message.items += [tables.END_OF_TURN, call, Result(call.id, None, effect, status)]


def _asked_in(item: dict[str, Any]) -> Any:
    """Returns what an item of a tool that is built in, or of a custom one, asks."""
    if "input" in item:
        return item["input"]
    asked = {key: item[key] for key in _ASKED if item.get(key) is not None}
    only = next(iter(asked.values()), None)
    return only if not asked or (len(asked) == 1 and isinstance(only, dict)) else asked


def _add_output(message: tables.Message, item: dict[str, Any], place: JsonPath) -> None:
    status = _STATUS(item) if item["type"] == "apply_patch_call_output" else None
    message.items.append(Result(_id_of(item, place), None, _output_of(item), status))


def _output_of(item: tables.Object) -> Any:
    """Returns what came back, as it was recorded; a list of texts is their text."""
    return join_texts(tables.value_in(item, _RETURNED), "input_text", "output_text", "text")


_APPROVAL = "question whether a call may run"
_PARTS: dict[str, tables.Entry] = {
    "text": tables.TextKeys(("text", "refusal")),
    _CALL: _add_call,
    "program": _add_call,
    _OUTPUT: _add_output,
    "reasoning": "thought",
    "item_reference": "reference to an item",
    "compaction": "summary of what was before",
    "compaction_summary": "summary of what was before",
    "ghost_snapshot": "state of the files",
    "mcp_approval_request": _APPROVAL,
    "mcp_approval_response": _APPROVAL,
    "mcp_list_tools": "list of tools",
}


def recognises(value: Any) -> bool:
    """Says whether this is a list of items, an object that holds one, or a list of these."""
    if _is_item_or_message(value) or _holds_items(value):
        return any(map(is_typed_item, _items_of(value))) or _is_response(value)
    first = value[0] if isinstance(value, list) and value else None
    held = _items_of(first) if _holds_items(first) else []
    return _is_response(first) or any(map(is_typed_item, held))


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Returns one trajectory for each list of items."""
    found = list(
        find_conversations(document, _is_item_or_message, keys=_KEYS, ignored_keys=_LEFT_OUT)
    )
    for kept in _chained(found):
        items = list(kept.messages)
        reader = ItemReader(Recorder(reasoning))
        for index, (value, place) in enumerate(items):
            reader.read(place.object(value), place, {"item": index})
        listed = tuple(item for item, _ in items if lists_tools(item))
        named = replace(_without_settings(kept), tool_definitions=(*kept.tool_definitions, *listed))
        told = reader.conversation()
        if _name_of_response(kept, _BEFORE) is not None:
            tally = Tally()
            tally.add(told.unread)
            tally.unknown("response before, from which this goes on")
            told = replace(told, unread=tally.counts())
        yield named.to_trajectory(told)


def _chained(found: list[RawConversation]) -> Iterator[RawConversation]:
    """Returns each response with those that went before it, where the file has them in order.

    The server keeps what was before: a response only names it. One that two others go on from
    is a run of its own, as they are.
    """
    before = [_name_of_response(kept, _BEFORE) for kept in found]
    names = Counter(_name_of_response(kept, "id") for kept in found)
    following = Counter(before)
    chains: dict[
        str, list[RawConversation]
    ] = {}  # by the id of their last response, which another goes on
    for kept, earlier in zip(found, before, strict=True):
        chain = chains.pop(earlier, []) if earlier is not None else []
        chain.append(kept)
        own = _name_of_response(kept, "id")
        if own is not None and names[own] == following[own] == 1:
            chains[own] = chain
        else:
            yield _join_responses(chain)
    yield from map(_join_responses, chains.values())


def _name_of_response(kept: RawConversation, key: str) -> str | None:
    name = kept.extra_fields.get(key) if kept.extra_fields.get("object") == "response" else None
    return name if isinstance(name, str) else None


def _join_responses(chain: list[RawConversation]) -> RawConversation:
    first, last = chain[0], chain[-1]
    if first is last:
        return last
    messages = [message for kept in chain for message in kept.messages]
    around = {**last.extra_fields, _BEFORE: first.extra_fields.get(_BEFORE)}
    defined = tuple(item for kept in chain for item in kept.tool_definitions)
    tokens = sum_tokens(kept.token_usage() for kept in chain)
    return replace(
        last, messages=messages, extra_fields=around, tool_definitions=defined, tokens=tokens
    )


def _without_settings(kept: RawConversation) -> RawConversation:
    """Leaves out the many settings that a response repeats."""
    if kept.extra_fields.get("object") != "response":
        return kept
    around = {
        key: kept.extra_fields[key]
        for key in _OF_A_RESPONSE
        if kept.extra_fields.get(key) is not None
    }
    return replace(kept, extra_fields=around)


def _is_response(value: Any) -> bool:
    if not isinstance(value, dict) or value.get("object") != "response":
        return False
    return isinstance(value.get("output"), list)


def _is_item_or_message(value: Any) -> bool:
    if not isinstance(value, dict) or "messages" in value:
        return False
    return value.get("role") in tuple(_SPEAKERS) or is_typed_item(value)


def _holds_items(value: Any) -> bool:
    if not isinstance(value, dict):
        return isinstance(value, list) and bool(value) and _is_item_or_message(value[0])
    lists = [value[key] for key in _KEYS if key in value]
    return bool(lists) and all(isinstance(items, list) for items in lists)


def _items_of(value: Any) -> list[Any]:
    if isinstance(value, list):
        return value
    if _is_item_or_message(value):
        return [value]
    return [item for key in _KEYS for item in value.get(key, [])]


_DIALECT = tables.MessageSchema(
    _is_item_or_message,
    _SPEAKERS,
    _PARTS,
    _tell_item,
    joined_roles=(tables.USER, tables.ASSISTANT),
    part_word="item",
)

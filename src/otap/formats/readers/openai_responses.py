"""Items of OpenAI's Responses API: inputs, outputs and responses."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from otap.formats import chats
from otap.formats.content import drop_nulls, join_texts
from otap.formats.conversations import Conversation, RawConversation, find_conversations
from otap.formats.json.documents import Document
from otap.formats.json.paths import JsonPath, described
from otap.formats.recorder import Recorder
from otap.formats.tokens import sum_tokens
from otap.formats.tool_calls import ToolCall, ToolResult, new_call, parse_call
from otap.formats.unread import UnreadTally
from otap.trajectory import Trajectory

NAME = "openai-responses"
DESCRIPTION = "items of OpenAI's Responses: a list, {'items': [...]}, responses, or JSONL"
STEP = "each item that calls a tool, including built-in tools"
KNOWN_BY = "items with a 'type', as 'function_call', or objects 'response'"

_KEYS = ("input", "messages", "items", "output")
# Definitions are not kept: they list possible calls. Only hints of tools are read.
_LEFT_OUT = ("tools", "instructions")
_PREVIOUS_ID = "previous_response_id"
_RESPONSE_METADATA = ("id", "model", "metadata")

_CALL, _OUTPUT = "_call", "_output"  # suffixes of the types of items
_SERVER = ("web_search", "file_search", "code_interpreter", "image_generation", "mcp")
_CLIENT = ("function", "custom_tool", "computer", "local_shell", "shell", "apply_patch")
_TYPES = {
    *(name + _CALL for name in (*_SERVER, *_CLIENT, "tool_search")),
    *(name + _CALL + _OUTPUT for name in _CLIENT),
    *("reasoning", "program", "program_output", "tool_search_output", "item_reference"),
    *("mcp_list_tools", "mcp_approval_request", "mcp_approval_response", "compaction"),
}
_TOOL_LISTS = ("mcp_list_tools", "tool_search_output")
# Keys of the arguments and of the results of built-in tools.
_ARGUMENTS = ("action", "actions", "operation", "queries", "code")
_RESULTS = ("output", "outputs", "results", "result", "tools")
_NOTED = ("server_label", "namespace")
_STATUS = chats.StatusKey("status", {"completed": "ok", "failed": "error"})
_SPEAKERS = chats.speakers(system="system developer")


def is_typed_item(value: Any) -> bool:
    """Returns whether this is an item that no list of chat messages can hold."""
    return isinstance(value, dict) and "role" not in value and value.get("type") in tuple(_TYPES)


def lists_tools(value: Any) -> bool:
    """Returns whether this is an item in which a server or a search lists tools."""
    return isinstance(value, dict) and value.get("type") in _TOOL_LISTS


@dataclass(slots=True)
class ItemReader:
    """Records items in order; consecutive calls without a result between them are one turn."""

    recorder: Recorder
    calls: list[ToolCall] = field(default_factory=list)  # all calls so far
    _answer: chats.Message = field(default_factory=lambda: chats.Message("assistant"))
    _source: dict[str, Any] = field(default_factory=dict)
    _path: JsonPath | None = None

    def read(
        self,
        item: dict[str, Any],
        path: JsonPath,
        source: dict[str, Any],
        at: datetime | None = None,
    ) -> None:
        """Records one item.

        Args:
            item: the item.
            path: its path, for errors.
            source: identifies it in the metadata, if it is the output of an unknown call.
            at: when it was recorded, if that is known.

        Raises:
            FormatError: with the path of the first invalid part of the item.
        """
        kind = item.get("type")
        is_message = _is_message(item)
        if not is_message and (not isinstance(kind, str) or not kind):
            raise path["type"].error(f"expected an item's type, found {described(kind)}")
        message = read_item(item, path)
        chats.set_times(message, at, results=not message.calls)
        self.calls += message.calls
        if is_message:
            self._end_turn()
            _MESSAGES.record(self.recorder, message, source, path)
            return
        self._source, self._path = source, path
        self._answer.items += message.items
        self._answer.unknown += message.unknown
        self._answer.ignored += message.ignored
        if message.results:
            self._end_turn()

    def user(self, texts: list[str]) -> None:
        """Records texts of the user."""
        if texts:
            self._end_turn()
            self.recorder.user(texts)

    def conversation(self) -> Conversation:
        """Returns the conversation so far."""
        self._end_turn()
        return self.recorder.conversation()

    def _end_turn(self) -> None:
        answer, self._answer = self._answer, chats.Message("assistant")
        if answer.items:
            _MESSAGES.record(self.recorder, answer, self._source, self._path)
        else:
            self.recorder.note(answer.unknown, answer.ignored)


def read_item(item: dict[str, Any], path: JsonPath) -> chats.Message:
    """Reads one item; an item that is not a message becomes one of the assistant.

    Raises:
        FormatError: with the path of the first invalid part of the item.
    """
    if _is_message(item):
        return _MESSAGES.read_message(item, path)
    message = chats.Message("assistant")
    _MESSAGES.add_part(message, item, path)
    return message


def _is_message(item: chats.Object) -> bool:
    kind = item.get("type")
    return "role" in item and (kind in ("message", "") or not isinstance(kind, str))


def _parts_of_item(item: dict[str, Any], path: JsonPath) -> Iterable[chats.Part]:
    """Returns an item as a part; its kind is its type, or "_call", "_output" or "text"."""
    kind = item.get("type")
    has_text = "text" in item or "refusal" in item
    if not isinstance(kind, str):
        kind = "text" if has_text else kind
    elif kind not in _PARTS:
        suffixes = [suffix for suffix in (_CALL, _OUTPUT) if kind.endswith(suffix)]
        if suffixes:
            kind = suffixes[0]
        elif has_text:
            kind = "text"
    return [(kind, item, path)]


def _call_id_of(item: chats.Object, path: JsonPath) -> str | None:
    """Returns the id that a call and its output share: ``call_id``, in old items ``id``."""
    return chats.label_of(item, ("call_id",), path) or chats.label_of(item, ("id",), path)


def _add_call(message: chats.Message, item: dict[str, Any], path: JsonPath) -> None:
    kind, call_id = item["type"].removesuffix(_CALL), _call_id_of(item, path)
    # A built-in tool is named after its type of item.
    name = item.get("name") if kind in ("function", "custom_tool", "mcp") else kind
    if "arguments" in item:
        call = parse_call(name, item["arguments"], call_id, path["name"])
    else:
        call = new_call(name, _arguments_in(item), call_id, path["name"])
    call.notes.update(drop_nulls({key: item.get(key) for key in _NOTED}))
    caller = path["caller"].object(item.get("caller") or {})  # a program instead of the model
    if caller.get("caller_id") is not None:
        call.notes["caller"] = path["caller"].label_in(caller, "caller_id")
    if kind not in _SERVER:
        message.items.append(call)
        return
    # The item has its result, which the model knew before its next call.
    effect, status, error = _output_of(item), _STATUS(item), item.get("error")
    if error is not None:
        effect, status = error if effect is None else effect, "error"
    call.effect, call.status = effect, status
    message.items += [chats.END_OF_TURN, call, ToolResult(call.id, None, effect, status)]


def _arguments_in(item: dict[str, Any]) -> Any:
    """Returns the arguments of a built-in or custom tool; a single object loses its key."""
    if "input" in item:
        return item["input"]
    arguments = {key: item[key] for key in _ARGUMENTS if item.get(key) is not None}
    if not arguments:
        return None
    only = next(iter(arguments.values()))
    return only if len(arguments) == 1 and isinstance(only, dict) else arguments


def _add_output(message: chats.Message, item: dict[str, Any], path: JsonPath) -> None:
    status = _STATUS(item) if item["type"] == "apply_patch_call_output" else None
    message.items.append(ToolResult(_call_id_of(item, path), None, _output_of(item), status))


def _output_of(item: chats.Object) -> Any:
    """Returns the recorded output; a list of texts becomes one text."""
    return join_texts(chats.value_in(item, _RESULTS), "input_text", "output_text", "text")


_APPROVAL = "request to approve a call"
_PARTS: dict[str, chats.Entry] = {
    "text": chats.TextKeys(("text", "refusal")),
    _CALL: _add_call,
    "program": _add_call,
    _OUTPUT: _add_output,
    "reasoning": "thought",
    "item_reference": "reference to an item",
    "compaction": "summary of earlier messages",
    "compaction_summary": "summary of earlier messages",
    "ghost_snapshot": "state of the files",
    "mcp_approval_request": _APPROVAL,
    "mcp_approval_response": _APPROVAL,
    "mcp_list_tools": "list of tools",
}


def recognises(value: Any) -> bool:
    """Returns whether this is a list of items, an object that holds one, or a list of these."""
    if _is_item_or_message(value) or _holds_items(value):
        return _is_response(value) or _has_typed_item(value)
    first = value[0] if isinstance(value, list) and value else None
    return _is_response(first) or (_holds_items(first) and _has_typed_item(first))


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Yields one run for each list of items, or for each chain of responses."""
    lists = list(
        find_conversations(document, _is_item_or_message, keys=_KEYS, ignored_keys=_LEFT_OUT)
    )
    for items in _joined_responses(lists):
        reader = ItemReader(Recorder(reasoning))
        for index, (item, path) in enumerate(items.messages):
            reader.read(path.object(item), path, {"item": index})
        tool_lists = tuple(item for item, _ in items.messages if lists_tools(item))
        conversation = reader.conversation()
        if _response_field(items, _PREVIOUS_ID) is not None:
            tally = UnreadTally()
            tally.add(conversation.unread)
            tally.unknown("previous response that is not in the file")
            conversation = replace(conversation, unread=tally.counts())
        defined = (*items.tool_definitions, *tool_lists)
        yield replace(_without_settings(items), tool_definitions=defined).to_trajectory(
            conversation
        )


def _joined_responses(lists: list[RawConversation]) -> Iterator[RawConversation]:
    """Yields each response joined with the earlier ones that it continues.

    A response only names the previous one. If two responses continue the same one, all three are
    runs of their own.
    """
    previous_ids = [_response_field(items, _PREVIOUS_ID) for items in lists]
    ids = [_response_field(items, "id") for items in lists]
    id_counts, continuations = Counter(ids), Counter(previous_ids)
    chains: dict[
        str, list[RawConversation]
    ] = {}  # by the id of the last response, which another continues
    for items, identifier, previous_id in zip(lists, ids, previous_ids, strict=True):
        chain = chains.pop(previous_id, []) if previous_id is not None else []
        chain.append(items)
        if identifier is not None and id_counts[identifier] == continuations[identifier] == 1:
            chains[identifier] = chain
        else:
            yield _join_responses(chain)
    for chain in chains.values():
        yield _join_responses(chain)


def _response_field(items: RawConversation, key: str) -> str | None:
    name = items.extra_fields.get(key) if items.extra_fields.get("object") == "response" else None
    return name if isinstance(name, str) else None


def _join_responses(chain: list[RawConversation]) -> RawConversation:
    first, last = chain[0], chain[-1]
    if first is last:
        return last
    return replace(
        last,
        messages=[message for items in chain for message in items.messages],
        extra_fields={**last.extra_fields, _PREVIOUS_ID: first.extra_fields.get(_PREVIOUS_ID)},
        tool_definitions=tuple(tools for items in chain for tools in items.tool_definitions),
        tokens=sum_tokens(items.token_usage() for items in chain),
    )


def _without_settings(items: RawConversation) -> RawConversation:
    """Drops the settings that a response repeats."""
    fields = items.extra_fields
    if fields.get("object") != "response":
        return items
    return replace(
        items, extra_fields=drop_nulls({key: fields.get(key) for key in _RESPONSE_METADATA})
    )


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


def _has_typed_item(value: Any) -> bool:
    """Returns whether an item, a list of items or an object that holds items has a typed item."""
    if isinstance(value, list):
        items = value
    elif _is_item_or_message(value):
        items = [value]
    else:
        items = [item for key in _KEYS for item in value.get(key, [])]
    return any(is_typed_item(item) for item in items)


_MESSAGES = chats.MessageSchema(
    _is_item_or_message,
    _SPEAKERS,
    _PARTS,
    _parts_of_item,
    joined_roles=(chats.USER, chats.ASSISTANT),
    part_word="item",
)

"""Reads messages by a schema: a table of where the messages of one library have their parts.

Each part of a message becomes an item of a :class:`Message`, in order. A :class:`MessageSchema`
reads messages, and records their items.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from otap.formats.content import drop_nulls, join_texts, list_at, text_of
from otap.formats.conversations import Conversation, RawConversation, find_conversations
from otap.formats.json.documents import Document, first_of
from otap.formats.json.paths import JsonPath, described
from otap.formats.json.times import parse_time
from otap.formats.recorder import Judge, Recorder
from otap.formats.tool_calls import ToolCall, ToolResult, parse_call
from otap.formats.unread import word_of_part
from otap.trajectory import Trajectory

Status = Literal["ok", "error"] | None
Object = Mapping[str, Any]

USER, ASSISTANT, TOOL, SYSTEM = "user", "assistant", "tool", "system prompt"
Item = str | ToolCall | ToolResult | None
END_OF_TURN = None  # among the items of a message


@dataclass(slots=True)
class Message:
    """The texts, calls and results of one message.

    Attributes:
        role: the role of the speaker, as in the file.
        items: the texts, calls and results, in order.
        unknown: the kinds of parts that the reader has no rule for.
        ignored: the kinds of parts that are known not to be actions.
        agent: the name of the assistant, if there are several.
        step: the step of the model that made the last call, if the format numbers steps.
        is_hidden: whether the user never sees its texts, as those of a sub-agent.
    """

    role: str | None
    items: list[Item] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)
    agent: str | None = None
    step: Any = None
    is_hidden: bool = False

    @property
    def texts(self) -> list[str]:
        """The texts among the items."""
        return [item for item in self.items if isinstance(item, str)]

    @property
    def calls(self) -> list[ToolCall]:
        """The calls among the items."""
        return [item for item in self.items if isinstance(item, ToolCall)]

    @property
    def results(self) -> list[ToolResult]:
        """The results among the items."""
        return [item for item in self.items if isinstance(item, ToolResult)]

    def note_part(self, kind: object, noun: str = "part") -> None:
        """Notes a part that became no item, by its type."""
        is_ignored, word = word_of_part(kind, noun)
        (self.ignored if is_ignored else self.unknown).append(word)


def speakers(
    user: str = "user", assistant: str = "assistant", tool: str = "", system: str = ""
) -> dict[str, str]:
    """Returns the speaker of each role. Each argument lists the roles of a speaker, with blanks."""
    roles_of = ((USER, user), (ASSISTANT, assistant), (SYSTEM, system), (TOOL, tool))
    return {role: speaker for speaker, roles in roles_of for role in roles.split()}


Part = tuple[Any, Any, JsonPath]
"""The kind of a part, the value that its entry in the table reads, and the path to that value."""
Entry = str | Callable[[Message, Any, JsonPath], None]
"""Adds a part to a message. For a part to ignore, the word under which it is counted."""


@dataclass(frozen=True, slots=True)
class TextKeys:
    """Reads a text from the first of these keys that a part has."""

    keys: tuple[str, ...] = ("text",)

    def __call__(self, message: Message, part: Object, path: JsonPath) -> None:
        """Adds the text to the message."""
        text = text_of(part, path, *self.keys)
        if text is not None:
            message.items.append(text)
        elif part.keys().isdisjoint(self.keys):
            message.unknown.append(f"text without '{self.keys[0]}'")


@dataclass(frozen=True, slots=True)
class CallKeys:
    """Reads a call from a part. Of several keys, the first with a value counts."""

    name: str = "name"
    arguments: tuple[str, ...] = ("arguments",)
    ids: tuple[str, ...] = ("id",)
    notes: tuple[str, ...] = ()

    def __call__(self, message: Message, part: Any, path: JsonPath) -> None:
        """Adds the call to the message."""
        message.items.append(self.read(path.object(part), path))

    def read(self, part: Object, path: JsonPath) -> ToolCall:
        """Returns the call."""
        arguments = value_in(part, self.arguments)
        identifier = label_of(part, self.ids, path)
        call = parse_call(part.get(self.name), arguments, identifier, path[self.name])
        call.notes.update(drop_nulls({key: part.get(key) for key in self.notes}))
        return call


@dataclass(frozen=True, slots=True)
class ResultKeys:
    """Reads a result from a part. Of several keys, the first with a value counts."""

    contents: tuple[str, ...] = ("content",)
    ids: tuple[str, ...] = ("id",)
    name: str = "name"
    status: Callable[[Object], Status] = lambda _: None
    clean: Callable[[Any], Any] = join_texts
    time: str | None = None

    def __call__(self, message: Message, part: Any, path: JsonPath) -> None:
        """Adds the result to the message."""
        message.items.append(self.read(path.object(part), path))

    def read(self, part: Object, path: JsonPath) -> ToolResult:
        """Returns the result."""
        content = self.clean(value_in(part, self.contents))
        tool = part.get(self.name)
        name = tool if isinstance(tool, str) else None
        time = None if self.time is None else parse_time(part.get(self.time), path[self.time])
        return ToolResult(label_of(part, self.ids, path), name, content, self.status(part), time)


@dataclass(frozen=True, slots=True)
class StatusKey:
    """Reads the status of a call from one key. Words that are not listed give no status."""

    key: str
    words: Mapping[Any, Literal["ok", "error"]]

    def __call__(self, part: Object) -> Status:
        """Returns the status."""
        word = part.get(self.key)
        return self.words.get(word) if isinstance(word, str | bool) else None


def value_in(part: Object, keys: Iterable[str]) -> Any:
    """Returns the first value under these keys that is not null, or None."""
    return next((part[key] for key in keys if part.get(key) is not None), None)


def label_of(part: Object, keys: Iterable[str], path: JsonPath) -> str | None:
    """Returns the first identifier under these keys, or None.

    Raises:
        FormatError: if a value is neither text, a whole number nor null.
    """
    for key in keys:
        label = path.label_in(part, key)
        if label is not None:
            return label.strip() or None
    return None


def label_if_any(part: Object, keys: Iterable[str]) -> str | None:
    """Returns an identifier like `label_of`, but skips values that cannot be one.

    In traces the ``id`` of a LangChain message may be the path of its class.
    """
    labels = {key: part[key] for key in keys if type(part.get(key)) in (str, int)}
    return label_of(labels, labels, JsonPath(""))


SplitPart = Callable[[dict[str, Any], JsonPath], Iterable[Part]]


def parts_by_type(key: str, *suffixes: str) -> SplitPart:
    """Returns a function that gives the kind of a part: its type, or a suffix of its type.

    Args:
        key: the key of the type.
        suffixes: a type with one of these suffixes counts as the suffix.
    """

    def split_part(part: dict[str, Any], path: JsonPath) -> Iterable[Part]:
        kind = part.get(key)
        if isinstance(kind, str):
            kind = next((suffix for suffix in suffixes if kind.endswith(suffix)), kind)
        return ((kind, part, path),)

    return split_part


def has_role(value: Any, roles: Iterable[str]) -> bool:
    """Returns whether a value is an object with one of these roles, and not a conversation."""
    return isinstance(value, dict) and value.get("role") in tuple(roles) and "messages" not in value


def parts_by_key(part: dict[str, Any], path: JsonPath) -> Iterable[Part]:
    """Splits a part without a type: each key is a kind, and its value the part."""
    return [(key, value, path[key]) for key, value in part.items() if value is not None]


def add_text(message: Message, text: Any, path: JsonPath) -> None:
    """Adds a part that is itself a text, unless it is empty."""
    if text != "":
        message.items.append(path.text(text))


def _list_of_messages(value: Any) -> list[Any]:
    return value if isinstance(value, list) else list_at(value, "messages")


@dataclass(frozen=True)
class MessageSchema:
    """Describes where the messages of one library have their texts, calls and results.

    Attributes:
        is_message: returns whether a value is one message.
        speakers: the speaker of each role: :data:`USER`, :data:`ASSISTANT`, :data:`TOOL`, or the
            word under which messages to ignore are counted.
        parts: the entry that reads each kind of part.
        split_part: returns the kinds of a part, with their values.
        role: the key of the role, or a function that returns the role of a message.
        content: the keys of the parts; the first with a value counts.
        read_extra_fields: adds items from the fields outside the parts.
        results_of_message: returns the results, if a whole message of a tool is a result.
        agent: the keys of the assistant's name.
        time: the key of the time of the calls, or of the results, in a message.
        joined_roles: the speakers whose texts in one message are joined to one text.
        text_continues_turn: whether a text after a call belongs to the turn of the call.
        ignored_keys: the keys next to the messages that are not kept.
        part_word: the word for a part.
        find_conversations: finds the conversations of a document, if they are not all lists of
            messages.
        is_specific: returns whether only this library writes a given message or conversation.
        messages_in: returns the messages in a value.
    """

    is_message: Callable[[Any], bool]
    speakers: Mapping[str, str]
    parts: Mapping[str, Entry]
    split_part: SplitPart
    role: str | Callable[[dict[str, Any]], Any] = "role"
    content: tuple[str, ...] = ("content",)
    read_extra_fields: Callable[[Message, dict[str, Any], JsonPath], None] | None = None
    results_of_message: Callable[[dict[str, Any], JsonPath], Iterable[ToolResult]] | None = None
    agent: tuple[str, ...] = ()
    time: str | None = None
    joined_roles: tuple[str, ...] = (USER,)
    text_continues_turn: bool = True
    ignored_keys: tuple[str, ...] = ()
    part_word: str = "part"
    find_conversations: Callable[[Document], Iterator[RawConversation]] | None = None
    is_specific: Callable[[Any], bool] = lambda _: True
    messages_in: Callable[[Any], list[Any]] = _list_of_messages

    def recognises(self, value: Any) -> bool:
        """Returns whether a value is a message, a conversation, or a list that begins with one."""
        for candidate in (value, first_of(value)):
            if self.is_message(candidate) or self.is_conversation(candidate):
                return self.is_specific(candidate)
        return False

    def is_conversation(self, value: Any) -> bool:
        """Returns whether a value is a list of messages, or an object with one."""
        messages = self.messages_in(value)
        return bool(messages) and self.is_message(messages[0])

    def read(self, document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
        """Returns one trajectory for each conversation."""

        def read_run(raw: RawConversation) -> Trajectory:
            return raw.to_trajectory(self.read_messages(raw.messages, reasoning=reasoning))

        if self.find_conversations is not None:
            conversations = self.find_conversations(document)
        else:
            conversations = find_conversations(
                document, self.is_message, ignored_keys=self.ignored_keys
            )
        return map(read_run, conversations)  # unlike a generator it continues after an error

    def read_messages(
        self,
        messages: Iterable[tuple[Any, JsonPath]],
        *,
        reasoning: bool = False,
        visible_to_user: Literal["all", "without_calls"] = "all",
        judge: Judge | None = None,
    ) -> Conversation:
        """Reads the messages of one conversation.

        Args:
            messages: each message with its path, in order.
            reasoning: whether text that leads to no call becomes a reasoning step.
            visible_to_user: the texts of the assistant that the user sees.
            judge: returns from a result whether the call succeeded, if the format defines it so.

        Raises:
            FormatError: with the path to the first invalid value.
        """
        recorder = Recorder(reasoning, visible_to_user, judge)
        for index, (value, path) in enumerate(messages):
            message = self.read_message(path.object(value), path)
            self.record(recorder, message, {"message": index}, path)
        return recorder.conversation()

    def read_message(self, value: dict[str, Any], path: JsonPath) -> Message:
        """Reads one message.

        Raises:
            FormatError: with the path to the first invalid value.
        """
        role = value.get(self.role) if isinstance(self.role, str) else self.role(value)
        if not isinstance(role, str) or not role:
            expected = ", ".join(self.speakers)
            key = self.role if isinstance(self.role, str) else "role"
            raise path[key].error(f"expected one of {expected}, found {described(role)}")
        message, speaker = Message(role), self.speakers.get(role)
        if speaker == TOOL and self.results_of_message is not None:
            message.items += self.results_of_message(value, path)
        elif speaker in (USER, ASSISTANT, TOOL):
            self._add_parts(message, value, path)
        if self.agent:
            message.agent = label_of(value, self.agent, path)
        if self.time is not None:
            time = parse_time(value.get(self.time), path[self.time])
            set_times(message, time, results=speaker != ASSISTANT)
        return message

    def _add_parts(self, message: Message, value: dict[str, Any], path: JsonPath) -> None:
        """Adds all parts of a message. If it has none, and no key for them, notes that."""
        self.add_content(message, value, path)
        if self.read_extra_fields is not None:
            self.read_extra_fields(message, value, path)
        is_empty = not (message.items or message.unknown or message.ignored)
        if is_empty and value.keys().isdisjoint(self.content):
            message.unknown.append(f"message without '{self.content[0]}'")

    def add_content(self, message: Message, value: dict[str, Any], path: JsonPath) -> None:
        """Adds the parts under the first key for parts that has a value."""
        key = next((key for key in self.content if value.get(key) is not None), None)
        if key is None:
            return
        content = value[key]
        if isinstance(content, str):
            message.items += [content] if content else []
            return
        for part, part_path in path[key].items(content):
            self.add_part(message, part, part_path)

    def add_part(self, message: Message, part: Any, path: JsonPath) -> None:
        """Adds the items of one part, which may be a bare text."""
        if isinstance(part, str):
            message.items += [part] if part else []
            return
        split_parts = list(self.split_part(path.object(part), path))
        has_entry = False
        for kind, value, value_path in split_parts:
            if not isinstance(kind, str) or kind not in self.parts:
                continue
            has_entry = True
            entry = self.parts[kind]
            if callable(entry):
                entry(message, value, value_path)
            elif entry:
                message.ignored.append(entry)
        if message.calls and self.speakers.get(message.role or "") in (USER, TOOL):
            raise path.error("only messages of the assistant may call tools")
        if not has_entry:
            self._note_parts(message, part, split_parts)

    def _note_parts(self, message: Message, part: Any, split_parts: Iterable[Part]) -> None:
        """Notes a part without an entry, by its type or by each of its keys."""
        for kind, value, _ in split_parts:
            if value is part:
                message.note_part(kind, self.part_word)
            else:
                message.unknown.append(f"{self.part_word} with '{kind}'")

    def record(
        self,
        recorder: Recorder,
        message: Message,
        origin: Mapping[str, Any],
        path: JsonPath | None = None,
    ) -> None:
        """Records the items of a message.

        Args:
            recorder: the recorder of the conversation.
            message: the message.
            origin: names the message in the notes on a result that belongs to no call.
            path: the path to the message, for the error.
        """
        speaker = self.speakers.get(message.role or "")
        recorder.note(message.unknown, message.ignored)
        if speaker == ASSISTANT:
            self._record_answer(recorder, message, origin, path)
            return
        recorder.interrupted()
        for result in message.results:
            recorder.tool_result(result, origin)
        if speaker == USER:
            recorder.user(self._texts_of(message.texts, USER))
        elif speaker is None:
            recorder.unknown(f"message of role '{message.role}'")
        elif speaker != TOOL:
            recorder.ignored(speaker)

    def _record_answer(
        self, recorder: Recorder, message: Message, origin: Object, path: JsonPath | None
    ) -> None:
        """Records an answer turn by turn. A result that the model saw ends a turn."""
        for turn in _turns_of(message.items, self.text_continues_turn):
            texts = self._texts_of(turn[str], ASSISTANT)
            recorder.assistant(
                texts, turn[ToolCall], message.agent, path, is_hidden=message.is_hidden
            )
            for result in turn[ToolResult]:
                recorder.tool_result(result, origin)

    def _texts_of(self, texts: list[str], speaker: str) -> list[str]:
        """Returns the texts of a speaker that are not blank, joined if the schema says so."""
        if len(texts) > 1 and speaker in self.joined_roles:
            texts = ["\n".join(texts)]
        return [text for text in texts if text.strip()]


def _turns_of(items: list[Any], text_continues_turn: bool) -> list[dict[type, list[Any]]]:
    """Returns the texts, calls and results of each turn of an answer, by their type."""
    turn: dict[type, list[Any]] = defaultdict(list)
    turns, is_ended = [turn], False
    for item in items:
        kind = type(item)
        ends_turn = item is END_OF_TURN or (kind is ToolResult and not item.waits)
        is_late_text = kind is str and not text_continues_turn and turn[ToolCall]
        if (is_ended and not ends_turn) or is_late_text:
            turn = defaultdict(list)
            turns.append(turn)
        turn[kind].append(item)
        is_ended = ends_turn
    return turns


def identity(content: Any) -> Any:
    """Returns a result unchanged."""
    return content


def set_times(message: Message, time: datetime | None, *, results: bool) -> None:
    """Sets the start of the calls of a message and, with ``results``, the end of its results."""
    for index, item in enumerate(message.items):
        if isinstance(item, ToolCall):
            item.started_at = time
        elif isinstance(item, ToolResult) and results and item.ended_at is None:
            message.items[index] = item._replace(ended_at=time)

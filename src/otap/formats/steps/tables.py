"""Messages read by tables: a dialect says where its messages have what, and one reader reads all.

What a part of a message says becomes an item of a :class:`Message`, in order; a :class:`Dialect`
records what all items of a message say.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from otap.formats.json.documents import Document, first_of
from otap.formats.json.places import Place, described
from otap.formats.json.times import moment
from otap.formats.steps.calls import Call, Result, made_call
from otap.formats.steps.content import joined, list_at, recorded, text_of, word_of_part
from otap.formats.steps.conversation import Conversation, Kept, conversations
from otap.formats.steps.recorder import Judge, Recorder
from otap.trajectory import Trajectory

Status = Literal["ok", "error"] | None
Object = Mapping[str, Any]

USER, ASSISTANT, TOOL, SYSTEM = "user", "assistant", "tool", "system prompt"
Item = str | Call | Result | None
END_OF_TURN = None  # among the items of a message


@dataclass(slots=True)
class Message:
    """One message, as far as it says what was said, asked for, and answered.

    Attributes:
        role: who speaks, as it is written.
        items: the texts, calls and results in it, in order.
        unknown: kinds of parts for which there is no rule.
        ignored: kinds of parts that say nothing of what was done.
        agent: the name of the assistant, where there are several.
        step: the step of the model that made the last call, where steps are counted.
    """

    role: str | None
    items: list[Item] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)
    agent: str | None = None
    step: Any = None

    @property
    def texts(self) -> list[str]:
        """What is said."""
        return [item for item in self.items if isinstance(item, str)]

    @property
    def calls(self) -> list[Call]:
        """What is asked for."""
        return [item for item in self.items if isinstance(item, Call)]

    @property
    def results(self) -> list[Result]:
        """What came back."""
        return [item for item in self.items if isinstance(item, Result)]

    def note_part(self, kind: object, what: str = "part") -> None:
        """Notes a part of which no item was made, by what its type says it is."""
        known, word = word_of_part(kind, what)
        (self.ignored if known else self.unknown).append(word)


def speakers(
    user: str = "user", assistant: str = "assistant", tool: str = "", system: str = ""
) -> dict[str, str]:
    """Returns what roles are, of the names of the roles of each, with blanks between."""
    named = ((USER, user), (ASSISTANT, assistant), (SYSTEM, system), (TOOL, tool))
    return {role: speaker for speaker, roles in named for role in roles.split()}


Part = tuple[Any, Any, Place]
"""The kind of a part, what its entry in the table reads, and where that stands."""
Entry = str | Callable[[Message, Any, Place], None]
"""What adds a part to a message; for a part that says nothing, the word by which it is counted."""


@dataclass(frozen=True, slots=True)
class TextKeys:
    """A part that says something, under the first of these keys that it has."""

    keys: tuple[str, ...] = ("text",)

    def __call__(self, message: Message, part: Object, place: Place) -> None:
        """Adds the text."""
        text = text_of(part, place, *self.keys)
        if text is not None:
            message.items.append(text)
        elif part.keys().isdisjoint(self.keys):
            message.unknown.append(f"text without '{self.keys[0]}'")


@dataclass(frozen=True, slots=True)
class CallKeys:
    """Where a part has a call; of several keys the first under which there is anything."""

    name: str = "name"
    arguments: tuple[str, ...] = ("arguments",)
    ids: tuple[str, ...] = ("id",)
    notes: tuple[str, ...] = ()

    def __call__(self, message: Message, part: Any, place: Place) -> None:
        """Adds the call."""
        message.items.append(self.read(place.object(part), place))

    def read(self, part: Object, place: Place) -> Call:
        """Returns the call."""
        given, identifier = value_in(part, self.arguments), label_of(part, self.ids, place)
        call = made_call(part.get(self.name), given, identifier, place[self.name])
        call.notes.update(recorded({key: part.get(key) for key in self.notes}))
        return call


@dataclass(frozen=True, slots=True)
class ResultKeys:
    """Where a part has a result; of several keys the first under which there is anything."""

    contents: tuple[str, ...] = ("content",)
    ids: tuple[str, ...] = ("id",)
    name: str = "name"
    status: Callable[[Object], Status] = lambda _: None
    clean: Callable[[Any], Any] = joined
    time: str | None = None

    def __call__(self, message: Message, part: Any, place: Place) -> None:
        """Adds the result."""
        message.items.append(self.read(place.object(part), place))

    def read(self, part: Object, place: Place) -> Result:
        """Returns the result."""
        content = self.clean(value_in(part, self.contents))
        told = part.get(self.name)
        name = told if isinstance(told, str) else None
        at = None if self.time is None else moment(part.get(self.time), place[self.time])
        return Result(label_of(part, self.ids, place), name, content, self.status(part), at)


@dataclass(frozen=True, slots=True)
class StatusKey:
    """Reads how a call ended from one key; of anything but the words nothing is known."""

    key: str
    words: Mapping[Any, Literal["ok", "error"]]

    def __call__(self, part: Object) -> Status:
        """Returns the status."""
        word = part.get(self.key)
        return self.words.get(word) if isinstance(word, str | bool) else None


def value_in(part: Object, keys: Iterable[str]) -> Any:
    """Returns what stands under the first of these keys under which there is anything."""
    return next((part[key] for key in keys if part.get(key) is not None), None)


def label_of(part: Object, keys: Iterable[str], place: Place) -> str | None:
    """Returns the identifier under the first of these keys that has one."""
    for key in keys:
        found = part.get(key)
        label = found if found and type(found) is str else place[key].label(found)
        if label is not None:
            return label.strip() or None
    return None


def label_if_any(part: Object, keys: Iterable[str]) -> str | None:
    """Returns what `label_of` does, where a tracer wrote it: what is no identifier names nothing.

    The ``id`` of a message of LangChain may be the path of its class.
    """
    known = {key: part[key] for key in keys if isinstance(part.get(key), str | int)}
    return label_of(known, known, Place(""))


Tell = Callable[[dict[str, Any], Place], Iterable[Part]]


def parts_by_type(key: str, *endings: str) -> Tell:
    """Returns what tells a part by the type that it has under this key, or by how that ends."""

    def tell(part: dict[str, Any], place: Place) -> Iterable[Part]:
        kind = part.get(key)
        ends = (ending for ending in endings if isinstance(kind, str) and kind.endswith(ending))
        return ((next(ends, kind), part, place),)

    return tell


def has_role(value: Any, roles: Iterable[str]) -> bool:
    """Says whether a value is an object of one of these roles, and no conversation."""
    return isinstance(value, dict) and value.get("role") in tuple(roles) and "messages" not in value


def parts_by_key(part: dict[str, Any], place: Place) -> Iterable[Part]:
    """Tells a part without a type by the keys that it has."""
    return [(key, value, place[key]) for key, value in part.items() if value is not None]


def add_text(message: Message, text: Any, place: Place) -> None:
    """Adds a part that is a text itself; an empty one says nothing."""
    if text != "":
        message.items.append(place.text(text))


def _listed_messages(value: Any) -> list[Any]:
    return value if isinstance(value, list) else list_at(value, "messages")


@dataclass(frozen=True)
class Dialect:
    """Where the messages of one library have what was said, called and answered.

    Attributes:
        is_message: says whether a value is one message.
        speakers: what each role is: :data:`USER`, :data:`ASSISTANT`, :data:`TOOL`, or the word by
            which messages that say nothing of the run are counted.
        parts: what adds each kind of part to a message.
        tell: tells the kind of a part.
        role: the key of the role, or what finds it in a message.
        content: where a message has its parts: the first of these keys that has anything.
        beside: adds what stands beside the parts of a message.
        whole: returns the results that a tool's message is as a whole.
        agent: keys of the assistant's name.
        time: the key of the time at which the calls of a message were made, or returned.
        joined: whose texts in one message are one text.
        together: whether a text behind a call is of the same turn.
        left_out: what beside the messages is not kept.
        word: what a part is called.
        conversations: finds the conversations of a document, where not all are lists of messages.
        is_own: says whether a message or a conversation is written as only this library does.
        messages_in: returns the messages that a value holds.
    """

    is_message: Callable[[Any], bool]
    speakers: Mapping[str, str]
    parts: Mapping[str, Entry]
    tell: Tell
    role: str | Callable[[dict[str, Any]], Any] = "role"
    content: tuple[str, ...] = ("content",)
    beside: Callable[[Message, dict[str, Any], Place], None] | None = None
    whole: Callable[[dict[str, Any], Place], Iterable[Result]] | None = None
    agent: tuple[str, ...] = ()
    time: str | None = None
    joined: tuple[str, ...] = (USER,)
    together: bool = True
    left_out: tuple[str, ...] = ()
    word: str = "part"
    conversations: Callable[[Document], Iterator[Kept]] | None = None
    is_own: Callable[[Any], bool] = lambda _: True
    messages_in: Callable[[Any], list[Any]] = _listed_messages

    def recognises(self, value: Any) -> bool:
        """Says whether this is a message, a conversation, or a list that begins with one."""
        for one in (value, first_of(value)):
            if self.is_message(one) or self.is_conversation(one):
                return self.is_own(one)
        return False

    def is_conversation(self, value: Any) -> bool:
        """Says whether this is a list of messages, or an object that has one."""
        messages = self.messages_in(value)
        return bool(messages) and self.is_message(messages[0])

    def read(self, document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
        """Returns one trajectory for each conversation."""

        def run_of(kept: Kept) -> Trajectory:
            return kept.run(self.read_messages(kept.messages, reasoning=reasoning))

        if self.conversations is not None:
            found = self.conversations(document)
        else:
            found = conversations(document, self.is_message, left_out=self.left_out)
        return map(run_of, found)

    def read_messages(
        self,
        messages: Iterable[tuple[Any, Place]],
        *,
        reasoning: bool = False,
        heard: Literal["all", "without_calls"] = "all",
        judge: Judge | None = None,
    ) -> Conversation:
        """Reads the messages of one conversation, each with its place.

        Args:
            messages: the messages, in order.
            reasoning: whether text that leads to no call becomes a reasoning step.
            heard: which texts of the assistant the user is told.
            judge: says of a result whether the call succeeded, where a format tells it so.

        Raises:
            FormatError: with the place of the first thing that no message may hold.
        """
        recorder = Recorder(reasoning, heard, judge)
        for index, (value, place) in enumerate(messages):
            message = self.read_message(place.object(value), place)
            self.record(recorder, message, {"message": index}, place)
        return recorder.conversation()

    def read_message(self, value: dict[str, Any], place: Place) -> Message:
        """Reads one message.

        Raises:
            FormatError: with the place of the first thing that it may not hold.
        """
        role = value.get(self.role) if isinstance(self.role, str) else self.role(value)
        if not isinstance(role, str) or not role:
            expected = ", ".join(self.speakers)
            key = self.role if isinstance(self.role, str) else "role"
            raise place[key].error(f"expected one of {expected}, found {described(role)}")
        message, speaker = Message(role), self.speakers.get(role)
        if speaker == TOOL and self.whole is not None:
            message.items += self.whole(value, place)
        elif speaker in (USER, ASSISTANT, TOOL):
            self.add_content(message, value, place)
            if self.beside is not None:
                self.beside(message, value, place)
            if not (message.items or message.unknown or message.ignored):
                self._note_silent(message, value)
        if self.agent:
            message.agent = label_of(value, self.agent, place)
        if self.time is not None:  # then its calls began, or its results were there
            at = moment(value.get(self.time), place[self.time])
            set_times(message, at, results=speaker != ASSISTANT)
        return message

    def _note_silent(self, message: Message, value: dict[str, Any]) -> None:
        """Notes a message of which nothing was understood, unless it says that it has nothing."""
        if value.keys().isdisjoint(self.content):
            message.unknown.append(f"message without '{self.content[0]}'")

    def add_content(self, message: Message, value: dict[str, Any], place: Place) -> None:
        """Adds the parts of a message."""
        content, key = None, ""
        for key in self.content:
            if (content := value.get(key)) is not None:
                break
        if isinstance(content, str):
            message.items += [content] if content else []
        elif content is not None:
            where = place[key]
            for index, part in enumerate(where.array(content)):
                self.add_part(message, part, where[index])

    def add_part(self, message: Message, part: Any, place: Place) -> None:
        """Adds what one part says; a bare text is a part, too."""
        if isinstance(part, str):
            message.items += [part] if part else []
            return
        told = list(self.tell(place.object(part), place))
        known = [one for one in told if isinstance(one[0], str) and one[0] in self.parts]
        for kind, value, where in known:
            entry = self.parts[kind]
            if callable(entry):
                entry(message, value, where)
            elif entry:
                message.ignored.append(entry)
        if message.calls and self.speakers.get(message.role or "") in (USER, TOOL):
            raise place.error("only messages of the assistant may call tools")
        for kind, value, _ in () if known else told:
            if value is part:
                message.note_part(kind, self.word)
            else:
                message.unknown.append(f"{self.word} with '{kind}'")

    def record(
        self,
        recorder: Recorder,
        message: Message,
        kept: Mapping[str, Any],
        place: Place | None = None,
    ) -> None:
        """Records what a message says.

        Args:
            recorder: what records it.
            message: the message.
            kept: what names the message where a result in it belongs to no call.
            place: where it stands, for the error.
        """
        speaker = self.speakers.get(message.role or "")
        recorder.note(message.unknown, message.ignored)
        if speaker == ASSISTANT:
            self._record_answer(recorder, message, kept, place)
            return
        recorder.interrupted()
        for result in message.results:
            recorder.returned(result, kept)
        if speaker == USER:
            recorder.user(self._spoken_texts(message.texts, USER))
        elif speaker is None:
            recorder.unknown(f"message of role '{message.role}'")
        elif speaker != TOOL:
            recorder.ignored(speaker)

    def _record_answer(
        self, recorder: Recorder, message: Message, kept: Object, place: Place | None
    ) -> None:
        """Records an answer turn by turn: a result that the model saw ends a turn."""
        for turn in _turns_of(message.items, self.together):
            texts = self._spoken_texts(turn[str], ASSISTANT)
            recorder.assistant(texts, turn[Call], message.agent, place)
            for result in turn[Result]:
                recorder.returned(result, kept)

    def _spoken_texts(self, texts: list[str], speaker: str) -> list[str]:
        """Returns what is said, without what is blank; as one text where the dialect has it so."""
        if len(texts) > 1 and speaker in self.joined:
            texts = ["\n".join(texts)]
        return [text for text in texts if text.strip()]


def _turns_of(items: list[Any], together: bool) -> list[dict[type, list[Any]]]:
    """Returns what each turn of an answer says, asks for and gets, each by its type."""
    turn: dict[type, list[Any]] = defaultdict(list)
    turns, ended = [turn], False
    for item in items:
        kind = type(item)
        ends = item is END_OF_TURN or (kind is Result and not item.waits)
        if (ended and not ends) or (kind is str and not together and turn[Call]):
            turn = defaultdict(list)
            turns.append(turn)
        turn[kind].append(item)
        ended = ends
    return turns


def as_recorded(content: Any) -> Any:
    """Returns a result as it was recorded."""
    return content


def set_times(message: Message, at: datetime | None, *, results: bool) -> None:
    """Says of the calls of a message that they began then, or of its results that they ended."""
    for index, item in enumerate(message.items):
        if isinstance(item, Call):
            item.started_at = at
        elif isinstance(item, Result) and results and item.ended_at is None:
            message.items[index] = item._replace(ended_at=at)

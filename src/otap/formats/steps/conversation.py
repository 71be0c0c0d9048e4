"""The shapes in which files keep conversations: lists of messages, or objects with such a list."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from otap.formats.json.documents import Document
from otap.formats.json.places import Place
from otap.formats.steps.definitions import tool_facts
from otap.trajectory import Step, Trajectory, Unread, parse_trajectory

_DEFINED = ("tools", "functions", "mcp_servers")


@dataclass(frozen=True)
class Conversation:
    """What the messages or spans of one run say: what the user said, and what the agent did.

    ``told`` is what the agent said to the user; None: the messages do not say. ``unread`` is what
    the messages or spans hold beside that.
    """

    request: tuple[str, ...]
    steps: tuple[Step, ...]
    metadata: dict[str, Any] = field(default_factory=dict)
    told: tuple[str, ...] | None = None
    unread: Unread = field(default_factory=Unread)


@dataclass(frozen=True)
class Kept:
    """The messages of one run, each with its place, and what stands beside them."""

    messages: Iterator[tuple[Any, Place]]
    around: dict[str, Any]
    place: Place
    defined: tuple[Any, ...] = ()  # what could be called

    def run(self, found: Conversation) -> Trajectory:
        """Returns the run that was found in the messages.

        What stands beside them names the run, its task and its trial; the rest is metadata. Of
        the definitions of tools only what they say of what a call does is kept.

        Raises:
            FormatError: if it is no trajectory.
        """
        around = dict(self.around)
        names = _names_in(around)
        if isinstance(around.get("metadata"), dict):
            around = {**around.pop("metadata"), **around}
        metadata = {**around, **found.metadata}
        fields = {**vars(found), **names, **tool_facts(*self.defined), "metadata": metadata}
        return parse_trajectory(fields, str(self.place))


def conversations(
    document: Document,
    is_message: Callable[[Any], bool],
    *,
    keys: Sequence[str] = ("messages",),
    left_out: Collection[str] = (),
) -> Iterator[Kept]:
    """Returns the conversations of a document.

    Args:
        document: a list of messages, an object with such a list, or a list of these.
        is_message: says whether a value is one message.
        keys: where an object may hold its messages; all that it has are read, in this order.
        left_out: what else in such an object is not kept.

    Raises:
        FormatError: if an object has no list of messages, or a list has no message.
    """
    value = document.value
    if is_message(value) or (isinstance(value, list) and is_message(value[0])):
        yield Kept(document.items(), {}, document.place)
        return
    for item, place in document.items():
        yield _conversation(item, place, keys, left_out)


def _conversation(value: Any, place: Place, keys: Sequence[str], left_out: Collection[str]) -> Kept:
    around: dict[str, Any] = {}
    if isinstance(value, dict):
        around = {name: item for name, item in value.items() if name not in (*keys, *left_out)}
        lists = [(value[key], place[key]) for key in keys if key in value]
        if not lists:
            raise place[keys[0]].error("expected a list, found null")
    else:
        lists = [(value, place)]
    messages = [placed for found, where in lists for placed in _placed(found, where)]
    where = lists[0][1]
    if not messages:
        raise where.error("expected at least one message, found none")
    return Kept(iter(messages), around, where, _defined(value))


def _defined(value: Any) -> tuple[Any, ...]:
    """Returns what could be called, where a request says so."""
    return tuple(map(value.get, _DEFINED)) if isinstance(value, dict) else ()


def _placed(value: Any, place: Place) -> Iterator[tuple[Any, Place]]:
    return ((message, place[index]) for index, message in enumerate(place.array(value)))


def _names_in(around: dict[str, Any]) -> dict[str, Any]:
    """Takes out of what stands beside the messages what names the run."""
    names: dict[str, Any] = {}
    keys = (("id", "id"), ("task", "task_id"), ("task", "task"), ("trial", "trial"))
    for field_name, key in keys:
        if field_name not in names and _is_name(around.get(key)):
            name = around.pop(key)
            names[field_name] = name if field_name == "trial" else str(name)
    return names


def _is_name(value: Any) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool) and value != ""

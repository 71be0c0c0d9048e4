"""The tool calls of chat messages, and which result belongs to which call."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from otap._patterns import regex
from otap.formats.json.places import Place, described
from otap.formats.json.syntax import parse_text
from otap.formats.limits import ARGUMENTS_DEPTH
from otap.formats.steps.content import parse_inner
from otap.trajectory import PARSED, Step

# How frameworks begin the text that stands for a result: the benchmarks, LangChain, the Agents
# SDK, MCP's SDK and CrewAI, LlamaIndex, Haystack, Claude Code.
_BEGINS = regex(
    r"\s{0,9}(?:Error: |Error (?:executing|invoking|running|calling) tool\b"
    r"|An error occurred while (?:running|parsing|executing|calling) (?:the )?tool\b"
    r"|I encountered an error while trying to use the tool\b"
    r"|Encountered error: |Failed to invoke Tool\b|<tool_use_error>)"
)
_LOG = regex(r"\n[ \t]{0,9}(?:\[?(?:error|warning|warn|info|debug)\]?\b:?)", re.IGNORECASE)
# An object as Python writes it, where no JSON was made of it.
_PYTHON = regex(
    r"\{'(?:error': (?:'\s{0,9}[^'\s]|\"\s{0,9}[^\"\s]|\{\s{0,9}[^}\s])"
    r"|(?:success|ok)': False\b|is_?[eE]rror': True\b|status': ['\"]error['\"])"
)
_WORDS = regex(r'"(?:error|isError|is_error|success|ok|status)"\s{0,9}:')
_NO_ERROR = ("", "none", "null", "nil", "false", "no", "ok", "n/a", "no error", "no errors")
_TOLD = ("error", "error_message", "errorMessage", "error_code", "errorCode")
_NUMERAL = re.compile(r"\s*[-+]?[\d.,]+(?:e[-+]?\d+)?\s*%?\s*")
_LONGEST = 1_000_000  # of a text that may say so as JSON


def states_failure(returned: Any) -> bool:
    """Says whether what came back from a call says itself that the call failed."""
    if isinstance(returned, str):
        if _BEGINS.match(returned) or _PYTHON.match(returned):
            return _PYTHON.match(returned) is not None or _LOG.search(returned) is None
        may_be = returned.lstrip()[:1] == "{" and len(returned) <= _LONGEST
        returned = parse_inner(returned) if may_be and _WORDS.search(returned) else None
    return _object_states_failure(returned)


def _object_states_failure(value: Any) -> bool:
    """Says so of an object: by its first key, which wrappers write first, or by two that agree."""
    if not isinstance(value, dict) or not value:
        return False
    if value.get("isError") is True or value.get("is_error") is True:
        return True
    key = next(iter(value))
    return _is_failed(key, value[key]) or _is_error(key, value[key]) or _is_told_twice(value)


def _is_told_twice(value: dict[str, Any]) -> bool:
    """Says whether an error stands beside the word that it failed, or beside nothing else."""
    if not any(_is_error(key, value[key]) for key in _TOLD if key in value):
        return False
    alone = all(item is None for key, item in value.items() if key not in _TOLD)
    return alone or any(_is_failed(*item) for item in value.items())


def _is_failed(key: str, value: Any) -> bool:
    return (key in ("success", "ok") and value is False) or (key == "status" and value == "error")


def _is_error(key: str, value: Any) -> bool:
    """Says whether an error is told: not null, not empty, no number as measurements have it."""
    if key not in _TOLD:
        return False
    if isinstance(value, str):
        return value.strip().lower() not in _NO_ERROR and not _NUMERAL.fullmatch(value)
    if isinstance(value, list):
        return bool(value) and isinstance(value[0], str | dict)
    return value is True or (isinstance(value, dict) and bool(value))


_ARGUMENTS = ("arguments", "args", "input", "parameters")  # where a flat call has them
_UNREADABLE = "arguments_unparsed"  # what is noted of arguments that are no JSON
_ALWAYS = ("action", "tool", "arguments", "effect", "turn")
_WHERE_KNOWN = ("status", "agent", "started_at", "ended_at", "substeps")


class Result(NamedTuple):
    """The result of a call: which call's, what came back, how the call ended.

    ``notes`` are added to those of the call. A result that ``waits`` was told with its call, before
    other calls of the same turn.
    """

    call_id: str | None
    name: str | None
    content: Any
    status: Literal["ok", "error"] | None = None
    ended_at: Any = None
    notes: tuple[tuple[str, Any], ...] = ()
    waits: bool = False


@dataclass(slots=True, eq=False)
class Call:
    """One tool call as a message holds it; ``notes`` become the metadata of its step."""

    tool: str | None
    arguments: Any
    id: str | None
    notes: dict[str, Any]
    turn: int = 0
    action: str | None = None
    effect: Any = None
    status: Literal["ok", "error"] | None = None
    agent: str | None = None
    started_at: Any = None  # a datetime, ISO 8601 text, or seconds since 1970
    ended_at: Any = None
    substeps: tuple[Step, ...] = ()
    judged: bool = False  # whether the format itself has its status from the result

    def ended(self, result: Result) -> "Call":
        """Returns this call with the time of its result, and what was noted of that."""
        if result.ended_at is not None:
            self.ended_at = result.ended_at
        self.notes.update(result.notes)
        return self

    def step(self, identifier: str) -> Step:
        """Returns this call as a step; what was not recorded is left unset.

        A call whose result says itself that it failed did, whatever else was recorded of it.
        """
        fields = {name: getattr(self, name) for name in _ALWAYS}
        fields |= {"id": identifier, "kind": "tool", "metadata": self.notes}
        for name in _WHERE_KNOWN:
            known = getattr(self, name)
            if known is not None and known != ():
                fields[name] = known
        if not self.judged and states_failure(self.effect):
            fields["status"] = "error"  # "ok" says only that nothing was raised
        return Step.model_validate(fields, context=PARSED)


def calls_of(message: Mapping[str, Any], place: Place) -> list[Call]:
    """Returns the calls of one assistant message, in order, legacy ``function_call`` included.

    They are written as OpenAI's chat completions have them, which others write, too.

    Raises:
        FormatError: if ``tool_calls`` is no list of such calls.
    """
    calls = []
    if message.get("tool_calls") is not None:
        listed = place["tool_calls"]
        values = listed.array(message["tool_calls"])
        calls = [_read_call(value, listed[index]) for index, value in enumerate(values)]
    if message.get("function_call") is not None:
        calls.append(_read_function(message["function_call"], None, place["function_call"]))
    return calls


def _read_call(value: Any, place: Place) -> Call:
    call = place.object(value)
    identifier = place.label_in(call, "id")
    if call.get("type") == "custom":
        custom = place["custom"].object(call.get("custom"))
        where = place["custom"]["name"]
        return named_call(custom.get("name"), custom.get("input"), identifier, where)
    named = "function" if "function" in call else "name"
    if isinstance(call.get(named), str):
        keys = (key for key in _ARGUMENTS if call.get(key) is not None)
        return made_call(call[named], call.get(next(keys, "")), identifier, place["name"])
    if "function" not in call and call.get("type") not in (None, "function"):
        raise place["type"].error(
            f"expected 'function' or 'custom', found {described(call['type'])}"
        )
    return _read_function(call.get("function"), identifier, place["function"])


def _read_function(value: Any, identifier: str | None, place: Place) -> Call:
    function = place.object(value)
    return made_call(function.get("name"), function.get("arguments"), identifier, place["name"])


def made_call(name: Any, recorded: Any, identifier: str | None, place: Place) -> Call:
    """Returns a call.

    Args:
        name: the tool, as recorded; it may be missing.
        recorded: the arguments, as a value or as JSON in a text.
        identifier: its id, if it has one.
        place: where the name stands.

    Raises:
        FormatError: if the name is no text.
    """
    arguments, parsed = parsed_arguments(recorded)
    call = named_call(name, arguments, identifier, place)
    if not parsed:
        call.notes[_UNREADABLE] = True
    return call


def named_call(name: Any, arguments: Any, identifier: str | None, place: Place) -> Call:
    """Returns a call like :func:`made_call`, whose arguments are taken as they are."""
    notes = call_notes(identifier)
    if name is None or name == "":
        return Call(None, arguments, identifier, {**notes, "unnamed": True})
    return Call(place.text(name), arguments, identifier, notes)


def call_notes(identifier: str | None) -> dict[str, Any]:
    """Returns what is noted of every call: the id by which the trace knows it, if it has one."""
    return {} if identifier is None else {"call_id": identifier}


def parsed_arguments(recorded: Any) -> tuple[Any, bool]:
    """Returns the arguments of a call, and whether they could be parsed.

    Args:
        recorded: JSON as text, or a value that is no text, which is returned as it is. A blank
            text, or "null", means that there are none; a text that is no JSON is returned.
    """
    if not isinstance(recorded, str):
        return recorded, True
    if not recorded.strip():
        return {}, True
    try:
        parsed = parse_text(recorded, ARGUMENTS_DEPTH)
    except ValueError:
        return recorded, False
    return ({} if parsed is None else parsed), True


@dataclass(slots=True)
class OpenCalls:
    """The calls that have no result yet.

    Ids are a hint only: real recordings leave them out, and repeat them inside one conversation.
    So each call waits among those of its id, and among all, who have the id None here.
    """

    _open: set[int] = field(default_factory=set)
    _turns: dict[str | None, list[int]] = field(default_factory=dict)
    _queues: dict[tuple[str | None, int, str | None], list[Call]] = field(default_factory=dict)

    def add(self, call: Call) -> None:
        """Notes a call whose result may still come."""
        self._open.add(id(call))
        for identifier in {None, call.id}:
            turns = self._turns.setdefault(identifier, [])
            if turns[-1:] != [call.turn]:
                turns.append(call.turn)
            for name in {None, call.tool}:
                queue = self._queues.setdefault((identifier, call.turn, name), [])
                queue.append(call)

    def take(self, identifier: str | None, name: Any) -> Call | None:
        """Returns the call that a result belongs to, which is open no longer; None for no call.

        By id, where an open call has it. Where the result has no id, or one that no call ever had,
        or several open calls share it: the latest turn with an open call, in it the first call of
        the same name, else the first. A second result of an answered call belongs to none.

        Args:
            identifier: the id of the call that the result names, if it names one.
            name: the tool that the result names, if it names one.
        """
        known = identifier if identifier in self._turns else None
        named = name if isinstance(name, str) else None
        turns = self._turns.get(known, [])
        while turns:
            call = self._first_open(known, turns[-1], named) or self._first_open(
                known, turns[-1], None
            )
            if call is not None:
                self._open.remove(id(call))
                return call
            turns.pop()
        return None

    def _first_open(self, identifier: str | None, turn: int, name: str | None) -> Call | None:
        """Returns the first open call of a queue; those answered by way of another fall out."""
        queue = self._queues.get((identifier, turn, name), [])
        while queue and id(queue[0]) not in self._open:
            del queue[0]  # a copy of pointers: fast enough for any turn
        return queue[0] if queue else None

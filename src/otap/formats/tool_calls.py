"""The tool calls of chat messages, and how results are matched to calls."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from otap.formats.failures import states_failure
from otap.formats.json.paths import JsonPath, described
from otap.formats.json.syntax import parse_text
from otap.formats.limits import ARGUMENTS_DEPTH
from otap.trajectory import PARSED, Step

_ARGUMENT_KEYS = ("arguments", "args", "input", "parameters")  # of a flat call
UNPARSED = "arguments_unparsed"  # the note on a call whose arguments are not JSON
_STEP_FIELDS = ("action", "tool", "arguments", "effect", "turn")
_OPTIONAL_STEP_FIELDS = ("status", "agent", "started_at", "ended_at", "substeps")


class ToolResult(NamedTuple):
    """The result of a call.

    Attributes:
        call_id: the id of the call.
        name: the name of the tool.
        content: the value that came back.
        status: whether the call succeeded, if the trace records it.
        ended_at: the end of the call.
        notes: added to the notes of the call.
        waits: whether the trace has it with its call, before other calls of the same turn.
    """

    call_id: str | None
    name: str | None
    content: Any
    status: Literal["ok", "error"] | None = None
    ended_at: Any = None
    notes: tuple[tuple[str, Any], ...] = ()
    waits: bool = False


@dataclass(slots=True, eq=False)
class ToolCall:
    """One tool call of a message; ``notes`` become the metadata of its step."""

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
    judged: bool = False  # whether the format itself derives the status from the result

    def finish(self, result: ToolResult) -> "ToolCall":
        """Adds the time and the notes of the result, and returns this call."""
        if result.ended_at is not None:
            self.ended_at = result.ended_at
        self.notes.update(result.notes)
        return self

    def step(self, identifier: str) -> Step:
        """Returns this call as a step. Fields that were not recorded stay unset.

        If the result states that the call failed, the status is "error", whatever was recorded.
        """
        fields = {name: getattr(self, name) for name in _STEP_FIELDS}
        fields |= {"id": identifier, "kind": "tool", "metadata": self.notes}
        for name in _OPTIONAL_STEP_FIELDS:
            recorded_value = getattr(self, name)
            if recorded_value is not None and recorded_value != ():
                fields[name] = recorded_value
        if not self.judged and states_failure(self.effect):
            fields["status"] = "error"  # a recorded "ok" only means that nothing was raised
        return Step.model_validate(fields, context=PARSED)


def parse_calls(message: Mapping[str, Any], path: JsonPath) -> list[ToolCall]:
    """Returns the calls of one assistant message in order, with a legacy ``function_call``.

    They have the shape of OpenAI's chat completions, which other libraries use as well.

    Raises:
        FormatError: if ``tool_calls`` is not a list of calls.
    """
    calls = []
    if message.get("tool_calls") is not None:
        tool_calls = path["tool_calls"].items(message["tool_calls"])
        calls = [_parse_tool_call(value, call_path) for value, call_path in tool_calls]
    if message.get("function_call") is not None:
        calls.append(_parse_function(message["function_call"], None, path["function_call"]))
    return calls


def _parse_tool_call(value: Any, path: JsonPath) -> ToolCall:
    call = path.object(value)
    identifier = path.label_in(call, "id")
    if call.get("type") == "custom":
        custom = path["custom"].object(call.get("custom"))
        name_path = path["custom"]["name"]
        return new_call(custom.get("name"), custom.get("input"), identifier, name_path)
    name_key = "function" if "function" in call else "name"
    if isinstance(call.get(name_key), str):
        keys = (key for key in _ARGUMENT_KEYS if call.get(key) is not None)
        return parse_call(call[name_key], call.get(next(keys, "")), identifier, path["name"])
    if "function" not in call and call.get("type") not in (None, "function"):
        raise path["type"].error(
            f"expected 'function' or 'custom', found {described(call['type'])}"
        )
    return _parse_function(call.get("function"), identifier, path["function"])


def _parse_function(value: Any, identifier: str | None, path: JsonPath) -> ToolCall:
    function = path.object(value)
    return parse_call(function.get("name"), function.get("arguments"), identifier, path["name"])


def parse_call(name: Any, recorded: Any, identifier: str | None, path: JsonPath) -> ToolCall:
    """Returns a call.

    Args:
        name: the recorded name of the tool; it may be missing.
        recorded: the arguments, as a value or as JSON in a text.
        identifier: its id, if it has one.
        path: the path to the name.

    Raises:
        FormatError: if the name is not text.
    """
    arguments, is_parsed = parse_arguments(recorded)
    call = new_call(name, arguments, identifier, path)
    if not is_parsed:
        call.notes[UNPARSED] = True
    return call


def new_call(name: Any, arguments: Any, identifier: str | None, path: JsonPath) -> ToolCall:
    """Returns a call like :func:`parse_call`, but with its arguments unchanged."""
    notes = call_notes(identifier)
    if name is None or name == "":
        return ToolCall(None, arguments, identifier, {**notes, "unnamed": True})
    return ToolCall(path.text(name), arguments, identifier, notes)


def call_notes(identifier: str | None) -> dict[str, Any]:
    """Returns the notes of every call: its id in the trace, if it has one."""
    return {} if identifier is None else {"call_id": identifier}


SHELL = "bash"  # one name, because all coding agents run the same commands


def command_call(command: str, call_id: str | None = None) -> ToolCall:
    """Returns the shell call that runs this command."""
    return ToolCall(SHELL, {"command": command}, call_id, call_notes(call_id))


def status_of_exit_code(code: Any) -> Literal["ok", "error"] | None:
    """Returns the status for an exit code: 0 is "ok"; None if there is no code."""
    if isinstance(code, bool) or not isinstance(code, int):
        return None
    return "ok" if code == 0 else "error"


def parse_arguments(recorded: Any) -> tuple[Any, bool]:
    """Returns the arguments of a call, and whether they could be parsed.

    Args:
        recorded: JSON as text, or a value that is no text, which is returned unchanged. A blank
            text and "null" mean no arguments. A text that is not JSON is returned unchanged.
    """
    if not isinstance(recorded, str):
        return recorded, True
    if not recorded.strip():
        return {}, True
    try:
        arguments = parse_text(recorded, ARGUMENTS_DEPTH)
    except ValueError:
        return recorded, False
    return ({} if arguments is None else arguments), True


@dataclass(slots=True)
class OpenCalls:
    """The calls that have no result yet.

    Ids are only a hint: real traces omit them, and repeat them inside one conversation. Each call
    is queued under its id, and under the id None, which stands for all calls.
    """

    _open: set[int] = field(default_factory=set)
    _turns: dict[str | None, list[int]] = field(default_factory=dict)
    _queues: dict[tuple[str | None, int, str | None], list[ToolCall]] = field(default_factory=dict)

    def add(self, call: ToolCall) -> None:
        """Adds a call whose result may still come."""
        self._open.add(id(call))
        for identifier in {None, call.id}:
            turns = self._turns.setdefault(identifier, [])
            if turns[-1:] != [call.turn]:
                turns.append(call.turn)
            for name in {None, call.tool}:
                queue = self._queues.setdefault((identifier, call.turn, name), [])
                queue.append(call)

    def take(self, identifier: str | None, name: Any) -> ToolCall | None:
        """Closes the call that a result belongs to, and returns it; None if there is none.

        If any call has the id of the result, the candidates are the open calls with this id. If no
        call has it, or the result has no id, all open calls are candidates. The latest turn with a
        candidate decides: its first call of the same tool is taken, or else its first call. A
        second result of a call belongs to no call.

        Args:
            identifier: the id of the call according to the result, if it has one.
            name: the name of the tool according to the result, if it has one.
        """
        call_id = identifier if identifier in self._turns else None
        tool = name if isinstance(name, str) else None
        turns = self._turns.get(call_id, [])
        while turns:
            turn = turns[-1]
            call = self._first_open(call_id, turn, tool) or self._first_open(call_id, turn, None)
            if call is not None:
                self._open.remove(id(call))
                return call
            turns.pop()
        return None

    def _first_open(self, identifier: str | None, turn: int, name: str | None) -> ToolCall | None:
        """Returns the first open call of a queue, and removes closed calls before it."""
        queue = self._queues.get((identifier, turn, name), [])
        while queue and id(queue[0]) not in self._open:
            del queue[0]  # moves pointers only: fast enough for any turn
        return queue[0] if queue else None

"""Results of tau2-bench: conversations with a simulated user, and the gold of their tasks."""

from collections.abc import Iterator, Mapping
from html import unescape
from typing import Any

from otap._patterns import regex
from otap.formats.json.documents import Document
from otap.formats.json.paths import JsonPath, described
from otap.formats.json.times import parse_time
from otap.formats.readers.benchmarks.tau2 import golds
from otap.formats.readers.benchmarks.tau_bench import reward
from otap.formats.steps.calls import Call, Result, call_notes
from otap.formats.steps.content import drop_nulls, object_in, unless_blank
from otap.formats.steps.recorder import Recorder
from otap.formats.steps.tables import StatusKey
from otap.trajectory import Trajectory, parse_trajectory

NAME = "tau2-results"
DESCRIPTION = "results of tau2-bench: simulations with reward, and the gold actions of their tasks"
STEP = "each tool call of the agent or of the user; in a gold, each action of the task"
KNOWN_BY = "'simulations' beside 'tasks' and 'info', or one simulation"

_RUN = {"task_id", "termination_reason"}  # what each simulation has, in every version
_SIDES = (("agent", "assistant"), ("user", "user"))
# A script of speech numbers its pieces, and says which of them are heard in a tick.
_MARKS = regex(r'<message [^<>]{0,200}active="([\d,]+)"|<chunk id="?(\d{1,9})"?>([^<]*)')
_SILENT = {"content": None, "is_audio": False}


def recognises(value: Any) -> bool:
    """Says whether this is a file of results, or one simulation, as they are kept apart."""
    if not isinstance(value, dict):
        return False
    if isinstance(value.get("simulations"), list) and isinstance(value.get("tasks"), list):
        return "info" in value
    return is_simulation(value)


def is_simulation(value: Any) -> bool:
    """Says whether this is one simulation."""
    if not isinstance(value, dict) or not value.keys() >= _RUN:
        return False
    return isinstance(value.get("messages"), list) or isinstance(value.get("ticks"), list)


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Returns the simulations; the reward is the outcome."""
    value, place = document.value, document.root
    if "simulations" not in value:
        yield _run(value, place, reasoning)
        return
    for simulation, where in place["simulations"].objects(value["simulations"]):
        yield _run(simulation, where, reasoning)


def references(document: Document) -> Iterator[Trajectory]:
    """Returns the gold of each task of the file that has one.

    Published files number ``tasks`` and the tasks of runs in different ways. What a run was held
    to stands in its own checks; where these contradict the task of its number, they are the gold,
    whose metadata then say so (``gold``).
    """
    value, place, numbered = document.value, document.root, set[str | None]()
    checked = _list_checked(value.get("simulations"))
    for task, where in place["tasks"].objects(value.get("tasks")):
        name = where["id"].label(task.get("id"))
        numbered.add(name)
        own = checked.get(name)
        if own is not None and _asks(own) not in _list_accepted(task):
            task = {"id": name, "evaluation_criteria": own}
        yield from golds(task, where)
    for name, own in checked.items():
        if name not in numbered and own is not None:
            yield from golds({"id": name, "evaluation_criteria": own}, place["simulations"])


def _list_accepted(task: dict[str, Any]) -> list[list[tuple[Any, Any]]]:
    """The calls of each outcome that a task of the file accepts."""
    criteria = object_in(task, "evaluation_criteria")
    outcomes = criteria.get("acceptable_outcomes")
    every = [criteria, *(outcomes if isinstance(outcomes, list) else ())]
    return [_asks(one) for one in every if isinstance(one, dict) and one.get("actions") is not None]


def _list_checked(simulations: Any) -> dict[str | None, dict[str, Any] | None]:
    """What the runs of each task were held to by their own checks; None where they differ."""
    found: dict[str | None, dict[str, Any] | None] = {}
    several = _list_objects(simulations)
    # Only in files whose runs have checks at all does one without any say something.
    writes = any(object_in(one, "reward_info").get("action_checks") for one in several)
    for simulation in several if writes else ():
        own = _checked(simulation)
        if own is not None:
            name = str(simulation.get("task_id"))
            known = found.setdefault(name, own)
            if known is not None and _asks(known) != _asks(own):
                found[name] = None
    return found


def _checked(simulation: dict[str, Any]) -> dict[str, Any] | None:
    """What one run was held to; None where it was not judged to the end.

    A run that was judged and has no check of an action had none to make.
    """
    judged = object_in(simulation, "reward_info")
    checks = judged.get("action_checks")
    if not (checks or judged.get("db_check")):
        return None
    told = [one.get("info") for one in _list_objects(judged.get("communicate_checks"))]
    return {
        "actions": _list_objects([one.get("action") for one in _list_objects(checks)]),
        "communicate_info": [one for one in told if isinstance(one, str)],
        "reward_basis": judged.get("reward_basis"),
        "gold": "by the checks of the runs, which the file's tasks contradict",
    }


def _asks(criteria: Mapping[str, Any]) -> list[tuple[Any, Any]]:
    actions = _list_objects(criteria["actions"])
    return [(action.get("name"), action.get("arguments")) for action in actions]


def _list_objects(value: Any) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _run(value: dict[str, Any], place: JsonPath, reasoning: bool) -> Trajectory:
    task = place["task_id"].label(value.get("task_id"))
    trial = place["trial"].label(value.get("trial"))
    # The simulated user gets no message that calls a tool.
    recorder = Recorder(reasoning, "without_calls")
    for message, where in _messages(value, place):
        _record(recorder, message, where)
        if message.get("role") == "assistant":  # the user is a model, too
            recorder.add_usage(message)
    found = recorder.conversation()
    judged = place["reward_info"].object(value.get("reward_info") or {})
    notes = {"simulation": value.get("id"), "termination_reason": value.get("termination_reason")}
    fields = {
        **found.trajectory_fields(),
        "id": "/".join(part for part in (task, trial) if part is not None) or None,
        "task": task,
        "trial": value.get("trial"),
        "outcome": reward(judged.get("reward"), place["reward_info"]["reward"]),
        "metadata": drop_nulls(notes) | found.metadata,
        **_facts(judged),
    }
    return parse_trajectory(fields, str(place))


def _facts(judged: Mapping[str, Any]) -> dict[str, Any]:
    """Returns which tools change nothing, as the check of the gold actions says."""
    checks = judged.get("action_checks")
    reading = {
        check["action"]["name"]: {"read_only": True}
        for check in (checks if isinstance(checks, list) else ())
        if isinstance(check, dict) and check.get("tool_type") == "read"
        if isinstance(check.get("action"), dict) and isinstance(check["action"].get("name"), str)
    }
    return {"tools": reading} if reading else {}


def _messages(value: dict[str, Any], place: JsonPath) -> Iterator[tuple[dict[str, Any], JsonPath]]:
    """Returns the messages; of a conversation by voice those of its ticks, as tau2 does."""
    if isinstance(value.get("messages"), list) or value.get("ticks") is None:
        yield from place["messages"].objects(value.get("messages"))
        return
    speaker, said = "", ""  # who is speaking, and what that side has said in a row
    for tick, where in place["ticks"].objects(value["ticks"]):
        for side, role in _SIDES:
            chunk = where[f"{side}_chunk"].object(tick.get(f"{side}_chunk") or {})
            speech, calls = _speech_in(chunk), tick.get(f"{side}_tool_calls")
            if said and (calls or (speech.strip() and role != speaker)):
                yield {"role": speaker, "content": said}, where
                said = ""
            if speech.strip():
                speaker = role
            said += speech if role == speaker else ""
            yield {**chunk, **_SILENT, "role": role, "tool_calls": calls}, where
            yield from where[f"{side}_tool_results"].objects(tick.get(f"{side}_tool_results"))
    if said:
        yield {"role": speaker, "content": said}, place["ticks"]


def _speech_in(chunk: dict[str, Any]) -> str:
    """Returns what one side says in a tick: of a script with marks, the pieces that were heard."""
    content, script = chunk.get("content"), chunk.get("audio_script_gold")
    told = content if isinstance(content, str) and content else script
    if not isinstance(told, str) or "<chunk" not in told:
        return told if isinstance(told, str) else ""
    heard: list[str] = []
    pieces = []
    for active, number, piece in _MARKS.findall(told):
        heard = active.split(",") if active else heard
        pieces += [unescape(piece)] if number in heard else []
    return "".join(pieces)


def _record(recorder: Recorder, message: dict[str, Any], place: JsonPath) -> None:
    role = message.get("role")
    if role in ("assistant", "user"):
        _say(recorder, role, message, place)
    elif role == "tool" and isinstance(message.get("tool_messages"), list):
        for result, where in place["tool_messages"].objects(message["tool_messages"]):
            _record_result(recorder, result, where)
    elif role == "tool":
        _record_result(recorder, message, place)
    elif role == "system":
        recorder.ignored("system message")
    else:
        raise place["role"].error(
            f"expected one of system, user, assistant, tool, found {described(role)}"
        )


def _say(recorder: Recorder, role: str, message: dict[str, Any], place: JsonPath) -> None:
    """Records what one side says and calls: the user has tools of his own in some domains."""
    texts, calls = _texts_of(recorder, message, place), list(_calls_of(message, place, role))
    if role == "assistant":
        recorder.assistant(texts, calls, role)
        return
    if texts:
        recorder.user(texts)
    if calls:
        recorder.interrupted()
        recorder.assistant((), calls, role)


def _texts_of(recorder: Recorder, message: dict[str, Any], place: JsonPath) -> list[str]:
    content = message.get("content")
    if message.get("is_audio") is True:
        recorder.ignored("audio")
        return []
    return [] if content in (None, "") else unless_blank(place["content"].text(content))


def _calls_of(message: dict[str, Any], place: JsonPath, role: str) -> Iterator[Call]:
    for call, where in place["tool_calls"].objects(message.get("tool_calls")):
        identifier = where.label_in(call, "id")
        tool, agent = where["name"].text(call.get("name")), where.label_in(call, "requestor")
        notes = call_notes(identifier)
        yield Call(tool, call.get("arguments"), identifier, notes, agent=agent or role)


def _record_result(recorder: Recorder, message: dict[str, Any], place: JsonPath) -> None:
    identifier, at = place.label_in(message, "id"), place["timestamp"]
    ended = parse_time(message.get("timestamp"), at)
    result = Result(identifier, None, message.get("content"), _STATUS(message), ended)
    recorder.tool_result(result, {"id": identifier})


_STATUS = StatusKey("error", {True: "error", False: "ok"})

"""Results of tau2-bench: conversations with a simulated user, and the gold of their tasks."""

from collections.abc import Iterator, Mapping
from html import unescape
from typing import Any

from otap._patterns import regex
from otap.formats.chats import StatusKey
from otap.formats.content import object_in, unless_blank
from otap.formats.json.documents import Document
from otap.formats.json.paths import JsonObject, described
from otap.formats.json.times import parse_time
from otap.formats.readers.tau2 import golds
from otap.formats.readers.tau_bench import reward
from otap.formats.recorder import Recorder
from otap.formats.tool_calls import ToolCall, ToolResult, call_notes
from otap.trajectory import Trajectory

NAME = "tau2-results"
DESCRIPTION = "results of tau2-bench: simulations with reward, and the gold actions of their tasks"
STEP = "each tool call of the agent or of the user; in a gold, each action of the task"
KNOWN_BY = "'simulations' beside 'tasks' and 'info', or one simulation"

_SIMULATION_KEYS = {"task_id", "termination_reason"}  # of a simulation in every version
_SIDES = (("agent", "assistant"), ("user", "user"))
# A script of speech numbers its chunks, and lists the chunks that are active in a tick.
_CHUNKS = regex(r'<message [^<>]{0,200}active="([\d,]+)"|<chunk id="?(\d{1,9})"?>([^<]*)')
_SILENT = {"content": None, "is_audio": False}
_STATUS = StatusKey("error", {True: "error", False: "ok"})


def recognises(value: Any) -> bool:
    """Returns whether this is a file of results, or a single simulation."""
    if not isinstance(value, dict):
        return False
    if isinstance(value.get("simulations"), list) and isinstance(value.get("tasks"), list):
        return "info" in value
    return is_simulation(value)


def is_simulation(value: Any) -> bool:
    """Returns whether this is one simulation."""
    if not isinstance(value, dict) or not value.keys() >= _SIMULATION_KEYS:
        return False
    return isinstance(value.get("messages"), list) or isinstance(value.get("ticks"), list)


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Yields the simulations; the reward is the outcome."""
    results = JsonObject(document.value, document.root)
    is_file = "simulations" in results.mapping
    for simulation in results.objects("simulations") if is_file else [results]:
        yield _run(simulation, reasoning)


def references(document: Document) -> Iterator[Trajectory]:
    """Yields the gold of each task of the file that has one.

    Published files number ``tasks`` and the tasks of runs in different ways. The checks of a run
    list the gold actions that it was judged by. If they contradict the task of the same number,
    the checks are the gold, and its metadata say this (``gold``).
    """
    results, path, task_names = document.value, document.root, set[str | None]()
    criteria_by_task = _criteria_by_task(results.get("simulations"))
    for task, task_path in path["tasks"].objects(results.get("tasks")):
        name = task_path["id"].label(task.get("id"))
        task_names.add(name)
        criteria = criteria_by_task.get(name)
        if criteria is not None and _calls_in(criteria) not in _accepted_calls(task):
            task = {"id": name, "evaluation_criteria": criteria}
        yield from golds(task, task_path)
    for name, criteria in criteria_by_task.items():
        if name not in task_names and criteria is not None:
            yield from golds({"id": name, "evaluation_criteria": criteria}, path["simulations"])


def _accepted_calls(task: dict[str, Any]) -> list[list[tuple[Any, Any]]]:
    """Returns the calls of each outcome that a task of the file accepts."""
    criteria = object_in(task, "evaluation_criteria")
    outcomes = [criteria, *_objects_in(criteria.get("acceptable_outcomes"))]
    return [_calls_in(outcome) for outcome in outcomes if outcome.get("actions") is not None]


def _criteria_by_task(simulations: Any) -> dict[str | None, dict[str, Any] | None]:
    """Returns the criteria in the checks of the runs of each task; None if they differ."""
    by_task: dict[str | None, dict[str, Any] | None] = {}
    runs = _objects_in(simulations)
    # A run without checks of actions has an empty gold only if other runs of the file have checks.
    if not any(object_in(run, "reward_info").get("action_checks") for run in runs):
        return by_task
    for run in runs:
        criteria = _criteria_of(run)
        if criteria is None:
            continue
        task = str(run.get("task_id"))
        first = by_task.setdefault(task, criteria)
        if first is not None and _calls_in(first) != _calls_in(criteria):
            by_task[task] = None
    return by_task


def _criteria_of(simulation: dict[str, Any]) -> dict[str, Any] | None:
    """Returns the criteria in the checks of a run, or None if its judgement is not complete.

    A run that was judged, but has no check of an action, had an empty gold.
    """
    judgement = object_in(simulation, "reward_info")
    checks = judgement.get("action_checks")
    if not (checks or judgement.get("db_check")):
        return None
    actions = [check.get("action") for check in _objects_in(checks)]
    answers = [check.get("info") for check in _objects_in(judgement.get("communicate_checks"))]
    return {
        "actions": _objects_in(actions),
        "communicate_info": [answer for answer in answers if isinstance(answer, str)],
        "reward_basis": judgement.get("reward_basis"),
        "gold": "by the checks of the runs, which the file's tasks contradict",
    }


def _calls_in(criteria: Mapping[str, Any]) -> list[tuple[Any, Any]]:
    actions = _objects_in(criteria["actions"])
    return [(action.get("name"), action.get("arguments")) for action in actions]


def _objects_in(values: Any) -> list[dict[str, Any]]:
    return (
        [value for value in values if isinstance(value, dict)] if isinstance(values, list) else []
    )


def _run(run: JsonObject, reasoning: bool) -> Trajectory:
    task, trial = run.label("task_id"), run.label("trial")
    # The simulated user does not see messages that call a tool.
    recorder = Recorder(reasoning, "without_calls")
    for message in _messages_in(run):
        _record(recorder, message)
        if message.get("role") == "assistant":  # the user is a model, too
            recorder.add_usage(message.mapping)
    judgement = run.object("reward_info")
    notes = {"simulation": run.get("id"), "termination_reason": run.get("termination_reason")}
    fields = {
        "id": "/".join(label for label in (task, trial) if label is not None) or None,
        "task": task,
        "trial": run.get("trial"),
        "outcome": reward(judgement.get("reward"), judgement.at("reward")),
        **_tool_facts(judgement.mapping),
    }
    return recorder.conversation().to_trajectory(run.path, fields, notes)


def _tool_facts(judgement: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the tools that only read, according to the checks of the gold actions."""
    read_only = {
        check["action"]["name"]: {"read_only": True}
        for check in _objects_in(judgement.get("action_checks"))
        if check.get("tool_type") == "read"
        if isinstance(check.get("action"), dict) and isinstance(check["action"].get("name"), str)
    }
    return {"tools": read_only} if read_only else {}


def _messages_in(simulation: JsonObject) -> Iterator[JsonObject]:
    """Yields the messages; speech in ticks is joined as in tau2, until the other side speaks."""
    if isinstance(simulation.get("messages"), list) or simulation.get("ticks") is None:
        yield from simulation.objects("messages")
        return
    speaker, speech = "", ""  # the side that speaks, and its text so far
    for tick in simulation.objects("ticks"):
        for side, role in _SIDES:
            chunk = tick.object(f"{side}_chunk").mapping
            text, calls = _speech_in(chunk), tick.get(f"{side}_tool_calls")
            if speech and (calls or (text.strip() and role != speaker)):
                yield JsonObject({"role": speaker, "content": speech}, tick.path)
                speech = ""
            if text.strip():
                speaker = role
            speech += text if role == speaker else ""
            message = {**chunk, **_SILENT, "role": role, "tool_calls": calls}
            yield JsonObject(message, tick.path)
            yield from tick.objects(f"{side}_tool_results")
    if speech:
        yield JsonObject({"role": speaker, "content": speech}, simulation.at("ticks"))


def _speech_in(chunk: dict[str, Any]) -> str:
    """Returns the speech of one side in a tick: the active chunks, if the script numbers them."""
    content, script = chunk.get("content"), chunk.get("audio_script_gold")
    text = content if isinstance(content, str) and content else script
    if not isinstance(text, str) or "<chunk" not in text:
        return text if isinstance(text, str) else ""
    active_numbers: list[str] = []
    words = []
    for active, number, chunk_text in _CHUNKS.findall(text):
        if active:
            active_numbers = active.split(",")
        if number in active_numbers:
            words.append(unescape(chunk_text))
    return "".join(words)


def _record(recorder: Recorder, message: JsonObject) -> None:
    role = message.get("role")
    if role in ("assistant", "user"):
        _record_message(recorder, role, message)
    elif role == "tool":
        is_group = isinstance(message.get("tool_messages"), list)
        for result in message.objects("tool_messages") if is_group else [message]:
            _record_result(recorder, result)
    elif role == "system":
        recorder.ignored("system message")
    else:
        raise message.at("role").error(
            f"expected one of system, user, assistant, tool, found {described(role)}"
        )


def _record_message(recorder: Recorder, role: str, message: JsonObject) -> None:
    """Records the text and the calls of one side; in some domains the user has tools as well."""
    texts: list[str] = []
    if message.get("is_audio") is True:
        recorder.ignored("audio")
    elif message.get("content") not in (None, ""):
        texts = unless_blank(message.text("content"))
    calls = [
        ToolCall(
            call.text("name"),
            call.get("arguments"),
            call.label("id"),
            call_notes(call.label("id")),
            agent=call.label("requestor") or role,
        )
        for call in message.objects("tool_calls")
    ]
    if role == "assistant":
        recorder.assistant(texts, calls, role)
        return
    if texts:
        recorder.user(texts)
    if calls:
        recorder.interrupted()
        recorder.assistant((), calls, role)


def _record_result(recorder: Recorder, message: JsonObject) -> None:
    call_id = message.label("id")
    ended_at = parse_time(message.get("timestamp"), message.at("timestamp"))
    result = ToolResult(call_id, None, message.get("content"), _STATUS(message.mapping), ended_at)
    recorder.tool_result(result, {"id": call_id})

"""Trajectories of SWE-agent (``.traj``), of all its versions."""

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from otap.formats.json.documents import Document
from otap.formats.json.places import Place
from otap.formats.readers.coding.swe_commands import call_of
from otap.formats.steps.calls import Call
from otap.formats.steps.content import joined, recorded, said
from otap.formats.steps.recorder import Recorder
from otap.formats.steps.tokens import tokens_in
from otap.trajectory import Trajectory, parse_trajectory

NAME = "swe-agent"
DESCRIPTION = "trajectories of SWE-agent (.traj), of all its versions"
STEP = "each action that the agent ran: a command of its own by name, else one of the shell"
KNOWN_BY = "'trajectory' of actions and observations beside 'history' or 'environment'"

_STEP = {"action", "observation"}
_HISTORY = {"role", "content", "agent"}
# How it says itself that an action failed; other commands' return codes are not recorded.
_FAILED = (
    "Your proposed edit has introduced new syntax error(s)",
    "EXECUTION TIMED OUT",
    "COMMAND FAILED TO EXECUTE",
    "No replacement was performed",
    "Text not found. The edit was not applied.",
)
_CUT_OFF = "was cancelled because it took more than"
_EXITS = ("exit_format", "exit_cost", "exit_context", "exit_api", "exit_error", "exit", "skip")


def recognises(value: Any) -> bool:
    """Says whether this is a trajectory, the attempts at one, or the history of one."""
    if not isinstance(value, dict):
        return False
    if "trajectory" in value:
        return _is_trajectory(value)
    attempts, history = value.get("attempts"), value.get("history")
    if isinstance(attempts, list) and attempts:
        return isinstance(attempts[-1], dict) and _is_trajectory(attempts[-1])
    return isinstance(history, list) and _tells_actions(history)


def _is_trajectory(value: dict[str, Any]) -> bool:
    steps = value.get("trajectory")
    if not isinstance(steps, list) or not ({"history", "environment"} & value.keys()):
        return False
    return not steps or _has(steps[0], _STEP)


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Returns the run; of several attempts the one that was chosen, else the last."""
    value, place = document.value, document.place
    recorder = Recorder(reasoning, "none")
    attempts = value.get("attempts")
    if isinstance(attempts, list):
        for _ in attempts[1:]:
            recorder.ignored("attempt that was not chosen")
    if "trajectory" not in value and isinstance(attempts, list):
        place = place["attempts"][len(attempts) - 1]
        value = place.object(attempts[-1])
    yield _run(value, place, recorder)


def _has(value: Any, keys: set[str]) -> bool:
    return isinstance(value, dict) and keys <= value.keys()


def _tells_actions(history: list[Any]) -> bool:
    """Says whether messages say which agent's they are, and what it did."""
    actions = (_has(message, {"action", "thought"}) for message in history)
    return bool(history) and _has(history[0], _HISTORY) and any(actions)


def _run(value: dict[str, Any], place: Place, recorder: Recorder) -> Trajectory:
    history = list(place["history"].objects(value.get("history")))
    for message, where in history:
        if message.get("role") == "user" and message.get("is_demo") is not True:
            recorder.user(_texts(message.get("content"), where["content"]))
            break
    if "trajectory" in value:
        for index, (step, where) in enumerate(place["trajectory"].objects(value["trajectory"])):
            _record(recorder, step, where, index)
    else:
        _record_history(recorder, history)
    found = recorder.conversation()
    info = place["info"].object(value.get("info") or {})
    submission = info.get("submission")
    told = isinstance(submission, str) and submission.strip()
    task = _instance(value, place)
    fields = {
        **vars(found),
        "id": task,
        "task": task,
        "tokens": tokens_in(info.get("model_stats")),
        "told": [submission] if told else [],
        "metadata": recorded(_notes(value, info)) | found.metadata,
    }
    return parse_trajectory(fields, str(place))


def _notes(value: dict[str, Any], info: dict[str, Any]) -> dict[str, Any]:
    named = {key: info.get(key) for key in ("exit_status", "swe_agent_version")}
    return {**named, "environment": value.get("environment")}


def _instance(value: dict[str, Any], place: Place) -> str | None:
    """Returns the name of the problem, where whoever collected the files put it in."""
    return place["instance_id"].label(value.get("instance_id"))


def _record(recorder: Recorder, step: dict[str, Any], place: Place, index: int) -> None:
    """Records one step; an answer in which no action was found ran nothing."""
    thought = step.get("thought") or (step.get("response") if not step.get("action") else None)
    texts = _texts(thought, place["thought"])
    action = step.get("action")
    command = place["action"].text(action).strip() if action not in (None, "") else ""
    if not command or command in _EXITS:
        recorder.assistant(texts)
        recorder.interrupted()
        return
    call = call_of(command)
    recorder.assistant(texts, [call])
    if _never_ran(step):
        call.status, call.notes["not_run"] = "error", True
        recorder.interrupted()
        return
    _answer(recorder, call, step.get("observation"), index)


def _never_ran(step: Mapping[str, Any]) -> bool:
    """Says whether an action was refused: a blocked command, or one with an error of syntax.

    What ran took time and left a state; earlier versions do not record the time.
    """
    return (
        step.get("execution_time") == 0 and step.get("state") == {} and not step.get("observation")
    )


def _answer(recorder: Recorder, call: Call, observation: Any, index: int) -> None:
    effect = joined(observation)
    recorder.result(call.id, call.tool, effect, _status(effect), kept={"step": index})


def _status(effect: Any) -> Literal["error"] | None:
    if not isinstance(effect, str):
        return None
    begins = effect[:200].lstrip()
    return "error" if begins.startswith(_FAILED) or _CUT_OFF in effect[:2000] else None


def _texts(content: Any, place: Place) -> list[str]:
    return said(content, place, _part_text)


def _part_text(part: Any, place: Place) -> str | None:
    text = place.object(part).get("text")
    return text if isinstance(text, str) else None


def _record_history(recorder: Recorder, history: list[tuple[dict[str, Any], Place]]) -> None:
    """Records the messages alone: an answer of the agent, then what its action brought."""
    call: Call | None = None
    for index, (message, place) in enumerate(history):
        if message.get("is_demo") is True:
            continue
        if message.get("role") == "assistant":
            call = _asked(recorder, message, place)
        elif message.get("role") in ("user", "tool") and call is not None:
            _answer(recorder, call, message.get("content"), index)
            call = None


def _asked(recorder: Recorder, message: dict[str, Any], place: Place) -> Call | None:
    texts = _texts(message.get("thought"), place["thought"])
    action = message.get("action")
    if not isinstance(action, str) or not action.strip():
        recorder.assistant(texts)
        return None
    call = call_of(action)
    recorder.assistant(texts, [call])
    return call

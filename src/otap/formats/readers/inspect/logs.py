"""Logs of Inspect (``.eval`` and ``.json``): each sample of each epoch is one run."""

from collections.abc import Iterator, Mapping
from typing import Any

from otap.formats.json.documents import Document
from otap.formats.json.places import Place, described
from otap.formats.readers.inspect.calls import asked_in, listed, part_of, result_in
from otap.formats.readers.inspect.events import Events, defined_in
from otap.formats.readers.inspect.texts import Texts
from otap.formats.steps.content import recorded
from otap.formats.steps.conversation import Conversation
from otap.formats.steps.definitions import tool_facts
from otap.formats.steps.recorder import Recorder
from otap.formats.steps.spans import read_spans
from otap.formats.steps.tokens import tokens_in, tokens_of_all
from otap.trajectory import Trajectory, parse_trajectory

NAME = "inspect"
DESCRIPTION = "logs of Inspect (inspect_ai): .eval archives, or JSON; a run a sample and epoch"
STEP = "each tool call; calls of an agent that a call started are its sub-steps"
KNOWN_BY = "'version', and 'eval' with task, model and data set"

_GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0, "yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}


def recognises(value: Any) -> bool:
    """Says whether this is the log of an evaluation, with or without samples."""
    if not isinstance(value, dict) or "version" not in value:
        return False
    spec = value.get("eval")
    return isinstance(spec, dict) and {"task", "model", "dataset"} <= spec.keys()


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Returns one run for each sample of each epoch; the first score is the outcome.

    Raises:
        FormatError: with the place of the first thing that no log may hold.
    """
    place = document.place
    name = place["eval"]["task"].label(document.value["eval"]["task"])
    if document.value.get("samples") is None:
        raise place.error("holds no samples; log them (inspect eval --log-samples)")
    for index, value in enumerate(place["samples"].array(document.value["samples"])):
        where = place["samples"][index]
        yield _run(where.object(value), where, name, reasoning)


def _run(value: dict[str, Any], place: Place, name: str | None, reasoning: bool) -> Trajectory:
    sample = place["id"].label(value.get("id"))
    epoch = place["epoch"].label(value.get("epoch"))
    task = "/".join(part for part in (name, sample) if part is not None) or None
    texts = Texts(part_of(value, "attachments", place))
    found = _happened(value, place, texts, reasoning)
    scores = _scores(value, place)
    fields = {
        "id": "/".join(part for part in (task, epoch) if part is not None) or None,
        "task": task,
        "trial": value.get("epoch"),
        "request": _request(value.get("input"), place["input"], texts),
        "steps": found.steps,
        "told": found.told,
        "unread": found.unread,
        "tokens": tokens_of_all(map(tokens_in, part_of(value, "model_usage", place).values())),
        "outcome": next((_grade(score) for score in scores.values()), None),
        **tool_facts(*defined_in(value, place)),
        "metadata": {**_background(value, scores), **found.metadata},
    }
    return parse_trajectory(fields, str(place))


def _request(value: Any, place: Place, texts: Texts) -> list[str]:
    """Returns what the sample asks for; what a scaffold said later in a user's name is none."""
    if not isinstance(value, list):
        said = [texts.said(value, place)]
    else:
        messages = [(place[n].object(message), place[n]) for n, message in enumerate(value)]
        said = [
            texts.said(message.get("content"), where["content"])
            for message, where in messages
            if message.get("role") == "user"
        ]
    return [text for text in said if text is not None]


def _scores(value: Mapping[str, Any], place: Place) -> dict[str, Any]:
    found = part_of(value, "scores", place)
    return {name: place["scores"][name].object(score).get("value") for name, score in found.items()}


def _grade(value: Any) -> float | None:
    """Returns a score as a number, as Inspect itself makes one; none of a list or an object."""
    if isinstance(value, str):
        return _GRADES.get(value, _GRADES.get(value.lower()))
    return float(value) if isinstance(value, bool | int | float) else None


def _background(value: Mapping[str, Any], scores: dict[str, Any]) -> dict[str, Any]:
    error, limit = value.get("error"), value.get("limit")
    notes = {
        "scores": scores or None,
        "error": error.get("message") if isinstance(error, dict) else error,
        "limit": limit.get("type") if isinstance(limit, dict) else limit,
    }
    return recorded(notes)


def _happened(
    value: Mapping[str, Any], place: Place, texts: Texts, reasoning: bool
) -> Conversation:
    """Returns the run by the events of a sample, or by its messages where these say nothing."""
    events = Events(texts)
    events.read(value, place)
    if events.has_calls:
        events.results(value, place)
        return read_spans(events.spans.values(), reasoning=reasoning)
    recorder = Recorder(reasoning)
    for what in events.unknown:
        recorder.unknown(what)
    for index, (message, where) in enumerate(listed(value, "messages", place)):
        _record(recorder, index, message, where, texts)
    return recorder.conversation()


def _record(
    recorder: Recorder, index: int, message: Mapping[str, Any], place: Place, texts: Texts
) -> None:
    role = message.get("role")
    content = message.get("content")
    said = texts.said(content, place["content"], recorder) if role != "tool" else None
    if role == "assistant":
        recorder.assistant([said] if said else [], asked_in(message, place, texts))
    elif role == "user":
        recorder.user([said] if said else [])
    elif role == "system":
        recorder.interrupted()
        recorder.ignored("system prompt")
    elif (result := result_in(message, place, texts)) is not None:
        recorder.result(*result[:4], kept={"message": index})
    else:
        raise place["role"].error(f"expected the role of a message, found {described(role)}")

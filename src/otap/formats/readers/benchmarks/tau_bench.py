"""Result files of tau-bench: many runs a file, each with the gold actions of its task."""

import sys
from collections.abc import Iterator
from functools import partial
from itertools import starmap
from typing import Any, Literal

from otap.formats.dialects.openai import DIALECT
from otap.formats.json.documents import Document, first_of
from otap.formats.json.paths import JsonPath, described
from otap.formats.steps.content import drop_nulls
from otap.trajectory import PARSED, Step, Trajectory, parse_trajectory

NAME = "tau-bench"
DESCRIPTION = "result files of tau-bench (version 1): runs with reward, and the gold actions"
STEP = "each tool call of the agent; in a gold, each action of the task"
KNOWN_BY = "results with 'task_id', 'traj' and 'info'"
BY_ITEM = True

# What a gold says, here and in tau2: the actions that must happen, of which only changes count; the
# benchmark compares the state of its database at the end.
JUDGED_BY_STATE = {"reference": "required", "only_changes": True}
_ERROR = "Error"  # how the benchmark's own tools begin to answer when they refuse


def recognises(value: Any) -> bool:
    """Says whether this is a result of tau-bench, or a list that begins with one."""
    first = first_of(value)
    return isinstance(first, dict) and {"task_id", "traj", "info"} <= first.keys()


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Returns the runs; the reward is the outcome."""
    return starmap(partial(_run, reasoning=reasoning), document.items())


def references(document: Document) -> Iterator[Trajectory]:
    """Returns the gold of each task, once, in the order of the file.

    A run that broke off before it began carries no gold; an empty gold means: do nothing.

    Raises:
        FormatError: if a task has two different golds.
    """
    golds: dict[str, list[Any]] = {}
    for value, where in document.items():
        task = _read_task(where.object(value), where)
        setting, about = _read_setting(value, where), where["info"]["task"]
        actions, place = setting.get("actions"), about["actions"]
        if actions is None:
            continue
        if task not in golds:
            golds[task] = place.array(actions)
            yield _gold(task, actions, answers_in(setting, "outputs", about), place)
        elif golds[task] != actions:
            raise place.error(f"task {task} has another gold here than before; split the file")


def _read_task(value: dict[str, Any], place: JsonPath) -> str:
    task = place["task_id"].label(value.get("task_id"))
    if task is None:
        raise place["task_id"].error("expected the task, found none")
    return task


def _read_setting(value: dict[str, Any], place: JsonPath) -> dict[str, Any]:
    """Returns what the benchmark says of the task; nothing in a run that broke off."""
    info = place["info"].object(value.get("info"))
    return place["info"]["task"].object(info.get("task") or {})


def _run(item: Any, place: JsonPath, *, reasoning: bool) -> Trajectory:
    value = place.object(item)
    task, trial = _read_task(value, place), value.get("trial")
    label = place["trial"].label(trial)
    where = place["traj"]
    found = DIALECT.read_messages(
        [(message, where[n]) for n, message in enumerate(where.array(value.get("traj")))],
        reasoning=reasoning,
        visible_to_user="without_calls",  # the simulated user gets no message that calls a tool
        judge=_judged,
    )
    # The instruction of the simulated user is no request: the agent never saw it.
    instruction = _read_setting(value, place).get("instruction")
    notes = {"instruction": instruction, "error": value["info"].get("error")}
    fields = {
        **found.trajectory_fields(),
        "id": task if label is None else f"{task}/{label}",
        "task": task,
        "trial": trial,
        "outcome": reward(value.get("reward"), place["reward"]),
        "metadata": drop_nulls(notes) | found.metadata,
    }
    return parse_trajectory(fields, place, context=PARSED)


def reward(value: Any, place: JsonPath) -> float | None:
    """Returns the reward of a run as its outcome; none where it was not judged.

    Raises:
        FormatError: if it is no number that is finite.
    """
    if value is None:
        return None
    if isinstance(value, bool | int | float) and abs(value) <= sys.float_info.max:
        return float(value)
    raise place.error(f"expected a number, found {described(value)}")


def _judged(result: Any) -> Literal["ok", "error"]:
    return "error" if isinstance(result, str) and result.startswith(_ERROR) else "ok"


def answers_in(value: dict[str, Any], key: str, place: JsonPath) -> dict[str, list[str]]:
    """Returns what a benchmark says must be told, as a field of the gold, where it says anything.

    Args:
        value: what holds the list of answers.
        key: where it stands there.
        place: the place of that, for the error.

    Raises:
        FormatError: if it is no list of texts.
    """
    where = place[key]
    listed = where.array(value.get(key) or [])
    texts = [where[n].text(one) for n, one in enumerate(listed)]
    answers = [text for text in texts if text.strip()]  # a blank one asks for nothing
    return {"must_tell": answers} if answers else {}


def _gold(
    task: str, actions: list[Any], answers: dict[str, list[str]], place: JsonPath
) -> Trajectory:
    steps = [_action(action, number, place[number - 1]) for number, action in enumerate(actions, 1)]
    fields = {"id": f"{task}/gold", "task": task, "steps": steps, "metadata": JUDGED_BY_STATE}
    return parse_trajectory({**fields, **answers}, str(place))


def _action(value: Any, number: int, place: JsonPath) -> Step:
    action = place.object(value)
    tool = place["name"].text(action.get("name"))
    arguments = place["kwargs"].object(action.get("kwargs"))
    return Step.model_validate({"id": str(number), "tool": tool, "arguments": arguments})

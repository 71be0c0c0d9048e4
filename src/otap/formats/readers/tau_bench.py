"""Result files of tau-bench: many runs a file, each with the gold actions of its task."""

import sys
from collections.abc import Iterator
from typing import Any, Literal

from otap.formats.content import drop_nulls
from otap.formats.json.documents import Document, first_of
from otap.formats.json.paths import JsonPath, described
from otap.formats.readers.openai import SCHEMA
from otap.trajectory import PARSED, Step, Trajectory, parse_trajectory

NAME = "tau-bench"
DESCRIPTION = "result files of tau-bench (version 1): runs with reward, and the gold actions"
STEP = "each tool call of the agent; in a gold, each action of the task"
KNOWN_BY = "results with 'task_id', 'traj' and 'info'"
BY_ITEM = True

# The gold actions here and in tau2 must happen, and only changes count, because the benchmark
# compares the final states of its database.
JUDGED_BY_STATE = {"reference": "required", "only_changes": True}
_ERROR = "Error"  # how an answer of the benchmark's tools begins if they refuse a call


def recognises(value: Any) -> bool:
    """Returns whether this is a result of tau-bench, or a list that begins with one."""
    first = first_of(value)
    return isinstance(first, dict) and {"task_id", "traj", "info"} <= first.keys()


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Returns the runs; the reward is the outcome."""
    return document.map(lambda item, path: _run(path.object(item), path, reasoning))


def references(document: Document) -> Iterator[Trajectory]:
    """Yields the gold of each task once, in the order of the file.

    A run that stopped before it began has no gold; an empty gold means: do nothing.

    Raises:
        FormatError: if a task has two different golds.
    """
    golds: dict[str, list[Any]] = {}
    for item, item_path in document.items():
        run = item_path.object(item)
        task = _task_of(run, item_path)
        setting, setting_path = _setting_of(run, item_path), item_path["info"]["task"]
        actions, path = setting.get("actions"), setting_path["actions"]
        if actions is None:
            continue
        if task not in golds:
            golds[task] = path.array(actions)
            yield _gold(task, actions, answers_in(setting, "outputs", setting_path), path)
        elif golds[task] != actions:
            raise path.error(f"task {task} has another gold here than before; split the file")


def _task_of(run: dict[str, Any], path: JsonPath) -> str:
    task = path["task_id"].label(run.get("task_id"))
    if task is None:
        raise path["task_id"].error("expected the task, found none")
    return task


def _setting_of(run: dict[str, Any], path: JsonPath) -> dict[str, Any]:
    """Returns the benchmark's description of the task; empty in a run that stopped early."""
    info = path["info"].object(run.get("info"))
    return path["info"]["task"].object(info.get("task") or {})


def _run(run: dict[str, Any], path: JsonPath, reasoning: bool) -> Trajectory:
    task, trial = _task_of(run, path), run.get("trial")
    trial_label = path["trial"].label(trial)
    conversation = SCHEMA.read_messages(
        path["traj"].items(run.get("traj")),
        reasoning=reasoning,
        visible_to_user="without_calls",  # the user sees no messages that call a tool
        judge=_judge,
    )
    # The instruction of the simulated user is not a request, because the agent never saw it.
    instruction = _setting_of(run, path).get("instruction")
    notes = {"instruction": instruction, "error": run["info"].get("error")}
    fields = {
        **vars(conversation),
        "id": task if trial_label is None else f"{task}/{trial_label}",
        "task": task,
        "trial": trial,
        "outcome": reward(run.get("reward"), path["reward"]),
        "metadata": drop_nulls(notes) | conversation.metadata,
    }
    return parse_trajectory(fields, path, context=PARSED)


def reward(number: Any, path: JsonPath) -> float | None:
    """Returns the reward of a run as its outcome, or None if the run was not judged.

    Raises:
        FormatError: if it is not a finite number.
    """
    if number is None:
        return None
    if isinstance(number, bool | int | float) and abs(number) <= sys.float_info.max:
        return float(number)
    raise path.error(f"expected a number, found {described(number)}")


def _judge(content: Any) -> Literal["ok", "error"]:
    return "error" if isinstance(content, str) and content.startswith(_ERROR) else "ok"


def answers_in(criteria: dict[str, Any], key: str, path: JsonPath) -> dict[str, list[str]]:
    """Returns the field ``required_answers`` with the answers that a benchmark requires, if any.

    Args:
        criteria: the object with the list of answers.
        key: the key of the list.
        path: the path of the object, for errors.

    Raises:
        FormatError: if it is not a list of texts.
    """
    placed_texts = path[key].items(criteria.get(key) or [])
    texts = [text_path.text(text) for text, text_path in placed_texts]
    answers = [text for text in texts if text.strip()]  # a blank text requires nothing
    return {"required_answers": answers} if answers else {}


def _gold(
    task: str, actions: list[Any], answers: dict[str, list[str]], path: JsonPath
) -> Trajectory:
    steps = [_action(*action, number) for number, action in enumerate(path.items(actions), 1)]
    fields = {"id": f"{task}/gold", "task": task, "steps": steps, "metadata": JUDGED_BY_STATE}
    return parse_trajectory({**fields, **answers}, str(path))


def _action(value: Any, path: JsonPath, number: int) -> Step:
    action = path.object(value)
    tool = path["name"].text(action.get("name"))
    arguments = path["kwargs"].object(action.get("kwargs"))
    return Step.model_validate({"id": str(number), "tool": tool, "arguments": arguments})

"""Tasks of tau2-bench: the gold actions of each task, to compare runs with."""

from collections.abc import Iterator
from typing import Any

from otap.formats.json.documents import Document, first_of
from otap.formats.json.places import Place
from otap.formats.readers.benchmarks.tau_bench import JUDGED_BY_STATE, answers_in
from otap.trajectory import Step, Trajectory, parse_trajectory

NAME = "tau2"
DESCRIPTION = "tasks of tau2-bench (tasks.json), which hold gold actions, for references"
STEP = "each action of the task, whether the agent or the user is to take it"
KNOWN_BY = "tasks with 'user_scenario' and 'evaluation_criteria'"

_KEPT = ("action_id", "compare_args")


def recognises(value: Any) -> bool:
    """Says whether this is a task of tau2-bench, or a list that begins with one."""
    first = first_of(value)
    return (
        isinstance(first, dict) and {"id", "user_scenario", "evaluation_criteria"} <= first.keys()
    )


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Returns the gold of each task that has one; an empty gold means: do nothing.

    ``reasoning`` changes nothing here: a gold holds calls only.
    """
    del reasoning
    for value, place in document.items():
        task = place["id"].label(place.object(value).get("id"))
        criteria, where = value.get("evaluation_criteria"), place["evaluation_criteria"]
        actions = None if criteria is None else where.object(criteria).get("actions")
        if actions is not None:
            listed, answers = where["actions"], answers_in(criteria, "communicate_info", where)
            yield _gold(task, listed.array(actions), answers, listed)


def _gold(
    task: str | None, actions: list[Any], answers: dict[str, list[str]], place: Place
) -> Trajectory:
    steps = [_step(action, n, place[n - 1]) for n, action in enumerate(actions, 1)]
    name = None if task is None else f"{task}/gold"
    fields = {"id": name, "task": task, "steps": steps, "metadata": JUDGED_BY_STATE}
    return parse_trajectory({**fields, **answers}, str(place))


def _step(value: Any, number: int, place: Place) -> Step:
    """Returns an action; ``compare_args`` names the arguments that the benchmark compares."""
    action = place.object(value)
    fields: dict[str, Any] = {
        "id": str(number),
        "tool": place["name"].text(action.get("name")),
        "arguments": place["arguments"].object(action.get("arguments")),
    }
    requestor = place["requestor"].label(action.get("requestor"))
    if requestor is not None:
        fields["agent"] = requestor
    kept = {key: action[key] for key in _KEPT if action.get(key) is not None}
    return Step.model_validate({**fields, "metadata": kept})

"""Tasks of tau2-bench with their gold actions, as references."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from otap.formats.content import drop_nulls
from otap.formats.json.documents import Document, first_of
from otap.formats.json.paths import JsonPath
from otap.formats.readers.tau_bench import JUDGED_BY_STATE, answers_in
from otap.trajectory import Step, Trajectory, parse_trajectory

NAME = "tau2"
DESCRIPTION = "tasks of tau2-bench (tasks.json), whose gold actions are references"
STEP = "each action of the task, for the agent or for the user"
KNOWN_BY = "tasks with 'user_scenario' and 'evaluation_criteria'"

_METADATA_KEYS = ("action_id", "compare_args")
_DEFAULT_BASIS = frozenset(("DB", "COMMUNICATE"))  # the reward basis if the task has none
_ACCEPTED = "acceptable_outcomes"  # a task may accept several outcomes, with a reward each


def recognises(value: Any) -> bool:
    """Returns whether this is a task of tau2-bench, or a list that begins with one."""
    first = first_of(value)
    return (
        isinstance(first, dict) and {"id", "user_scenario", "evaluation_criteria"} <= first.keys()
    )


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Yields the gold of each task that has one; an empty gold means: do nothing.

    ``reasoning`` has no effect: a gold has nothing but calls.
    """
    del reasoning
    for task, path in document.items():
        yield from golds(path.object(task), path)


def golds(task: dict[str, Any], path: JsonPath) -> Iterator[Trajectory]:
    """Yields the gold of a task, or one for each outcome with the best reward.

    Args:
        task: a task.
        path: the path of the task.

    Raises:
        FormatError: with the path of the first invalid field.
    """
    name = path["id"].label(task.get("id"))
    criteria, criteria_path = task.get("evaluation_criteria"), path["evaluation_criteria"]
    if criteria is None:
        return
    accepted = criteria_path.object(criteria).get(_ACCEPTED)
    outcomes = list(criteria_path[_ACCEPTED].objects(accepted))
    if criteria.get("actions") is not None:
        yield _gold(name, criteria, criteria_path)
        return
    best = max((_reward_of(outcome) for outcome, _ in outcomes), default=0.0)
    for outcome, outcome_path in outcomes:
        if outcome.get("actions") is not None and _reward_of(outcome) == best:
            yield _gold(name, outcome, outcome_path)


def _reward_of(outcome: dict[str, Any]) -> float:
    """Returns the reward of an outcome (default: 1)."""
    reward = outcome.get("reward")
    return reward if isinstance(reward, int | float) else 1.0


def _gold(task: str | None, criteria: dict[str, Any], path: JsonPath) -> Trajectory:
    """Returns the gold of a task, with settings that follow its reward basis.

    The basis lists the criteria: state (DB), calls (ACTION), answers (COMMUNICATE). Without DB,
    other changes are allowed. If only answers are judged, the gold has no steps; if something else
    is judged besides answers, the gold actions stand for it.
    """
    actions = path["actions"].items(criteria["actions"])
    steps = [_step(*action, number) for number, action in enumerate(actions, 1)]
    basis = criteria.get("reward_basis")
    judged = {str(criterion) for criterion in basis} if isinstance(basis, list) else _DEFAULT_BASIS
    answers = answers_in(criteria, "communicate_info", path) if "COMMUNICATE" in judged else {}
    notes: dict[str, Any] = {"reference": "required"}
    if "ACTION" not in judged:  # if the calls themselves are judged, look-ups count, too
        notes |= JUDGED_BY_STATE
    if "DB" not in judged:
        notes |= {"others": "allowed"}
    compared = _compared_arguments(steps)
    notes |= {key: criteria[key] for key in ("outcome_id", "gold") if criteria.get(key)}
    if compared:
        notes["compared"] = compared
    fields = {
        "id": None if task is None else f"{task}/gold",
        "task": task,
        "steps": []
        if judged == {"COMMUNICATE"}
        else [_with_compared_arguments(step, compared) for step in steps],
        "metadata": notes,
        **answers,
    }
    return parse_trajectory(fields, str(path["actions"]))


def _compared_arguments(steps: Sequence[Step]) -> dict[str, list[str]]:
    """Returns the names of the arguments that count, by tool.

    A tool is missing if all arguments count in any of its actions.
    """
    names_by_tool: dict[str, list[str] | None] = {}
    for step in steps:
        tool, names = step.tool or "", step.metadata.get("compare_args")
        before = names_by_tool.get(tool, [])
        names_by_tool[tool] = None
        if isinstance(names, list) and before is not None:
            names_by_tool[tool] = sorted({*before, *(str(name) for name in names)})
    return {tool: names for tool, names in names_by_tool.items() if names is not None}


def _with_compared_arguments(step: Step, compared: Mapping[str, Sequence[str]]) -> Step:
    """Returns a gold action with only the arguments that count."""
    names, arguments = compared.get(step.tool or ""), step.arguments
    if names is None or not isinstance(arguments, dict):
        return step
    counting = {name: argument for name, argument in arguments.items() if name in names}
    return step.model_copy(update={"arguments": counting})


def _step(value: Any, path: JsonPath, number: int) -> Step:
    """Returns an action; ``compare_args`` lists the arguments that the benchmark compares."""
    action = path.object(value)
    fields: dict[str, Any] = {
        "id": str(number),
        "tool": path["name"].text(action.get("name")),
        "arguments": path["arguments"].object(action.get("arguments")),
        **drop_nulls({"agent": path.label_in(action, "requestor")}),
        "metadata": drop_nulls({key: action.get(key) for key in _METADATA_KEYS}),
    }
    return Step.model_validate(fields)

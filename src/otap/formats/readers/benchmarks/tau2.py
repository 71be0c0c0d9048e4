"""Tasks of tau2-bench: the gold actions of each task, to compare runs with."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from otap.formats.json.documents import Document, first_of
from otap.formats.json.paths import JsonPath
from otap.formats.readers.benchmarks.tau_bench import JUDGED_BY_STATE, answers_in
from otap.formats.steps.content import drop_nulls
from otap.trajectory import Step, Trajectory, parse_trajectory

NAME = "tau2"
DESCRIPTION = "tasks of tau2-bench (tasks.json), which hold gold actions, for references"
STEP = "each action of the task, whether the agent or the user is to take it"
KNOWN_BY = "tasks with 'user_scenario' and 'evaluation_criteria'"

_KEPT = ("action_id", "compare_args")
_USUAL = frozenset(("DB", "COMMUNICATE"))  # what is judged where no task says it
_ACCEPTED = "acceptable_outcomes"  # a fork has several golds, with a reward each


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
        yield from golds(place.object(value), place)


def golds(task: dict[str, Any], place: JsonPath) -> Iterator[Trajectory]:
    """Returns the gold of a task, if it has one; several, where it accepts several outcomes.

    Args:
        task: a task.
        place: where it stands.

    Raises:
        FormatError: with the place of the first thing that no task may hold.
    """
    name = place["id"].label(task.get("id"))
    criteria, where = task.get("evaluation_criteria"), place["evaluation_criteria"]
    if criteria is None:
        return
    accepted = list(where[_ACCEPTED].objects(where.object(criteria).get(_ACCEPTED)))
    if criteria.get("actions") is not None:
        yield _gold(name, criteria, where)
        return
    best = max((_worth(outcome) for outcome, _ in accepted), default=0.0)
    for outcome, at in accepted:
        if outcome.get("actions") is not None and _worth(outcome) == best:
            yield _gold(name, outcome, at)


def _worth(outcome: dict[str, Any]) -> float:
    """Returns the reward for an outcome: what is worth less than another is no known-good run."""
    worth = outcome.get("reward")
    return worth if isinstance(worth, int | float) else 1.0


def _gold(task: str | None, criteria: dict[str, Any], place: JsonPath) -> Trajectory:
    """What is judged decides what counts: the state (DB), calls (ACTION), answers (COMMUNICATE).

    Without the state, what is done besides is not judged; without state and calls, nothing that is
    done is, unless something else than answers is judged, for which the gold then stands.
    """
    listed = place["actions"].array(criteria["actions"])
    steps = [_step(action, n, place["actions"][n - 1]) for n, action in enumerate(listed, 1)]
    basis = criteria.get("reward_basis")
    judged = frozenset(map(str, basis)) if isinstance(basis, list) else _USUAL
    answers = answers_in(criteria, "communicate_info", place) if "COMMUNICATE" in judged else {}
    notes: dict[str, Any] = {"reference": "required"}
    if "ACTION" not in judged:  # where the calls themselves are judged, looks count, too
        notes |= JUDGED_BY_STATE
    if "DB" not in judged:
        notes |= {"others": "allowed"}
    compared = _list_compared(steps)
    told = {key: criteria.get(key) for key in ("outcome_id", "gold")} | {"compared": compared}
    notes |= drop_nulls({key: value for key, value in told.items() if value})
    fields = {
        "id": None if task is None else f"{task}/gold",
        "task": task,
        "steps": [] if judged == {"COMMUNICATE"} else [_keep(s, compared) for s in steps],
        "metadata": notes,
        **answers,
    }
    return parse_trajectory(fields, str(place["actions"]))


def _list_compared(steps: Sequence[Step]) -> dict[str, list[str]]:
    """The arguments that count, by tool; of a tool of which all count in some action, all do."""
    found: dict[str, list[str] | None] = {}
    for step in steps:
        tool, keys = step.tool or "", step.metadata.get("compare_args")
        before = found.get(tool, [])
        found[tool] = None
        if isinstance(keys, list) and before is not None:
            found[tool] = sorted({*before, *map(str, keys)})
    return {tool: keys for tool, keys in found.items() if keys is not None}


def _keep(step: Step, compared: Mapping[str, Sequence[str]]) -> Step:
    """A gold action with the arguments that count."""
    keys, said = compared.get(step.tool or ""), step.arguments
    if keys is None or not isinstance(said, dict):
        return step
    kept = {key: value for key, value in said.items() if key in keys}
    return step.model_copy(update={"arguments": kept})


def _step(value: Any, number: int, place: JsonPath) -> Step:
    """Returns an action; ``compare_args`` names the arguments that the benchmark compares."""
    action = place.object(value)
    fields: dict[str, Any] = {
        "id": str(number),
        "tool": place["name"].text(action.get("name")),
        "arguments": place["arguments"].object(action.get("arguments")),
        **drop_nulls({"agent": place.label_in(action, "requestor")}),
    }
    return Step.model_validate(
        {**fields, "metadata": drop_nulls({key: action.get(key) for key in _KEPT})}
    )

"""Files of PlanBench: the plan of a model for each instance, with the gold plan and a verdict."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from otap.formats.json.documents import Document, first_of
from otap.formats.json.paths import JsonPath, described
from otap.formats.readers.benchmarks import pddl
from otap.trajectory import Step, Trajectory, parse_trajectory

NAME = "planbench"
DESCRIPTION = "plans of PlanBench: results of its plan generation, or rows with 'plan' and 'gold'"
STEP = pddl.STEP
KNOWN_BY = "'instance_id' beside a plan and its gold"

_KEPT = ("domain", "engine", "prompt_type")


class _Keys(NamedTuple):
    """What an instance calls its parts."""

    plan: str
    gold: str
    verdict: str


_RESULT = _Keys("extracted_llm_plan", "ground_truth_plan", "llm_correct")
_ROW = _Keys("plan", "gold", "valid")


class _Instance(NamedTuple):
    """One instance with its place, and what its file says of all instances."""

    value: dict[str, Any]
    place: JsonPath
    keys: _Keys
    around: dict[str, Any]

    @property
    def task(self) -> str:
        """What is to be planned, by its number."""
        task = self.place["instance_id"].label(self.value.get("instance_id"))
        if task is None:
            raise self.place["instance_id"].error("expected the number of the instance, found none")
        return task


def recognises(value: Any) -> bool:
    """Says whether this is a result file of PlanBench, or rows of plans."""
    if isinstance(value, dict) and "instances" in value:
        value = value["instances"]
    first = first_of(value)
    return isinstance(first, dict) and (
        {"instance_id", _RESULT.gold} <= first.keys() or {"instance_id", *_ROW} <= first.keys()
    )


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Returns the plan of each instance for which the model was asked.

    ``reasoning`` changes nothing here: a plan is nothing but actions.
    """
    del reasoning
    for instance in _instances(document):
        if instance.value.get(instance.keys.plan) is not None:
            yield _run(instance)


def references(document: Document) -> Iterator[Trajectory]:
    """Returns the gold plan of each instance, once, in the order of the file.

    Raises:
        FormatError: if an instance has two different gold plans.
    """
    golds: dict[str, Any] = {}
    for instance in _instances(document):
        task, place = instance.task, instance.place[instance.keys.gold]
        gold = instance.value.get(instance.keys.gold)
        if task not in golds:
            golds[task] = gold
            fields = {"id": f"{task}/gold", "task": task, "steps": tuple(_read_plan(gold, place))}
            yield parse_trajectory(fields, str(place))
        elif golds[task] != gold:
            raise place.error(f"task {task} has another gold here than before; split the file")


def _instances(document: Document) -> Iterator[_Instance]:
    value = document.value
    if isinstance(value, dict) and "instances" in value:
        around = {key: value[key] for key in _KEPT if value.get(key) is not None}
        place = document.root["instances"]
        for index, item in enumerate(place.array(value["instances"])):
            yield _Instance(place[index].object(item), place[index], _RESULT, around)
        return
    for item, where in document.items():
        keys = _RESULT if _RESULT.gold in where.object(item) else _ROW
        yield _Instance(item, where, keys, {})


def _run(instance: _Instance) -> Trajectory:
    value, place, keys, around = instance
    model, task = place["model"].label(value.get("model")), instance.task
    query = value.get("query")
    fields = {
        "id": task if model is None else f"{task}/{model}",
        "task": task,
        "trial": model,
        "request": () if query is None else (place["query"].text(query),),
        "steps": tuple(_read_plan(value[keys.plan], place[keys.plan])),
        "outcome": _outcome(value.get(keys.verdict), place[keys.verdict]),
        "metadata": around,
    }
    return parse_trajectory(fields, str(place))


def _outcome(value: Any, place: JsonPath) -> float | None:
    if value is None or isinstance(value, bool):
        return None if value is None else float(value)
    raise place.error(f"expected true or false, found {described(value)}")


def _read_plan(plan: Any, place: JsonPath) -> Iterator[Step]:
    """Returns the actions of a plan, which is a text, or a list of lists of words."""
    if isinstance(plan, str):
        yield from pddl.steps_of(plan, place)
        return
    for index, action in enumerate(place.array(plan)):
        where = place[index]
        words = [where[at].text(word) for at, word in enumerate(where.array(action))]
        if not words:
            raise where.error("expected an action and what it is applied to, found an empty list")
        yield pddl.action_step(index + 1, words)

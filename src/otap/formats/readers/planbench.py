"""Files of PlanBench: a model's plan for each instance, with the gold plan and a verdict."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from otap.formats.json.documents import Document, first_of
from otap.formats.json.paths import JsonPath, described
from otap.formats.readers import pddl
from otap.trajectory import Step, Trajectory, parse_trajectory

NAME = "planbench"
DESCRIPTION = "plans of PlanBench: results of its plan generation, or rows with 'plan' and 'gold'"
STEP = pddl.STEP
KNOWN_BY = "'instance_id' beside a plan and its gold"

_NOTE_KEYS = ("domain", "engine", "prompt_type")


class _InstanceKeys(NamedTuple):
    """The keys of an instance."""

    plan: str
    gold: str
    verdict: str


_RESULT_KEYS = _InstanceKeys("extracted_llm_plan", "ground_truth_plan", "llm_correct")
_ROW_KEYS = _InstanceKeys("plan", "gold", "valid")


class _Instance(NamedTuple):
    """One instance with its path, and the notes that its file has for all instances."""

    fields: dict[str, Any]
    path: JsonPath
    keys: _InstanceKeys
    notes: dict[str, Any]

    @property
    def task(self) -> str:
        """The number of the planning problem."""
        task = self.path["instance_id"].label(self.fields.get("instance_id"))
        if task is None:
            raise self.path["instance_id"].error("expected the number of the instance, found none")
        return task


def recognises(value: Any) -> bool:
    """Returns whether this is a result file of PlanBench, or rows of plans."""
    if isinstance(value, dict) and "instances" in value:
        value = value["instances"]
    first = first_of(value)
    return isinstance(first, dict) and (
        {"instance_id", _RESULT_KEYS.gold} <= first.keys()
        or {"instance_id", *_ROW_KEYS} <= first.keys()
    )


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Yields the model's plan for each instance that has one.

    ``reasoning`` has no effect: a plan has nothing but actions.
    """
    del reasoning
    for instance in _instances_in(document):
        if instance.fields.get(instance.keys.plan) is not None:
            yield _run(instance)


def references(document: Document) -> Iterator[Trajectory]:
    """Yields the gold plan of each instance once, in the order of the file.

    Raises:
        FormatError: if an instance has two different gold plans.
    """
    golds: dict[str, Any] = {}
    for instance in _instances_in(document):
        task, path = instance.task, instance.path[instance.keys.gold]
        gold = instance.fields.get(instance.keys.gold)
        if task not in golds:
            golds[task] = gold
            fields = {"id": f"{task}/gold", "task": task, "steps": tuple(_read_plan(gold, path))}
            yield parse_trajectory(fields, str(path))
        elif golds[task] != gold:
            raise path.error(f"task {task} has another gold here than before; split the file")


def _instances_in(document: Document) -> Iterator[_Instance]:
    value = document.value
    if isinstance(value, dict) and "instances" in value:
        notes = {key: value[key] for key in _NOTE_KEYS if value.get(key) is not None}
        for fields, path in document.root["instances"].items(value["instances"]):
            yield _Instance(path.object(fields), path, _RESULT_KEYS, notes)
        return
    for fields, path in document.items():
        keys = _RESULT_KEYS if _RESULT_KEYS.gold in path.object(fields) else _ROW_KEYS
        yield _Instance(fields, path, keys, {})


def _run(instance: _Instance) -> Trajectory:
    instance_fields, path, keys, notes = instance
    model, task = path["model"].label(instance_fields.get("model")), instance.task
    query = instance_fields.get("query")
    fields = {
        "id": task if model is None else f"{task}/{model}",
        "task": task,
        "trial": model,
        "request": () if query is None else (path["query"].text(query),),
        "steps": tuple(_read_plan(instance_fields[keys.plan], path[keys.plan])),
        "outcome": _outcome_of(instance_fields.get(keys.verdict), path[keys.verdict]),
        "metadata": notes,
    }
    return parse_trajectory(fields, str(path))


def _outcome_of(verdict: Any, path: JsonPath) -> float | None:
    if verdict is None or isinstance(verdict, bool):
        return None if verdict is None else float(verdict)
    raise path.error(f"expected true or false, found {described(verdict)}")


def _read_plan(plan: Any, path: JsonPath) -> Iterator[Step]:
    """Yields the actions of a plan, which is a text, or a list of lists of words."""
    if isinstance(plan, str):
        yield from pddl.steps_of(plan, path)
        return
    for number, (action, action_path) in enumerate(path.items(plan), 1):
        words = [word_path.text(word) for word, word_path in action_path.items(action)]
        if not words:
            raise action_path.error("expected an action and its objects, found an empty list")
        yield pddl.action_step(number, words)

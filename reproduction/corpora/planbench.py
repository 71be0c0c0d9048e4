"""PlanBench's Blocksworld: gold plans as tasks, and plans of models that a validator has judged.

The folder holds `oracle_720.jsonl`, one plan of a model a line, with the instance and its gold
plan. What a step makes are the facts that its action adds, what it needs those it requires.
"""

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from examples.perturbation import retraced
from otap import Step, Trajectory
from reproduction.corpora.blocksworld import (
    OPERATORS,
    Move,
    Plan,
    State,
    blocks_of,
    detours,
    executes,
    move,
    moves,
    optimal_plans,
)
from reproduction.corpora.cases import Benchmark, Case, Task
from reproduction.corpora.perturbed import reorderable

REFERENCES = 3  # an instance
DISTRACTORS = 6  # actions that may be put into a task
STEPS = 6  # at least, in the gold plan of a task
# PlanBench's own words for the operators, and what they are about.
SENTENCES = {
    "pick-up": "pick up block {0}",
    "put-down": "put down block {0}",
    "stack": "stack block {0} on top of block {1}",
    "unstack": "unstack block {0} from on top of block {1}",
}
# The same apart, as a plan's notation has it: the operator, and what it is applied to.
OBJECTS = {
    "pick-up": "block {0}",
    "put-down": "block {0}",
    "stack": "block {0} on block {1}",
    "unstack": "block {0} from block {1}",
}
FACTS = {
    "holding": "holding {0}",
    "ontable": "{0} on table",
    "clear": "{0} clear",
    "on": "{0} on {1}",
    "handempty": "hand empty",
}
# Verbs alone: blocks and their places are the domain's terms, which have no synonyms.
LEXICON: Mapping[str, Sequence[str]] = {
    "pick up": ("grab", "lift"),
    "put down": ("set down", "lay down"),
    "stack": ("pile", "place"),
    "unstack": ("take", "remove"),
}


@dataclass(frozen=True)
class Reading:
    """How a plan becomes a trajectory, where the paper leaves it open.

    handempty: whether a step needs the hand empty. As every second action needs it and the action
    before has emptied the hand, each plan then has one order alone. sentences: whether the action
    is told in a sentence, or as the operator with its blocks as arguments.
    """

    handempty: bool = False
    sentences: bool = True


PERTURBED = Reading()  # other orders are to exist, and there are words to be said in another way
JUDGED = Reading(handempty=True, sentences=False)  # a plan as its notation and semantics have it


@dataclass(frozen=True)
class Instance:
    """Blocks, what is wanted of them, and the plan that PlanBench has for it."""

    name: str
    init: State
    goal: State
    gold: Plan


def instances(folder: Path) -> dict[str, Instance]:
    """The distinct instances by name, in the order of their numbers."""
    rows = {row["instance_id"]: row for row in _rows(folder)}
    found = (_instance(rows[number]) for number in sorted(rows))
    return {instance.name: instance for instance in found}


def _rows(folder: Path) -> Iterator[dict[str, Any]]:
    with (folder / "oracle_720.jsonl").open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def _instance(row: Mapping[str, Any]) -> Instance:
    init, goal = (frozenset(" ".join(fact) for fact in row[key]) for key in ("init", "goal"))
    return Instance(_name(row), init, goal, tuple(tuple(action) for action in row["gold"]))


def _name(row: Mapping[str, Any]) -> str:
    return f"planbench-{row['instance_id']}"


def reference_plans(instance: Instance) -> list[Plan]:
    """The gold plan, another optimum if there is one, and detours from gold, different and valid.

    The other optimum is as long as gold, or shorter where gold is no optimum.
    """
    shortest = optimal_plans(instance.init, instance.goal, limit=2)
    others = [plan for plan in shortest if plan != instance.gold][:1]
    around = detours(instance.gold, instance.init)
    return list(islice([instance.gold, *others, *around], REFERENCES))


def references(instance: Instance, reading: Reading = PERTURBED) -> list[Trajectory]:
    """The reference plans of an instance as trajectories, gold first."""
    return [trajectory(plan, instance.name, reading) for plan in reference_plans(instance)]


def trajectory(
    plan: Sequence[Sequence[str]], name: str, reading: Reading = PERTURBED
) -> Trajectory:
    """A plan with an action a step, which depends on the steps that made the facts it requires.

    An action that there is not, or with a wrong number of blocks, is a step that needs and makes
    nothing.
    """
    steps = tuple(_step(str(k), action, reading) for k, action in enumerate(plan, 1))
    return retraced(Trajectory(id=name, task=name, steps=steps))


def _step(name: str, action: Sequence[str], reading: Reading) -> Step:
    found = move(action)
    if found is None:
        return _malformed(name, action)
    needs = [fact for fact in found.needs if reading.handempty or fact != "handempty"]
    told = _told(name, found, produces=list(found.adds), consumes=needs)
    return told if reading.sentences else told.model_copy(update=_apart(*found.action))


def _apart(operator: str, *blocks: str) -> dict[str, str]:
    """The operator as the action, and its blocks as arguments."""
    objects = OBJECTS[operator].format(*blocks)
    return {"action": operator.replace("-", " "), "arguments": objects}


def _told(name: str, done: Move, produces: list[str], consumes: list[str]) -> Step:
    operator, *blocks = done.action
    return Step(
        id=name,
        kind="tool",
        tool=operator,
        action=SENTENCES[operator].format(*blocks),
        arguments=", ".join(f"block {block}" for block in blocks),
        effect="; ".join(_said(fact) for fact in done.adds),
        metadata={"plan": [*done.action], "produces": [*produces], "consumes": [*consumes]},
    )


def _said(fact: str) -> str:
    name, *blocks = fact.split()
    return FACTS[name].format(*blocks)


def _malformed(name: str, action: Sequence[str]) -> Step:
    operator, *words = action or ("",)
    return Step(
        id=name,
        kind="tool",
        tool=operator,
        action=operator.replace("-", " "),
        arguments=" ".join(words),
        metadata={"plan": [*action], "produces": [], "consumes": []},
    )


def executable(run: Trajectory, instance: Instance) -> bool:
    """Whether a run, reordered or in other words, can still be executed and reaches the goal.

    Its steps are whole actions; a step that is none makes the run no plan.
    """
    plan: Any = [step.metadata.get("plan", []) for step in run.steps]
    return executes(plan, instance.init, instance.goal)


def tasks(folder: Path, count: int = 20, seed: int = 0) -> list[Task]:
    """Tasks of instances drawn from those whose gold plan has six steps and can be reordered.

    311 of the 380 instances have such a plan. All of those with six steps can be reordered by their
    dependencies, and 354 of all; hardly any of these orders is :func:`executable`.
    """
    fit = [instance for instance in instances(folder).values() if _fit(instance)]
    return [_task(instance) for instance in random.Random(seed).sample(fit, count)]


def _fit(instance: Instance) -> bool:
    long = len(instance.gold) >= STEPS
    return long and reorderable(trajectory(instance.gold, instance.name))


def _task(instance: Instance) -> Task:
    return Task(
        name=instance.name,
        references=references(instance),
        lexicon=LEXICON,
        distractors=_distractors(instance),
        tools=tuple(OPERATORS),
    )


def _distractors(instance: Instance) -> list[Step]:
    unused = [m for m in moves(blocks_of(instance.init)) if m.action not in instance.gold]
    drawn = random.Random(instance.name).sample(unused, DISTRACTORS)
    return [_told(f"distractor-{k}", m, produces=[], consumes=[]) for k, m in enumerate(drawn, 1)]


def oracle(folder: Path, reading: Reading = JUDGED) -> Benchmark:
    """The models' plans, labelled as PlanBench's validator did."""
    known = instances(folder).values()
    return Benchmark(
        name="oracle",
        references={instance.name: references(instance, reading) for instance in known},
        cases=[_case(row, reading) for row in _rows(folder)],
    )


def _case(row: Mapping[str, Any], reading: Reading) -> Case:
    name = _name(row)
    run = trajectory(row["plan"], name, reading)
    return Case(task=name, family="oracle", variant=row["model"], valid=row["valid"], run=run)

"""Whether what is learned of tools is true, in worlds whose truth is known.

    python -m reproduction.studies.learning_worlds --worlds 12

A world has four tools that write, one that matters in part, six that read, one that takes a note.
A gold run looks up three things and makes two or three changes. Another run looks up what it likes,
and each of its changes is forgotten, or made of another value, or made once too often, with a
probability of its agent. It is good if no change went wrong; what matters in part spoils four runs
of ten; three outcomes of a hundred are turned round. Names say what tools do, all but one of a
tool that reads; or no name says anything. By the number of tasks, three runs each:

- mended: how often the hidden reading tool is learned to read;
- reads found, writes kept: of all names hidden, how many tools that do not count are learned, and
  how many that do are left alone;
- wrong: with all names right, how often anything is changed.
"""

import argparse
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import otap
from otap.learning.learned import Tool
from otap.learning.roles import learned_tools
from otap.learning.runs import Sample, labelled, sample
from otap.learning.scores import Scores
from otap.scoring import Config
from reproduction.paper.rows import head, row

TRUTH: Mapping[str, float] = {
    "create_order": 1.0,
    "cancel_order": 1.0,
    "send_refund": 1.0,
    "update_address": 1.0,
    "add_remark": 0.4,
    "get_user": 0.05,
    "find_order": 0.05,
    "search_items": 0.05,
    "read_policy": 0.05,
    "list_stores": 0.05,
    "check_stock": 0.05,
    "think": 0.01,
}
CHANGES = tuple(tool for tool, weight in TRUTH.items() if weight > 0.1)
LOOKS = tuple(tool for tool, weight in TRUTH.items() if weight < 0.1)
SILENT: Mapping[str, str] = dict(
    zip(
        TRUTH,
        ("alpha", "bravo", "charlie", "delta", "foxtrot", "golf", "hotel", "india", "juliett",
         "kilo", "lima", "mike"),
        strict=True,
    )
)  # fmt: skip
RUNS = 3  # of a task
NOISE, PART = 0.03, 0.4
Call = tuple[str, str]


@dataclass(frozen=True)
class World:
    """Runs with outcomes, and the gold of their tasks."""

    runs: Sequence[otap.Trajectory]
    gold: Sequence[otap.Trajectory]

    def sample(self) -> Sample:
        """What is learned from."""
        return sample(labelled(self.runs), self.gold)


def world(seed: int, tasks: int, names: Mapping[str, str]) -> World:
    """A world.

    Args:
        seed: of its chance.
        tasks: how many, of RUNS runs each.
        names: other names of tools.
    """
    chance = random.Random(seed)
    runs, gold = [], []
    for task in range(tasks):
        changes = [(tool, _value(chance)) for tool in _some(CHANGES, chance.choice((2, 3)), chance)]
        wanted = [(tool, _value(chance)) for tool in _some(LOOKS, 3, chance)]
        gold.append(_trajectory(task, None, [*wanted, *changes], names))
        for trial in range(RUNS):
            calls, spoiled = _run(wanted, changes, chance)
            good = spoiled == (chance.random() < NOISE)
            made = _trajectory(task, trial, calls, names)
            runs.append(made.model_copy(update={"outcome": float(good)}))
    return World(runs, gold)


def _some(tools: Sequence[str], count: int, chance: random.Random) -> list[str]:
    return chance.sample(tools, count)


def _value(chance: random.Random) -> str:
    return f"{chance.choice('ABCDEFGH')}{chance.randrange(1000, 9999)}"


def _run(
    wanted: Sequence[Call], changes: Sequence[Call], chance: random.Random
) -> tuple[list[Call], bool]:
    """The calls of a run, and whether a change that matters went wrong."""
    looks = [one for one in wanted if chance.random() < 0.7]
    looks += [(tool, _value(chance)) for tool in _some(LOOKS, chance.randrange(4), chance)]
    made, spoiled = [], False
    for call in changes:
        now = _attempt(call, chance)
        made += now
        wrong = now != [call]
        spoiled |= wrong and chance.random() < (PART if TRUTH[call[0]] < 1 else 1.0)
    return [*looks, *made], spoiled


def _attempt(call: Call, chance: random.Random) -> list[Call]:
    kind = chance.random()
    if kind < 0.1:
        return []
    if kind < 0.2:
        return [(call[0], _value(chance))]
    return [call, (call[0], _value(chance))] if kind < 0.25 else [call]


def _trajectory(
    task: int, trial: int | None, calls: Sequence[Call], names: Mapping[str, str]
) -> otap.Trajectory:
    steps = tuple(
        otap.Step(id=str(k), tool=names.get(tool, tool), arguments={"id": value})
        for k, (tool, value) in enumerate(calls, 1)
    )
    name = f"{task}/gold" if trial is None else f"{task}/{trial}"
    return otap.Trajectory(id=name, task=str(task), trial=trial, steps=steps)


def learned(seed: int, tasks: int, names: Mapping[str, str]) -> dict[str, Tool]:
    """What is learned in a world, by the true name of each tool."""
    back = {hidden: tool for tool, hidden in names.items()}
    with Scores(world(seed, tasks, names).sample()) as scores:
        found = learned_tools(scores, scores.sample.tasks, Config())
    return {back.get(one.name, one.name): one for one in found}


def lines(worlds: int) -> Iterator[str]:
    """The table."""
    figures = ["mended", "reads found", "writes kept", "wrong"]
    yield from head(("tasks",), figures)
    for tasks in (10, 20, 40, 80):
        hidden = [LOOKS[seed % len(LOOKS)] for seed in range(worlds)]
        one = [learned(k, tasks, {tool: "alpha"})[tool] for k, tool in enumerate(hidden)]
        none = [learned(k, tasks, SILENT) for k in range(worlds)]
        right = [learned(k, tasks, {}) for k in range(worlds)]
        yield row(
            (str(tasks),),
            [
                _share([found.setting is not None for found in one]),
                _share([found[tool].setting is not None for found in none for tool in LOOKS]),
                _share([not found[tool].kept for found in none for tool in CHANGES]),
                _share([any(tool.kept for tool in found.values()) for found in right]),
            ],
        )


def _share(found: Sequence[bool]) -> str:
    return f"{sum(found)} of {len(found)}"


def main() -> None:
    """The command: the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--worlds", type=int, default=12, help="of each size")
    for line in lines(parser.parse_args().worlds):
        print(line, flush=True)


if __name__ == "__main__":
    main()

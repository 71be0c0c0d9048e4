"""WorFBench's gold workflows: steps of prose with exact edges, and how well words recover them."""

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from examples.perturbation import LEXICON, annotated, retraced
from otap import Step, Trajectory
from otap.formats.readers.worfbench import parse_workflow
from otap.run import dependency_graph
from otap.trajectory import find_cycle
from reproduction.corpora.cases import Task
from reproduction.corpora.perturbed import reorderable, with_variants
from reproduction.corpora.salient import salient_edges, words_of

DOMAINS = ("alfworld", "seal_tools", "toolbench")
DISTRACTORS = 6  # steps of other workflows that may be put into a task


def workflows(folder: Path, domain: str) -> Iterator[Trajectory]:
    """The gold workflows of a domain, those with a cycle left out; their edges are exact."""
    text = (folder / f"{domain}.json").read_text(encoding="utf-8")
    for index, record in enumerate(json.loads(text)):
        name = record.get("id") or f"{domain}_{index}"
        trajectory = workflow(record["conversations"][-1]["content"], str(name))
        if trajectory is not None:
            yield trajectory


def workflow(text: str, name: str) -> Trajectory | None:
    """One workflow in the text form `Node: ... Edge: ...`; None without steps, or with a cycle."""
    steps = parse_workflow(text)
    if not steps or find_cycle({step.id: step.depends_on or () for step in steps}):
        return None
    return Trajectory(id=name, task=name, steps=steps)


def tasks(folder: Path, domain: str, count: int = 24, seed: int = 0) -> list[Task]:
    """Tasks of workflows of 3 to 12 steps, from those that can be reordered if there are enough.

    WorFBench has one gold workflow a task: the other two references are variants of it.
    """
    fit = [found for found in workflows(folder, domain) if 3 <= len(found.steps) <= 12]
    free = [found for found in fit if reorderable(found)]
    foreign = [step for found in fit for step in found.steps]
    drawn = random.Random(seed).sample(free if len(free) >= count else fit, count)
    return [with_variants(_task(found, foreign)) for found in drawn]


def _task(found: Trajectory, foreign: Sequence[Step]) -> Task:
    canonical = retraced(annotated(found, dependency_graph(found, "explicit")))
    return Task(
        name=str(found.task),
        references=[canonical],
        lexicon=LEXICON,
        distractors=random.Random(found.task).sample(list(foreign), DISTRACTORS),
        tools=(),
    )


@dataclass(frozen=True)
class Recovery:
    """How many of the edges that words suggest are real, and how many real ones they suggest."""

    workflows: int
    gold: int
    found: int
    right: int

    @property
    def precision(self) -> float:
        """The share of suggested edges that are real."""
        return self.right / self.found if self.found else 1.0

    @property
    def recall(self) -> float:
        """The share of real edges that are suggested."""
        return self.right / self.gold if self.gold else 1.0


def recovery(trajectories: list[Trajectory], fallback: bool = True) -> Recovery:
    """Edges of gold workflows against those traced again from their texts alone."""
    gold = found = right = 0
    for trajectory in trajectories:
        edges = {(e.source, e.target) for e in dependency_graph(trajectory, "explicit").edges}
        texts = [words_of(step) for step in trajectory.steps]
        guessed = set(salient_edges(texts, fallback))
        gold, found, right = gold + len(edges), found + len(guessed), right + len(edges & guessed)
    return Recovery(len(trajectories), gold, found, right)

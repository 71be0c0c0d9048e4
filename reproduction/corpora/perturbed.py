"""The cases that perturbations make of a task: the families P1 to P5 and the ladder."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import cycle, pairwise
from random import Random
from typing import Literal

from examples.perturbation import FAMILIES, Material, perturb, regrouped
from examples.perturbation import LADDER as EDITS_OF_LEVEL
from otap import Trajectory
from otap.run import dependency_graph
from reproduction.corpora.cases import INVALID, LADDER, Benchmark, Case, Task

EACH = 3  # cases of a family, as the paper's figures are multiples of 1 in 3 x 3 x tasks
OF_A_LEVEL = 2
PROSE: Sequence[Literal["action", "arguments", "effect"]] = ("action", "arguments", "effect")
TRIES = 12  # draws for EACH distinct ones
Retrace = Callable[[Trajectory], Trajectory]


def benchmark(
    name: str, tasks: Sequence[Task], seed: int, retrace: Retrace | None = None
) -> Benchmark:
    """The tasks with the cases that one seed makes of them.

    retrace: how dependencies are found again in the perturbed sequence, and in the references,
    where they are not known but guessed; without it by what each step makes and needs.
    """
    found = [case for task in tasks for case in _cases(task, seed)]
    references = {task.name: list(task.references) for task in tasks}
    if retrace is None:
        return Benchmark(name, references, found)
    traced = {task: [retrace(one) for one in several] for task, several in references.items()}
    cases = [replace(case, run=retrace(case.run)) for case in found]
    return Benchmark(name, traced, cases)


def with_variants(task: Task) -> Task:
    """The task with two more references: its first in other words, and the same in another order.

    What the paper's references are, by its section 6: variants of one strategy. Their words come
    from the lexicon that rewords the runs as well.
    """
    ways = (["paraphrase"], ["paraphrase", "reorder"])
    variants = [_edited(task, ways[k], f"reference/{task.name}/{k}") for k in range(2)]
    found = [variant for variant in variants if variant is not None]
    return replace(task, references=[task.references[0], *found])


def with_lexicon_references(task: Task) -> Task:
    """The task with references made from the lexicon that rewords the runs, one way a phrase.

    The paper's references are presumably such: a paraphrase then repeats words of a reference.
    """
    lexicon = {phrase: ways[:1] for phrase, ways in task.lexicon.items()}
    return with_variants(replace(task, references=task.references[:1], lexicon=lexicon))


def reorderable(run: Trajectory) -> bool:
    """Whether the dependencies allow another order: two neighbours need not follow each other."""
    return any(one.id not in (other.depends_on or ()) for one, other in pairwise(run.steps))


def _cases(task: Task, seed: int) -> Iterator[Case]:
    yield Case(task.name, "P0", "original", True, task.references[0], seed)
    for family, ways in FAMILIES.items():
        if family == "P3" and task.regrouped:
            yield from _regrouped(task, seed)
        else:
            yield from _distinct(task, family, ways, seed)
    yield from _ladder(task, seed)


def _ladder(task: Task, seed: int) -> Iterator[Case]:
    """Each sample goes down all levels with the same words and order: a level adds one edit."""
    for number in range(OF_A_LEVEL):
        for level in LADDER:
            run = _edited(task, EDITS_OF_LEVEL[level], f"{seed}/{task.name}/ladder/{number}")
            if run:
                yield Case(task.name, level, str(number), None, run, seed)


def _regrouped(task: Task, seed: int) -> Iterator[Case]:
    """Other granularities as people wrote them."""
    canonical = task.references[0]
    for replaced, steps in task.regrouped:
        run = regrouped(canonical, replaced, steps)
        variant = "merge" if len(steps) == 1 else "split"
        yield Case(task.name, "P3", variant, True, run, seed)


def _distinct(task: Task, family: str, ways: Sequence[Sequence[str]], seed: int) -> Iterator[Case]:
    """EACH different runs of a family, or as many as there are; ways in a drawn order."""
    found: list[Trajectory] = []
    turns = cycle(_shuffled(ways, f"{seed}/{task.name}/{family}"))
    for number, edits in zip(range(TRIES), turns, strict=False):
        run = _edited(task, edits, f"{seed}/{task.name}/{family}/{number}")
        if run and run not in found and len(found) < EACH:
            found.append(run)
            yield Case(task.name, family, "+".join(edits), family not in INVALID, run, seed)


def _edited(task: Task, edits: Sequence[str], seed: str) -> Trajectory | None:
    canonical = task.references[0]
    material = Material(task.lexicon, task.distractors, task.tools, PROSE)
    return perturb(canonical, dependency_graph(canonical, "explicit"), edits, seed, material)


def _shuffled(ways: Sequence[Sequence[str]], seed: str) -> Sequence[Sequence[str]]:
    return Random(seed).sample(list(ways), len(ways))

"""Whether sub-steps matter: a two-level version of the hand corpus, and traces of sub-agents.

    python -m reproduction.studies.hierarchy ../shared/data

A task's two merges, which a person wrote, are its groups: a step with the words of the merge, and
in it the steps that it replaces. Runs at one level and at two are held against a reference at one
level and at two, and damage is done inside sub-steps while the step around them, what a sub-agent
reports, stays what it is. The development half of the corpus alone.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

import numpy as np
import numpy.typing as npt

import otap
from examples.perturbation import CONSUMES, EDITS, PRODUCES, Material, regrouped, retraced
from otap import Step, Trajectory
from otap.encoders import Encoder, load_encoder
from reproduction.corpora import hand_corpus
from reproduction.corpora.cases import Task
from reproduction.corpora.perturbed import PROSE
from reproduction.paper.measures import Interval, interval_of, labelled_auroc
from reproduction.paper.rows import cell, head, print_lines, row

SEEDS = range(3)
OUTSIDE = ("delete", "invert")  # damage at the highest level
SEEN = 1e-9  # more loss than this is a damage that was seen
ALONE = "foreign"  # what a damage puts in is named so
Shape = Callable[[Trajectory], Trajectory]
Losses = npt.NDArray[np.float64]
Pairs = Sequence[tuple[Trajectory, Trajectory]]
TRACES = ("openinference_openai_agents", "claude_agent_sdk")


@dataclass(frozen=True)
class Run:
    """One run of a task; ``kind`` says what was done to it, and ``whole`` is it undamaged."""

    task: str
    kind: str
    valid: bool
    trajectory: Trajectory
    whole: Trajectory


def groups(task: Task) -> list[tuple[Sequence[str], Step]]:
    """The merges of a task: the steps that belong together, and the step that they are."""
    return [(replaced, steps[0]) for replaced, steps in task.regrouped if len(steps) == 1]


def grouped(flat: Trajectory, parents: Sequence[tuple[Sequence[str], Step]]) -> Trajectory:
    """The trajectory with groups of its steps inside a step of their own."""
    found = flat
    for names, parent in parents:
        steps = tuple(step for step in flat.steps if step.id in names)
        inside = retraced(flat.model_copy(update={"steps": steps})).steps
        found = regrouped(found, names, [parent.model_copy(update={"substeps": inside})])
    return found


def flattened(trajectory: Trajectory) -> Trajectory:
    """The steps at the lowest level; what else there was of a group is lost.

    What needed a group needs the steps at its end, and its first steps need what it needed.
    """
    steps: list[Step] = []
    ends: dict[str, list[str]] = {}  # of a step at the highest level
    for step in trajectory.steps:
        inside = opened(step)
        ends[step.id] = _ends(inside)
        before = [end for name in step.depends_on or () for end in ends.get(name, ())]
        steps += [_needing(leaf, step.depends_on, before) for leaf in inside]
    return trajectory.model_copy(update={"steps": tuple(steps)})


def _ends(steps: Sequence[Step]) -> list[str]:
    """The steps that no other needs."""
    needed = {name for step in steps for name in step.depends_on or ()}
    return [step.id for step in steps if step.id not in needed]


def _needing(leaf: Step, outer: Sequence[str] | None, before: Sequence[str]) -> Step:
    """A step that was inside another; if it needs none of those beside it, what the outer needs."""
    known = None not in (leaf.depends_on, outer)
    needs = (leaf.depends_on or tuple(before)) if known else None
    return leaf.model_copy(update={"depends_on": needs})


def opened(step: Step) -> list[Step]:
    """The steps inside a step, or the step alone, under names that tell where they were."""
    if not step.substeps:
        return [step.model_copy(update={"depends_on": step.depends_on and ()})]
    found = []
    for leaf in step.substeps:
        needs = leaf.depends_on
        inside = None if needs is None else tuple(f"{step.id}/{name}" for name in needs)
        found.append(leaf.model_copy(update={"id": f"{step.id}/{leaf.id}", "depends_on": inside}))
    return found


def dropped(trajectory: Trajectory) -> Trajectory:
    """The steps at the highest level, with nothing inside."""
    steps = tuple(step.model_copy(update={"substeps": ()}) for step in trajectory.steps)
    return trajectory.model_copy(update={"steps": steps})


def runs(task: Task) -> Iterator[Run]:
    """Valid runs at one level, at two and in between, and damaged ones, in other words."""
    for seed in SEEDS:
        flat, parents = _reworded(task, seed)
        whole = grouped(flat, parents)
        levels = {
            "two levels": whole,
            "merged": dropped(whole),
            "one level": flat,
            "half of it": grouped(flat, parents[:1]),
        }
        for kind, found in levels.items():
            yield Run(task.name, kind, True, found, found)
        for kind, damage in DAMAGES.items():
            for found in damaged(whole, damage, task, seed):
                yield Run(task.name, kind, False, found, whole)
        for kind in OUTSIDE:
            broken = EDITS[kind](whole, Random(f"{seed}/{task.name}/{kind}"), Material())
            if broken:
                yield Run(task.name, f"{kind} outside", False, broken, whole)


def damaged(whole: Trajectory, damage: "Damage", task: Task, seed: int) -> Iterator[Trajectory]:
    """The trajectory with one of its groups damaged, each in turn."""
    for place, step in enumerate(whole.steps):
        random = Random(f"{seed}/{task.name}/{damage.__name__}/{place}")
        inside = damage(step.substeps, task, random) if step.substeps else step.substeps
        if inside and tuple(inside) != step.substeps:
            yield with_inside(whole, place, inside)


def _reworded(task: Task, seed: int) -> tuple[Trajectory, list[tuple[Sequence[str], Step]]]:
    """The canonical steps and the groups in other words, the same throughout."""
    flat, parents = task.references[0], groups(task)
    every = flat.model_copy(update={"steps": (*flat.steps, *(step for _, step in parents))})
    material = Material(task.lexicon, task.distractors, task.tools, PROSE)
    told = EDITS["paraphrase"](every, Random(f"{seed}/{task.name}"), material) or every
    size = len(flat.steps)
    steps = flat.model_copy(update={"steps": told.steps[:size]})
    return steps, [(names, told.steps[size + k]) for k, (names, _) in enumerate(parents)]


def with_inside(trajectory: Trajectory, place: int, inside: Sequence[Step]) -> Trajectory:
    """The trajectory with other sub-steps in one of its steps, which stays what it says it is."""
    steps = list(trajectory.steps)
    steps[place] = steps[place].model_copy(update={"substeps": tuple(inside)})
    return trajectory.model_copy(update={"steps": tuple(steps)})


def _linked(steps: Sequence[Step]) -> tuple[Step, ...]:
    """The steps with what each now depends on, where it is known what they make and need."""
    if not all(CONSUMES in step.metadata for step in steps):
        return tuple(steps)
    return retraced(Trajectory(steps=()).model_copy(update={"steps": tuple(steps)})).steps


def _wrong_tool(steps: Sequence[Step], task: Task, random: Random) -> Sequence[Step]:
    """What a wrong tool was to make is not made."""
    place = random.randrange(len(steps))
    changed = [
        _foreign_tool(step, task, random) if place == k else step for k, step in enumerate(steps)
    ]
    return _linked(changed)


def _foreign_tool(step: Step, task: Task, random: Random) -> Step:
    tool = random.choice([name for name in task.tools if name != step.tool])
    lost = {**step.metadata, PRODUCES: []} if PRODUCES in step.metadata else step.metadata
    return step.model_copy(update={"tool": tool, "metadata": lost})


def _missing(steps: Sequence[Step], _: Task, random: Random) -> Sequence[Step]:
    place = random.randrange(len(steps))
    return _linked([step for k, step in enumerate(steps) if k != place])


def _inverted(steps: Sequence[Step], _: Task, __: Random) -> Sequence[Step]:
    """Last first, unless it is known that none needs another."""
    return _linked(steps[::-1]) if any(step.depends_on != () for step in steps) else steps


def _invented(steps: Sequence[Step], task: Task, random: Random) -> Sequence[Step]:
    extra = random.choice(task.distractors).model_copy(update={"id": ALONE})
    return _linked([*steps, extra])


def _made_up(steps: Sequence[Step], task: Task, random: Random) -> Sequence[Step]:
    """Nothing of what is reported was done: steps of other tasks instead."""
    others = random.sample(list(task.distractors), len(steps))
    return _linked([s.model_copy(update={"id": f"{ALONE}-{k}"}) for k, s in enumerate(others)])


Damage = Callable[[Sequence[Step], Task, Random], Sequence[Step]]
DAMAGES: Mapping[str, Damage] = {
    "wrong tool": _wrong_tool,
    "missing sub-step": _missing,
    "inverted sub-steps": _inverted,
    "invented sub-step": _invented,
    "all made up": _made_up,
}


def losses(pairs: Pairs, encoder: Encoder) -> dict[str, Losses]:
    """The loss of each pair, by how sub-steps are treated."""
    return {
        "dropped": _shaped(pairs, dropped, encoder),
        "flattened": _shaped(pairs, flattened, encoder),
        "as they are": _shaped(pairs, lambda one: one, encoder),
    }


def _shaped(pairs: Pairs, shape: Shape, encoder: Encoder) -> Losses:
    """Both sides brought into a shape first."""
    scorer = otap.Scorer(encoder=encoder)
    found = scorer.score_many([(shape(one), shape(other)) for one, other in pairs])
    return np.array([score.loss for score in found])


def study(tasks: Sequence[Task], encoder: Encoder) -> Iterator[str]:
    """Rows of a Markdown table: a reference, a treatment, and what it sees.

    A treatment that gives the numbers of one above it is not told again.
    """
    every = [run for task in tasks for run in runs(task)]
    kinds = list(dict.fromkeys(run.kind for run in every))
    yield from head(("levels of the reference", "sub-steps", "AUROC", "seen inside"), kinds)
    places = {id(run.trajectory): place for place, run in enumerate(every)}
    whole = [places[id(run.whole)] for run in every]
    for name, reference in _references(tasks).items():
        found = losses([(run.trajectory, reference[run.task]) for run in every], encoder)
        for way, loss in _different(found).items():
            yield _row(name, way, every, loss, loss - loss[whole], kinds)


def _references(tasks: Sequence[Task]) -> dict[str, dict[str, Trajectory]]:
    """The canonical solution of each task, at two levels and at one."""
    return {
        "two": {task.name: grouped(task.references[0], groups(task)) for task in tasks},
        "one": {task.name: task.references[0] for task in tasks},
    }


def _different(found: Mapping[str, Losses]) -> dict[str, Losses]:
    """Of treatments with the same losses the first alone."""
    told: dict[str, Losses] = {}
    for way, loss in found.items():
        if not any(np.allclose(loss, other, rtol=0, atol=SEEN) for other in told.values()):
            told[way] = loss
    return told


def _row(
    name: str, way: str, every: Sequence[Run], loss: Losses, added: Losses, kinds: Sequence[str]
) -> str:
    """The mean score of valid kinds, and of damage how much lower than undamaged its score is."""
    valid = np.array([run.valid for run in every])
    auroc = _auroc(every, loss, valid)
    inside = np.array([run.kind in DAMAGES for run in every])
    seen = 100 * float((added[inside] > SEEN).mean())
    cells = []
    for kind in kinds:
        of = np.array([run.kind == kind for run in every])
        score = np.exp(-loss[of])
        cells.append(
            f"{(score if valid[of][0] else score - np.exp(added[of] - loss[of])).mean():.3f}"
        )
    return row((name, way, cell(auroc, 0), f"{seen:.0f}"), cells)


def _auroc(every: Sequence[Run], loss: Losses, valid: npt.NDArray[np.bool_]) -> Interval:
    tasks = [run.task for run in every]
    return interval_of([labelled_auroc(-loss, valid, tasks, None)], len(set(tasks)))


def traces(folder: Path, encoder: Encoder) -> Iterator[str]:
    """Rows of a Markdown table: real runs that asked sub-agents, against changed copies."""
    found = {name: next(iter(otap.read_all(folder / f"{name}.json"))) for name in TRACES}
    kinds = ["the same", "one level", "merged", *DAMAGES, "another run"]
    yield from head(("trace", "sub-steps"), kinds)
    for name, reference in found.items():
        other = next(one for key, one in found.items() if key != name)
        copies = dict(_copies(reference, other))
        pairs = [(copies[kind], reference) for kind in kinds if kind in copies]
        for way, loss in losses(pairs, encoder).items():
            scores = dict(zip(copies, np.exp(-loss).tolist(), strict=True))
            cells = [f"{scores[kind]:.3f}" if kind in scores else "-" for kind in kinds]
            yield row((name, way), cells)


def _copies(reference: Trajectory, other: Trajectory) -> Iterator[tuple[str, Trajectory]]:
    """The first of the copies that each damage makes, and the valid ones."""
    steps = [leaf for one in (reference, other) for leaf in flattened(one).steps]
    tools = sorted({step.tool for step in steps if step.tool})
    foreign = [step for step in flattened(other).steps for _ in range(len(reference.steps))]
    task = Task(str(reference.id), [reference], {}, foreign, tools)
    yield "the same", reference
    yield "one level", flattened(reference)
    yield "merged", dropped(reference)
    for kind, damage in DAMAGES.items():
        for found in list(damaged(reference, damage, task, 0))[:1]:
            yield kind, found
    yield "another run", other


def lines(data: Path) -> Iterator[str]:
    """Both tables."""
    encoder = load_encoder("wordllama")
    yield from study(hand_corpus.tasks("independent", "development"), encoder)
    yield ""
    yield from traces(data / "traces/otel-spans", encoder)


if __name__ == "__main__":
    print_lines(__doc__, lines)

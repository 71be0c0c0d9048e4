"""What a calibrated threshold rests on: what makes it worth less than it seems, and broken runs.

Broken runs are good ones that were changed on purpose: what a threshold makes of valid changes and
of damage.
"""

from collections.abc import Iterator, Mapping, Sequence

from otap.learning.calibration.calibration import Broken, On
from otap.learning.calibration.conformal import caught
from otap.learning.calibration.scored import Sampled, Scored, grouped, scored_cases
from otap.learning.parameters import ALIKE, MOST_PAIRS, MOST_TASKS
from otap.learning.runs import LabelledRun, Sample, have_same_steps
from otap.learning.scores import Scores
from otap.perturbation import FAMILIES, Material, perturb
from otap.run import dependency_graph
from otap.scoring import Config, Scorer
from otap.trajectory import Trajectory


def run_warnings(sampled: Sampled) -> Iterator[str]:
    """What the runs lack."""
    copies = sum(run.good and run.copied for run in sampled.runs)
    if copies == 1:
        yield (
            "1 good run does what its reference does, step by step, and is left out: it may be"
            " the reference itself"
        )
    elif copies:
        yield (
            f"{copies} good runs do what their references do, step by step, and are left out: they"
            " may be the references themselves"
        )
    no_run = "no run with a score" if sampled.unscored else "no run"
    if all(run.good for run in sampled.runs):
        yield f"{no_run} is known to be bad: what is caught is known of changed runs alone"
    if not any(run.good for run in sampled.runs):
        beside = " beside the references" if sampled.own_references else ""
        yield f"{no_run}{beside} is known to be good: a threshold is made of good runs"
    yield from _uncounted(sampled)


def _uncounted(sampled: Sampled) -> Iterator[str]:
    counts = (
        (sampled.unlabelled, "no known outcome"),
        (
            sampled.unscored,
            "an outcome and no score: nothing known to be good of the task, or an error",
        ),
        (sum(not run.final for run in sampled.runs), "a score that is not final, and counts"),
    )
    for count, what in counts:
        if count:
            yield f"{count} run{' has' if count == 1 else 's have'} {what}"


def reference_warnings(sample: Sample, config: Config) -> Iterator[str]:
    """What the references cannot show, each where it holds for at least half of them."""
    by_task = {case.task: case.references for case in sample.cases}
    every = [one for references in by_task.values() for one in references if one.steps]
    if len(by_task) > 1 and every and all(have_same_steps(one, every[0]) for one in every):
        yield "the references of all tasks are equal: they say nothing of what a task needs"
    yield from _alike([found for found in by_task.values() if len(found) > 1], config)
    several = [one for one in every if len(one.steps) > 1]
    chains = sum(map(_is_chain, several))
    if chains and 2 * chains >= len(several):
        yield (
            f"{chains} of {len(several)} references of several steps are chains, in which each"
            " step needs the one before it: any other order counts as wrong"
        )
    bare = sum(all(step.effect is None for step in one.steps) for one in every)
    if bare and 2 * bare >= len(every):
        yield (
            f"{bare} of {len(every)} references record no effects: what was looked up cannot"
            " be checked, nor which step needed which result"
        )


def _alike(several: Sequence[Sequence[Trajectory]], config: Config) -> Iterator[str]:
    """References of one task of which no other is told apart by a score."""
    pairs = [
        (found[place], [*found[:place], *found[place + 1 :]])
        for found in several
        for place in range(1, len(found))
    ][:MOST_PAIRS]
    scores = Scorer(config).score_many(pairs)
    near = sum(score.score >= ALIKE for score in scores)
    if pairs and 2 * near >= len(pairs):
        yield (
            f"{near} of {len(pairs)} further references of a task score {ALIKE:g} or more against"
            " its others: they add nothing to one"
        )


def _is_chain(reference: Trajectory) -> bool:
    """Whether every step needs the one before it: no other order is valid.

    Where no dependency can be found the listed order is none that a score insists on.
    """
    graph = dependency_graph(reference)
    if graph.mechanism == "sequential":
        return False
    joined = {(edge.source, edge.target) for edge in graph.edges}
    return all((step, step + 1) in joined for step in range(graph.size - 1))


VALID = ("P1", "P2", "P3")
Way = tuple[str, tuple[str, ...]]  # a family, and edits
BrokenRuns = Mapping[Way, Sequence[Scored]]


def broken_runs(sample: Sample, config: Config, jobs: int) -> BrokenRuns:
    """Returns one good run of each task, changed in every way of every family, with its scores.

    A wrong tool is one of those that the runs and references have. The seed of a change is its way
    and its task.

    Raises:
        OtapError: if one cannot be scored.
    """
    chosen: dict[str, LabelledRun] = {}
    for case in sample.cases:
        if case.good and not case.is_copy:
            chosen.setdefault(case.task, case)
    cases = list(chosen.values())[:MOST_TASKS]
    runs = (run for case in sample.cases for run in (case.run, *case.references))
    tools = {step.tool for run in runs for step in run.steps if step.tool is not None}
    material = Material(tools=sorted(tools))
    ways = [(family, tuple(edits)) for family in FAMILIES for edits in FAMILIES[family]]
    made = [(way, case) for way in ways for case in _changed(cases, way, material)]
    found: dict[Way, list[Scored]] = {way: [] for way in ways}
    changed = Sample(tuple(case for _, case in made), sample.of_runs)
    with Scores(changed, jobs) as scores:
        scored = scored_cases(scores, config).runs
    for (way, _), run in zip(made, scored, strict=True):
        found[way].append(run)
    return found


def measure_broken(broken: BrokenRuns, on: On, bound: float) -> Iterator[Broken]:
    """Yields for each family, and each way of one that has several, what raises an alarm."""
    for family in FAMILIES:
        ways = {edits: runs for (name, edits), runs in broken.items() if name == family}
        everything = [run for runs in ways.values() for run in runs]
        rows: list[tuple[tuple[str, ...] | None, Sequence[Scored]]] = [(None, everything)]
        if len(ways) > 1:
            rows += ways.items()
        for edits, runs in rows:
            alarms = caught(grouped(runs, on), bound)
            yield Broken(family=family, edits=edits, valid=family in VALID, alarms=alarms)


def damaged_runs(broken: BrokenRuns) -> list[Scored]:
    """Returns the runs of the families that damage."""
    return [run for (family, _), runs in broken.items() if family not in VALID for run in runs]


def _changed(cases: Sequence[LabelledRun], way: Way, material: Material) -> Iterator[LabelledRun]:
    family, edits = way
    for case in cases:
        seed = f"{family} {' '.join(edits)} {case.task}"
        run = perturb(case.run, dependency_graph(case.run), edits, seed, material)
        if run is not None:
            yield LabelledRun(run, family in VALID, case.references)

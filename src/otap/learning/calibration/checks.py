"""Warnings about the runs of a calibration."""

from collections.abc import Iterator, Sequence

from otap.learning.calibration.scored import ScoredSample
from otap.learning.samples import Sample, have_same_steps
from otap.run import dependency_graph
from otap.scoring import Config, Scorer
from otap.trajectory import Trajectory

NEAR_EQUAL = 0.99  # score from which a reference adds nothing to another
MAX_PAIRS = 200  # references that are scored against the others of their task


def run_warnings(scored: ScoredSample) -> Iterator[str]:
    """Yields a line for each weakness of the runs."""
    copies = sum(run.good and run.is_copy for run in scored.runs)
    if copies == 1:
        yield (
            "1 good run has the same steps as its reference and is left out: it may be the"
            " reference itself"
        )
    elif copies:
        yield (
            f"{copies} good runs have the same steps as their references and are left out: they"
            " may be the references themselves"
        )
    no_run = "no run with a score" if scored.unscored else "no run"
    if all(run.good for run in scored.runs):
        yield f"{no_run} is known to be bad, so nothing shows what the gate catches"
    if not any(run.good for run in scored.runs):
        other = " other than the references" if scored.own_references else ""
        yield f"{no_run}{other} is known to be good, and a threshold needs good runs"
    unconverged = sum(not run.converged for run in scored.runs)
    for count, problem in (
        (scored.unlabelled, "no known outcome"),
        (scored.unscored, "an outcome and no score: an error, or no reference of the task"),
        (unconverged, "a score that is not final, and is used"),
    ):
        if count:
            yield f"{count} run{' has' if count == 1 else 's have'} {problem}"


def reference_warnings(sample: Sample, config: Config) -> Iterator[str]:
    """Yields a line for each weakness that at least half of the references have."""
    by_task = {case.task: case.references for case in sample.cases}
    references = [
        reference for of_task in by_task.values() for reference in of_task if reference.steps
    ]
    if (
        len(by_task) > 1
        and references
        and all(have_same_steps(reference, references[0]) for reference in references)
    ):
        yield "the references of all tasks are equal, so they do not show what a task needs"
    yield from _near_equal_warning(
        [of_task for of_task in by_task.values() if len(of_task) > 1], config
    )
    several_steps = [reference for reference in references if len(reference.steps) > 1]
    chains = sum(_is_chain(reference) for reference in several_steps)
    if chains and 2 * chains >= len(several_steps):
        yield (
            f"{chains} of {len(several_steps)} references of several steps are chains, in which"
            " each step depends on the one before, so any other order counts as wrong"
        )
    without_effects = sum(
        all(step.effect is None for step in reference.steps) for reference in references
    )
    if without_effects and 2 * without_effects >= len(references):
        yield (
            f"{without_effects} of {len(references)} references record no effects, so neither"
            " look-ups nor data flow between steps can be checked"
        )


def _near_equal_warning(groups: Sequence[Sequence[Trajectory]], config: Config) -> Iterator[str]:
    """Warns of references that score as high against the others of their task.

    Args:
        groups: the references of each task, at least two.
        config: the settings.
    """
    pairs = [
        (group[index], [*group[:index], *group[index + 1 :]])
        for group in groups
        for index in range(1, len(group))
    ][:MAX_PAIRS]
    scores = Scorer(config).score_many(pairs)
    near_equal = sum(score.score >= NEAR_EQUAL for score in scores)
    if pairs and 2 * near_equal >= len(pairs):
        yield (
            f"{near_equal} of {len(pairs)} additional references of a task score {NEAR_EQUAL:g} or"
            " more against its other references, so they add nothing"
        )


def _is_chain(reference: Trajectory) -> bool:
    """Whether each step depends on the one before, so that no other order is valid.

    A sequential graph is no chain: it lists an order in which no dependency was found.
    """
    graph = dependency_graph(reference)
    if graph.mechanism == "sequential":
        return False
    edges = {(edge.source, edge.target) for edge in graph.edges}
    return all((step, step + 1) in edges for step in range(graph.size - 1))

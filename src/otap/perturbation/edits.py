"""The edits by name, and the families and the ladder of [Barazandeh2026], section 5."""

from collections.abc import Callable, Mapping, Sequence
from random import Random

from otap.dependencies import DependencyGraph
from otap.perturbation.changes import (
    delete_step,
    exchange_tool,
    insert_distractor,
    invert_edge,
    merge_steps,
    paraphrase_steps,
    reorder_steps,
    split_step,
)
from otap.perturbation.flow import annotated, retraced
from otap.perturbation.material import Material
from otap.trajectory import Trajectory

Edit = Callable[[Trajectory, Random, Material], Trajectory | None]
EDITS: Mapping[str, Edit] = {
    "paraphrase": paraphrase_steps,
    "reorder": reorder_steps,
    "merge": merge_steps,
    "split": split_step,
    "invert": invert_edge,
    "delete": delete_step,
    "distract": insert_distractor,
    "mistool": exchange_tool,
}
# Each line of a family is one way to make its edit. P1 to P3 leave a run valid, P4 and P5 break it.
FAMILIES: Mapping[str, Sequence[Sequence[str]]] = {
    "P1": (("paraphrase",),),
    "P2": (("reorder",),),
    "P3": (("merge",), ("split",)),
    "P4": (("invert",),),
    "P5": (
        ("delete",),
        ("distract",),
        ("distract", "distract"),
        ("distract", "distract", "distract"),
        ("mistool",),
        ("delete", "distract"),
        ("mistool", "distract"),
        ("delete", "mistool"),
    ),
}
# Best first. Each level adds one edit to the one above it; the last combines them all.
LADDER: Mapping[str, Sequence[str]] = {
    "Q5": ("paraphrase", "reorder"),
    "Q4": ("paraphrase", "reorder", "invert"),
    "Q3": ("paraphrase", "reorder", "invert", "invert"),
    "Q2": ("paraphrase", "reorder", "invert", "invert", "delete"),
    "Q1": ("paraphrase", "reorder", "delete", "distract", "mistool", "invert"),
}


def perturb(
    trajectory: Trajectory,
    graph: DependencyGraph,
    edits: Sequence[str],
    seed: int | str,
    material: Material | None = None,
) -> Trajectory | None:
    """Returns the trajectory after some edits, one after the other; None if none could be done.

    A pure function of its arguments. The result records in ``depends_on`` what its own order still
    allows (:func:`otap.perturbation.flow.retraced`). An edit for which the trajectory has no place,
    as another order of a chain, is left out.

    Args:
        trajectory: a known-good run.
        graph: what each of its steps needs.
        edits: names of EDITS, in the order in which they are made.
        seed: of all random choices; the same seed gives the same result.
        material: what edits take from outside; None: the defaults of Material.

    Raises:
        ValueError: for an edit that there is not.
        DependencyError: if the graph is not of this trajectory.
    """
    random = Random(f"{seed}")
    found = retraced(annotated(trajectory, graph))
    done = False
    for name in edits:
        if name not in EDITS:
            raise ValueError(f"no edit '{name}'; there are {', '.join(EDITS)}")
        edited = EDITS[name](found, random, material or Material())
        found, done = edited or found, done or edited is not None
    return found if done else None

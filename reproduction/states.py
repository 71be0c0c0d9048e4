"""Whether states help to tell tau-bench's good runs from the others.

    python -m reproduction.states ../shared/data

The benchmark's tools answer with the record of a reservation as it is now: what a call shows is
the state before, what an update answers the state after. The state of a step is what the run has
changed until then: the reservations that it booked, updated or cancelled, as last shown. The gold
actions have no answers: theirs follow from the records that any run was shown and from what the
same tools do to them.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import otap
from otap import Step, Trajectory
from reproduction.measures import Interval, interval_of, labelled_auroc
from reproduction.rows import cell, head, print_lines, row

Record = dict[str, Any]
State = dict[str, Record]
Array = npt.NDArray[np.float64]
NEW = "new"  # a booking, whatever its number
BOOK, CANCEL = "book_reservation", "cancel_reservation"
UPDATES = (
    BOOK, CANCEL, "update_reservation_flights", "update_reservation_baggages",
    "update_reservation_passengers",
)  # fmt: skip
# What the tools can change of a record, and cannot but by another call; prices are left out.
KEPT = ("flights", "passengers", "total_baggages", "nonfree_baggages", "status")
BOOKED = ("user_id", "origin", "destination", "flight_type", "cabin", "insurance")


def record(effect: Any) -> tuple[str, Record] | None:
    """The number of a reservation and its record, if an answer shows one."""
    try:
        found = json.loads(effect) if isinstance(effect, str) else effect
    except ValueError:
        return None
    if not isinstance(found, dict) or "reservation_id" not in found:
        return None
    return found["reservation_id"], told(found)


def told(found: Mapping[str, Any]) -> Record:
    """What counts of a record: flights by number and date."""
    flights = [{key: one[key] for key in ("flight_number", "date")} for one in found["flights"]]
    kept = {key: found[key] for key in (*KEPT, *BOOKED) if key in found}
    return {"status": "active", **kept, "flights": flights}


def with_states(run: Trajectory) -> Trajectory:
    """The run, each step with what was changed until then."""
    changed: State = {}
    steps = []
    for step in run.steps:
        shown = record(step.effect)
        if shown and step.tool in UPDATES:
            name = NEW if step.tool == BOOK else shown[0]
            changed = {**changed, _free(name, changed): shown[1]}
        steps.append(step.model_copy(update={"state": dict(changed)}))
    return run.model_copy(update={"steps": tuple(steps)})


def _free(name: str, changed: State) -> str:
    """Another booking is another record; another update is not."""
    count = sum(key.startswith(NEW) for key in changed)
    return f"{NEW}-{count + 1}" if name == NEW else name


def gold_with_states(gold: Trajectory, shown: Mapping[str, Record]) -> Trajectory:
    """The gold actions, each with what has been changed after it."""
    changed: State = {}
    steps = []
    for step in gold.steps:
        arguments = step.arguments
        if step.tool in UPDATES and isinstance(arguments, dict):
            name = str(arguments.get("reservation_id", NEW))
            before = changed.get(name) or shown.get(name, {})
            changed = {**changed, _free(name, changed): after(step.tool or "", before, arguments)}
        steps.append(step.model_copy(update={"state": dict(changed)}))
    return gold.model_copy(update={"steps": tuple(steps)})


def after(tool: str, before: Record, arguments: Mapping[str, Any]) -> Record:
    """The record after a call; the benchmark's own tools leave the cabin as it was."""
    if tool == BOOK:
        return told(arguments)
    if tool == CANCEL:
        return {**before, "status": "cancelled"}
    given = {key: arguments[key] for key in KEPT if key in arguments}
    return {**before, **given}


def first_shown(runs: Sequence[Trajectory]) -> dict[str, Record]:
    """Each reservation as it was before any run changed it."""
    found: dict[str, Record] = {}
    for run in runs:
        touched: set[str] = set()
        for step in run.steps:
            shown = record(step.effect)
            if shown and step.tool in UPDATES:
                touched.add(shown[0])
            elif shown and shown[0] not in touched:
                found.setdefault(*shown)
    return found


def ended(run: Trajectory) -> Trajectory:
    """Nothing of the run but the state in which it ended."""
    state = run.steps[-1].state if run.steps else {}
    last = Step(id="end", kind="reasoning", action="The end.", state=state)
    return run.model_copy(update={"steps": (last,)})


def with_end(run: Trajectory) -> Trajectory:
    """The run, and the state in which it ended as a step of its own."""
    last = ended(run).steps[0]
    return run.model_copy(update={"steps": (*run.steps, last)})


@dataclass(frozen=True)
class Way:
    """How states take part: what becomes of a trajectory, and the weight of the state field."""

    shape: Callable[[Trajectory], Trajectory]
    weight: float


def same(run: Trajectory) -> Trajectory:
    """The trajectory as it is."""
    return run


WAYS: Mapping[str, Way] = {
    "no state": Way(same, 0.0),
    "state of each step, weight .1": Way(same, 0.1),
    "state of each step, weight .5": Way(same, 0.5),
    "a step for the end": Way(with_end, 0.1),
    "a step for the end, weight .5": Way(with_end, 0.5),
    "the end alone": Way(ended, 0.5),
}


@dataclass(frozen=True)
class Labelled:
    """A run with its references: one score is the mean over choices of references."""

    run: Trajectory
    choices: Sequence[Sequence[Trajectory]]

    @property
    def good(self) -> bool:
        """Whether the benchmark rewarded it."""
        return self.run.outcome == 1.0


def against_gold(runs: Sequence[Trajectory], golds: Sequence[Trajectory]) -> list[Labelled]:
    """Each run against the gold actions of its task."""
    of = {gold.task: gold for gold in golds}
    return [Labelled(run, [[of[run.task]]]) for run in runs]


def against_others(runs: Sequence[Trajectory]) -> list[Labelled]:
    """Each run against good runs of its task, of which there must be two, with one left out.

    A good run is held against the others; what failed against as many: each is left out in turn.
    """
    found = []
    for run in runs:
        good = [other for other in runs if other.task == run.task and other.outcome == 1.0]
        left_out = [run] if run.outcome == 1.0 else good
        choices = [[other for other in good if other is not one] for one in left_out]
        if len(good) > 1:
            found.append(Labelled(run, choices))
    return found


def scores(labelled: Sequence[Labelled], way: Way) -> Array:
    """The score of each run."""
    scorer = otap.Scorer(otap.Config.preset("default", weights={"state": way.weight}))
    pairs = [
        (way.shape(one.run), [way.shape(reference) for reference in choice])
        for one in labelled
        for choice in one.choices
    ]
    found = iter(scorer.score_many(pairs))
    return np.array([np.mean([next(found).score for _ in one.choices]) for one in labelled])


def lines(data: Path) -> Iterator[str]:
    """Rows of a Markdown table: references, a way, and AUROC within tasks and over all."""
    plain = list(otap.read_all(data / "tau-bench"))
    shown = first_shown(plain)
    golds = [gold_with_states(g, shown) for g in otap.read_references(data / "tau-bench")]
    runs = [with_states(run) for run in plain]
    acting = {gold.task for gold in golds if gold.steps}
    every = against_gold(runs, golds)
    corpora = {
        "gold that acts": [one for one in every if one.run.task in acting],
        "gold, doing nothing included": every,
        "other good runs": against_others(runs),
    }
    yield from head(
        ("references", "state", "runs (good)"), ("AUROC within tasks", "AUROC over all")
    )
    for name, labelled in corpora.items():
        good = sum(one.good for one in labelled)
        for way, what in WAYS.items():
            found = scores(labelled, what)
            cells = [cell(_auroc(labelled, found, grouped), 0) for grouped in (True, False)]
            yield row((name, way, f"{len(labelled)} ({good})"), cells)


def _auroc(labelled: Sequence[Labelled], found: Array, grouped: bool) -> Interval:
    tasks = [str(one.run.task) for one in labelled]
    good = np.array([one.good for one in labelled])
    figure = labelled_auroc(found, good, tasks, tasks if grouped else None)
    return interval_of([figure], len(set(tasks)))


if __name__ == "__main__":
    print_lines(__doc__, lines)

"""A made help desk: runs of which it is known what their tools do, and whether they were good."""

from collections.abc import Iterator
from random import Random

import otap
from otap.trajectory import Step, Trajectory

TASKS, TRIALS = 14, 4
MISREAD = "ledger_entry"  # its name says nothing, so that it is taken for a write; it only reads


def runs(*, tasks: int = TASKS, misread: bool = True, seed: int = 0) -> list[Trajectory]:
    """Runs that refund an order; a bad one refunds another, good ones look up as they please."""
    return list(_runs(Random(f"desk {seed}"), tasks, misread))


def references(tasks: int = TASKS) -> list[Trajectory]:
    """What solves each task."""
    return [_run(f"gold{task}", task, None, [_refund(task)]) for task in range(tasks)]


def _runs(random: Random, tasks: int, misread: bool) -> Iterator[Trajectory]:
    for task in range(tasks):
        for trial in range(TRIALS):
            good = random.random() < 0.5
            steps = [_call("get_user", user_id=f"u{task}"), _refund(task if good else task + 100)]
            more = random.randrange(4)
            steps += [_call(MISREAD, page=k) for k in range(more)] if misread else []
            yield _run(f"run{task}-{trial}", task, trial, steps, float(good))


def _run(
    name: str, task: int, trial: int | None, steps: list[Step], outcome: float | None = None
) -> Trajectory:
    numbered = [step.model_copy(update={"id": f"{k}"}) for k, step in enumerate(steps)]
    return Trajectory(
        id=name, task=f"task {task}", trial=trial, steps=tuple(numbered), outcome=outcome
    )


def _refund(task: int) -> Step:
    return _call("refund", order_id=f"W{task * 7919 % 10007:05}", amount=10 + task * 1.25)


def _call(tool: str, **arguments: otap.trajectory.Json) -> Step:
    return Step(id="-", tool=tool, arguments=arguments)

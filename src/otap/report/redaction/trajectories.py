"""A run or a reference without what it says."""

from collections.abc import Iterable

from otap.report.redaction.stand_ins import StandIns
from otap.trajectory import Source, Step, Trajectory, Unread


def hidden_trajectory(found: Trajectory, kind: str, names: StandIns) -> Trajectory:
    """Returns a trajectory with a stand-in for each text and value.

    Args:
        found: the trajectory.
        kind: what it is called: run or reference.
        names: the stand-ins.
    """
    told = None if found.told is None else _texts(found.told, names)
    return found.model_copy(
        update={
            "id": hidden_id(found.id, kind, names),
            "task": hidden_id(found.task, "task", names),
            "trial": hidden_trial(found.trial, names),
            "request": _texts(found.request, names),
            "steps": hidden_steps(found.steps, names),
            "told": told,
            "must_tell": _texts(found.must_tell, names),
            "unread": Unread(),
            "source": hidden_source(found.source, names),
            "metadata": {},
        }
    )


def hidden_steps(steps: Iterable[Step], names: StandIns) -> tuple[Step, ...]:
    """Returns steps with a stand-in for each text and value; their tools stay."""
    return tuple(_step(step, names) for step in steps)


def hidden_id(name: str | None, kind: str, names: StandIns) -> str | None:
    """Returns an id, or what stands for it; None is none."""
    return None if name is None else names.named(kind, name)


def hidden_trial(trial: str | int | None, names: StandIns) -> str | int | None:
    """Returns which repetition it is, or what stands for that."""
    return hidden_id(None if trial is None else str(trial), "trial", names)


def hidden_source(source: Source | None, names: StandIns) -> Source | None:
    """Returns where it was read from, without the file's name and digest."""
    if source is None:
        return None
    path = None if source.path is None else names.named("file", source.path)
    return Source(path=path, index=source.index)


def _step(step: Step, names: StandIns) -> Step:
    needed = step.depends_on
    return step.model_copy(
        update={
            "id": names.step(step.id, step.tool),
            "action": None if step.action is None else names.text(step.action),
            "arguments": names.arguments(step.arguments),
            "effect": names.value(step.effect),
            "state": names.value(step.state),
            "depends_on": None if needed is None else tuple(map(names.step, needed)),
            "substeps": hidden_steps(step.substeps, names),
            "agent": hidden_id(step.agent, "agent", names),
            "started_at": None,
            "ended_at": None,
            "metadata": {},
        }
    )


def _texts(texts: Iterable[str], names: StandIns) -> tuple[str, ...]:
    return tuple(names.text(text) for text in texts)

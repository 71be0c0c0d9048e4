"""Runs of which a comparison cannot tell one from another, as one with a count."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from otap.learning.runs import digest_of
from otap.scoring.prepare.prepared import PreparedRun
from otap.trajectory import Step, Trajectory

# What a comparison does not look at. Ids only say which step another one needs.
_UNSEEN = {"id", "depends_on", "started_at", "ended_at", "metadata", "substeps"}


@dataclass(frozen=True, eq=False)
class Folded:
    """Runs of equal content: the one that stands for them, and all of their places."""

    place: int
    members: tuple[int, ...]


def folded(
    runs: Sequence[Trajectory], prepared: Sequence[PreparedRun], *, bounded: bool
) -> list[Folded]:
    """Returns runs of equal content as one each, in an order that no file decides.

    Args:
        runs: the runs as recorded, by place.
        prepared: the same as they are compared.
        bounded: whether other words for the same call are no difference.
    """
    alike: dict[str, list[int]] = {}
    for place, run in enumerate(prepared):
        alike.setdefault(content(run, bounded=bounded), []).append(place)
    return [_folded(runs, alike[key]) for key in sorted(alike)]


def _folded(runs: Sequence[Trajectory], places: Sequence[int]) -> Folded:
    """The first by trial, id and what was recorded stands for all."""
    ordered = sorted(places, key=lambda place: _name(runs[place]))
    return Folded(ordered[0], tuple(ordered))


def _name(run: Trajectory) -> tuple[str, str, str]:
    return str(run.trial), run.id or "", digest_of(run)


def content(run: PreparedRun, *, bounded: bool) -> str:
    """Returns a digest of what is compared of a run: two of which it is equal have loss 0.

    Args:
        run: the run as it is compared.
        bounded: whether other words for the same call are no difference.
    """
    counted = run.counted
    about = counted.model_dump(mode="json", include={"told", "must_tell", "tools"})
    goals = counted.metadata.get("goals")
    weighed = [run.roles, run.failed.tolist(), run.weights(run.in_full).tolist()]
    data = [_steps(counted.steps, bounded), about, goals, weighed, sorted(run.in_full)]
    text = json.dumps(data, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _steps(steps: Sequence[Step], bounded: bool) -> list[dict[str, Any]]:
    places = {step.id: place for place, step in enumerate(steps)}
    return [_step(step, places, bounded) for step in steps]


def _step(step: Step, places: dict[str, int], bounded: bool) -> dict[str, Any]:
    data = step.model_dump(mode="json", exclude=_UNSEEN)
    if bounded and step.tool is not None and step.arguments is not None:
        data["action"] = step.action is not None
    needed = step.depends_on
    data["needs"] = None if needed is None else sorted(places.get(name, -1) for name in needed)
    data["inside"] = _steps(step.substeps, bounded)
    return data

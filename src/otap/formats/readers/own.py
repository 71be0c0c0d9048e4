"""Our own format: ``otap.trajectory/1``, JSON or JSONL."""

from collections.abc import Iterator
from itertools import starmap
from typing import Any

from otap.errors import shown
from otap.formats.json.documents import Document, first_of
from otap.formats.json.paths import JsonPath, described
from otap.trajectory import PARSED, SCHEMA_VERSION, Step, Trajectory, parse_trajectory

NAME = "otap"
DESCRIPTION = f"OTAP's own format, {SCHEMA_VERSION}: a trajectory, a list of them, or one a line"
STEP = "each item of 'steps', as written"
KNOWN_BY = (
    "'schema_version' that begins with 'otap.', or 'steps' with an 'id' each among mostly its keys"
)
BY_ITEM = True


def recognises(value: Any) -> bool:
    """Says whether this is our format: it says so itself, or has steps that have ids."""
    first = first_of(value)
    if not isinstance(first, dict):
        return False
    version = first.get("schema_version")
    if isinstance(version, str) and version.startswith("otap."):
        return True
    return _has_steps(first)


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Returns the trajectories as they are written.

    ``reasoning`` changes nothing here: each step already says its kind.
    """
    del reasoning
    return starmap(_trajectory, document.items())


def _has_steps(value: dict[str, Any]) -> bool:
    steps = value.get("steps")
    if not isinstance(steps, list):
        return False
    if not steps:  # "do nothing" is a trajectory, but not if it says things that ours cannot
        return value.keys() <= Trajectory.model_fields.keys()
    first = steps[0]
    if not isinstance(first, dict) or "id" not in first:
        return False
    # One strange key is a mistake, to be told with its place; most of them, another's format.
    ours = len(value.keys() & Trajectory.model_fields) + len(first.keys() & Step.model_fields)
    return 2 * ours > len(value) + len(first)


def _trajectory(value: Any, place: JsonPath) -> Trajectory:
    version = place.object(value).get("schema_version", SCHEMA_VERSION)
    if version != SCHEMA_VERSION:
        found = f"'{shown(version)}'" if isinstance(version, str) else described(version)
        raise place["schema_version"].error(f"is {found}; this version reads '{SCHEMA_VERSION}'")
    return parse_trajectory(value, place, context=PARSED)

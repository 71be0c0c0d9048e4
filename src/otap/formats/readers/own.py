"""OTAP's own format: ``otap.trajectory/1``, JSON or JSONL."""

from collections.abc import Iterator
from typing import Any

from otap.errors import shown
from otap.formats.json.documents import Document, first_of
from otap.formats.json.paths import JsonPath, described
from otap.trajectory import PARSED, SCHEMA_VERSION, Step, Trajectory, parse_trajectory

NAME = "otap"
DESCRIPTION = f"OTAP's own format, {SCHEMA_VERSION}: a trajectory, a list of them, or one a line"
STEP = "each item of 'steps', as written"
KNOWN_BY = (
    "'schema_version' that begins with 'otap.', or 'steps' with an 'id' each, if most keys are"
    " those of this format"
)
BY_ITEM = True


def recognises(value: Any) -> bool:
    """Returns whether the schema version names this format, or the steps look like its steps."""
    first = first_of(value)
    if not isinstance(first, dict):
        return False
    version = first.get("schema_version")
    if isinstance(version, str) and version.startswith("otap."):
        return True
    return _has_steps(first)


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Returns the trajectories as they are written.

    ``reasoning`` has no effect: each step already has its kind.
    """
    del reasoning
    return document.map(_trajectory)


def _has_steps(value: dict[str, Any]) -> bool:
    steps = value.get("steps")
    if not isinstance(steps, list):
        return False
    if not steps:  # "do nothing" is a trajectory, but only without unknown fields
        return value.keys() <= Trajectory.model_fields.keys()
    first = steps[0]
    if not isinstance(first, dict) or "id" not in first:
        return False
    # A few unknown keys are mistakes, and become an error with their path. If most keys are
    # unknown, the file is in another format.
    valid_keys = len(value.keys() & Trajectory.model_fields) + len(first.keys() & Step.model_fields)
    return 2 * valid_keys > len(value) + len(first)


def _trajectory(value: Any, path: JsonPath) -> Trajectory:
    version = path.object(value).get("schema_version", SCHEMA_VERSION)
    if version != SCHEMA_VERSION:
        version_text = f"'{shown(version)}'" if isinstance(version, str) else described(version)
        raise path["schema_version"].error(
            f"is {version_text}; this version reads '{SCHEMA_VERSION}'"
        )
    return parse_trajectory(value, path, context=PARSED)

"""Plans: ``otap.plan/1``, TOML or JSON. They are references, and no runs."""

import tomllib
from collections.abc import Iterator, Sequence
from datetime import date, datetime, time
from typing import Any

from otap._patterns import regex
from otap.errors import shown
from otap.formats.json.documents import Document, first_of
from otap.formats.json.paths import JsonPath
from otap.formats.limits import Limits
from otap.plans import Plan, parse_plan
from otap.plans.model import SCHEMA_VERSION
from otap.trajectory import Trajectory

NAME = "otap-plan"
DESCRIPTION = f"a plan, {SCHEMA_VERSION}: what a run must, may and must never do; a reference alone"
STEP = "each item of 'steps', as one of the runs that fulfil the plan has it"
KNOWN_BY = f"'schema_version' that is '{SCHEMA_VERSION}'; TOML has it in its first lines"


_STEP = regex(r"\s*\[\[\s*steps\s*\]\]")


class Toml(dict[str, Any]):
    """The table of a file, with the lines in which its steps begin."""

    lines: Sequence[int] = ()


def recognises(value: Any) -> bool:
    """Says whether this is a plan: it says so itself."""
    first = first_of(value)
    return isinstance(first, dict) and str(first.get("schema_version")).startswith("otap.plan/")


def parse(data: bytes, place: JsonPath, limits: Limits) -> Any:
    """Returns the object that TOML stands for; dates become texts.

    Raises:
        FormatError: if it is no TOML.
    """
    del limits
    try:
        text = data.decode("utf-8-sig")
        found = Toml(_plain(tomllib.loads(text)))
        if "steps" in found and "schema_version" not in found:
            raise place.error(
                f'names no format; a plan begins with schema_version = "{SCHEMA_VERSION}"'
            )
        found.lines = [k for k, line in enumerate(text.splitlines(), 1) if _STEP.match(line)]
        return found
    except RecursionError:
        raise place.error("is nested too deep for a plan") from None
    except ValueError as error:  # TOML that is none, or bytes that are no text
        raise place.error(f"not valid TOML ({shown(error, 120)})") from None


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_plain(one) for one in value]
    return value.isoformat() if isinstance(value, date | datetime | time) else value


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Refuses: a plan is no run.

    Raises:
        FormatError: always.
    """
    del reasoning
    raise document.root.error(
        "is a plan, which is no run; pass it as a reference: -r, or otap.read_references"
    )
    yield


def references(document: Document) -> Iterator[Plan]:
    """Yields the plans."""
    for value, place in document.items():
        version = place.object(value).get("schema_version")
        if version != SCHEMA_VERSION:
            raise place["schema_version"].error(
                f"is '{shown(version)}'; this version reads '{SCHEMA_VERSION}'"
            )
        yield parse_plan(value, place, getattr(value, "lines", ()))

"""Plans: ``otap.plan/1``, TOML or JSON. A plan is a reference and never a run."""

import tomllib
from collections.abc import Iterator, Sequence
from datetime import date, datetime, time
from typing import Any

from otap._patterns import regex
from otap.errors import shown
from otap.formats.json.documents import Document, first_of
from otap.formats.json.paths import JsonPath
from otap.formats.limits import Limits
from otap.plans.model import SCHEMA_VERSION, Plan, parse_plan
from otap.trajectory import Trajectory

NAME = "otap-plan"
DESCRIPTION = f"a plan, {SCHEMA_VERSION}: what a run must, may and must never do; only a reference"
STEP = "each item of 'steps', in one of the runs that fulfil the plan"
KNOWN_BY = f"'schema_version' that is '{SCHEMA_VERSION}'; in TOML, in the first lines"


_STEP_HEADER = regex(r"\s*\[\[\s*steps\s*\]\]")


class Toml(dict[str, Any]):
    """The table of a TOML file, with the line numbers of its steps."""

    lines: Sequence[int] = ()


def recognises(value: Any) -> bool:
    """Returns whether the schema version names a plan."""
    first = first_of(value)
    return isinstance(first, dict) and str(first.get("schema_version")).startswith("otap.plan/")


def parse(data: bytes, path: JsonPath, limits: Limits) -> Any:
    """Returns the table of a TOML file, with dates as texts.

    Raises:
        FormatError: if this is not valid TOML.
    """
    del limits
    try:
        text = data.decode("utf-8-sig")
        table = Toml(without_dates(tomllib.loads(text)))
    except RecursionError:
        raise path.error("is nested too deep for a plan") from None
    except ValueError as error:  # invalid TOML, or bytes that are not text
        raise path.error(f"not valid TOML ({shown(error, 120)})") from None
    if "steps" in table and "schema_version" not in table:
        raise path.error(f'names no format; a plan begins with schema_version = "{SCHEMA_VERSION}"')
    lines = enumerate(text.splitlines(), 1)
    table.lines = [number for number, line in lines if _STEP_HEADER.match(line)]
    return table


def without_dates(value: Any) -> Any:
    """Returns the values of a TOML file with its dates as texts, as JSON has them."""
    if isinstance(value, dict):
        return {key: without_dates(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [without_dates(inner) for inner in value]
    return value.isoformat() if isinstance(value, date | datetime | time) else value


def read(document: Document, *, reasoning: bool = False) -> Iterator[Trajectory]:
    """Refuses the plan, because it is not a run.

    Raises:
        FormatError: always. A plan with a mistake is refused because of the mistake.
    """
    del reasoning
    for _ in references(document):
        pass
    raise document.root.error(
        "is a plan, not a run; pass it as a reference: -r, or otap.read_references"
    )
    yield


def references(document: Document) -> Iterator[Plan]:
    """Yields the plans."""
    for value, path in document.items():
        version = path.object(value).get("schema_version")
        if version != SCHEMA_VERSION:
            raise path["schema_version"].error(
                f"is '{shown(version)}'; this version reads '{SCHEMA_VERSION}'"
            )
        yield parse_plan(value, path, getattr(value, "lines", ()))

"""Times beyond what any calendar has, wherever a file tells one: no time, or refused in a line."""

import copy
import re
from itertools import product
from pathlib import Path

import pytest

from otap import formats
from otap.errors import FormatError
from otap.formats import Document, format_of, read_document

DATA = Path(__file__).parent / "made"
TIMES = [
    *(1e308, -1e30, 1e30, 10**30, -(10**30), float(2**63), 253402300800, True),
    *("1e308", "9" * 26, "-5", "", "10000-01-01T00:00:00Z", "0000-01-01"),
    *("9999-12-31T23:59:59-23:59", "0001-01-01T00:00:00+23:59"),
]
NAMED = re.compile(r"time|_at$|start|end$|created|date|stamp|completed", re.IGNORECASE)
LARGE = 300_000  # bytes; larger files tell times where the smaller ones do


def places(value, path=()):
    """Yields the path of each value that is a time by its key."""
    for key, child in value.items() if isinstance(value, dict) else enumerate(value):
        if isinstance(child, dict | list):
            yield from places(child, (*path, key))
        elif isinstance(key, str) and NAMED.search(key):
            yield (*path, key)


def changed(value, path, new):
    """Returns a copy of the value with another one at a path."""
    result = inner = copy.deepcopy(value)
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = new
    return result


def documents():
    """Every file with times that a test has, once for each format and key, with the path."""
    known = set()
    for file in sorted(path for path in DATA.rglob("*.json*") if path.stat().st_size < LARGE):
        try:
            document = read_document(file)
            name = format_of(document).NAME
        except FormatError:
            continue
        for path in places(document.value) if isinstance(document.value, dict | list) else ():
            if (name, path[-1]) not in known:
                known.add((name, path[-1]))
                yield document, path


def test_times_that_no_calendar_has():
    """What is read can be written; what cannot be read is a clean error."""
    known = list(documents())
    assert len(known) > 50
    for (document, path), time in product(known, TIMES):
        odd = Document(document.path, changed(document.value, path, time), "0", document.lines)
        try:
            for run in format_of(odd).read(odd, reasoning=False):
                run.to_json()
        except FormatError as error:
            assert str(error).isprintable(), (document.path, path, time)


def test_times_of_other_units(write):
    """Jaeger counts microseconds: what is finite there may not be so in nanoseconds."""
    span = {
        "traceID": "1", "spanID": "a", "operationName": "execute_tool f", "references": [],
        "startTime": 1_700_000_000_000_000, "duration": 10, "processID": "p",
        "tags": [
            {"key": "gen_ai.operation.name", "type": "string", "value": "execute_tool"},
            {"key": "gen_ai.tool.name", "type": "string", "value": "f"},
        ],
    }  # fmt: skip
    for odd in (
        {},
        {"startTime": 1e308},
        {"duration": 1e308},
        {"duration": 253_000_000_000_000_000},
    ):
        trace = {"traceID": "1", "spans": [{**span, **odd}], "processes": {"p": {}}}
        path = write({"data": [trace]})
        if odd:
            with pytest.raises(FormatError, match=r"is not a time from|outside the years"):
                formats.read(path)
        else:
            assert len(formats.read(path).steps) == 1

"""Checks that OTAP reads the objects of a host as its file, and tells a good run from a wrong one.

As a program: ``python -m hosts.check NAME`` prints a line of the table of hosts.
"""

import contextlib
import importlib
import json
import sys
import tempfile
from importlib import metadata
from pathlib import Path
from typing import Any

import otap
from hosts.scenario import GOOD, WRONG, Call
from otap.errors import FormatError

ANSWERING = ("final_answer",)  # tools by which an agent of smolagents answers


def assert_reads(live: Any, calls: list[Call]) -> None:
    """Asserts that an object gives the calls, arguments, results and failures of its run."""
    run = otap.parse(live)
    steps = [step for step in run.steps if step.tool not in ANSWERING]
    assert [step.tool for step in steps] == [call.tool for call in calls], run.steps
    assert [step.arguments for step in steps] == [call.arguments for call in calls]
    for step, call in zip(steps, calls, strict=True):
        assert call.result is None or call.result in str(step.effect), step.effect
        assert (step.status == "error") == (call.result is None), step
    assert run.unread.unknown == {}, run.unread


def _facts(run: otap.Trajectory) -> list[tuple[Any, ...]]:
    return [(step.tool, step.arguments, step.effect, step.status) for step in run.steps]


def assert_host(host: Any) -> list[str]:
    """Asserts all that a host promises. Returns the names of its objects."""
    good, wrong = host.objects(GOOD), host.objects(WRONG)
    names, path = list(good), Path(tempfile.mkdtemp()) / "run.json"
    for name, live in good.items():
        try:
            assert_reads(live, GOOD)
            result = otap.score(live, good[name])
            assert result.score == 1, result.score
            assert otap.score(wrong[name], live).severity == "critical"
        except (AssertionError, otap.errors.OtapError) as error:
            raise AssertionError(f"{name}: {error}") from error
    for name, live in getattr(host, "parts", lambda _: {})(GOOD).items():
        assert_reads(live, GOOD[:1])
        names.append(name)
    if hasattr(host, "file"):
        path.write_text(json.dumps(host.file(GOOD)))
        assert _facts(otap.read(path)) == _facts(otap.parse(next(iter(good.values()))))
    stranger = host.unknown()
    try:
        otap.parse(stranger)
    except FormatError as error:
        assert type(stranger).__name__ in str(error), error
    else:
        raise AssertionError(f"{type(stranger).__name__} was not refused")
    return names


def main(name: str) -> None:
    """Prints a row of the table: the host, its releases, its objects."""
    with contextlib.redirect_stdout(sys.stderr):  # hosts print what their agents do
        host = importlib.import_module(f"hosts.{name}_host")
        names = ", ".join(f"`{kind}`" for kind in assert_host(host))
    releases = ", ".join(f"{package} {metadata.version(package)}" for package in host.PACKAGES)
    print(f"| {releases} | {names} |")


if __name__ == "__main__":
    main(sys.argv[1])

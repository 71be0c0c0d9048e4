"""What is counted of a file: the same of every family, by its raw text and by its reader."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from otap import formats
from otap.trajectory import Step, Trajectory

Object = dict[str, Any]


@dataclass
class Run:
    """What is counted of one run: calls by tool, those that failed, the user's texts, its end."""

    calls: Counter[str] = field(default_factory=Counter)
    failed: int = 0
    said: int = 0
    outcome: float | None = None


@dataclass
class Counts:
    """The runs of a file, in its order, and the actions by name of each gold that it carries."""

    runs: list[Run]
    golds: list[Counter[str]] = field(default_factory=list)


def documents(file: Path) -> list[Any]:
    """The JSON of a file: one value, or one a line."""
    text = file.read_text("utf-8-sig")
    try:
        return [json.loads(text)]
    except ValueError:
        return [json.loads(line) for line in text.splitlines() if line.strip()]


def unfolded(value: Any) -> Any:
    """A value in which each text that holds JSON is what it holds."""
    if isinstance(value, str):
        try:
            return unfolded(json.loads(value)) if value[:1] in ("{", "[", '"') else value
        except ValueError:
            return value
    if isinstance(value, dict):
        return {key: unfolded(child) for key, child in value.items()}
    return [unfolded(child) for child in value] if isinstance(value, list) else value


def inside(value: Any) -> Iterator[Object]:
    """Every object in a value, itself first."""
    if isinstance(value, dict):
        yield value
    children = value.values() if isinstance(value, dict) else value
    if isinstance(value, dict | list):
        for child in children:
            yield from inside(child)


def read(file: Path) -> Counts:
    """What the reader makes of a file."""
    (trace,) = formats.open_files(file)
    runs = [_run(run) for run in trace.runs()]
    return Counts(runs, [_run(gold).calls for gold in trace.references()])


def _run(run: Trajectory) -> Run:
    steps = list(_all(run.steps))
    failed = sum(step.status == "error" for step in steps)
    return Run(_by_tool(steps), failed, len(run.request), run.outcome)


def _all(steps: Sequence[Step]) -> Iterator[Step]:
    for step in steps:
        yield step
        yield from _all(step.substeps)


def _by_tool(steps: Iterable[Step]) -> Counter[str]:
    return Counter(step.tool or step.kind for step in steps)

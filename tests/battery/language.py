"""How a case of the battery is written: calls, runs, and what people expect of their scores."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import otap
from otap.trajectory import parse_trajectory

MARGIN = 1e-9  # one score is above another
SAME = 1e-3  # two scores are the same

StepData = dict[str, Any]


class Above(NamedTuple):
    """One run scores higher than another."""

    better: str
    worse: str


class Equal(NamedTuple):
    """Two runs score the same."""

    a: str
    b: str


class Finds(NamedTuple):
    """A finding of that kind is told; with a step, one that names it, of run or reference."""

    run: str
    kind: str
    step: str | None = None


class Silent(NamedTuple):
    """No finding of that kind is told; without a kind, none at all."""

    run: str
    kind: str | None = None


class Shown(NamedTuple):
    """The run says the same in other words: at most a minor finding shows it."""

    run: str


class Critical(NamedTuple):
    """The worst finding of the run is critical: a gate stops it."""

    run: str


class Calm(NamedTuple):
    """No finding of the run is critical: a gate lets it pass."""

    run: str


Expectation = Above | Equal | Finds | Silent | Shown | Critical | Calm


class Case(NamedTuple):
    """Some runs of one task, and what nearly everyone who gates agents expects of them."""

    id: str
    phenomenon: str
    why: str
    references: tuple[otap.Trajectory, ...]
    runs: Mapping[str, otap.Trajectory]
    expect: tuple[Expectation, ...]


def call(
    tool: str,
    /,
    arguments: Mapping[str, Any] | None = None,
    *,
    effect: Any = None,
    status: str | None = None,
    id: str | None = None,  # noqa: A002 - the name of the field
    turn: int | None = None,
    agent: str | None = None,
    action: str | None = None,
    substeps: Sequence[StepData] = (),
    depends_on: Sequence[str] | None = None,
    **given: Any,
) -> StepData:
    """A tool call; what is not given is not recorded. Names that are taken go into `arguments`."""
    recorded = {
        "id": id, "effect": effect, "status": status, "turn": turn, "agent": agent,
        "action": action, "depends_on": depends_on,
    }  # fmt: skip
    step = {"kind": "tool", "tool": tool, "arguments": {**(arguments or {}), **given}}
    step |= {field: value for field, value in recorded.items() if value is not None}
    return {**step, "substeps": _numbered(substeps)} if substeps else step


def think(text: str) -> StepData:
    """A step without a call."""
    return {"kind": "reasoning", "action": text}


def run(
    *steps: StepData, request: Iterable[str] = (), metadata: Mapping[str, Any] | None = None
) -> otap.Trajectory:
    """A run; the steps without an id are called by their place, from 1."""
    return parse_trajectory(
        {"request": list(request), "steps": _numbered(steps), "metadata": dict(metadata or {})}
    )


def label(case: Case, expectation: Expectation) -> str:
    """The id of an expectation."""
    parts = (part for part in expectation if part is not None)
    return "/".join((case.id, type(expectation).__name__.lower(), *parts))


_KNOWN: dict[tuple[otap.Scorer, str, str], otap.Score] = {}


def scored(case: Case, name: str, scorer: otap.Scorer) -> otap.Score:
    """The score of a run of a case, computed once."""
    known = _KNOWN.get((scorer, case.id, name))
    if known is None:
        known = scorer.score(case.runs[name], case.references)
        _KNOWN[scorer, case.id, name] = known
    return known


def holds(expectation: Expectation, case: Case, scorer: otap.Scorer) -> bool:
    """Whether a scorer does as expected; one that refuses to score does not."""
    try:
        return _holds(expectation, case, scorer)
    except otap.OtapError:
        return False


def _holds(expectation: Expectation, case: Case, scorer: otap.Scorer) -> bool:
    match expectation:
        case Above(better, worse):
            high, low = (scored(case, name, scorer).score for name in (better, worse))
            return high - low > MARGIN
        case Equal(a, b):
            return abs(scored(case, a, scorer).score - scored(case, b, scorer).score) <= SAME
        case Finds(name, kind, step):
            return any(
                found.kind == kind and (step is None or step in (*found.agent, *found.reference))
                for found in scored(case, name, scorer).findings
            )
        case Critical(name):
            return scored(case, name, scorer).severity == "critical"
        case Shown(name):
            return scored(case, name, scorer).severity in (None, "minor")
        case Calm(name):
            return scored(case, name, scorer).severity != "critical"
        case Silent(name, kind):
            findings = scored(case, name, scorer).findings
            return not any(kind is None or found.kind == kind for found in findings)


def _numbered(steps: Sequence[StepData]) -> list[StepData]:
    return [{"id": str(place), **step} for place, step in enumerate(steps, 1)]

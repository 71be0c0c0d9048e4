"""What the runs call: how often, in how many runs, and what it is taken for."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from otap.scoring.prepare.recognition import Role, recognised
from otap.trajectory import Step, Trajectory

KEYS = 8  # of arguments, that are named


@dataclass
class Calls:
    """The calls of a tool.

    ``roles`` counts what they are taken for, ``keys`` the names of their arguments.
    """

    runs: int = 0
    roles: Counter[Role] = field(default_factory=Counter)
    keys: Counter[str] = field(default_factory=Counter)

    @property
    def named_keys(self) -> tuple[str, ...]:
        """The names of arguments, the most used first."""
        ordered = sorted(self.keys, key=lambda key: (-self.keys[key], key))
        return tuple(ordered[:KEYS])


def calls_of(runs: Iterable[Trajectory]) -> dict[str, Calls]:
    """Returns the tools that runs call, the most runs first."""
    found: dict[str, Calls] = {}
    for run in runs:
        steps = [step for step in _all(run.steps) if step.tool]
        for step in steps:
            calls = found.setdefault(step.tool or "", Calls())
            calls.roles[recognised(step, run.tools)] += 1
            if isinstance(step.arguments, dict):
                calls.keys.update(list(step.arguments))
        for tool in {step.tool or "" for step in steps}:
            found[tool].runs += 1
    return dict(sorted(found.items(), key=lambda one: (-one[1].runs, one[0])))


def _all(steps: Sequence[Step]) -> Iterator[Step]:
    """Steps with those inside them."""
    for step in steps:
        yield step
        yield from _all(step.substeps)

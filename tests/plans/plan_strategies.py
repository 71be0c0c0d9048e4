"""Random plans, and runs that fulfil them or not."""

from random import Random
from typing import Any

from builders import run_of
from otap.plans import Plan, parse_plan
from otap.trajectory import Trajectory

TOOLS = ("create_order", "pay_invoice", "send_mail", "delete_file", "get_order", "list_files")
VALUES = ("A1", "B2", "C3", 5, 70, "Lima", "Oslo")


def draw_pattern(rng: Random) -> tuple[Any, Any]:
    """A pattern, and a value that it allows."""
    value: Any = rng.choice(VALUES)
    number = rng.randint(0, 90)
    return rng.choice(
        [
            (value, value),
            ({"any": True}, value),
            ({"one_of": [value, rng.choice(VALUES)]}, value),
            ({"min": 0, "max": 100}, number),
            ({"max": 100}, number),
            ({"glob": "?*"}, value),
            ({"optional": value}, value),
        ]
    )


def draw_step(rng: Random, name: str, **more: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """A step of a plan, and a call that is what it asks for."""
    drawn = {key: draw_pattern(rng) for key in ("thing", "place")[: rng.randint(1, 2)]}
    tool = rng.choice(TOOLS)
    step = {"id": name, "tool": tool, "arguments": {key: one for key, (one, _) in drawn.items()}}
    return {**step, **more}, {"tool": tool, "arguments": {key: v for key, (_, v) in drawn.items()}}


def draw_plan(rng: Random, size: int) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The data of a plan, and the calls of a run that fulfils it, in an order that it allows."""
    steps: list[dict[str, Any]] = []
    calls: list[dict[str, Any]] = []
    for k in range(size):
        after = [f"s{n}" for n in range(k) if rng.random() < 0.2]
        step, call = draw_step(rng, f"s{k}", after=after)
        kind = rng.random()
        if kind < 0.2:
            step["need"] = "optional"
            calls += [call] if rng.random() < 0.5 else []
        elif kind < 0.35:
            inner = [draw_step(rng, f"s{k}{letter}") for letter in "ab"]
            step = {"id": f"s{k}", "after": after, "one_of": [[one] for one, _ in inner]}
            calls.append(rng.choice(inner)[1])
        elif kind < 0.5:
            step["times"] = [1, 3]
            calls += [call] * rng.randint(1, 3)
        else:
            calls.append(call)
        steps.append(step)
    return {"schema_version": "otap.plan/1", "id": "p", "steps": steps}, calls


def make_run(calls: list[dict[str, Any]]) -> Trajectory:
    """A run of these calls."""
    return run_of(*({"id": f"r{k}", **call, "effect": "done"} for k, call in enumerate(calls)))


def damage(rng: Random, calls: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Calls that are no more what was asked for."""
    broken = [dict(call) for call in calls]
    for _ in range(rng.randint(1, 3)):
        kind = rng.random()
        if kind < 0.4 and broken:
            del broken[rng.randrange(len(broken))]
        elif kind < 0.7 and broken:
            one = rng.choice(broken)
            one["arguments"] = {**one["arguments"], "thing": "Z9"}
        else:
            broken.insert(rng.randint(0, len(broken)), draw_step(rng, "x")[1])
    return broken


def plan_of(data: dict[str, Any]) -> Plan:
    """The plan of some data."""
    return parse_plan(data)

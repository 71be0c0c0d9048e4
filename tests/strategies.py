"""Random trajectories: small vocabularies of tools, texts and data, over random graphs."""

import random
from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from otap.trajectory import Step, Trajectory, parse_trajectory

TOOLS = ("search", "filter", "rank", "book")
ACTIONS = ("Look for hotels in Rome.", "Drop what is too dear.", "Take the best one.", "Pay.")
ARGUMENTS: tuple[Any, ...] = (
    None, {}, {"city": "Rome", "guests": 2}, {"city": "Oslo"}, {"ids": [1, 2, {"a": "b"}]}, "raw",
)  # fmt: skip
EFFECTS: tuple[Any, ...] = (None, "Nothing was found.", {"found": 3}, "Three rooms are free.")
STATES: tuple[Any, ...] = (None, {"booked": False}, {"booked": True, "seats": 2})


@st.composite
def trajectories(
    draw: st.DrawFn, least: int = 1, most: int = 8, states: bool = True, chain: bool | None = None
) -> Trajectory:
    """A run of ``least`` to ``most`` steps with explicit dependencies; often a chain."""
    size = draw(st.integers(least, most))
    is_chain = draw(st.booleans()) if chain is None else chain
    return parse_trajectory(
        {"steps": [_step(draw, index, is_chain, states) for index in range(size)]}
    )


def _step(draw: st.DrawFn, index: int, chain: bool, states: bool) -> dict[str, Any]:
    earlier = [f"s{k}" for k in range(index)]
    needs = earlier[-1:] if chain else [one for one in earlier if draw(st.integers(0, 2)) == 0]
    step: dict[str, Any] = {"id": f"s{index}", "depends_on": needs}
    step["action"] = draw(st.sampled_from(ACTIONS))
    if draw(st.integers(0, 7)) == 0:
        return {**step, "kind": "reasoning"}
    step["tool"] = draw(st.sampled_from(TOOLS))
    step["arguments"] = draw(st.sampled_from(ARGUMENTS))
    step["effect"] = draw(st.sampled_from(EFFECTS))
    if states:
        step["state"] = draw(st.sampled_from(STATES))
    return step


def relisted(run: Trajectory, seed: int) -> Trajectory:
    """The same graph of the same steps, listed in another order under other ids."""
    order = random.Random(seed).sample(range(len(run.steps)), len(run.steps))
    names = {step.id: f"x{place}" for place, step in enumerate(run.steps)}
    return run.model_copy(update={"steps": tuple(_renamed(run.steps[k], names) for k in order)})


def _renamed(step: Step, names: dict[str, str]) -> Step:
    needs = tuple(names[parent] for parent in step.depends_on or ())
    return step.model_copy(update={"id": names[step.id], "depends_on": needs})


def backwards(data: Any) -> Any:
    """The same JSON with the keys of every object in the opposite order."""
    if isinstance(data, dict):
        return {key: backwards(data[key]) for key in reversed(data)}
    if isinstance(data, Sequence) and not isinstance(data, str):
        return [backwards(item) for item in data]
    return data

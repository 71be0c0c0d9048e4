"""The order that ``after`` asks for must have no cycle, also through alternatives."""

from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from otap import formats
from otap._work import WorkAccount
from otap.errors import FormatError
from otap.plans import list_expansions, parse_plan, plan_graph
from otap.trajectory import parse_trajectory


def step(
    name: str, *after: str, one_of: list[list[dict[str, Any]]] | None = None
) -> dict[str, Any]:
    """A step that comes after others: a call, or alternatives."""
    content = {"tool": f"{name}_it"} if one_of is None else {"one_of": one_of}
    return {"id": name, "after": list(after), **content}


CYCLES = {
    "self": ([step("a", "a")], "a -> a"),
    "two": ([step("a", "b"), step("b", "a")], "a -> b -> a"),
    "three": ([step("a", "b"), step("b", "c"), step("c", "a")], "a -> b -> c -> a"),
    "a step with alternatives after itself": (
        [step("fix", "fix", one_of=[[step("a")], [step("b")]])],
        "fix -> fix",
    ),
    "after its own alternative": (
        [step("fix", "a", one_of=[[step("a"), step("b", "a")]])],
        "fix -> a -> fix",
    ),
    "an alternative after its own step": (
        [step("fix", one_of=[[step("a", "fix")], [step("b")]])],
        "a -> fix -> a",
    ),
    "through a step with alternatives": (
        [step("x", "fix"), step("fix", one_of=[[step("a", "x")], [step("b")]])],
        "x -> fix -> a -> x",
    ),
    "between two steps with alternatives": (
        [
            step("p", one_of=[[step("a", "q")], [step("b")]]),
            step("q", one_of=[[step("c", "p")], [step("d")]]),
        ],
        "a -> q -> c -> p -> a",
    ),
    "nested alternatives": (
        [step("out", "a", one_of=[[step("in", one_of=[[step("a")], [step("b")]])]])],
        "out -> a -> in -> out",
    ),
    "a nested alternative after the outer step": (
        [step("out", one_of=[[step("in", one_of=[[step("a", "out")], [step("b")]])]])],
        "a -> out -> in -> a",
    ),
    "between alternatives of one step": (
        [step("fix", one_of=[[step("a", "b")], [step("b", "a")]])],
        "a -> b -> a",
    ),
}


def rotations(cycle: str) -> set[str]:
    """The same cycle from each of its steps, in one direction."""
    names = cycle.split(" -> ")[:-1]
    turned = [names[k:] + names[: k + 1] for k in range(len(names))]
    return {" -> ".join(one) for one in turned}


@pytest.mark.parametrize("name", CYCLES)
def test_a_cycle_is_refused_and_named(name: str) -> None:
    """With all of its steps, in one line."""
    steps, cycle = CYCLES[name]
    with pytest.raises(FormatError, match="'after' has a cycle: ") as error:
        parse_plan({"schema_version": "otap.plan/1", "steps": steps})
    message = str(error.value)
    named = message.partition("has a cycle: ")[2].partition(";")[0]
    assert named in rotations(cycle)
    assert "\n" not in message
    assert ("part of their 'one_of' step" in message) is any("one_of" in one for one in steps)


def test_a_plan_with_a_mistake_is_refused_because_of_it(tmp_path: Path) -> None:
    """Also where a plan is no input: ``otap graph`` shows the mistake."""
    path = tmp_path / "plan.toml"
    path.write_text(
        'schema_version = "otap.plan/1"\n[[steps]]\nid = "fix"\nafter = ["a"]\n'
        'one_of = [[{ id = "a", tool = "open" }, { id = "b", tool = "edit", after = ["a"] }]]\n'
    )
    with pytest.raises(FormatError, match="'after' has a cycle"):
        formats.read(path)


def test_alternatives_may_have_an_order() -> None:
    """Within one, between two of one step, and before and after the step."""
    inner = [[step("a"), step("b", "a")], [step("c", "b"), step("d", "first")]]
    steps = [step("first"), step("fix", "first", one_of=inner), step("last", "fix", "a")]
    plan = parse_plan({"schema_version": "otap.plan/1", "steps": steps})
    assert len(plan_graph(plan)[0].steps) == 7


def unit_vectors(texts: list[str]) -> NDArray[Any]:
    """The same vector for each text."""
    return np.ones((len(texts), 1))


def draw_steps(rng: Random, names: list[str], size: int, depth: int) -> list[dict[str, Any]]:
    """Steps without ``after``, some with alternatives; their names are added to a list."""
    steps = []
    for _ in range(size):
        name = f"s{len(names)}"
        names.append(name)
        if depth < 2 and rng.random() < 0.4:
            alternatives = [
                draw_steps(rng, names, rng.randint(1, 2), depth + 1)
                for _ in range(rng.randint(1, 2))
            ]
            steps.append({"id": name, "one_of": alternatives})
        else:
            steps.append({"id": name, "tool": rng.choice("abc"), "times": [0, 2]})
        if rng.random() < 0.3:
            steps[-1].pop("times", None)
            steps[-1]["need"] = "optional"
    return steps


def add_order(rng: Random, steps: list[dict[str, Any]], names: list[str], share: float) -> None:
    """Gives some of the steps a random ``after``."""
    for one in steps:
        one["after"] = [name for name in names if rng.random() < share]
        for alternative in one.get("one_of", []):
            add_order(rng, alternative, names, share)


def test_a_random_plan_is_refused_or_ends() -> None:
    """Its expansions and its graph are listed in bounded time, and every outcome is met."""
    rng = Random(0)
    refused = 0
    for _ in range(400):
        names: list[str] = []
        steps = draw_steps(rng, names, rng.randint(1, 3), 0)
        add_order(rng, steps, names, rng.choice([0.05, 0.15, 0.3]))
        calls = [{"id": str(k), "tool": rng.choice("abcd")} for k in range(rng.randint(0, 4))]
        run = parse_trajectory({"steps": calls})
        try:
            plan = parse_plan({"schema_version": "otap.plan/1", "steps": steps})
        except FormatError as error:
            assert "'after' has a cycle" in str(error)
            refused += 1
            continue
        account = WorkAccount(50_000_000, "run")
        assert 1 <= len(list_expansions(plan, run, unit_vectors, account)) <= 16
        assert len(plan_graph(plan)[0].steps) == len(names)
    assert 100 < refused < 350

"""The tools of runs: which role each is taken for, and why."""

from random import Random

import pytest

import desk
import otap
from otap.errors import ConfigError
from otap.learning import ToolRoles
from otap.learning.tools import ToolRole
from otap.trajectory import Step, ToolFacts


def tools_of(runs: list[otap.Trajectory], config: otap.Config | None = None) -> dict[str, ToolRole]:
    """The tools of runs by name."""
    return {tool.name: tool for tool in otap.learn(runs, config=config).tools}


def test_every_tool_is_listed() -> None:
    """Those of the most runs come first, with their calls and the keys of their arguments."""
    runs = desk.runs(tasks=4)
    found = otap.learn(runs)
    assert found.runs == len(runs)
    assert [tool.name for tool in found.tools] == ["get_user", "refund", desk.MISREAD]
    refund = found.tools[1]
    assert (refund.runs, refund.roles) == (len(runs), {"writes": len(runs)})
    assert refund.arguments == ("amount", "order_id")


def test_the_order_of_runs_does_not_matter() -> None:
    """The record is the same to the last character, and reads back as itself."""
    runs = desk.runs(tasks=4)
    found = otap.learn(runs)
    Random(1).shuffle(runs)
    assert otap.learn(iter(runs)).to_json() == found.to_json()
    assert ToolRoles.model_validate_json(found.to_json()) == found


def test_outcomes_do_not_matter() -> None:
    """Runs with and without outcomes have the same tools."""
    runs = desk.runs(tasks=2)
    unlabelled = [run.model_copy(update={"outcome": None}) for run in runs]
    assert otap.learn(unlabelled).tools == otap.learn(runs).tools


def test_why_a_tool_has_its_role() -> None:
    """The settings, its definition, its arguments, its name, or none of these."""
    calls = [
        ("refund", None),
        ("ledger", None),
        ("stock", None),
        ("server.stock", None),
        ("pay_later", {"dry_run": True}),
        ("bash", {"command": "ls"}),
        ("bash", {"command": "rm x"}),
        ("notes", None),
    ]
    steps = [
        Step(id=str(index), tool=tool, arguments=arguments)
        for index, (tool, arguments) in enumerate(calls)
    ]
    facts = {"stock": ToolFacts(read_only=True), "refund": ToolFacts(destructive=False)}
    run = otap.Trajectory(steps=steps, tools=facts)
    found = tools_of([run], otap.Config(tools={"thinks": ["notes"]}))
    assert {name: (tool.reason, set(tool.roles)) for name, tool in found.items()} == {
        "refund": ("name", {"writes"}),
        "ledger": ("default", {"writes"}),
        "stock": ("definition", {"reads"}),
        "server.stock": ("definition", {"reads"}),
        "pay_later": ("arguments", {"reads"}),
        "bash": ("arguments", {"reads", "writes"}),
        "notes": ("settings", {"thinks"}),
    }


def test_sub_steps_are_calls_too() -> None:
    """The tools inside a call are listed, and reasoning steps are not."""
    inner = Step(id="1", tool="get_user")
    thought = Step(id="2", kind="reasoning", action="think")
    run = otap.Trajectory(steps=[Step(id="0", tool="refund", substeps=(inner,)), thought])
    assert set(tools_of([run])) == {"refund", "get_user"}


def test_a_file_name_is_refused() -> None:
    """The error says how to read the file."""
    with pytest.raises(ConfigError, match="'runs/' is the name of a file"):
        otap.learn("runs/")  # type: ignore[arg-type]

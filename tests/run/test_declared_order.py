"""An order that is said: each call of a tool needs the nearest earlier one of another."""

import pytest

import otap
from otap.errors import ConfigError
from otap.run import dependency_graph, with_order
from otap.trajectory import Step, Trajectory

CHAIN = ("check", "refund", "mail")


def run(tools: str, turns: str = "") -> Trajectory:
    """Returns a run of calls by the first letters of their tools."""
    names = {name[0]: name for name in (*CHAIN, "note")}
    steps = [
        Step(id=str(k), tool=names[letter], arguments={"text": f"{letter} done"},
             turn=int(turns[k]) if turns else None)
        for k, letter in enumerate(tools)
    ]  # fmt: skip
    return Trajectory(id="run", steps=tuple(steps))


def edges(tools: str, turns: str = "") -> list[tuple[int, int]]:
    """Returns the edges that the chain adds to a run of which nothing is known."""
    trajectory = run(tools, turns)
    graph = with_order(dependency_graph(trajectory, "conflicts"), trajectory, [CHAIN])
    return [(edge.source, edge.target) for edge in graph.edges]


@pytest.mark.parametrize(
    ("tools", "expected"),
    [
        ("crm", [(0, 1), (1, 2)]),
        ("ccr", [(1, 2)]),
        ("crr", [(0, 1), (0, 2)]),
        ("rc", []),
        ("cm", []),
        ("cnrcrm", [(0, 2), (3, 4), (4, 5)]),
    ],
)
def test_the_nearest_earlier_call(tools: str, expected: list[tuple[int, int]]) -> None:
    """Each call needs the last one before it; neighbours in the chain alone are in order."""
    assert edges(tools) == expected


def test_parallel_calls_are_not_earlier() -> None:
    """A call of the same turn was not made before; one of an earlier turn was."""
    assert edges("cr", "11") == []
    assert edges("cncr", "1222") == [(0, 3)]


@pytest.mark.parametrize("spelling", ["mcp__shop__{}", "shop.{}", "functions.{}", "{}"])
def test_tools_by_their_other_names(spelling: str) -> None:
    """What is said of refund holds for the refund of a server, on either side."""
    good = run("crn")
    renamed = [step.model_copy(update={"tool": spelling.format(step.tool)}) for step in good.steps]
    served = Trajectory(id="run", steps=tuple(renamed))
    graph = with_order(dependency_graph(served, "conflicts"), served, [["Check", "refund"]])
    assert [(edge.source, edge.target) for edge in graph.edges] == [(0, 1)]
    backwards = Trajectory(id="run", steps=(renamed[1], renamed[0], renamed[2]))
    scorer = otap.Scorer(otap.Config(order=[["check", "refund"]]))
    assert scorer.score(served, good).score == 1
    assert [finding.kind for finding in scorer.score(backwards, good).findings] == ["reversed"]


def test_a_refund_before_the_policy_check_costs_where_it_is_said() -> None:
    """No value flows between the two: with nothing said both orders are as good."""
    good, bad = run("crn"), run("rcn")
    assert otap.score(bad, good).score == 1
    for recognise in (True, False):
        scorer = otap.Scorer(otap.Config(order=[["check", "refund"]], recognise=recognise))
        assert scorer.score(good, good).score == 1
        found = scorer.score(bad, good)
        assert found.score < 1
        assert [finding.kind for finding in found.findings] == ["reversed"]
        assert "against the order that the settings require" in found.findings[0].sentence


def test_a_chain_has_two_tools_or_more_each_once() -> None:
    """One tool is in no order, and none comes before itself."""
    for chain in (["check"], ["check", "check"], ["check", ""]):
        with pytest.raises(ConfigError, match=r"order\[0\]"):
            otap.Config(order=[chain])


def test_what_is_said_is_in_the_signature() -> None:
    """Scores under another order do not compare; the name of the preset stays."""
    said = otap.Scorer(otap.Config(order=[CHAIN])).score(run("crm"), run("crm")).signature
    assert said.order == (CHAIN,)
    assert said.preset == "default"

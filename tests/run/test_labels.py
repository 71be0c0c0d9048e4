"""The tracer against people who read real runs, and two such people against each other.

The labels and their rules are in tests/data/tau_bench. Value flow is what the tracer looks for:
the kinds value and derived; control edges show in no value and are left out.
"""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

import otap
from otap.run import dependency_graph

LABELS = Path(__file__).parents[1] / "data" / "tau_bench"
RUNS = Path("tau-bench", "gpt-4o-airline.tasks-0-24.json")
FLOW = ("value", "derived")

Pairs = set[tuple[str, int, int]]


def labelled(name: str) -> dict[str, dict[str, Any]]:
    """Returns one labeller's runs by name."""
    text = (LABELS / f"{name}.json").read_text(encoding="utf-8")
    return {run["run"]: run for run in json.loads(text)["runs"]}


FIRST, SECOND = labelled("edges_first"), labelled("edges_second")
SPLIT: dict[str, list[str]] = json.loads((LABELS / "split.json").read_text(encoding="utf-8"))


def true_edges(labels: dict[str, dict[str, Any]], runs: list[str], kinds: Iterable[str]) -> Pairs:
    """Returns the labelled edges of these kinds, calls numbered from 1."""
    return {
        (run, edge["from"], edge["to"])
        for run in runs
        for edge in labels[run]["edges"]
        if edge["kind"] in kinds
    }


@pytest.mark.parametrize("part", ["dev", "test"])
def test_traced_edges_are_those_that_people_see(real_data: Path, part: str) -> None:
    """Precision and recall of edges are at least .90, on runs never developed on as well."""
    found: Pairs = set()
    for name in SPLIT[part]:
        graph = dependency_graph(otap.read(real_data / RUNS, run=name), "traced")
        found |= {(name, edge.source + 1, edge.target + 1) for edge in graph.edges}
    true = true_edges(FIRST, SPLIT[part], FLOW)
    precision, recall = len(found & true) / len(found), len(found & true) / len(true)
    print(f"\n{part}: {len(true)} edges, precision {precision:.3f}, recall {recall:.3f}")
    assert min(precision, recall) >= 0.90


@pytest.mark.parametrize(("kinds", "least"), [(FLOW, 1.00), ((*FLOW, "control"), 0.95)])
def test_two_people_see_the_same_edges(kinds: tuple[str, ...], least: float) -> None:
    """The labels of runs that two people read apart agree: F1 over the edges of both."""
    first = true_edges(FIRST, SPLIT["second"], kinds)
    second = true_edges(SECOND, SPLIT["second"], kinds)
    agreement = 2 * len(first & second) / (len(first) + len(second))
    print(f"\n{'+'.join(kinds)}: {len(first)} and {len(second)} edges, agreement {agreement:.3f}")
    assert agreement >= least


def test_the_split() -> None:
    """Six runs to develop on, six others to test on, four of them read by a second person."""
    assert len({*SPLIT["dev"], *SPLIT["test"]}) == len(FIRST) == 12
    assert len(SPLIT["dev"]) == len(SPLIT["test"]) == 6
    assert set(SPLIT["second"]) == set(SECOND) < set(FIRST) == {*SPLIT["dev"], *SPLIT["test"]}


@pytest.mark.parametrize("labels", [FIRST, SECOND], ids=["first", "second"])
def test_labels_are_well_formed(real_data: Path, labels: dict[str, dict[str, Any]]) -> None:
    """Each edge joins two calls of the run, forwards, once, with a kind and a reason."""
    for name, run in labels.items():
        assert run["calls"] == len(otap.read(real_data / RUNS, run=name).steps)
        pairs = [(edge["from"], edge["to"]) for edge in run["edges"]]
        assert len(set(pairs)) == len(pairs)
        assert all(1 <= source < target <= run["calls"] for source, target in pairs)
        assert all(edge["kind"] in (*FLOW, "control") for edge in run["edges"])
        assert all(edge["reason"] for edge in run["edges"])
        assert all(edge["value"] for edge in run["edges"] if edge["kind"] == "value")

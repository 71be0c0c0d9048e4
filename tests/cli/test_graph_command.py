"""``otap graph``: the dependency graph of a run, in four forms."""

import json
from pathlib import Path

from commands import GOLD, Otap


def test_graph(otap_: Otap) -> None:
    """As a drawing, JSON, Mermaid and DOT."""
    assert "6 steps, 6 dependencies, traced" in otap_("graph", GOLD).out
    assert "sequential" in otap_("graph", GOLD, "--dependencies", "sequential").out
    assert json.loads(otap_("graph", GOLD, "--json").out)["mechanism"] == "traced"
    assert otap_("graph", GOLD, "--mermaid").out.startswith("flowchart TD\n")
    assert otap_("graph", GOLD, "--dot").out.startswith("digraph {\n")
    done = otap_("graph", GOLD, "--dot", "--json")
    assert (done.code, done.out) == (2, "")
    assert done.err == "otap: --mermaid, --dot and --json exclude each other; choose one\n"
    assert otap_("graph", GOLD, "--dependencies", "explicit").code == 2
    assert "dependencies: Input should be 'auto'" in otap_("graph", GOLD, "--dependencies", "x").err


def test_settings(otap_: Otap, tmp_path: Path) -> None:
    """What does not count is left out, and dependencies lead through it; a chain is an edge."""
    (tmp_path / "my.toml").write_text(
        'order = [["hotel_search", "book_room"]]\n[tools]\nignore = ["rank_hotels"]'
    )
    found = json.loads(otap_("graph", GOLD, "--json", "--config", "my.toml").out)
    steps = [step["id"] for step in found["steps"]]
    assert steps == ["search", "filter-price", "filter-location", "select", "book"]
    edges = [(edge["source"], edge["target"]) for edge in found["edges"]]
    assert ("filter-price", "select") in edges
    assert ("search", "book") in edges
    whole = json.loads(otap_("graph", GOLD, "--json").out)
    assert len(whole["steps"]) == 6

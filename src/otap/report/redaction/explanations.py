"""An explanation without what its run and its references say."""

from dataclasses import replace
from typing import Any

from otap._patterns import regex
from otap.alignment import Change, PairDetails
from otap.dependencies import DependencyGraph
from otap.dependencies.graph import Edge, Evidence
from otap.report.redaction.scores import hidden_result
from otap.report.redaction.stand_ins import StandIns
from otap.report.redaction.trajectories import hidden_steps, hidden_trajectory
from otap.scoring import Against, Explanation, Side

_KEY = regex(r"[^.\[\]]+")
_FIELDS = ("arguments", "effect", "state", "action", "tool", "request", "told")


def hidden_explanation(found: Explanation, names: StandIns) -> Explanation:
    """Returns an explanation with a stand-in for each text, value and name; tools stay."""
    against = tuple(_against(one, names) for one in found.against)
    return Explanation(hidden_result(found.score, names), against)


def _against(found: Against, names: StandIns) -> Against:
    """Sides first: the ids of steps are shown or hidden by their tools."""
    run, reference = _side(found.run, "run", names), _side(found.reference, "reference", names)
    details = {
        (names.step(a), names.step(b)): _details(one, names)
        for (a, b), one in found.details.items()
    }
    return Against(found.place, hidden_result(found.score, names), run, reference, details)


def _side(side: Side, kind: str, names: StandIns) -> Side:
    return replace(
        side,
        recorded=hidden_trajectory(side.recorded, kind, names),
        steps=hidden_steps(side.steps, names),
        left_out=hidden_steps(side.left_out, names),
        graph=_graph(side.graph, names),
    )


def _details(found: PairDetails, names: StandIns) -> PairDetails:
    return replace(found, changes=tuple(_change(one, names) for one in found.changes))


def _change(one: Change, names: StandIns) -> Change:
    values: dict[str, Any] = {
        name: names.value(getattr(one, name)) for name in ("run", "reference", "here")
    }
    return replace(one, path=_path(one.path, names, depth=1), how="", **values)


def _graph(graph: DependencyGraph, names: StandIns) -> DependencyGraph:
    edges = tuple(_edge(edge, names) for edge in graph.edges)
    return DependencyGraph(graph.size, edges, graph.mechanism)


def _edge(edge: Edge, names: StandIns) -> Edge:
    evidence = tuple(
        Evidence(
            names.text(one.value), _place(one.source_path, names), _place(one.target_path, names)
        )
        for one in edge.evidence
    )
    return replace(edge, evidence=evidence)


def _place(path: str, names: StandIns) -> str:
    """A path that begins with a field of a step."""
    field, _, rest = path.partition(".")
    root = field.partition("[")[0]
    if root not in _FIELDS:
        return _path(path, names, depth=0)
    below = _path(rest, names, depth=int(root == "arguments"))
    start = root + _path(field.removeprefix(root), names, depth=0)
    return f"{start}.{below}" if rest else start


def _path(path: str, names: StandIns, depth: int) -> str:
    """A path of keys; so many of the first may be names of arguments, the others are hidden."""
    keys = iter(range(len(path)))

    def shown(key: str) -> str:
        if key.isdigit():
            return key
        return names.argument(key) if next(keys) < depth else names.key(key)

    return _KEY.sub(lambda found: shown(found[0]), path)

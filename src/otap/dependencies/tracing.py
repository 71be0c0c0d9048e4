"""Dependencies by value flow: the provenance of each value that a call uses.

The rule, in the order in which it is applied to each value of a call's arguments and action:

1. A value too common to mean anything is no evidence (:func:`otap.dependencies.specificity.
   specificity` is 0). So is a capitalised word that stands in a longer text on both sides:
   sentences begin with one, and in German all nouns do.
2. Where did the value enter the run? If the user said it before the call, no effect was needed to
   know it: no edge. The same if a call used it before any effect showed it. An identifier is the
   exception: an early use of one was a guess, and later calls can still have read it.
3. Otherwise the call reads from [Bernstein1987] the step whose effect showed the value; an echo of
   that step's own arguments shows nothing. If several showed it, the one that showed most of the
   value's own record (a flight number and its date belong together); then the first.
4. Steps of one turn ran in parallel and never depend on each other.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import islice

from otap.dependencies.graph import Edge, Evidence
from otap.dependencies.specificity import IDENTIFIER, is_capitalised, specificity
from otap.dependencies.utterances import Utterances
from otap.dependencies.values import Leaf, leaves
from otap.trajectory import Step, Trajectory

EVIDENCE_KEPT = 8  # values kept as evidence of one edge
CANDIDATES = 64  # steps that are compared by a value's record, the first ones that showed the value


def traced_edges(trajectory: Trajectory, *, capitals: bool = False) -> tuple[Edge, ...]:
    """Returns the edges of value flow: from the step that showed a value first to each use of it.

    Ordered by target and then source. The confidence of an edge is the specificity of its most
    specific value; its evidence are the EVIDENCE_KEPT most specific values.

    Args:
        trajectory: the run.
        capitals: whether a capitalised word in longer texts of both sides is evidence as well.
    """
    tracer = _Tracer(trajectory, capitals)
    return tuple(
        edge for target in range(len(trajectory.steps)) for edge in tracer.edges_into(target)
    )


class _Tracer:
    """An inverted index of one trajectory: for each value the steps that showed or used it."""

    def __init__(self, trajectory: Trajectory, capitals: bool) -> None:
        self.steps, self.capitals = trajectory.steps, capitals
        self.utterances = Utterances(trajectory)
        self.used = [_used(step) for step in self.steps]
        self.first_used: dict[str, int] = {}
        self.shown: dict[str, dict[int, str]] = defaultdict(dict)  # value -> step -> path
        # Capitalised words, each with the steps that show it by itself.
        self.names: set[tuple[str, int]] = set()
        self.known: list[set[str]] = []  # values in each step's arguments or effect
        for index, step in enumerate(self.steps):
            used = {leaf.value for leaf in self.used[index]}
            for value in used:
                self.first_used.setdefault(value, index)
            shown = leaves(step.effect, "effect")
            for leaf in shown:
                if leaf.value not in used:  # an echo shows nothing
                    self.shown[leaf.value].setdefault(index, leaf.path)
                    if not leaf.is_part and is_capitalised(leaf.value):
                        self.names.add((leaf.value, index))
            self.known.append(used | {leaf.value for leaf in shown})

    def edges_into(self, target: int) -> Iterator[Edge]:
        """The edges that end at one step."""
        records = _Records(self.used[target], self.known)
        found: dict[int, dict[str, tuple[Evidence, float]]] = defaultdict(dict)
        for leaf in self.used[target]:
            confidence = specificity(leaf.value) if leaf.value in self.shown else 0.0
            source = self._source(leaf, target, records) if confidence else None
            if source is not None:
                evidence = Evidence(leaf.value, self.shown[leaf.value][source], leaf.path)
                found[source].setdefault(leaf.value, (evidence, confidence))
        for source in sorted(found):
            yield _edge(source, target, list(found[source].values()))

    def _source(self, leaf: Leaf, target: int, records: "_Records") -> int | None:
        """The step from which a call has a value; None if it is the user's, or the call's own."""
        possible = (s for s in self._showing(leaf) if self._may_feed(s, target))
        showed = list(islice(possible, CANDIDATES if leaf.record else 1))
        if not showed or self.utterances.mention(leaf.value, target):
            return None
        if self.first_used[leaf.value] <= showed[0] and specificity(leaf.value) < IDENTIFIER:
            return None
        if len(showed) == 1:
            return showed[0]
        return max(showed, key=lambda step: (records.shared(leaf.record, step), -step))

    def _showing(self, leaf: Leaf) -> Iterator[int]:
        """The steps that show a value; a capitalised word in a text, those that show it alone."""
        in_text = not self.capitals and leaf.is_part and is_capitalised(leaf.value)
        shown = self.shown.get(leaf.value, ())
        return (step for step in shown if not in_text or (leaf.value, step) in self.names)

    def _may_feed(self, source: int, target: int) -> bool:
        turn = self.steps[target].turn
        return source < target and (turn is None or self.steps[source].turn != turn)


class _Records:
    """The values of each record inside a call's arguments; those at the top belong to none.

    Args:
        used: the values of the call.
        known: the values in each step's arguments or effect.
    """

    def __init__(self, used: Sequence[Leaf], known: Sequence[set[str]]) -> None:
        self._known = known
        self._values: dict[str, set[str]] = defaultdict(set)
        for leaf in used:
            if leaf.record:
                self._values[leaf.record].add(leaf.value)
        self._shared: dict[tuple[str, int], int] = {}  # a record is asked for once a value

    def shared(self, record: str, step: int) -> int:
        """How many values of a record a step knows."""
        place = record, step
        if place not in self._shared:
            self._shared[place] = len(self._values.get(record, set()) & self._known[step])
        return self._shared[place]


def _used(step: Step) -> Sequence[Leaf]:
    said = leaves(step.action, "action") if step.action else ()
    return [*leaves(step.arguments, "arguments"), *said]


def _edge(source: int, target: int, found: Sequence[tuple[Evidence, float]]) -> Edge:
    """An edge is as sure as its most specific value; the most specific ones are kept."""
    ranked = sorted(found, key=lambda item: -item[1])
    evidence = tuple(item[0] for item in ranked[:EVIDENCE_KEPT])
    return Edge(source, target, confidence=ranked[0][1], evidence=evidence)

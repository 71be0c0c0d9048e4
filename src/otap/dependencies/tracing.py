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
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from otap._caching import cached_property
from otap.dependencies.content import (
    Content,
    Leaf,
    Path,
    content,
    leaves,
    leaves_of,
    values_of,
    written,
)
from otap.dependencies.graph import Edge, Evidence
from otap.dependencies.specificity import IDENTIFIER, is_capitalised, specificity
from otap.dependencies.utterances import Utterances
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


class _Use(NamedTuple):
    """A value that a call uses.

    field: "arguments" or "action".
    specificity: how specific the value is, above 0.
    """

    field: str
    leaf: Leaf
    specificity: float


class _Tracer:
    """An inverted index of one trajectory: for each value the steps that showed or used it."""

    def __init__(self, trajectory: Trajectory, capitals: bool) -> None:
        self.steps, self.capitals = trajectory.steps, capitals
        self.utterances = Utterances(trajectory)
        self.uses = [_uses(step) for step in self.steps]
        self.used = [_used(step) for step in self.steps]
        self.effects = [content(step.effect) for step in self.steps]

    @cached_property
    def first_used(self) -> Mapping[str, int]:
        """For each value the first step that uses it."""
        found: dict[str, int] = {}
        for index in range(len(self.steps) - 1, -1, -1):
            found.update(dict.fromkeys(self.used[index], index))
        return found

    @cached_property
    def shown(self) -> Mapping[str, Sequence[int]]:
        """For each value that says something to a call the steps that show it, but as an echo."""
        wanted = {use.leaf.value for uses in self.uses for use in uses}
        found: dict[str, list[int]] = {}
        for index, effect in enumerate(self.effects):
            for value in (effect.read(values_of) & wanted) - self.used[index]:
                found.setdefault(value, []).append(index)
        return found

    def edges_into(self, target: int) -> Iterator[Edge]:
        """The edges that end at one step."""
        records = _Records(self.steps[target], self._known)
        found: dict[int, dict[str, _Use]] = defaultdict(dict)
        for use in self.uses[target]:
            value = use.leaf.value
            source = self._source(use, target, records) if value in self.shown else None
            if source is not None and value not in found[source]:
                found[source][value] = use
        for source in sorted(found):
            yield self._edge(source, target, found[source].values())

    def _edge(self, source: int, target: int, uses: Collection[_Use]) -> Edge:
        """An edge is as sure as its most specific value; the most specific ones are kept."""
        ranked = sorted(uses, key=lambda use: -use.specificity)
        evidence = tuple(self._evidence(use, source) for use in ranked[:EVIDENCE_KEPT])
        return Edge(source, target, confidence=ranked[0].specificity, evidence=evidence)

    def _evidence(self, use: _Use, source: int) -> Evidence:
        shown = self.effects[source].read(_paths)[use.leaf.value]
        paths = f"effect{written(shown)}", f"{use.field}{written(use.leaf.path)}"
        return Evidence(use.leaf.value, *paths)

    def _source(self, use: _Use, target: int, records: "_Records") -> int | None:
        """The step from which a call has a value; None if it is the user's, or the call's own."""
        leaf = use.leaf
        possible = (s for s in self._showing(leaf) if self._may_feed(s, target))
        showed = list(islice(possible, CANDIDATES if leaf.record else 1))
        if not showed or self.utterances.mention(leaf.value, target):
            return None
        if self.first_used[leaf.value] <= showed[0] and use.specificity < IDENTIFIER:
            return None
        if len(showed) == 1:
            return showed[0]
        return max(showed, key=lambda step: (records.shared(use, step), -step))

    def _showing(self, leaf: Leaf) -> Iterator[int]:
        """The steps that show a value; a capitalised word in a text, those that show it alone."""
        in_text = not self.capitals and leaf.is_part and is_capitalised(leaf.value)
        shown = self.shown.get(leaf.value, ())
        return (s for s in shown if not in_text or leaf.value in self.effects[s].read(_names))

    def _may_feed(self, source: int, target: int) -> bool:
        turn = self.steps[target].turn
        return source < target and (turn is None or self.steps[source].turn != turn)

    def _known(self, step: int, value: str) -> bool:
        """Whether a value stands in a step's arguments, action or effect."""
        return value in self.used[step] or value in self.effects[step].read(values_of)


class _Records:
    """The values of each record inside a call's arguments; those at the top belong to none.

    Args:
        step: the call.
        known: says whether a step knows a value.
    """

    def __init__(self, step: Step, known: Callable[[int, str], bool]) -> None:
        self._step, self._known = step, known
        self._shared: dict[tuple[str, Path, int], int] = {}  # a record is asked for once a value

    @cached_property
    def _values(self) -> Mapping[tuple[str, Path], set[str]]:
        found: dict[tuple[str, Path], set[str]] = defaultdict(set)
        for field in ("arguments", "action"):
            for leaf in leaves(getattr(self._step, field)):
                found[field, leaf.record].add(leaf.value)
        return found

    def shared(self, use: _Use, step: int) -> int:
        """How many values of the record of a value a step knows."""
        place = use.field, use.leaf.record, step
        if place not in self._shared:
            values = self._values[use.field, use.leaf.record]
            self._shared[place] = sum(self._known(step, value) for value in values)
        return self._shared[place]


def _uses(step: Step) -> Sequence[_Use]:
    found = [_Use("arguments", *one) for one in content(step.arguments).read(_specific)]
    said = content(step.action).read(_specific) if step.action else ()
    return [*found, *(_Use("action", *one) for one in said)]


def _used(step: Step) -> frozenset[str]:
    """All values that a call uses."""
    return content(step.arguments).read(values_of) | content(step.action).read(values_of)


def _specific(content: Content) -> Sequence[tuple[Leaf, float]]:
    """The leaves of a content that say something, and how much."""
    known = ((leaf, specificity(leaf.value)) for leaf in content.read(leaves_of))
    return [(leaf, how) for leaf, how in known if how > 0]


def _paths(effect: Content) -> Mapping[str, Path]:
    """For each value of an effect the path of the first leaf that has it."""
    return {leaf.value: leaf.path for leaf in reversed(effect.read(leaves_of))}


def _names(effect: Content) -> frozenset[str]:
    """The capitalised words that an effect shows by themselves."""
    alone = (leaf.value for leaf in effect.read(leaves_of) if not leaf.is_part)
    return frozenset(value for value in alone if is_capitalised(value))

"""A run as it is prepared for comparison: what counts of it, its fields read, its graphs."""

from collections.abc import Callable, Container, Hashable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial, wraps
from operator import attrgetter, eq
from typing import Any, Concatenate, ParamSpec, TypeVar, cast
from weakref import WeakKeyDictionary, ref

import numpy as np
from pydantic import JsonValue

from otap.config import Config
from otap.dependencies import (
    DependencyGraph,
    dependency_graph,
    subgraph,
    with_conflicts,
    with_guards,
    with_order,
    without_guards,
)
from otap.dependencies.drawn import Drawn, Renaming, find_drawn, find_renaming
from otap.dependencies.grounding import Ungrounded, assumed, ungrounded
from otap.dependencies.mechanisms import MECHANISMS, allows
from otap.dependencies.tool_names import same_tools
from otap.matrices import Nodes, ReadSteps, critical_steps, single_nodes, structure_matrix
from otap.matrices.criticality import Goals
from otap.plans import NO_DEMANDS, Demands
from otap.prepare.recognition import ROLES, Role, says_change
from otap.prepare.settings import (
    Array,
    RunSettings,
    keep_compared,
    leave_out,
    read_whole,
    roles_in_full,
    step_roles,
    step_weights,
)
from otap.prepare.substeps import (
    Marks,
    UnseenChanges,
    WholeRun,
    handing_calls,
    hidden_steps,
    unseen_changes,
)
from otap.prepare.told import Told, told_by
from otap.trajectory import Trajectory
from otap.transport import Structure

RENAMED = 4  # renamed runs that a prepared run keeps, and as many more as RENAMED_STEPS allow
RENAMED_STEPS = 10_000  # steps of renamed runs that are kept: of a short run one for each reference
PASSING_STEPS = 10_000  # of the prepared runs that are kept besides references
# Factor of lambda_agent on a look too many where looks count in full: it costs a little less than a
# change too many, or than a look too few.
BESIDES_IN_FULL = 0.9

T = TypeVar("T")
P = ParamSpec("P")


def _once(
    method: Callable[Concatenate["PreparedRun", P], T],
) -> Callable[Concatenate["PreparedRun", P], T]:
    """Keeps what a method returns for the same arguments, for a run whatever it is beside."""

    @wraps(method)
    def look_up(self: "PreparedRun", *args: Hashable) -> Any:
        key = method, *args
        if key not in self._known:
            self._known[key] = cast(Any, method)(self, *args)
        return self._known[key]

    return cast(Callable[Concatenate["PreparedRun", P], T], look_up)


@dataclass(frozen=True, eq=False)
class PreparedRun:
    """What is read of a trajectory, once for everything that it is compared with.

    It does not keep the trajectory alive. What is asked only sometimes is a method or a property.

    Attributes:
        settings: say what counts.
        recorded: the run with what does not count.
        whole: the trajectory of that.
        kept: the places in ``whole`` of the steps that count.
        left_out: the ids of the other steps.
        counted: the trajectory of these, as it was recorded.
        trajectory: the same in the names in which it is compared.
        names: these names, where they are not those recorded.
        read: its steps, by field.
        size: the number of steps that count.
        tools: those that it calls.
        roles: what each step does to the world, as it was said or recognised.
        failed: which steps failed, as far as that is looked at.
        writes: which steps are told to change something; none where that is not looked at.
        handing: which steps hand over to those inside them.
        in_full: the roles that count in full where this run is the reference.
        in_full_besides: the same of what a run does besides it.
        is_required: whether, as a reference, it says only what must happen.
        must_tell: the answers that it asks for as a reference, each once.
        has_substeps: whether some step has steps inside that are compared with it.
        unseen: the changes inside its calls of which the reference shows no inside.
        demands: what is asked for where it is one of the runs that a plan stands for.
    """

    settings: RunSettings = field(repr=False)
    recorded: WholeRun
    whole: Trajectory
    kept: Sequence[int]
    left_out: tuple[str, ...]
    counted: Trajectory
    trajectory: Trajectory
    names: Renaming
    read: ReadSteps
    size: int
    tools: frozenset[str]
    roles: Sequence[Role]
    failed: Marks
    writes: Sequence[bool]
    handing: Marks
    in_full: frozenset[Role]
    in_full_besides: frozenset[Role]
    is_required: bool
    must_tell: tuple[str, ...]
    has_substeps: bool
    unseen: Sequence[UnseenChanges]
    demands: Demands
    _known: dict[Hashable, Any] = field(default_factory=dict, repr=False)
    _nodes: dict[Hashable, Nodes] = field(default_factory=dict, init=False, repr=False)
    _renamings: WeakKeyDictionary["PreparedRun", Renaming] = field(
        default_factory=WeakKeyDictionary, init=False, repr=False
    )
    _views: dict[Hashable, "PreparedRun"] = field(default_factory=dict, init=False, repr=False)
    _named: dict[Hashable, "PreparedRun"] = field(default_factory=dict, init=False, repr=False)

    def beside(self, reference: "PreparedRun") -> "PreparedRun":
        """Returns the run as it is compared with a reference: what it shows too, in its names."""
        run, settings = self, self.settings
        if settings.opens and (self.recorded.inside or reference.recorded.inside):
            run = self._seen_beside(reference.recorded)
        if reference.demands.forbidden:
            run = run._without_leave(reference.demands.forbidden)
        if reference is self or settings.config.arguments != "structured":
            return run
        renaming = self._renamings.get(reference)
        if renaming is None:
            renaming = self._renamings[reference] = self._renaming(reference)
        compared = reference.counted.metadata.get("compared")
        if renaming == Renaming() and not compared:
            return run
        return run._in_names(renaming, compared)

    def _without_leave(self, forbidden: Container[str]) -> "PreparedRun":
        """The run with the calls marked that a plan forbids; what else is known of it stays."""
        roles: list[Role] = [
            "forbidden" if step.id in forbidden else role
            for step, role in zip(self.counted.steps, self.roles, strict=True)
        ]
        return replace(self, roles=roles, _known={})

    def _seen_beside(self, reference: WholeRun) -> "PreparedRun":
        """The run with the steps and the work that can be compared; mostly it is as it is."""
        whole = self.recorded
        key = handing_calls(whole, reference), hidden_steps(whole, reference)
        if key == (handing_calls(whole, whole), frozenset()):
            return self
        if key not in self._views:
            self._views[key] = _prepare_whole(whole, self.settings, *key)
        return self._views[key]

    def _in_names(self, renaming: Renaming, compared: JsonValue) -> "PreparedRun":
        """Only what is compared has other names: its roles and its graphs are those recorded."""
        key = renaming.key, str(compared)
        if key not in self._named:
            if len(self._named) >= max(RENAMED, RENAMED_STEPS // max(1, self.size)):
                del self._named[next(iter(self._named))]
            named = keep_compared(renaming.of(self.counted), compared)
            read = self.read.renamed(named.steps)
            self._named[key] = replace(self, names=renaming, trajectory=named, read=read)
        return self._named[key]

    def _renaming(self, reference: "PreparedRun") -> Renaming:
        tools = same_tools(self.tools, reference.tools)
        theirs = reference.drawn()
        # Where nothing is drawn in a reference, the run needs no look.
        return find_renaming(self.drawn(), theirs, tools) if theirs.named else Renaming(tools=tools)

    @_once
    def drawn(self) -> Drawn:
        """The identifiers that its environment drew."""
        known = "writes" if self.settings.config.recognise else None
        return find_drawn(self.whole, list(map(partial(eq, known), self.recorded.roles)))

    @property
    @_once
    def ungrounded(self) -> Sequence[Ungrounded]:
        """The arguments without a ground, in the order in which they were used."""
        return ungrounded(self.whole)

    @property
    @_once
    def assumed(self) -> frozenset[str]:
        """The values that are used without a ground."""
        return assumed(self.whole)

    @property
    @_once
    def told(self) -> Told | None:
        """What it told its user; None where that is not recorded."""
        texts = told_by(self.whole)
        return None if texts is None else Told(texts)

    @_once
    def weights(self, in_full: frozenset[Role]) -> Array:
        """Returns the weight of each step where these roles count in full."""
        return step_weights(self.counted.steps, self.roles, in_full, self.settings)

    @property
    @_once
    def weight(self) -> float:
        """What its steps weigh where it is the reference."""
        return float(self.weights(self.in_full).sum())

    def penalties(self, reference: "PreparedRun") -> Array:
        """Returns the factor of lambda_agent of each step against a reference."""
        if not self.settings.config.recognise:
            return np.ones(self.size)
        besides, full = self.settings.config.counts.besides, reference.in_full_besides
        by_role = {**dict.fromkeys(ROLES, besides), **dict.fromkeys(full, BESIDES_IN_FULL)}
        if "writes" in full:
            by_role["writes"] = 1.0
        by_role["forbidden"] = 1.0
        return np.where(self.failed, besides, list(map(by_role.__getitem__, self.roles)))

    @property
    @_once
    def mechanisms(self) -> frozenset[str]:
        """The ways in which its dependencies can be found, conflicts only without others."""
        found = set(filter(partial(allows, self.whole), MECHANISMS))
        if found & {"explicit", "traced"} or not self.graph("conflicts").edges:
            found.discard("conflicts")
        return frozenset(found)

    @_once
    def graph(self, mechanism: str) -> DependencyGraph:
        """Returns its dependencies, found by a mechanism, direct or through what does not count.

        Raises:
            DependencyError: if the trajectory does not record what the mechanism needs.
        """
        capitals = self.settings.config.arguments == "text"
        counted, whole = self.counted, self.whole
        if mechanism in ("conflicts", "sequential") or counted is whole:
            found = dependency_graph(counted, mechanism, self.writes, capitals=capitals)
        else:
            found = dependency_graph(whole, mechanism, capitals=capitals)
            found = subgraph(self.recorded.joined(found), self.kept)
        if mechanism == "traced":
            found = with_conflicts(found, counted, self.writes, says_change)
        if mechanism in ("traced", "conflicts"):
            found = with_guards(found, counted, self.writes)
        order = self.settings.config.order
        return with_order(found, counted, order) if order else found

    @_once
    def structure(self, mechanism: str, precedence: float) -> Structure:
        """Returns the structure matrix of its dependencies."""
        return structure_matrix(self.graph(mechanism), precedence)

    @_once
    def critical(self, mechanism: str, goals: Goals, known: bool) -> Marks:
        """Returns its critical steps.

        Args:
            mechanism: how its dependencies are found.
            goals: what counts as a goal.
            known: whether its dependencies are known; if not, only goals that are declared are.

        Raises:
            FormatError: if a declared goal is no step of it.
        """
        graph = without_guards(self.graph(mechanism))
        if not known:
            if "goals" not in self.counted.metadata:
                return np.zeros(graph.size, dtype=np.bool_)
            graph = DependencyGraph(graph.size, (), graph.mechanism)
        # What a call does that hands over is done by others, who may have been asked otherwise.
        return critical_steps(self.counted, graph, goals) & ~self.handing

    def nodes(
        self,
        mechanism: str,
        precedence: float,
        reference: "PreparedRun",
        critical: Marks | None = None,
    ) -> Nodes:
        """Returns each of its steps as a node of a transport problem against a reference.

        Raises:
            DependencyError: if the trajectory does not record what the mechanism needs.
        """
        full = reference.in_full, reference.in_full_besides
        key = mechanism, precedence, *full, None if critical is None else critical.tobytes()
        if key not in self._nodes:
            self._nodes[key] = single_nodes(
                self.read,
                self.graph(mechanism),
                self.structure(mechanism, precedence),
                self.weights(reference.in_full),
                critical,
                penalties=self.penalties(reference),
                roles=self.roles,
                failed=self.failed,
            )
        return self._nodes[key]


def prepare(trajectory: Trajectory, settings: RunSettings) -> PreparedRun:
    """Returns what is compared of a run.

    Args:
        trajectory: the run as it was recorded.
        settings: say which of its steps and arguments count.

    Raises:
        FormatError: if two steps have one id after flattening.
        LimitError: if sub-steps nest deeper than ``max_depth``.
    """
    whole = read_whole(trajectory, settings)
    opened = settings.opens and whole.inside
    handing = handing_calls(whole, whole) if opened else frozenset[int]()
    return _prepare_whole(whole, settings, handing)


def _prepare_whole(
    whole: WholeRun,
    settings: RunSettings,
    handing: frozenset[int],
    hidden: frozenset[int] = frozenset(),
) -> PreparedRun:
    kept, counted = leave_out(whole, settings, hidden)
    places, config = list(kept), settings.config
    left_out: tuple[str, ...] = ()
    if counted is not whole.trajectory:
        ids, among = frozenset(map(attrgetter("id"), counted.steps)), whole.trajectory.steps
        left_out = tuple(step.id for step in among if step.id not in ids)
    own = step_roles(whole.trajectory, settings, handing) if handing else whole.roles
    roles, failed = list(map(own.__getitem__, places)), whole.failed[places]
    writes = np.zeros(len(places), dtype=np.bool_)
    if config.recognise or config.dependencies == "conflicts":
        writes = (np.array(roles, dtype=object) == "writes") & ~failed
    in_full = roles_in_full(counted, roles, settings)
    is_required = counted.metadata.get("reference", config.reference) == "required"
    besides: frozenset[Role] = frozenset({"writes"}) if is_required else in_full
    if counted.metadata.get("others") == "allowed":
        besides = frozenset()
    return PreparedRun(
        settings=settings,
        recorded=whole,
        whole=whole.trajectory,
        kept=kept,
        left_out=left_out,
        counted=counted,
        trajectory=counted,
        names=Renaming(),
        read=ReadSteps(counted.steps, settings.rules),
        size=len(places),
        tools=frozenset(map(attrgetter("tool"), counted.steps)) - {None},
        roles=roles,
        failed=failed,
        writes=writes.tolist(),
        handing=np.array(list(map(handing.__contains__, places)), dtype=np.bool_),
        in_full=in_full,
        in_full_besides=besides,
        is_required=is_required,
        must_tell=tuple(dict.fromkeys(counted.must_tell)),
        has_substeps=any(map(attrgetter("substeps"), counted.steps)),
        unseen=unseen_changes(whole, hidden) if hidden else (),
        demands=getattr(counted, "demands", NO_DEMANDS),
    )


def own_graph(trajectory: Trajectory, config: Config) -> tuple[Trajectory, DependencyGraph]:
    """Returns the steps of a run that count by the settings, and who of them needed whom.

    Sub-steps stand beside their outer steps. An edge leads through what does not count.

    Args:
        trajectory: the run as it was recorded.
        config: says what counts, how dependencies are found, and which tools have an order.

    Raises:
        DependencyError: if the run does not record what the mechanism needs.
        LimitError: if its sub-steps are too deep.
    """
    settings = RunSettings(config)
    whole = read_whole(trajectory, settings)
    kept, counted = leave_out(whole, settings)
    mechanism = "auto" if config.dependencies == "order" else config.dependencies
    writes = (np.array(whole.roles, dtype=object) == "writes") & ~whole.failed
    capitals = config.arguments == "text"
    found = dependency_graph(whole.trajectory, mechanism, writes.tolist(), capitals=capitals)
    return counted, with_order(subgraph(whole.joined(found), kept), counted, config.order)


class PreparedRuns:
    """The prepared runs of trajectories that are alive, each made once while it is kept.

    By identity: to compare two trajectories costs more than to read one. What was read goes when
    its trajectory goes. References are kept until then, since many runs are compared with them; of
    the runs themselves, which are hardly ever met again, the latest.
    """

    def __init__(self, settings: RunSettings) -> None:
        self._settings = settings
        self._known: dict[int, tuple[ref[Trajectory], PreparedRun]] = {}
        self._passing: dict[int, int] = {}  # the steps of those that may go, the latest last
        self._room = PASSING_STEPS

    def of(self, trajectory: Trajectory, *, passes: bool = False) -> PreparedRun:
        """Returns the prepared run of a trajectory.

        Args:
            trajectory: it is kept while that is alive.
            passes: keep it only while few others come, unless it is kept already.
        """
        key = id(trajectory)
        steps = self._passing.pop(key, 0)
        self._room += steps
        known = self._known.get(key)
        if known is None or known[0]() is not trajectory:
            prepared = prepare(trajectory, self._settings)
            known = self._known[key] = ref(trajectory, lambda _: self._forget(key)), prepared
            steps = max(1, prepared.size)
        if passes and steps:
            self._passing[key] = steps
            self._room -= steps
            while self._room < 0 and len(self._passing) > 1:
                self._forget(next(iter(self._passing)))
        return known[1]

    def _forget(self, key: int) -> None:
        self._room += self._passing.pop(key, 0)
        self._known.pop(key, None)

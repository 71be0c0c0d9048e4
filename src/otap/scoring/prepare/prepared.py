"""A run as it is prepared for comparison: what counts of it, its fields read, its graphs."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from copy import copy
from weakref import WeakKeyDictionary, ref

import numpy as np
from numpy.typing import NDArray

from otap._caching import cached_property
from otap.alignment import Unseen
from otap.dependencies import DependencyGraph, dependency_graph, with_conflicts, with_order
from otap.dependencies.drawn import (
    Drawn,
    Renaming,
    copied_values,
    find_drawn,
    same_values,
    shows_anything,
)
from otap.dependencies.grounding import Grounds, Ungrounded
from otap.dependencies.mechanisms import MECHANISMS, allows
from otap.dependencies.tool_names import same_tools
from otap.errors import LimitError, shown
from otap.matrices import Nodes, ReadSteps, critical_steps, single_nodes, structure_matrix
from otap.matrices.criticality import Goals
from otap.scoring.prepare.answers import told_by
from otap.scoring.prepare.filtering import RunFilter
from otap.scoring.prepare.flattening import Flattened
from otap.scoring.prepare.levels import Levels, Sight
from otap.scoring.prepare.recognition import Role
from otap.scoring.prepare.told import Told
from otap.trajectory import Trajectory
from otap.transport import Structure

RENAMED = 4  # renamed runs that a prepared run keeps, and as many more as RENAMED_STEPS allow
RENAMED_STEPS = 10_000  # steps of renamed runs that are kept: of a short run one for each reference
PASSING_STEPS = 10_000  # of the prepared runs that are kept besides references
# Steps of a side that are scored. Some 140 bytes for each pair of steps are held at once: 5,000
# against 5,000 take 4 GB, and within a minute of one core.
MAX_SCORED = 5_000


class PreparedRun:
    """A prepared run: what is read of a trajectory, once for everything that it is compared with.

    It does not keep the trajectory alive: callers that ask for more than was read so far must.

    Args:
        trajectory: the run as it was recorded.
        run_filter: says which of its steps and arguments count.
        sight: how it is seen beside a reference; None: as it is seen beside itself.
    """

    def __init__(
        self, trajectory: Trajectory, run_filter: RunFilter, sight: Sight | None = None
    ) -> None:
        self._filter, self._sight = run_filter, sight
        unseen = sight.unseen if sight else ()
        self._filtered = (
            None if run_filter.changes_nothing(trajectory) else run_filter.of(trajectory, unseen)
        )
        self._recorded: Callable[[], Trajectory | None] = ref(trajectory)
        steps = (self._filtered.trajectory if self._filtered else trajectory).steps
        self.read = ReadSteps(steps, run_filter.rules)
        self._grounds = Grounds()
        self.names = Renaming()  # those in which it is compared
        self._in_other_names: Trajectory | None = None
        self._renamed: dict[object, PreparedRun] = {}
        self._renamings: WeakKeyDictionary[PreparedRun, Renaming] = WeakKeyDictionary()
        self._graphs: dict[str, DependencyGraph] = {}
        self._structures: dict[tuple[str, float], Structure] = {}
        self._nodes: dict[Hashable, Nodes] = {}
        self._weights: dict[frozenset[Role], NDArray[np.float64]] = {}
        self._critical: dict[tuple[str, str, bool], NDArray[np.bool_]] = {}
        self._seen: dict[Sight, PreparedRun] = {}

    def beside(self, reference: "PreparedRun") -> "PreparedRun":
        """Returns the run as it is seen beside a reference; most are seen as they are."""
        if not self.has_levels and not reference.has_levels:
            return self
        sight = self.levels.sight(reference.levels)
        if sight == self.levels.own:
            return self
        if sight not in self._seen:
            self._seen[sight] = PreparedRun(self._alive, self._filter, sight)
        return self._seen[sight]

    @property
    def has_levels(self) -> bool:
        """Whether some step consists of steps that count beside it."""
        whole = self._filtered.whole if self._filtered else None
        return self._filter.opens and whole is not None and bool(whole.inside)

    @cached_property
    def levels(self) -> Levels:
        """Its calls, and which of them consist of steps."""
        weighing, whole = self._filter.weighing, self.whole
        flat = self._filtered.whole if self._filtered else Flattened(whole)
        return Levels(flat, weighing.roles(whole), weighing.failed(whole.steps))

    @cached_property
    def unseen(self) -> Sequence[Unseen]:
        """The changes inside its calls that are not compared, as the reference shows no inside."""
        return self.levels.changes(self._sight.unseen) if self._sight else ()

    @property
    def trajectory(self) -> Trajectory:
        """The trajectory, without what does not count, in the names in which it is compared."""
        return self._in_other_names or self.counted

    @property
    def counted(self) -> Trajectory:
        """The trajectory, without what does not count, as it was recorded."""
        return self._filtered.trajectory if self._filtered else self._alive

    @property
    def whole(self) -> Trajectory:
        """The trajectory with what does not count."""
        return self._filtered.whole.trajectory if self._filtered else self._alive

    @property
    def kept(self) -> Sequence[int]:
        """The places in ``whole`` of the steps that count."""
        return self._filtered.kept if self._filtered else range(len(self.read.steps))

    @property
    def left_out(self) -> tuple[str, ...]:
        """The ids of the steps that do not count."""
        return self._filtered.left_out if self._filtered else ()

    @property
    def ungrounded(self) -> Sequence[Ungrounded]:
        """The arguments without a ground, in the order in which they were used."""
        return self._grounds.ungrounded(self.whole)

    @property
    def assumed(self) -> frozenset[str]:
        """The values that are used without a ground."""
        return self._grounds.assumed(self.whole)

    @property
    def size(self) -> int:
        """The number of steps that count."""
        return len(self.read.steps)

    @cached_property
    def shows(self) -> bool:
        """Whether some step records what came back, or a state."""
        return shows_anything(self.whole)

    @cached_property
    def drawn(self) -> Drawn:
        """The identifiers that its environment drew."""
        whole = self.whole
        return find_drawn(whole, self._filter.weighing.known_writes(whole))

    @cached_property
    def tools(self) -> frozenset[str]:
        """The tools that it calls."""
        return frozenset(step.tool for step in self.read.steps if step.tool is not None)

    def renaming(self, reference: "PreparedRun") -> Renaming:
        """Returns what has another name in a reference."""
        if reference is self or not self._filter.renames:
            return Renaming()
        if reference not in self._renamings:
            self._renamings[reference] = self._renaming(reference)
        return self._renamings[reference]

    def _renaming(self, reference: "PreparedRun") -> Renaming:
        # A reference that shows nothing needs no look at what is drawn, neither there nor here.
        drawn = reference.shows and bool(reference.drawn.named)
        return Renaming(
            same_values(self.drawn, reference.drawn) if drawn else {},
            same_tools(self.tools, reference.tools),
            copied_values(self.drawn, reference.drawn) if drawn else {},
        )

    def in_names_of(self, reference: "PreparedRun") -> "PreparedRun":
        """Returns the run as it is compared with a reference: in its names of the same things."""
        renaming = self.renaming(reference)
        if not renaming:
            return self
        if renaming.key not in self._renamed:
            if len(self._renamed) >= max(RENAMED, RENAMED_STEPS // max(1, self.size)):
                del self._renamed[next(iter(self._renamed))]
            self._renamed[renaming.key] = self._in_names(renaming)
        return self._renamed[renaming.key]

    def _in_names(self, renaming: Renaming) -> "PreparedRun":
        """Only what is compared has other names: its roles and its graphs are those recorded."""
        found = copy(self)
        found.names = renaming
        found._in_other_names = renaming.of(self.counted)
        found.read = self.read.renamed(found._in_other_names.steps)
        found._nodes = {}
        return found

    @cached_property
    def roles(self) -> list[Role]:
        """What each step does to the world, as it was said or recognised."""
        over = np.flatnonzero(self._hands_over).tolist()
        return self._filter.weighing.roles(self.counted, frozenset(over))

    @cached_property
    def failed(self) -> NDArray[np.bool_]:
        """Which steps failed, as far as that is looked at."""
        return self._filter.weighing.failed(self.read.steps)

    @cached_property
    def writes(self) -> list[bool]:
        """Which steps are told to change something; none where that is not looked at."""
        if not self._filter.weighing.tells_apart:
            return [False] * self.size
        return self._filter.weighing.writes(self.read.steps, self.roles)

    @cached_property
    def recognised(self) -> Mapping[str, set[Role]]:
        """What the calls of each tool do, by tool; nothing where it is not looked at."""
        return self._filter.weighing.recognised(self.read.steps, self.roles)

    @cached_property
    def in_full(self) -> frozenset[Role]:
        """The roles that count in full where this run is the reference."""
        return self._filter.weighing.in_full(self.trajectory, self.roles)

    @property
    def in_full_besides(self) -> frozenset[Role]:
        """The same of what a run does besides it."""
        return frozenset({"writes"}) if self.is_required else self.in_full

    @cached_property
    def is_required(self) -> bool:
        """Whether, as a reference, it says only what must happen."""
        return self._filter.weighing.is_required(self.trajectory)

    @cached_property
    def told(self) -> Told | None:
        """What it told its user; None where that is not recorded."""
        texts = told_by(self.whole)
        return None if texts is None else Told(texts)

    @cached_property
    def must_tell(self) -> tuple[str, ...]:
        """The answers that it asks for as a reference, each once."""
        return tuple(dict.fromkeys(self.trajectory.must_tell))

    def weights(self, in_full: frozenset[Role]) -> NDArray[np.float64]:
        """Returns the weight of each step where these roles count in full."""
        if in_full not in self._weights:
            weighing = self._filter.weighing
            self._weights[in_full] = weighing.weights(self.read.steps, self.roles, in_full)
        return self._weights[in_full]

    @cached_property
    def weight(self) -> float:
        """What its steps weigh where it is the reference."""
        return float(self.weights(self.in_full).sum())

    def penalties(self, reference: "PreparedRun") -> NDArray[np.float64]:
        """Returns the factor of lambda_agent of each step against a reference."""
        full = reference.in_full_besides
        return self._filter.weighing.penalties(self.read.steps, self.roles, full)

    @cached_property
    def has_substeps(self) -> bool:
        """Whether some step has steps inside that are compared with it, not beside it."""
        return any(step.substeps for step in self.read.steps)

    @cached_property
    def mechanisms(self) -> frozenset[str]:
        """The ways in which its dependencies can be found, conflicts only without others."""
        found = {name for name in MECHANISMS if allows(self.whole, name)}
        if found & {"explicit", "traced"} or not self.graph("conflicts").edges:
            found.discard("conflicts")
        return frozenset(found)

    def graph(self, mechanism: str) -> DependencyGraph:
        """Returns its dependencies, found by a mechanism.

        Raises:
            DependencyError: if the trajectory does not record what the mechanism needs.
        """
        if mechanism not in self._graphs:
            found, order = self._found(mechanism), self._filter.order
            self._graphs[mechanism] = with_order(found, self.counted, order) if order else found
        return self._graphs[mechanism]

    def _found(self, mechanism: str) -> DependencyGraph:
        if mechanism == "conflicts":
            return dependency_graph(self.counted, mechanism, self.writes)
        found = (
            self._filtered.graph(mechanism, capitals=self._filter.capitals)
            if self._filtered
            else dependency_graph(self.counted, mechanism, capitals=self._filter.capitals)
        )
        if mechanism == "traced":
            return with_conflicts(found, self.counted, self.writes)
        return found

    def nodes(
        self,
        mechanism: str,
        precedence: float,
        reference: "PreparedRun",
        critical: NDArray[np.bool_] | None = None,
    ) -> Nodes:
        """Returns each of its steps as a node of a transport problem against a reference.

        Raises:
            DependencyError: if the trajectory does not record what the mechanism needs.
        """
        full = reference.in_full, reference.in_full_besides
        said = None if critical is None else critical.tobytes()
        key = mechanism, precedence, *full, said
        if key not in self._nodes:
            self._nodes[key] = self._new_nodes(mechanism, precedence, reference, critical)
        return self._nodes[key]

    def _new_nodes(
        self,
        mechanism: str,
        precedence: float,
        reference: "PreparedRun",
        critical: NDArray[np.bool_] | None,
    ) -> Nodes:
        key = mechanism, precedence
        if key not in self._structures:
            self._structures[key] = structure_matrix(self.graph(mechanism), precedence)
        structure = self._structures[key]
        return single_nodes(
            self.read,
            self.graph(mechanism),
            structure,
            self.weights(reference.in_full),
            critical,
            penalties=self.penalties(reference),
            roles=self.roles,
            failed=self.failed,
        )

    def critical(self, mechanism: str, goals: Goals, known: bool) -> NDArray[np.bool_]:
        """Returns its critical steps.

        Args:
            mechanism: how its dependencies are found.
            goals: what counts as a goal.
            known: whether its dependencies are known; if not, only goals that are declared are.

        Raises:
            FormatError: if a declared goal is no step of it.
        """
        key = mechanism, goals, known
        if key not in self._critical:
            critical = _critical(self.trajectory, self.graph(mechanism), goals, known)
            # What a call does that hands over is done by others, who may have been asked otherwise.
            self._critical[key] = critical & ~self._hands_over
        return self._critical[key]

    def check_size(self) -> None:
        """Refuses what is too long to be scored.

        Raises:
            LimitError: above MAX_SCORED steps.
        """
        if self.size > MAX_SCORED:
            raise LimitError(
                f"{shown(self.trajectory.name)} has {self.size:,} steps, above the limit of "
                f"{MAX_SCORED:,} for scoring; score its parts, or group its steps into sub-steps"
            )

    @cached_property
    def _hands_over(self) -> NDArray[np.bool_]:
        """Which of the steps that count hand over to those inside them."""
        handing = self._handing
        return np.array([place in handing for place in self.kept], dtype=np.bool_)

    @property
    def _handing(self) -> frozenset[int]:
        """The places in ``whole`` of the calls whose work is done inside them."""
        if self._sight:
            return self._sight.handing
        return self.levels.own.handing if self.has_levels else frozenset()

    @property
    def _alive(self) -> Trajectory:
        trajectory = self._recorded()
        assert trajectory is not None
        return trajectory


class PreparedRuns:
    """The prepared runs of trajectories that are alive, each made once while it is kept.

    By identity: to compare two trajectories costs more than to read one. What was read goes when
    its trajectory goes. References are kept until then, since many runs are compared with them; of
    the runs themselves, which are hardly ever met again, the latest.
    """

    def __init__(self, run_filter: RunFilter) -> None:
        self._filter = run_filter
        self._known: dict[int, tuple[ref[Trajectory], PreparedRun]] = {}
        self._passing: dict[int, int] = {}  # the steps of those that may go, the latest last
        self._room = PASSING_STEPS

    def of(self, trajectory: Trajectory) -> PreparedRun:
        """Returns the prepared run of a trajectory, which is kept while that is alive."""
        self._room += self._passing.pop(id(trajectory), 0)
        return self._find(trajectory) or self._made(trajectory)

    def passing(self, trajectory: Trajectory) -> PreparedRun:
        """Returns the prepared run of a trajectory, which is kept while few others come."""
        key, known = id(trajectory), self._find(trajectory)
        if known is None:
            known = self._made(trajectory)
            self._pass(key, max(1, known.size))
        elif key in self._passing:
            self._passing[key] = self._passing.pop(key)
        return known

    def _find(self, trajectory: Trajectory) -> PreparedRun | None:
        known = self._known.get(id(trajectory))
        return known[1] if known is not None and known[0]() is trajectory else None

    def _made(self, trajectory: Trajectory) -> PreparedRun:
        key, prepared = id(trajectory), PreparedRun(trajectory, self._filter)
        self._known[key] = ref(trajectory, lambda _: self._forget(key)), prepared
        return prepared

    def _pass(self, key: int, steps: int) -> None:
        """Notes a run that may go, and lets the oldest of them go where they are too many."""
        self._passing[key] = steps
        self._room -= steps
        while self._room < 0 and len(self._passing) > 1:
            self._forget(next(iter(self._passing)))

    def _forget(self, key: int) -> None:
        self._room += self._passing.pop(key, 0)
        self._known.pop(key, None)


def _critical(
    trajectory: Trajectory, graph: DependencyGraph, goals: Goals, known: bool
) -> NDArray[np.bool_]:
    if known:
        return critical_steps(trajectory, graph, goals)
    if "goals" not in trajectory.metadata:
        return np.zeros(graph.size, dtype=np.bool_)
    return critical_steps(trajectory, DependencyGraph(graph.size, (), graph.mechanism), goals)

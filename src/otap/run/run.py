"""A prepared run: everything that is read of a trajectory once, and its view for one reference."""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

import numpy as np

from otap._caching import cached_property
from otap.config import Config
from otap.graph import DependencyGraph, subgraph
from otap.run.answers import MessagesToUser, list_messages
from otap.run.change_facts import ChangeFacts
from otap.run.columns import StepColumns
from otap.run.criticality import critical_steps
from otap.run.declarations import DeclaredTools
from otap.run.edges import (
    MECHANISMS,
    Mechanism,
    allows,
    dependency_graph,
    with_conflicts,
    with_guards,
    with_order,
    without_free,
    without_guards,
)
from otap.run.free_order import FreeOrder
from otap.run.generated_ids import GeneratedIds, Renaming, find_generated_ids, find_renaming
from otap.run.grounding import Ungrounded, find_assumed, find_ungrounded
from otap.run.harmless import list_harmless, list_logins, list_repeated_settings
from otap.run.index import ValueIndex
from otap.run.leaks import find_leaks, list_sites
from otap.run.notations import Shapes, list_shapes, pair_notations
from otap.run.protections import Switches, read_switches
from otap.run.roles import ROLES, Role, is_assumed_write, names_change
from otap.run.selection import (
    flatten_run,
    keep_compared,
    select_steps,
    with_declared_tools,
)
from otap.run.settings import RunSettings
from otap.run.statements import Statements, list_statements, pair_statements
from otap.run.substeps import (
    Flags,
    FlatRun,
    HiddenChanges,
    delegating_calls,
    hidden_steps,
    list_hidden_changes,
)
from otap.run.weights import Array, full_weight_roles, step_weights
from otap.trajectory import NO_CONSTRAINTS, PlanConstraints, Step, Trajectory
from otap.values.budget import count_reading
from otap.values.tool_names import same_tools

# Penalty factor of an extra look-up where look-ups have full weight. It costs a little less than an
# extra change, or than a missing look-up.
EXTRA_READ_FACTOR = 0.9


@dataclass(frozen=True, eq=False)
class Run:
    """A trajectory prepared for comparison, once for everything that it is compared with.

    It does not keep the trajectory alive. Attributes that few comparisons need are read when they
    are first used.

    Attributes:
        settings: decide which steps and fields count.
        flat: all steps and sub-steps in one list.
        index: the values of these.
        scored_indices: the indices in ``flat`` of the steps that count.
        left_out: the ids of the other steps.
        scored: the trajectory of the steps that count, as recorded.
        columns: these steps, by field.
        size: the number of steps that count.
        tools: the tools that they call.
        roles: the role of each of them, declared or inferred.
        failed: which of them failed, (size,).
        writes: which of them are known to change something.
        delegates: which of them delegate to the steps inside them, (size,).
        full_weight: the roles that have full weight if this run is the reference.
        full_weight_extra: the roles whose extra steps have full weight then.
        is_required: whether, as a reference, it lists only required steps.
        required_answers: the answers that it requires as a reference, without duplicates.
        has_substeps: whether some step still has sub-steps.
        hidden_changes: the changes inside calls whose inside the reference does not show.
        plan_constraints: the constraints, if it is one of the runs that fulfil a plan.
    """

    settings: RunSettings = field(repr=False)
    flat: FlatRun
    index: ValueIndex = field(repr=False)
    scored_indices: Sequence[int]
    left_out: tuple[str, ...]
    scored: Trajectory
    columns: StepColumns
    size: int
    tools: frozenset[str]
    roles: Sequence[Role]
    failed: Flags
    writes: Sequence[bool]
    delegates: Flags
    full_weight: frozenset[Role]
    full_weight_extra: frozenset[Role]
    is_required: bool
    required_answers: tuple[str, ...]
    has_substeps: bool
    hidden_changes: Sequence[HiddenChanges]
    plan_constraints: PlanConstraints

    def view_for(self, reference: "Run") -> "RunView":
        """Returns the view of this run for one reference (:func:`views_for`)."""
        return views_for(self, [reference])[0]

    @cached_property
    def reference_tools(self) -> DeclaredTools:
        """The facts of tools that it records, which count if it is a reference."""
        recorded = self.flat.recorded
        return DeclaredTools.of_reference(recorded.tools, recorded.steps)

    @cached_property
    def as_reference(self) -> "Run":
        """This run if it is a reference: its facts of tools count."""
        return self._in_light_of(self.reference_tools)

    def is_assumed_write(self, step: Step) -> bool:
        """Returns whether a step counts as a write only because nothing shows that it does not.

        Args:
            step: a step of the run.
        """
        settings = self.settings
        if not settings.config.recognise or settings.roles.get(step.tool) is not None:
            return False
        return is_assumed_write(step, self.flat.declared_tools)

    def _in_light_of(self, declared_tools: DeclaredTools) -> "Run":
        """This run with other knowledge of its tools; usually it stays the same."""
        flat = self.flat
        if self.settings.config.recognise and declared_tools.excuses:
            flat = with_declared_tools(flat, self.settings, declared_tools)
        return self if flat is self.flat else _prepare(flat, self.index, self.settings)

    @cached_property
    def leaks(self) -> Mapping[int, frozenset[str]]:
        """The steps in ``flat`` that carry earlier results to sites outside, with these sites."""
        leaks = find_leaks(self.flat.trajectory, self.index)
        requested = list_sites(self.flat.trajectory.request) if leaks else frozenset()
        return {k: sites - requested for k, sites in leaks.items() if not sites <= requested}

    @cached_property
    def sites(self) -> frozenset[str]:
        """The sites that its calls name."""
        return list_sites(values.arguments.text for values in self.index.steps)

    @cached_property
    def view(self) -> "RunView":
        """The view of this run for itself: nothing is hidden or renamed."""
        return RunView(self, self.roles, Renaming(), self.scored, self.columns)

    @cached_property
    def generated_ids(self) -> GeneratedIds:
        """The identifiers that its environment generated."""
        is_known = self.settings.config.recognise
        writes = [is_known and role == "writes" for role in self.flat.roles]
        return find_generated_ids(self.flat.trajectory, self.index, writes)

    @cached_property
    def reading_work(self) -> int:
        """The work of reading its arguments, effects and states, in units."""
        return sum(
            field_values.of(count_reading)
            for values in self.index.steps
            for field_values in (values.arguments, values.effect, values.state)
        )

    @cached_property
    def ungrounded(self) -> Sequence[Ungrounded]:
        """The arguments without a source, in the order of use."""
        return find_ungrounded(self.flat.trajectory, self.index)

    def find_assumed(self, among: Container[str]) -> frozenset[str]:
        """Returns which of some values, in canonical form, are used without a source."""
        return find_assumed(self.flat.trajectory, self.index, among)

    @cached_property
    def statements(self) -> Statements:
        """The statements of SQL among the arguments of the steps that count."""
        return list_statements(self.scored.steps)

    @cached_property
    def shapes(self) -> Shapes:
        """The arguments of the steps that count, by their keys and types."""
        return list_shapes(self.scored.steps)

    @cached_property
    def messages(self) -> Sequence[str] | None:
        """The texts that the user received, messages first; None if they are not recorded."""
        return list_messages(self.flat.trajectory)

    @cached_property
    def messages_to_user(self) -> MessagesToUser | None:
        """What these texts say."""
        return None if self.messages is None else MessagesToUser(self.messages)

    @cached_property
    def repeated_settings(self) -> frozenset[int]:
        """The steps that count and only bring about again a state that holds already."""
        if not self.settings.config.recognise:
            return frozenset()
        return list_repeated_settings(
            self.scored.steps, self.roles, self.failed.tolist(), self.scored_index
        )

    @cached_property
    def harmless(self) -> frozenset[int]:
        """The steps that count and change nothing if they are made once too often."""
        if not self.settings.config.recognise:
            return frozenset()
        finals = list_harmless(self.scored.steps, self.roles)
        return self.repeated_settings | self.logins | finals

    @cached_property
    def logins(self) -> frozenset[int]:
        """The steps that count and log in, if all are logins of one user."""
        if not self.settings.config.recognise:
            return frozenset()
        return list_logins(self.scored.steps, self.roles)

    def weights(self, full_weight: frozenset[Role]) -> Array:
        """Returns the weight of each step if some roles have full weight, (size,)."""
        return step_weights(self.scored.steps, self.roles, full_weight, self.settings)

    @cached_property
    def reference_weights(self) -> Array:
        """The weight of each step if this run is the reference, (size,)."""
        return self.weights(self.full_weight)

    @cached_property
    def mechanisms(self) -> frozenset[str]:
        """The mechanisms that can find its dependencies; conflicts only if there is no other."""
        allowed = {mechanism for mechanism in MECHANISMS if allows(self.flat.trajectory, mechanism)}
        if allowed & {"explicit", "traced"} or not self.graphs["conflicts"].graph.edges:
            allowed.discard("conflicts")
        return frozenset(allowed)

    @cached_property
    def scored_index(self) -> ValueIndex:
        """The values of the steps that count."""
        if self.scored is self.flat.trajectory:
            return self.index
        return ValueIndex(self.scored, shared=self.index)

    def graph(self, mechanism: str) -> DependencyGraph:
        """Returns its dependencies by a mechanism.

        Raises:
            DependencyError: if the trajectory lacks the records that the mechanism needs.
        """
        return self.graphs[cast(Mechanism, mechanism)].graph

    @cached_property
    def graphs(self) -> "dict[Mechanism, RunGraph]":
        """Its dependencies by each mechanism, which are found when they are first needed."""
        return {mechanism: RunGraph(self, mechanism) for mechanism in MECHANISMS}


@dataclass(frozen=True, eq=False)
class RunGraph:
    """The dependencies of a run by one mechanism, and its critical steps.

    Attributes:
        run: the run.
        mechanism: one of MECHANISMS.
    """

    run: Run = field(repr=False)
    mechanism: Mechanism

    @cached_property
    def graph(self) -> DependencyGraph:
        """The dependencies of the steps that count, direct or through steps that do not.

        Raises:
            DependencyError: if the trajectory lacks the records that the mechanism needs.
        """
        run, mechanism = self.run, self.mechanism
        config, flat, scored = run.settings.config, run.flat, run.scored
        capitals = run.settings.is_literal
        if mechanism in ("conflicts", "sequential") or scored is flat.trajectory:
            graph = dependency_graph(
                scored, mechanism, run.writes, index=run.scored_index, capitals=capitals
            )
        else:
            graph = dependency_graph(flat.trajectory, mechanism, index=run.index, capitals=capitals)
            graph = subgraph(flat.join_substeps(graph), run.scored_indices)
        return _complete_graph(graph, scored, run.scored_index, run.writes, config)

    @cached_property
    def critical(self) -> Flags:
        """The steps without which a goal cannot be reached, (size,).

        Raises:
            FormatError: if a declared goal is no step of the run.
        """
        return self._find_critical(without_guards(self.graph))

    @cached_property
    def declared_goals(self) -> Flags:
        """The declared goals, (size,): all that is critical if dependencies are unknown.

        Raises:
            FormatError: if a declared goal is no step of the run.
        """
        size = self.run.size
        if "goals" not in self.run.scored.metadata:
            return np.zeros(size, dtype=np.bool_)
        return self._find_critical(DependencyGraph(size, (), self.mechanism))

    def _find_critical(self, graph: DependencyGraph) -> Flags:
        run = self.run
        delegating = np.flatnonzero(run.delegates).tolist()
        critical = critical_steps(run.scored, graph, run.writes, delegating)
        # Others do the work of a call that delegates, and may have been asked in another way.
        return critical & ~run.delegates


@dataclass(frozen=True, eq=False)
class RunView:
    """A run in the form in which it is compared with one reference.

    Steps that the reference cannot show are hidden. Generated ids and tools have the names that
    they have in the reference. Roles and graphs are those of the recorded run.

    Attributes:
        run: the run.
        roles: the role of each step, with the calls marked that a plan forbids.
        names: how it was renamed.
        trajectory: the renamed steps that count.
        columns: these steps, by field.
    """

    run: Run
    roles: Sequence[Role]
    names: Renaming
    trajectory: Trajectory
    columns: StepColumns

    @property
    def size(self) -> int:
        """The number of steps."""
        return self.run.size

    @cached_property
    def index(self) -> ValueIndex:
        """The values of the renamed steps."""
        if self.trajectory is self.run.scored:
            return self.run.scored_index
        return ValueIndex(self.trajectory, shared=self.run.index)

    @cached_property
    def switches(self) -> Sequence[Switches]:
        """The protections that each step switches."""
        return [read_switches(step) for step in self.trajectory.steps]

    def read_change(self, k: int) -> ChangeFacts:
        """Returns the facts of a step, as of one that changes something."""
        step, recorded = self.trajectory.steps[k], self.run.view
        if step is recorded.trajectory.steps[k]:  # most steps have the same names in all views
            return recorded._read_change(k)
        return self._read_change(k)

    def _read_change(self, k: int) -> ChangeFacts:
        if k not in self._changes:
            self._changes[k] = ChangeFacts(self.trajectory.steps[k])
        return self._changes[k]

    @cached_property
    def _changes(self) -> dict[int, ChangeFacts]:
        return {}

    def rename_merged(self, ids: dict[str, str]) -> "RunView":
        """Returns the view in which merged steps have the ids of their counterparts.

        Args:
            ids: for each id that merged steps generated the id of their counterpart.
        """
        names = replace(self.names, merged={**self.names.merged, **ids})
        merging = Renaming(merged=ids)
        trajectory = merging.rename_run(self.trajectory)
        columns = self.columns.replace_steps(trajectory.steps)
        return replace(self, names=names, trajectory=trajectory, columns=columns)

    def weights(self, full_weight: frozenset[Role]) -> Array:
        """Returns the weight of each step if some roles have full weight, (size,)."""
        return step_weights(self.run.scored.steps, self.roles, full_weight, self.run.settings)

    def penalties(self, reference: Run) -> Array:
        """Returns the factor of lambda_1 for each unmatched step, (size,)."""
        run, config = self.run, self.run.settings.config
        if not config.recognise:
            return np.ones(run.size)
        extra, full_weight = config.counts.extra, reference.full_weight_extra
        by_role: dict[str, float] = {
            **dict.fromkeys(ROLES, extra),
            **dict.fromkeys(full_weight, EXTRA_READ_FACTOR),
        }
        if "writes" in full_weight:
            by_role["writes"] = 1.0
        by_role["forbidden"] = 1.0
        factors = [by_role[role] for role in self.roles]
        for k in run.harmless:  # a change weighs 1; if it is harmless, it costs as much as a look
            if self.roles[k] == "writes":
                factors[k] = extra * config.counts.reads
        return np.where(run.failed, extra, factors)

    @cached_property
    def extra_roles(self) -> Sequence[Role]:
        """The role of each step by which it counts as an extra step."""
        return [
            "thinks" if k in self.run.harmless and role == "writes" else role
            for k, role in enumerate(self.roles)
        ]


def views_for(run: Run, references: Iterable[Run]) -> list[RunView]:
    """Returns the view of a run for each reference; references with equal names share one.

    Args:
        run: the run.
        references: prepared under the same settings.
    """
    expansions: dict[object, Run] = {}
    views: dict[object, RunView] = {}
    by_reference = []
    for reference in references:
        visible = _believe(run, reference, expansions)
        if run.settings.opens_substeps and (run.flat.substeps or reference.flat.substeps):
            visible = _show_substeps(visible, reference.flat, expansions)
        forbidden = reference.plan_constraints.forbidden
        names, compared = Renaming(), None
        if reference is not visible and not run.settings.is_literal:
            names = _find_names(visible, reference)
            compared = reference.scored.metadata.get("compared")
        key = id(visible), names.key, str(compared), frozenset(forbidden)
        if key not in views:
            view = visible.view
            if names != Renaming() or compared:
                trajectory = keep_compared(names.rename_run(visible.scored), compared)
                columns = visible.columns.replace_steps(trajectory.steps)
                view = RunView(visible, visible.roles, names, trajectory, columns)
            views[key] = _mark_forbidden(view, forbidden) if forbidden else view
        by_reference.append(views[key])
    return by_reference


def pair_merged_ids(
    view: RunView, parts: Iterable[int], other_view: RunView, counterpart: int
) -> dict[str, str]:
    """Returns for each id that merged steps generated the id that their counterpart generated.

    Ids correspond if both were shown in the same position. If there is no such position, the single
    id of the counterpart corresponds to the single ids of the parts.

    Args:
        view: the side of the merged steps.
        parts: their indices among the steps that count.
        other_view: the other side.
        counterpart: the index of the step that does the work of all parts.
    """
    counterpart_ids = _list_generated_ids(other_view, counterpart)
    part_ids = [_list_generated_ids(view, part) for part in parts]
    pairs: dict[str, str] = {}
    for position, ids in counterpart_ids.items():
        if len(ids) == 1:
            for by_position in part_ids:
                pairs |= dict.fromkeys(by_position.get(position, ()), ids[0])
    if not pairs and len(counterpart_ids) == 1:
        [ids] = counterpart_ids.values()
        by_part = [[i for group in by_position.values() for i in group] for by_position in part_ids]
        if len(ids) == 1 and all(len(generated) <= 1 for generated in by_part):
            pairs = {part_id: ids[0] for generated in by_part for part_id in generated}
    return {part_id: new_id for part_id, new_id in pairs.items() if part_id != new_id}


def _list_generated_ids(view: RunView, k: int) -> dict[str, list[str]]:
    """The ids that a step generated, in the names of the view, by their position in its effect."""
    by_position: dict[str, list[str]] = {}
    for position, identifier in view.run.generated_ids.by_step.get(view.run.scored_indices[k], ()):
        by_position.setdefault(position, []).append(view.names.ids.get(identifier, identifier))
    return by_position


def _show_substeps(run: Run, reference: FlatRun, expansions: dict[object, Run]) -> Run:
    """The run with the steps that can be compared; usually it stays the same."""
    flat = run.flat
    shown = delegating_calls(flat, reference), hidden_steps(flat, reference)
    if shown == (delegating_calls(flat, flat), frozenset()):
        return run
    key = (*shown, tuple(flat.roles))
    if key not in expansions:
        expansions[key] = _prepare_flat(flat, run.index, run.settings, *shown)
    return expansions[key]


def _believe(run: Run, reference: Run, expansions: dict[object, Run]) -> Run:
    """The run in the light of the reference's facts of tools."""
    if run.flat.recorded is reference.flat.recorded:
        return reference
    if not run.settings.config.recognise:
        return run
    leaks = [k for k, sites in run.leaks.items() if not sites <= reference.sites]
    if not (leaks or reference.reference_tools.excuses):
        return run
    declared_tools = DeclaredTools.of(run.flat.recorded.tools, reference.reference_tools)
    believed = run._in_light_of(declared_tools)
    roles = list(believed.flat.roles)
    for k in leaks:
        if roles[k] == "reads":
            roles[k] = "writes"
    key = tuple(roles)
    if key not in expansions:
        if roles != believed.flat.roles:
            believed = _prepare(replace(believed.flat, roles=roles), run.index, run.settings)
        expansions[key] = believed
    return expansions[key]


def _find_names(run: Run, reference: Run) -> Renaming:
    tools = same_tools(run.tools, reference.tools)
    # If the reference has no generated ids, those of the run need not be found.
    names = Renaming(tools=tools)
    if reference.generated_ids.by_name:
        names = find_renaming(run.generated_ids, reference.generated_ids, tools)
    notations = pair_notations(run.shapes, reference.shapes)
    if notations:
        names = replace(names, notations=notations)
    if not (run.statements and reference.statements):
        return names
    statements = pair_statements(run.statements, reference.statements)
    return replace(names, statements=statements) if statements else names


def _mark_forbidden(view: RunView, forbidden: Container[str]) -> RunView:
    roles: list[Role] = [
        "forbidden" if step.id in forbidden else role
        for step, role in zip(view.run.scored.steps, view.roles, strict=True)
    ]
    return replace(view, roles=roles)


def prepare(trajectory: Trajectory, settings: RunSettings) -> Run:
    """Returns a trajectory prepared for comparison.

    Args:
        trajectory: the run as it was recorded.
        settings: decide which of its steps and arguments count.

    Raises:
        FormatError: if two steps have one id after flattening.
        LimitError: if sub-steps nest deeper than ``max_depth``.
    """
    flat = flatten_run(trajectory, settings, DeclaredTools.of(trajectory.tools))
    return _prepare(flat, ValueIndex(flat.trajectory, shared=flat.index), settings)


def _prepare(flat: FlatRun, index: ValueIndex, settings: RunSettings) -> Run:
    """The run with its sub-steps as it shows them by itself."""
    is_opened = settings.opens_substeps and flat.substeps
    delegating = delegating_calls(flat, flat) if is_opened else frozenset[int]()
    return _prepare_flat(flat, index, settings, delegating)


def _prepare_flat(
    flat: FlatRun,
    index: ValueIndex,
    settings: RunSettings,
    delegating: frozenset[int],
    hidden: frozenset[int] = frozenset(),
) -> Run:
    selected, scored = select_steps(flat, settings, hidden)
    indices, config = list(selected), settings.config
    left_out: tuple[str, ...] = ()
    if scored is not flat.trajectory:
        ids = {step.id for step in scored.steps}
        left_out = tuple(step.id for step in flat.trajectory.steps if step.id not in ids)
    flat_roles = flat.roles
    if delegating and config.recognise:
        flat_roles = [
            "handoff" if k in delegating and settings.roles.get(step.tool) is None else role
            for k, (step, role) in enumerate(zip(flat.trajectory.steps, flat_roles, strict=True))
        ]
    roles, failed = [flat_roles[k] for k in indices], flat.failed[indices]
    writes = np.zeros(len(indices), dtype=np.bool_)
    if config.recognise or config.dependencies == "conflicts":
        writes = np.array([role == "writes" for role in roles], dtype=np.bool_) & ~failed
    full_weight = full_weight_roles(scored, roles, settings)
    is_required = scored.metadata.get("reference", config.reference) == "required"
    full_weight_extra: frozenset[Role] = frozenset({"writes"}) if is_required else full_weight
    if scored.metadata.get("others") == "allowed":
        full_weight_extra = frozenset()
    return Run(
        settings=settings,
        flat=flat,
        index=index,
        scored_indices=selected,
        left_out=left_out,
        scored=scored,
        columns=StepColumns(scored.steps, settings.rules),
        size=len(indices),
        tools=frozenset(step.tool for step in scored.steps if step.tool is not None),
        roles=roles,
        failed=failed,
        writes=writes.tolist(),
        delegates=np.array([k in delegating for k in indices], dtype=np.bool_),
        full_weight=full_weight,
        full_weight_extra=full_weight_extra,
        is_required=is_required,
        required_answers=tuple(dict.fromkeys(scored.required_answers)),
        has_substeps=any(step.substeps for step in scored.steps),
        hidden_changes=list_hidden_changes(flat, hidden) if hidden else (),
        plan_constraints=getattr(scored, "plan_constraints", NO_CONSTRAINTS),
    )


def recorded_graph(trajectory: Trajectory, config: Config) -> tuple[Trajectory, DependencyGraph]:
    """Returns the steps of a run that count by the settings, and their dependencies.

    Sub-steps are listed beside their parents. An edge leads through steps that do not count.

    Args:
        trajectory: the run as it was recorded.
        config: decides which steps count, how dependencies are found, and the order of tools.

    Raises:
        DependencyError: if the run lacks the records that the mechanism needs.
        LimitError: if its sub-steps nest too deeply.
    """
    settings = RunSettings(config)
    declared_tools = DeclaredTools.of_reference(trajectory.tools, trajectory.steps)
    flat = flatten_run(trajectory, settings, declared_tools)
    selected, scored = select_steps(flat, settings)
    mechanism = "auto" if config.dependencies == "order" else config.dependencies
    writes = [
        role == "writes" and not has_failed
        for role, has_failed in zip(flat.roles, flat.failed.tolist(), strict=True)
    ]
    graph = dependency_graph(flat.trajectory, mechanism, writes, capitals=settings.is_literal)
    graph = subgraph(flat.join_substeps(graph), selected)
    scored_writes = [writes[index] for index in selected]
    return scored, _complete_graph(graph, scored, ValueIndex(scored), scored_writes, config)


def _complete_graph(
    graph: DependencyGraph,
    scored: Trajectory,
    index: ValueIndex,
    writes: Sequence[bool],
    config: Config,
) -> DependencyGraph:
    """Returns a graph with the conflicts, guards and chains of tools that its mechanism allows."""
    if graph.mechanism == "traced":
        graph = with_conflicts(graph, scored, index, writes, names_change)
    if graph.mechanism in ("traced", "conflicts"):
        graph = with_guards(graph, scored, index, writes)
        if config.order_free:
            graph = without_free(graph, scored, FreeOrder(config.order_free))
    return with_order(graph, scored, config.order) if config.order else graph

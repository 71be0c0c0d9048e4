"""Lists the expansions of a plan that can be the nearest to a given run.

A plan is the set of the runs that fulfil it, and the loss of a run is its least loss over this set.
A few of these runs, the expansions, are written out: one for each choice of options and
alternatives, with the run's own values wherever the plan allows them. An expansion has an option
only if the run has a call for it; a skipped option then makes no other step cheaper.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from otap._caching import cached_property
from otap._work import WorkAccount
from otap.errors import shown
from otap.graph import turn_ranks
from otap.plans.model import (
    Expansion,
    Plan,
    PlanStep,
    describe_content,
    iterate_tool_steps,
)
from otap.plans.patterns import (
    Comparer,
    Fit,
    SourceValues,
    Vectors,
    fit_arguments,
    list_sources,
)
from otap.trajectory import PlanConstraints, Step, Trajectory
from otap.transport import assignment
from otap.values.keys import canonical_path
from otap.values.tool_names import canonical_tool, without_server
from otap.values.value import plain

MAX_EXPANSIONS = 16  # those with the tools nearest to the run's, if there are more
_MAX_CHOICES = 4 * MAX_EXPANSIONS  # combinations that are tried; some have skipped options
_MAX_REPAIRS = 8  # new assignments because the order is not the plan's
# Costs of a call as a due call, in shares of its values that are not allowed.
_FAILED, _NO_FIT, _OUT_OF_ORDER, _POSITION = 4.0, 16.0, 1e-2, 1e-6
# Units of work of one choice: for each due call, and for each pair with a call of the run.
EXPANSION_WORK, MATCHING_WORK = 250, 1
_MAX_SOURCE_VALUES = 1_000  # values of one ``from``


class DueCall(NamedTuple):
    """A call that an expansion contains.

    Attributes:
        id: unique in the expansion.
        step: the step of the plan.
        is_option: whether the plan allows but does not require the call.
        alternatives: the alternatives that the call was chosen from, in words; empty without any.
    """

    id: str
    step: PlanStep
    is_option: bool = False
    alternatives: str = ""


class Choice(NamedTuple):
    """One way to do a step: its calls, and the number of choices with nearer tools."""

    rank: int
    calls: tuple[DueCall, ...]


def list_expansions(
    plan: Plan, run: Trajectory, vectors: Vectors, account: WorkAccount
) -> list[Expansion]:
    """Returns the expansions of a plan that can be the nearest to a run.

    Args:
        plan: the plan.
        run: the run, with only the steps that count.
        vectors: returns the unit vectors of texts.
        account: the work of the score, from which the plan draws.

    Raises:
        LimitError: if the score takes too much work.

    Returns:
        From 1 to MAX_EXPANSIONS expansions; those with the tools most like the run's come first.
    """
    matcher = _RunMatcher(plan, run, Comparer(vectors, account))
    # The order of the steps in the file decides nothing among equal expansions.
    steps = sorted(plan.listed, key=lambda step: (describe_content(step), step.id))
    assigned: list[tuple[list[DueCall], dict[str, int]]] = []
    choices = _combine([matcher.choose(step) for step in steps])
    for choice in choices:
        size = len(choice.calls)
        account.draw(EXPANSION_WORK * size + MATCHING_WORK * size * len(run.steps), "a plan")
    for choice in choices:
        calls = sorted(choice.calls, key=lambda call: (matcher.call_text_of(call.step), call.id))
        assigned.append((calls, matcher.assign(calls)))
    with_options_used = [
        (calls, indices)
        for calls, indices in assigned
        if not any(call.is_option and call.id not in indices for call in calls)
    ]
    nearest = with_options_used or assigned[:1]
    nearest.sort(key=lambda pair: matcher.estimate_distance(*pair))
    return [matcher.write_expansion(*pair) for pair in nearest[:MAX_EXPANSIONS]]


class _CalledTools:
    """The calls of a run by their tools, each tool once.

    Args:
        run: the run.
    """

    def __init__(self, run: Trajectory) -> None:
        self._calls: dict[str, list[int]] = {}
        for index, step in enumerate(run.steps):
            if step.tool is not None:
                self._calls.setdefault(step.tool, []).append(index)
        self._by_full_name: dict[str, set[str]] = {}
        self._by_any_name: dict[str, set[str]] = {}
        for tool in self._calls:
            names = canonical_tool(tool)
            self._by_full_name.setdefault(names.full, set()).add(tool)
            for name in names:
                self._by_any_name.setdefault(name, set()).add(tool)
        self._matching: dict[str, Collection[str]] = {}

    def list_calls(self, names: Iterable[str]) -> Sequence[int]:
        """Returns the indices of the calls that some names or globs allow, in their order."""
        tools = {tool for name in names for tool in self._list_matching(name)}
        return sorted(index for tool in tools for index in self._calls[tool])

    def _list_matching(self, name: str) -> Collection[str]:
        if name not in self._matching:
            is_glob = any(sign in name for sign in "*?[")
            tools = self._match_glob(name) if is_glob else self._match_name(name)
            self._matching[name] = tools | ({name} & self._calls.keys())
        return self._matching[name]

    def _match_glob(self, glob: str) -> set[str]:
        pattern = glob.lower()
        return {tool for tool, names in self._lower_names if _fits_glob(names, pattern)}

    def _match_name(self, name: str) -> set[str]:
        names = canonical_tool(name)
        same_full = [self._by_full_name.get(form, set()) for form in names]
        return self._by_any_name.get(names.full, set()).union(*same_full)

    @cached_property
    def _lower_names(self) -> Sequence[tuple[str, Collection[str]]]:
        return [(tool, {tool.lower(), without_server(tool).lower()}) for tool in self._calls]


def _fits_glob(names: Iterable[str], pattern: str) -> bool:
    return any(fnmatchcase(name, pattern) for name in names)


def _combine(choices_by_step: Iterable[Sequence[Choice]]) -> Sequence[Choice]:
    """Returns the combined choices of several steps; the nearest in total come first."""
    combined = [Choice(0, ())]
    for choices in choices_by_step:
        if len(choices) == 1:
            combined = [Choice(first.rank, first.calls + choices[0].calls) for first in combined]
            continue
        pairs = [
            Choice(first.rank + second.rank, first.calls + second.calls)
            for first in combined
            for second in choices
        ]
        combined = sorted(pairs, key=lambda choice: choice.rank)[:_MAX_CHOICES]
    return combined


class _RunMatcher:
    """Matches the calls of a run with the steps of a plan."""

    def __init__(self, plan: Plan, run: Trajectory, comparer: Comparer) -> None:
        self.plan, self.run, self._comparer = plan, run, comparer
        self._claimed: set[int] = set()
        self._call_indices = [k for k, step in enumerate(run.steps) if step.tool is not None]
        self._called_tools = _CalledTools(run)
        self._call_texts: dict[str, str] = {}
        self._fits: dict[str, dict[int, Fit]] = {}
        self._fit_costs: dict[str, NDArray[np.float64]] = {}
        self._fulfilling: dict[str, list[int]] = {}

    def fits_of(self, step: PlanStep) -> Mapping[int, Fit]:
        """Returns the fit of each call with an allowed tool; ``from`` allows any value."""
        text = self.call_text_of(step)
        if text not in self._fits:
            self._fits[text] = {
                k: _fit_step(step, self.run.steps[k], {}, self._comparer)
                for k in self._called_tools.list_calls(step.tools)
            }
        return self._fits[text]

    def call_text_of(self, step: PlanStep) -> str:
        """Returns a text that the steps share that fit the same calls."""
        step_id = str(step.id)
        if step_id not in self._call_texts:
            forbidden = " forbidden" if step.is_forbidden else ""
            self._call_texts[step_id] = step.call_text + forbidden
        return self._call_texts[step_id]

    def find_fulfilling(self, step: PlanStep) -> Sequence[int]:
        """Returns the indices of the successful calls that fulfil a step."""
        text = self.call_text_of(step)
        if text not in self._fulfilling:
            fits = self.fits_of(step).items()
            self._fulfilling[text] = [
                k for k, fit in fits if not fit.misses and self._is_successful(k)
            ]
        return self._fulfilling[text]

    def _is_successful(self, index: int) -> bool:
        return self.run.steps[index].status != "error"

    def choose(self, step: PlanStep, alternatives: str = "") -> list[Choice]:
        """Returns the ways to do a step; those with the tools most like the run's come first."""
        if step.one_of is None:
            return self._choose_count(step, alternatives)
        words = _describe_alternatives(step)
        ranked: list[tuple[int, int, tuple[DueCall, ...]]] = []
        for alternative in step.one_of:
            inner_steps = [_after_parent(inner, step) for inner in alternative]
            for choice in _combine([self.choose(inner, words) for inner in inner_steps]):
                lacking = sum(not self.find_fulfilling(call.step) for call in choice.calls)
                ranked.append((2 * lacking - len(choice.calls), choice.rank, choice.calls))
        if step.need == "optional":
            ranked = [
                (score, rank, tuple(call._replace(is_option=True) for call in calls))
                for score, rank, calls in ranked
            ]
            ranked.append((0, 0, ()))
        ranked.sort(key=lambda entry: entry[:2])
        return [Choice(rank, calls) for rank, (_, _, calls) in enumerate(ranked[:_MAX_CHOICES])]

    def _choose_count(self, step: PlanStep, alternatives: str) -> list[Choice]:
        """Returns the allowed numbers of calls of a step; the most likely number comes first."""
        least, most = step.bounds
        available = sum(self._is_successful(k) for k in self.fits_of(step))
        largest = max(least, available if most is None else min(most, available))
        # Each call fulfils a single step.
        unclaimed = [k for k in self.find_fulfilling(step) if k not in self._claimed]
        likely = min(max(len(unclaimed), least), largest)
        self._claimed.update(unclaimed[:likely])
        counts = sorted(range(least, largest + 1), key=lambda n: (abs(n - likely), n))
        counts = counts[:_MAX_CHOICES]
        step_id = str(step.id)
        calls = [
            DueCall(step_id if k == 0 else f"{step_id}/{k + 1}", step, k >= least, alternatives)
            for k in range(max(counts))
        ]
        return [Choice(rank, tuple(calls[:n])) for rank, n in enumerate(counts)]

    def assign(self, calls: Sequence[DueCall]) -> dict[str, int]:
        """Returns the index of the run's call for each due call, as far as there is one.

        The calls that fit best are assigned, and among them those in the order of the plan.
        """
        if not calls or not self._call_indices:
            return {}
        order = self._list_order(calls)
        cost = self._cost_matrix(calls, _find_levels(len(calls), order))
        ranks = np.array(self._ranks)[self._call_indices]
        disorder, best, least = np.zeros_like(cost), dict[int, int](), np.inf
        for _ in range(_MAX_REPAIRS):
            rows, columns = assignment(cost + disorder)
            is_fit = cost[rows, columns] < _NO_FIT
            pairs = dict(zip(rows[is_fit].tolist(), columns[is_fit].tolist(), strict=True))
            reversed_pairs = [
                (before, after)
                for before, after in order
                if before in pairs
                and after in pairs
                and ranks[pairs[before]] >= ranks[pairs[after]]
            ]
            total = float(cost[rows, columns].sum()) + _OUT_OF_ORDER * len(reversed_pairs)
            if total < least:
                best, least = pairs, total
            if not reversed_pairs:
                break
            for before, after in reversed_pairs:
                disorder[before] += _OUT_OF_ORDER * (ranks >= ranks[pairs[before]])
                disorder[after] += _OUT_OF_ORDER * (ranks <= ranks[pairs[after]])
        return {calls[row].id: self._call_indices[column] for row, column in best.items()}

    def _list_order(self, calls: Sequence[DueCall]) -> list[tuple[int, int]]:
        """Returns the indices of each two due calls of which the first must come first.

        A skipped step passes its order on. Of a step with optional repetitions only the required
        calls, and at least the first, come before other steps.
        """
        indices_by_step: dict[str, list[int]] = {}
        for k, call in enumerate(calls):
            if not call.is_option or call.id == call.step.id:
                indices_by_step.setdefault(str(call.step.id), []).append(k)
        order = list[tuple[int, int]]()
        for k, call in enumerate(calls):
            waiting, visited = list(call.step.after), set[str]()
            while waiting:
                step_id = waiting.pop()
                if step_id not in visited:
                    visited.add(step_id)
                    step, inner_ids = self._steps[step_id]
                    earlier = [
                        index
                        for inner_id in inner_ids
                        for index in indices_by_step.get(inner_id, ())
                    ]
                    order += [(index, k) for index in earlier]
                    waiting += [] if earlier else step.after
        return order

    def estimate_distance(self, calls: Sequence[DueCall], indices: Mapping[str, int]) -> float:
        """Returns roughly how far the run is from an expansion: extra calls, forbidden values."""
        distance = 0.0
        for call in calls:
            fit = self.fits_of(call.step).get(indices.get(call.id, -1))
            distance += 1 if fit is None else len(fit.misses) / (1 + fit.leaves) - 1
        return round(distance, 9)

    def _cost_matrix(
        self, calls: Sequence[DueCall], levels: Sequence[float]
    ) -> NDArray[np.float64]:
        """Returns the cost of each call as each due call: the share of forbidden values."""
        count = len(self._call_indices)
        positions = np.arange(count) / count
        # Among equal calls, the one at the position in the order of the plan is nearest.
        distances = np.abs(positions[None, :] - np.array(levels)[:, None])
        cost: NDArray[np.float64] = _POSITION * distances
        cost += [self._fit_costs_of(call.step) for call in calls]
        return cost

    def _fit_costs_of(self, step: PlanStep) -> NDArray[np.float64]:
        """Returns the cost of each call as a call of a step, without its position."""
        text = self.call_text_of(step)
        if text not in self._fit_costs:
            costs = np.full(len(self._call_indices), _NO_FIT)
            for index, fit in self.fits_of(step).items():
                failed = 0.0 if self._is_successful(index) else _FAILED
                costs[self._columns[index]] = failed + len(fit.misses) / (1 + fit.leaves)
            self._fit_costs[text] = costs
        return self._fit_costs[text]

    @cached_property
    def _columns(self) -> Mapping[int, int]:
        return {index: column for column, index in enumerate(self._call_indices)}

    def write_expansion(self, calls: Sequence[DueCall], indices: Mapping[str, int]) -> Expansion:
        """Returns the expansion with these due calls.

        Args:
            calls: the due calls.
            indices: the index of the run's call for each due call, as far as there is one.
        """
        order = self._list_order(calls)
        after: dict[str, list[str]] = {call.id: [] for call in calls}
        for before, later in order:
            after[calls[later].id].append(calls[before].id)
        levels = _find_levels(len(calls), order)
        positions = {step_id: position for position, step_id in enumerate(self._steps)}
        # Sorted by the order of the plan, then by that of the file.
        ranked = sorted(
            range(len(calls)),
            key=lambda k: (levels[k], positions[str(calls[k].step.id)], calls[k].id),
        )
        steps, allowed = list[Step](), dict[str, Mapping[str, str]]()
        for call in [calls[k] for k in ranked]:
            index = indices.get(call.id)
            run_call = _NO_CALL if index is None else self.run.steps[index]
            sources = self._read_sources(call.step, index)
            fit = _fit_step(call.step, run_call, sources, self._comparer)
            tool: str | None = call.step.tools[0]
            if index is not None:
                tool = self.run.steps[index].tool
                allowed[call.id] = {
                    canonical_path(path.replace("[]", "")): words
                    for path, words in fit.misses.items()
                }
            steps.append(
                Step(
                    id=call.id,
                    tool=tool,
                    arguments=fit.nearest,
                    depends_on=tuple(after[call.id]),
                )
            )
        fields = {name: getattr(self.plan, name) for name in _COPIED_FIELDS}
        choices = _describe_choices(calls)
        expansion_id = f"{self.plan.name} with {choices}" if choices else self.plan.id
        # A plan declares no tool, and the claims of the run about its tools excuse nothing.
        claims = {tool: facts.incriminating for tool, facts in self.run.tools.items()}
        tools = {tool: facts for tool, facts in claims.items() if facts is not None}
        expansion = Expansion(**fields, id=expansion_id, steps=tuple(steps), tools=tools)
        expansion._plan_constraints = PlanConstraints(
            allowed,
            forbidden={**self._forbidden, **dict(self._list_excess(calls, indices))},
            missing=dict(self._describe_missing(calls, indices)),
            is_closed=self.plan.others == "none",
            is_plan=True,
        )
        return expansion

    def _read_sources(self, step: PlanStep, index: int | None) -> SourceValues:
        """Returns the values for each ``from`` of a step; sources without results have none.

        The values come from the results of calls that fulfil the source step and ran before the
        call at an index.
        """
        values_by_source: dict[str, list[Any]] = {}
        for source in list_sources(step.arguments):
            step_id, _, path = source.partition(".")
            _, inner_ids = self._steps[step_id]
            effects = {
                k: self.run.steps[k].effect
                for inner_id in inner_ids
                for k in self.find_fulfilling(self._steps[inner_id][0])
            }
            if all(effect is None for effect in effects.values()):
                continue
            values_by_source[source] = [
                value
                for k, effect in effects.items()
                if index is None or self._ranks[k] < self._ranks[index]
                for value in _values_at(effect, path)
            ]
        return values_by_source

    @cached_property
    def _steps(self) -> Mapping[str, tuple[PlanStep, list[str]]]:
        return dict(_index_steps(self.plan.listed))

    @cached_property
    def _ranks(self) -> Sequence[int]:
        return list(turn_ranks(self.run.steps))

    @cached_property
    def _forbidden(self) -> Mapping[str, str]:
        """The words about each call that the plan forbids and no other step allows, by id."""
        expected: set[int] = set()
        forbidden: list[int] = []
        for step in iterate_tool_steps(self.plan.listed):
            if step.is_forbidden:
                forbidden += self.find_fulfilling(step)
            else:
                expected.update(self.find_fulfilling(step))
        return {self.run.steps[k].id: "is forbidden" for k in forbidden if k not in expected}

    def _list_excess(
        self, calls: Sequence[DueCall], indices: Mapping[str, int]
    ) -> Iterator[tuple[str, str]]:
        """Yields the calls beyond the maximum of ``times``, which are as bad as forbidden ones."""
        assigned = set(indices.values())
        steps_by_text: dict[str, dict[str | None, PlanStep]] = {}
        for call in calls:
            text = self.call_text_of(call.step)
            steps_by_text.setdefault(text, {})[call.step.id] = call.step
        for step in iterate_tool_steps(self.plan.listed):
            most = step.bounds[1]
            if step.times is None or most is None or step.is_forbidden:
                continue
            fulfilling = self.find_fulfilling(step)
            if len(fulfilling) <= most:
                continue
            for_other_steps = {
                k
                for steps in steps_by_text.values()
                if steps.keys() - {step.id}
                for k in self.find_fulfilling(next(iter(steps.values())))
            }
            for k in fulfilling:
                if k not in assigned and k not in for_other_steps:
                    tool = shown(self.run.steps[k].tool, 40)
                    yield (
                        self.run.steps[k].id,
                        f"is one too many: {len(fulfilling)} calls of {tool}, at most {most}",
                    )

    def _describe_missing(
        self, calls: Sequence[DueCall], indices: Mapping[str, int]
    ) -> Iterator[tuple[str, str]]:
        """Yields the words about each due call for the case that it is missing."""
        # Alternatives are named together unless one of them was tried.
        tried = {
            _describe_alternatives(step)
            for step, inner_ids in self._steps.values()
            if step.one_of and any(self.fits_of(self._steps[name][0]) for name in inner_ids)
        }
        for call in calls:
            least = call.step.bounds[0]
            tool = shown(call.step.tools[0], 40)
            if call.alternatives and call.alternatives not in tried:
                yield call.id, call.alternatives
            elif least > 1 and call.id not in indices:
                count = len(self.find_fulfilling(call.step))
                called = f"called {_times(count)}" if count else "never called"
                yield call.id, f"{tool} was {called}; at least {least} calls are required"
            else:
                # The id helps only if the plan names it, and not as the tool.
                if call.step.is_named and call.id != call.step.tools[0]:
                    tool = f"step {shown(call.id, 24)} ({tool})"
                yield call.id, f"{tool} of the plan is missing"


_NO_CALL = Step(id="none", tool="", arguments={})
_COPIED_FIELDS = "task", "request", "required_answers", "source", "metadata"


def _describe_choices(calls: Sequence[DueCall]) -> str:
    """Returns the options and alternatives of an expansion in words; empty without any."""
    counts = Counter(
        shown(call.step.tools[0], 40) for call in calls if call.is_option or call.alternatives
    )
    return ", ".join(tool if n == 1 else f"{tool} ({_times(n)})" for tool, n in counts.items())


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _fit_step(step: PlanStep, call: Step, sources: SourceValues, comparer: Comparer) -> Fit:
    if step.arguments is None:
        return Fit(call.arguments, {}, 0)
    partial = step.partial or step.is_forbidden
    return fit_arguments(step.arguments, call.arguments, sources, comparer, partial=partial)


def _after_parent(step: PlanStep, parent: PlanStep) -> PlanStep:
    """Returns a step of an alternative that also comes after the steps before its parent."""
    return step.model_copy(update={"after": [*step.after, *parent.after]})


def _describe_alternatives(step: PlanStep) -> str:
    """Returns the finding for a step without any alternative called, such as neither A nor B."""
    names = []
    for alternative in step.one_of or ():
        steps = list(iterate_tool_steps(alternative))
        first_required = next((inner for inner in steps if inner.bounds[0]), steps[0])
        names.append(shown(first_required.tools[0], 40))
    if len(names) == 1:
        return f"{names[0]} was never called"
    return f"neither {', '.join(names[:-1])} nor {names[-1]} was called"


def _index_steps(steps: Sequence[PlanStep]) -> Iterator[tuple[str, tuple[PlanStep, list[str]]]]:
    """Yields the id of each step, with the step and the ids of its steps with tools."""
    for step in steps:
        yield str(step.id), (step, [str(inner.id) for inner in iterate_tool_steps([step])])
        for alternative in step.one_of or ():
            yield from _index_steps(alternative)


def _find_levels(count: int, order: Sequence[tuple[int, int]]) -> list[float]:
    """Returns the relative position of each call, in [0, 1), from the order of pairs."""
    levels, waiting = [0] * count, [0] * count
    followers: list[list[int]] = [[] for _ in range(count)]
    for before, after in order:
        followers[before].append(after)
        waiting[after] += 1
    ready = [index for index in range(count) if not waiting[index]]
    while ready:  # reaches every call because the plan has no cycle
        before = ready.pop()
        for after in followers[before]:
            levels[after] = max(levels[after], levels[before] + 1)
            waiting[after] -= 1
            if not waiting[after]:
                ready.append(after)
    return [level / (1 + max(levels, default=0)) for level in levels]


def _values_at(data: Any, path: str) -> list[Any]:
    """Returns the values at a path of keys, through all lists; all leaves without a path."""
    waiting: list[tuple[Any, list[str]]] = [(data, path.split(".") if path else [])]
    leaves: list[Any] = []
    while waiting and len(leaves) < _MAX_SOURCE_VALUES:
        node, keys = waiting.pop()
        node = plain(node)
        if isinstance(node, list):
            waiting += [(member, keys) for member in reversed(node)]
        elif isinstance(node, dict) and not keys:
            waiting += [(member, keys) for member in reversed(node.values())]
        elif isinstance(node, dict):
            recorded_keys = {canonical_path(key): key for key in node}
            recorded_key = recorded_keys.get(canonical_path(keys[0]))
            waiting += [] if recorded_key is None else [(node[recorded_key], keys[1:])]
        elif not keys and node is not None:
            leaves.append(node)
    return leaves

"""The runs that a plan stands for, as far as they can be the nearest to a given run.

A plan is the set of the runs that fulfil it, and its loss the least over them. Of these a few are
written out: one for each choice of options and alternatives, with the values that the run has
wherever the plan allows them. An option is taken only where the run has a call for it, so that one
that is not taken makes nothing else cheaper.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from otap._caching import cached_property
from otap.errors import shown
from otap.plans.model import Demands, Member, Plan, PlanStep, describe_content, each_step
from otap.plans.patterns import Comparer, Fit, Shown, Vectors, fit, list_from
from otap.run import turn_ranks
from otap.run.tool_names import canonical_tool, without_server
from otap.trajectory import Step, Trajectory
from otap.transport import assignment
from otap.values.keys import spelled_path
from otap.values.value import plain

MAX_MEMBERS = 16  # runs that are written out: all there are, else those nearest by their tools
_MOST_CHOICES = 4 * MAX_MEMBERS  # that are looked at: in some an option is not taken
_REPAIRS = 8  # times that steps are assigned again because their order is not the plan's
_FAILED, _NO_FIT, _OUT_OF_ORDER, _NEARER = 4.0, 16.0, 1e-2, 1e-6  # in missed shares of a call
_MAX_SHOWN = 1_000  # values that one ``from`` stands for


class Due(NamedTuple):
    """One call that a member asks for.

    Attributes:
        id: unique in the member.
        step: the step of the plan.
        is_option: whether the plan asks for it only if the run does it.
        beside: the alternatives that it was chosen from, in words; empty without any.
    """

    id: str
    step: PlanStep
    is_option: bool = False
    beside: str = ""


class Choice(NamedTuple):
    """What may be done of a step: calls, and how many other choices are nearer by their tools."""

    rank: int
    due: tuple[Due, ...]


def list_members(plan: Plan, run: Trajectory, vectors: Vectors) -> list[Member]:
    """Returns the runs that a plan stands for and that can be the nearest to a run.

    Args:
        plan: the plan.
        run: what is compared with it, of which only what counts.
        vectors: gives the unit vectors of texts.

    Raises:
        LimitError: if the plan's values take too many comparisons.

    Returns:
        At least one and at most MAX_MEMBERS, those first whose tools are most like the run's.
    """
    matching = _Matching(plan, run, Comparer(vectors))
    # Of equal members the same one is the first, in whatever order the file lists their steps.
    listed = sorted(plan.listed, key=lambda step: (describe_content(step), step.id))
    choices = _combine(map(matching.choose, listed))
    each = [sorted(one.due, key=lambda due: (due.step.asked, due.id)) for one in choices]
    assigned = [(due, matching.assign(due)) for due in each]
    taken = [one for one in assigned if not _has_idle_option(*one)] or assigned[:1]
    taken.sort(key=lambda one: matching.estimate(*one))
    return [matching.write(due, of) for due, of in taken[:MAX_MEMBERS]]


def fits_tool(step: PlanStep, tool: str | None) -> bool:
    """Says whether a call of a tool may be what a step asks for."""
    return tool is not None and any(_is_tool(name, tool) for name in step.tools)


def _is_tool(wanted: str, tool: str) -> bool:
    if wanted == tool:
        return True
    if not any(sign in wanted for sign in "*?["):
        ours, theirs = canonical_tool(tool), canonical_tool(wanted)
        return theirs.full in ours or ours.full in theirs
    names = tool, without_server(tool)
    return any(fnmatchcase(name.lower(), wanted.lower()) for name in names)


def _combine(choices: Iterator[Sequence[Choice]]) -> Sequence[Choice]:
    """The choices of several steps together, those first that are nearest in all."""
    found = [Choice(0, ())]
    for several in choices:
        if len(several) == 1:
            found = [Choice(a.rank, a.due + several[0].due) for a in found]
            continue
        both = [Choice(a.rank + b.rank, a.due + b.due) for a in found for b in several]
        found = sorted(both, key=lambda one: one.rank)[:_MOST_CHOICES]
    return found


def _has_idle_option(due: Sequence[Due], of: Mapping[str, int]) -> bool:
    return any(one.is_option and one.id not in of for one in due)


class _Matching:
    """How the calls of a run fit the steps of a plan."""

    def __init__(self, plan: Plan, run: Trajectory, comparer: Comparer) -> None:
        self.plan, self.run, self._comparer = plan, run, comparer
        self._claimed: set[int] = set()
        self._calls = [k for k, step in enumerate(run.steps) if step.tool is not None]
        self._fits: dict[str, dict[int, Fit]] = {}

    def fits_of(self, step: PlanStep) -> Mapping[int, Fit]:
        """How each call whose tool will do fits a step, by its place; ``from`` allows all."""
        if step.id not in self._fits:
            steps = self.run.steps
            self._fits[str(step.id)] = {
                k: _fit_step(step, steps[k], {}, self._comparer)
                for k in self._calls
                if fits_tool(step, steps[k].tool)
            }
        return self._fits[str(step.id)]

    def fulfilling(self, step: PlanStep) -> list[int]:
        """The places of the calls that worked and are what a step asks for."""
        found = self.fits_of(step).items()
        return [k for k, one in found if not one.misses and self._works(k)]

    def _works(self, place: int) -> bool:
        return self.run.steps[place].status != "error"

    def choose(self, step: PlanStep, beside: str = "") -> list[Choice]:
        """Returns what may be done of a step, those first whose tools are most like the run's."""
        if step.one_of is None:
            return self._choose_number(step, beside)
        words = _name_alternatives(step)
        ranked: list[tuple[int, int, tuple[Due, ...]]] = []
        for several in step.one_of:
            inner = [_behind(one, step) for one in several]
            for choice in _combine(iter([self.choose(one, words) for one in inner])):
                lacking = sum(not self.fulfilling(one.step) for one in choice.due)
                ranked.append((2 * lacking - len(choice.due), choice.rank, choice.due))
        if step.need == "optional":
            option = [(a, b, tuple(d._replace(is_option=True) for d in c)) for a, b, c in ranked]
            ranked = [*option, (0, 0, ())]
        ranked.sort(key=lambda one: one[:2])
        return [Choice(k, due) for k, (_, _, due) in enumerate(ranked[:_MOST_CHOICES])]

    def _choose_number(self, step: PlanStep, beside: str) -> list[Choice]:
        least, most = step.bounds
        there = sum(map(self._works, self.fits_of(step)))
        top = max(least, there if most is None else min(most, there))
        # A call is done for one step alone.
        free = [place for place in self.fulfilling(step) if place not in self._claimed]
        likely = min(max(len(free), least), top)
        self._claimed.update(free[:likely])
        numbers = sorted(range(least, top + 1), key=lambda n: (abs(n - likely), n))
        name = str(step.id)
        due = [
            Due(name if k == 0 else f"{name}/{k + 1}", step, k >= least, beside)
            for k in range(max(numbers[:_MOST_CHOICES]))
        ]
        return [Choice(k, tuple(due[:n])) for k, n in enumerate(numbers[:_MOST_CHOICES])]

    def assign(self, due: Sequence[Due]) -> dict[str, int]:
        """Returns the place of the call that stands for each due one, as far as there is one.

        Those that fit best are taken, and among them those whose order is the plan's.
        """
        if not due or not self._calls:
            return {}
        before = self._list_before(due)
        cost = self._price(due, _find_levels(len(due), before))
        ranks = np.array(self._ranks)[self._calls]
        disorder, best, least = np.zeros_like(cost), dict[int, int](), np.inf
        for _ in range(_REPAIRS):
            rows, columns = assignment(cost + disorder)
            kept = cost[rows, columns] < _NO_FIT
            found = dict(zip(rows[kept].tolist(), columns[kept].tolist(), strict=True))
            wrong = [
                (a, b)
                for a, b in before
                if a in found and b in found and ranks[found[a]] >= ranks[found[b]]
            ]
            price = float(cost[rows, columns].sum()) + _OUT_OF_ORDER * len(wrong)
            if price < least:
                best, least = found, price
            if not wrong:
                break
            for a, b in wrong:
                disorder[a] += _OUT_OF_ORDER * (ranks >= ranks[found[a]])  # it must be earlier
                disorder[b] += _OUT_OF_ORDER * (ranks <= ranks[found[b]])  # and it later
        return {due[row].id: self._calls[column] for row, column in best.items()}

    def _list_before(self, due: Sequence[Due]) -> list[tuple[int, int]]:
        """The places of two due calls of which the first comes before the second.

        A step that is skipped hands its order on. Of one that may be done more often than it must,
        only what it must comes before others, and at least the first.
        """
        places: dict[str, list[int]] = {}
        for k, one in enumerate(due):
            if not one.is_option or one.id == one.step.id:
                places.setdefault(str(one.step.id), []).append(k)
        found = list[tuple[int, int]]()
        for k, one in enumerate(due):
            waiting, seen = list(one.step.after), set[str]()
            while waiting:
                name = waiting.pop()
                if name not in seen:
                    seen.add(name)
                    step, inside = self._steps[name]
                    earlier = [p for inner in inside for p in places.get(inner, ())]
                    found += [(p, k) for p in earlier]
                    waiting += [] if earlier else step.after
        return found

    def estimate(self, due: Sequence[Due], of: Mapping[str, int]) -> float:
        """Returns about what separates the run from a member: calls alone, values not allowed."""
        apart = 0.0
        for one in due:
            fitted = self.fits_of(one.step).get(of.get(one.id, -1))
            apart += 1 if fitted is None else len(fitted.misses) / (1 + fitted.leaves) - 1
        return round(apart, 9)

    def _price(self, due: Sequence[Due], levels: Sequence[float]) -> NDArray[np.float64]:
        """What a call costs as what is due: the share of its values that are not allowed."""
        column = {place: k for k, place in enumerate(self._calls)}
        cost = np.full((len(due), len(self._calls)), _NO_FIT)
        places = np.arange(len(self._calls)) / len(self._calls)
        for row, one in enumerate(due):
            for place, own in self.fits_of(one.step).items():
                failed = 0.0 if self._works(place) else _FAILED
                cost[row, column[place]] = failed + len(own.misses) / (1 + own.leaves)
            # Of equal calls the one at the place that the order of the plan gives it.
            cost[row] += _NEARER * np.abs(places - levels[row])
        return cost

    def write(self, due: Sequence[Due], of: Mapping[str, int]) -> Member:
        """Returns the member in which some calls are due.

        Args:
            due: the calls.
            of: the place of the run's call that stands for each, as far as there is one.
        """
        before = self._list_before(due)
        after: dict[str, list[str]] = {one.id: [] for one in due}
        for a, b in before:
            after[due[b].id].append(due[a].id)
        levels, places = _find_levels(len(due), before), list(self._steps)
        # As a person would list them: by what comes before what, then as the file does.
        ranked = sorted(
            range(len(due)),
            key=lambda k: (levels[k], places.index(str(due[k].step.id)), due[k].id),
        )
        steps, allowed = list[Step](), dict[str, Mapping[str, str]]()
        for one in map(due.__getitem__, ranked):
            fitted = self._fit_due(one, of.get(one.id))
            if one.id in of:
                misses = fitted.misses.items()
                allowed[one.id] = {
                    spelled_path(path.replace("[]", "")): said for path, said in misses
                }
            tool = self.run.steps[of[one.id]].tool if one.id in of else one.step.tools[0]
            needed = tuple(after[one.id])
            steps.append(Step(id=one.id, tool=tool, arguments=fitted.value, depends_on=needed))
        kept = {name: getattr(self.plan, name) for name in _KEPT}
        chosen = _name_choices(due)
        name = f"{self.plan.name} with {chosen}" if chosen else self.plan.id
        member = Member(**kept, id=name, steps=tuple(steps), tools=self.run.tools)
        member._demands = Demands(
            allowed,
            forbidden={**self._forbidden, **dict(self._list_excess(due, of))},
            missing=dict(self._say_missing(due, of)),
            is_closed=self.plan.others == "none",
            is_plan=True,
        )
        return member

    def _fit_due(self, one: Due, place: int | None) -> Fit:
        """How the run's call fits a due one; where there is none, what is due."""
        own = _NO_CALL if place is None else self.run.steps[place]
        return _fit_step(one.step, own, self._read_shown(one.step, place), self._comparer)

    def _read_shown(self, step: PlanStep, place: int | None) -> Shown:
        """The values that each ``from`` of a step stands for; what did not run shows nothing.

        Those are what the results of calls showed that are what the other step asks for, and that
        ran before the one that stands for this one.
        """
        found: dict[str, list[Any]] = {}
        for said in list_from(step.arguments):
            name, _, path = said.partition(".")
            _, inside = self._steps[name]
            places = [k for one in inside for k in self.fulfilling(self._steps[one][0])]
            effects = {k: self.run.steps[k].effect for k in places}
            if any(effect is not None for effect in effects.values()):
                before = (
                    k for k in effects if place is None or self._ranks[k] < self._ranks[place]
                )
                found[said] = [value for k in before for value in _values_at(effects[k], path)]
        return found

    @cached_property
    def _steps(self) -> Mapping[str, tuple[PlanStep, list[str]]]:
        return dict(_index_steps(self.plan.listed))

    @cached_property
    def _ranks(self) -> Sequence[int]:
        return list(turn_ranks(self.run.steps))

    @cached_property
    def _wanted(self) -> frozenset[int]:
        """The calls that are what some step asks for."""
        asked = [one for one in each_step(self.plan.listed) if not one.is_forbidden]
        return frozenset(place for one in asked for place in self.fulfilling(one))

    @cached_property
    def _forbidden(self) -> Mapping[str, str]:
        """The calls that the plan forbids, by their ids, with what is said of each."""
        found: dict[str, str] = {}
        for step in each_step(self.plan.listed):
            for place in self.fulfilling(step) if step.is_forbidden else ():
                if place not in self._wanted:
                    found[self.run.steps[place].id] = "is forbidden"
        return found

    def _list_excess(self, due: Sequence[Due], of: Mapping[str, int]) -> Iterator[tuple[str, str]]:
        """The calls beyond the most that ``times`` allows, which are as bad as forbidden ones."""
        used = set(of.values())
        for step in each_step(self.plan.listed):
            most = step.bounds[1]
            if step.times is None or most is None or step.is_forbidden:
                continue
            places = self.fulfilling(step)
            others = frozenset().union(
                *(self.fulfilling(one.step) for one in due if one.step.id != step.id)
            )
            for place in places if len(places) > most else ():
                if place not in used and place not in others:
                    tool = shown(self.run.steps[place].tool, 40)
                    yield (
                        self.run.steps[place].id,
                        f"is too many: {tool} was called {_times(len(places))}, at most {most}",
                    )

    def _say_missing(self, due: Sequence[Due], of: Mapping[str, int]) -> Iterator[tuple[str, str]]:
        """What is said of a due call where it is missing."""
        # Alternatives are named together where no call is of any of them.
        begun = {
            _name_alternatives(step)
            for step, inside in self._steps.values()
            if step.one_of and any(self.fits_of(self._steps[name][0]) for name in inside)
        }
        for one in due:
            if one.beside and one.beside not in begun:
                yield one.id, one.beside
            elif one.step.bounds[0] > 1 and one.id not in of:
                tool, times = shown(one.step.tools[0], 40), len(self.fulfilling(one.step))
                least = one.step.bounds[0]
                yield one.id, f"{tool} was {_called(times)}; at least {least} calls are due"
            else:
                yield one.id, f"{_name_due(one)} of the plan is missing"


_NO_CALL = Step(id="none", tool="", arguments={})
_KEPT = "task", "request", "must_tell", "source", "metadata"


def _name_due(one: Due) -> str:
    """A due call by its tool, and by its id where the plan gives it one."""
    tool = shown(one.step.tools[0], 40)
    own = one.step.is_named and one.id != one.step.tools[0]
    return f"step {shown(one.id, 24)} ({tool})" if own else tool


def _name_choices(due: Sequence[Due]) -> str:
    """The options and alternatives of a member, in words; empty without any."""
    counts = Counter(shown(one.step.tools[0], 40) for one in due if one.is_option or one.beside)
    return ", ".join(tool if n == 1 else f"{tool} ({_times(n)})" for tool, n in counts.items())


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _called(count: int) -> str:
    return f"called {_times(count)}" if count else "never called"


def _fit_step(step: PlanStep, own: Step, shown_by: Shown, comparer: Comparer) -> Fit:
    if step.arguments is None:
        return Fit(own.arguments, {}, 0)
    partial = step.partial or step.is_forbidden
    return fit(step.arguments, own.arguments, shown_by, comparer, partial=partial)


def _behind(inner: PlanStep, outer: PlanStep) -> PlanStep:
    """A step of an alternative: what comes before all of it comes before the step."""
    return inner.model_copy(update={"after": [*inner.after, *outer.after]})


def _name_alternatives(step: PlanStep) -> str:
    names = [shown(one.tools[0], 40) for several in step.one_of or () for one in _first(several)]
    if len(names) == 1:
        return f"{names[0]} was never called"
    return f"neither {', '.join(names[:-1])} nor {names[-1]} was called"


def _first(several: Sequence[PlanStep]) -> Sequence[PlanStep]:
    """The step that an alternative is named after: its first that is required."""
    steps = list(each_step(several))
    return [next((one for one in steps if one.bounds[0]), steps[0])]


def _index_steps(steps: Sequence[PlanStep]) -> Iterator[tuple[str, tuple[PlanStep, list[str]]]]:
    """Yields each step by its id, with the ids of the calls that it consists of."""
    for step in steps:
        inner = [one for several in step.one_of or () for one in several]
        yield str(step.id), (step, [str(one.id) for one in each_step([step])])
        yield from _index_steps(inner)


def _find_levels(count: int, before: Sequence[tuple[int, int]]) -> list[float]:
    """Where each of some calls lies between the first and the last, by who comes before whom."""
    level, raised = [0] * count, True
    while raised:  # there is no circle
        raised = False
        for a, b in before:
            if level[b] <= level[a]:
                level[b], raised = level[a] + 1, True
    return [one / (1 + max(level, default=0)) for one in level]


def _values_at(data: Any, path: str) -> list[Any]:
    """The values at a path of keys, through all lists; without a path all leaves."""
    waiting: list[tuple[Any, list[str]]] = [(data, path.split(".") if path else [])]
    found: list[Any] = []
    while waiting and len(found) < _MAX_SHOWN:
        one, keys = waiting.pop()
        one = plain(one)
        if isinstance(one, list):
            waiting += [(member, keys) for member in reversed(one)]
        elif isinstance(one, dict) and not keys:
            waiting += [(member, keys) for member in reversed(one.values())]
        elif isinstance(one, dict):
            names = {spelled_path(key): key for key in one}
            key = names.get(spelled_path(keys[0]))
            waiting += [] if key is None else [(one[key], keys[1:])]
        elif not keys and one is not None:
            found.append(one)
    return found

"""A plan drafted out of good runs of one task, for a person to read and edit.

The run that is nearest to the others comes first, and theirs are merged into it by counterparts.
What all runs did is required; what some did, and values that vary, are options and alternatives,
from three runs on. Nothing is decided by a majority, and nothing is forbidden: that is for a person
to say. Each line says how many runs it rests on.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from otap._numbers import count_text, score_text
from otap.config import Config
from otap.errors import FormatError, shown
from otap.learning.settings_file import comment, inline, key, text
from otap.plans import Plan, parse_plan
from otap.plans.model import MAX_PLAN_STEPS, SCHEMA_VERSION
from otap.plans.patterns import are_same, as_literal, is_pattern
from otap.run import DependencyGraph
from otap.run.run import Run, prepare
from otap.run.settings import RunSettings
from otap.run.tool_names import canonical_tool
from otap.scoring import Score, Scorer
from otap.trajectory import Step, Trajectory
from otap.values.keys import spelled, spelled_path
from otap.values.value import Value, plain

VARYING_FROM = 3  # runs from which on options and values that vary are believed
CONFLICTS_FROM = 5  # runs from which on the order of steps that only share a thing is believed
MOST_RUNS = 30  # of which a draft is made
_MOST_VALUES = 30  # that one value may have before it is any
_NAMED = 10  # tools that one comment names
_INDEX = re.compile(r"\[\d+\]")


@dataclass
class _Slot:
    """A step of the draft: by the place of each run the step that did it."""

    name: str
    steps: dict[int, Step] = field(default_factory=dict)


@dataclass(frozen=True)
class Draft:
    """A drafted plan.

    Attributes:
        plan: the plan.
        text: the same as TOML, with the evidence beside each line.
        scores: of each run that it was made of, against it, in their order.
    """

    plan: Plan
    text: str
    scores: tuple[Score, ...]


def draft_plan(runs: Sequence[Trajectory], config: Config | None = None) -> Draft:
    """Returns a plan that good runs of one task fulfil, as far as one can be made.

    Args:
        runs: good runs of one task, at least one; of more than MOST_RUNS the first.
        config: the settings; None: the preset ``default``.

    Raises:
        FormatError: if there is no run, or nothing was understood of one.
        LimitError: if a run is too long to be scored.
    """
    runs = runs[:MOST_RUNS]
    if not runs:
        raise FormatError("a plan is drafted out of good runs, and there is none")
    for run in runs:
        if not run.understood:
            raise FormatError(f"{shown(run.name)}: nothing was understood of it")
    scorer = Scorer(config)
    first = _find_medoid(runs, scorer)
    runs = [runs[first], *runs[:first], *runs[first + 1 :]]
    drafting = _Drafting(runs, scorer)
    written = "\n".join(drafting.write()) + "\n"
    plan = parse_plan(drafting.data, "draft")
    scores = tuple(scorer.score(run, plan) for run in runs)
    return Draft(plan, "".join(f"{line}\n" for line in _head(runs, scores)) + written, scores)


def _find_medoid(runs: Sequence[Trajectory], scorer: Scorer) -> int:
    """The place of the run whose scores against the others are the highest in all."""
    if len(runs) < VARYING_FROM:
        return 0
    pairs = [(run, other) for other in runs for run in runs]
    scores = [one.score for one in scorer.score_many(pairs)]
    size = len(runs)
    totals = [round(sum(scores[k * size : (k + 1) * size]), 9) for k in range(size)]
    return totals.index(max(totals))


def _head(runs: Sequence[Trajectory], scores: Sequence[Score]) -> Iterator[str]:
    of = count_text(len(runs), "good run")
    yield from comment(
        f"A draft out of {of}: {', '.join(shown(run.name, 60) for run in runs[:_NAMED])}"
        f"{', ...' if len(runs) > _NAMED else ''}. Read it, and edit it: nothing is forbidden yet."
    )
    if len(runs) < VARYING_FROM:
        yield from comment(
            f"From {VARYING_FROM} runs on, what some of them do becomes an option, and values that"
            " vary become a choice."
        )
    for run, score in zip(runs, scores, strict=True):
        if score.severity not in (None, "minor"):
            yield from comment(
                f"{shown(run.name, 60)} does not fulfil it ({score_text(score.score)}):"
                f" {score.findings[0].sentence}"
            )
    least = min((one.score for one in scores if one.severity in (None, "minor")), default=1.0)
    if least < 1:
        yield from comment(
            f"Its sources score {score_text(least)} or more: they looked something up besides, or"
            " said it in other words."
        )
    yield ""


class _Drafting:
    """The runs, and the steps that were made of theirs."""

    def __init__(self, runs: Sequence[Trajectory], scorer: Scorer) -> None:
        self.runs, self.count = runs, len(runs)
        settings = RunSettings(scorer.config)
        self._sides = [prepare(run, settings) for run in runs]
        changing = any("writes" in side.roles for side in self._sides)
        # What only looks is a step where nothing changes, unless only changes count.
        self._only_changes = scorer.config.only_changes
        looks = not changing and not self._only_changes
        self._roles = {"reads"} if looks else {"writes", "hands_over"}
        self.slots: list[_Slot] = []
        self._merge_runs(scorer)
        self._facts = [_Facts(side) for side in self._sides]
        self._looks = self._find_looks()  # by run the looks that all have, by id
        self._asked: list[str] = []  # the tools of those that a value comes from
        self.data: dict[str, Any] = {"schema_version": SCHEMA_VERSION}

    def _merge_runs(self, scorer: Scorer) -> None:
        for k, side in enumerate(self._sides):
            counterparts: Mapping[str, str | None] = {}
            if k:
                found = scorer.score(self.runs[k], self.runs[0])
                counterparts = {one.id: one.counterpart for one in found.alignment.agent}
            for step in self._steps_of(side):
                slot = self._find_slot(k, step, counterparts.get(step.id))
                slot.steps[k] = step

    def _steps_of(self, side: Run) -> Iterator[Step]:
        """The steps of a run that a plan is made of: what worked and changed something."""
        for step, role, failed in zip(side.scored.steps, side.roles, side.failed, strict=True):
            if step.tool is not None and role in self._roles and not failed:
                yield step

    def _find_slot(self, k: int, step: Step, counterpart: str | None) -> _Slot:
        tool = canonical_tool(step.tool or "").bare
        free = [slot for slot in self.slots if k not in slot.steps and _tool_of(slot) == tool]
        for slot in free:
            if 0 in slot.steps and slot.steps[0].id == counterpart:
                return slot
        for slot in free:
            others = (one.arguments for one in slot.steps.values())
            if any(are_same(step.arguments, one) for one in others):
                return slot
        # One that is no other's counterpart: an option that the first run has not taken.
        for slot in free:
            if 0 not in slot.steps and k:
                return slot
        name = _name_slot(step.tool or "", {slot.name for slot in self.slots})
        self.slots.append(_Slot(name))
        return self.slots[-1]

    def write(self) -> Iterator[str]:
        """Yields the lines of the file, and fills in ``data``."""
        task = self.runs[0].task
        yield f"schema_version = {text(SCHEMA_VERSION)}"
        if task is not None:
            self.data["task"] = task
            yield f"task = {text(task)}"
        elif self.runs[0].request:
            self.data["request"] = list(self.runs[0].request)
            yield f"request = {inline(self.data['request'])}"
        if self._only_changes:
            self.data["only_changes"] = True
            yield "only_changes = true"
        believed = self.count >= VARYING_FROM
        due = [one for one in self.slots if len(one.steps) == self.count or believed]
        if len(due) > MAX_PLAN_STEPS:
            raise FormatError(
                f"the runs have more than {MAX_PLAN_STEPS} steps, the limit of a plan"
            )
        after = self._order(due)
        if due:
            self.data["steps"] = []
        for several in self._group(due):
            if len(several) > 1:
                yield from self._write_alternatives(several, after)
            else:
                yield from self._write_slot(several[0], after[several[0].name])
        for tool in self._asked:
            self.data["steps"].append({"id": tool, "tool": tool, "times": [1]})
            yield ""
            yield f"[[steps]]  # {self._share(self.count)}: a value is what it showed"
            yield f"id = {text(tool)}"
            yield f"tool = {text(tool)}"
            yield "times = [1]"
        yield from self._suggest([one for one in self.slots if one not in due])

    def _group(self, due: Sequence[_Slot]) -> list[list[_Slot]]:
        """The steps one by one, and together those of which every run did exactly one."""
        rest, found = list(due), list[list[_Slot]]()
        while rest:
            several, covered = [rest.pop(0)], set[int]()
            covered.update(several[0].steps)
            for other in [] if len(covered) == self.count else list(rest):
                if covered.isdisjoint(other.steps) and len(covered) < self.count:
                    several.append(other)
                    covered.update(other.steps)
            if len(covered) < self.count:
                several = several[:1]
            rest = [one for one in rest if one not in several]
            found.append(several)
        return found

    def _write_alternatives(
        self, several: Sequence[_Slot], after: Mapping[str, Sequence[str]]
    ) -> Iterator[str]:
        yield ""
        yield f"[[steps]]  # one of these in each of {count_text(self.count, 'run')}"
        name = "-or-".join(slot.name for slot in several)
        data: dict[str, Any] = {"id": name, "one_of": []}
        yield f"id = {text(name)}"
        yield "one_of = ["
        for slot in several:
            step = next(iter(slot.steps.values()))
            one: dict[str, Any] = {"id": slot.name, "tool": step.tool}
            if after[slot.name]:
                one["after"] = list(after[slot.name])
            given = {k: _without_nulls(own.arguments) for k, own in slot.steps.items()}
            if all(isinstance(own, dict) for own in given.values()):
                one["arguments"] = self._merge_objects(slot, given, "")
            yield f"  [{inline(one)}],  # {self._share(len(slot.steps))}"
            data["one_of"].append([one])
        yield "]"
        self.data["steps"].append(data)

    def _write_slot(self, slot: _Slot, after: Sequence[str]) -> Iterator[str]:
        step = next(iter(slot.steps.values()))
        data: dict[str, Any] = {"id": slot.name, "tool": step.tool}
        yield ""
        yield f"[[steps]]  # {self._share(len(slot.steps))}"
        yield f"id = {text(slot.name)}"
        yield f"tool = {text(step.tool or '')}"
        if len(slot.steps) < self.count:
            data["need"] = "optional"
            yield 'need = "optional"'
        if after:
            data["after"] = list(after)
            yield f"after = {inline(data['after'])}  # it uses what they showed, or changes theirs"
        data["arguments"] = {}
        yield from self._write_arguments(slot, data["arguments"])
        self.data["steps"].append(data)

    def _write_arguments(self, slot: _Slot, into: dict[str, Any]) -> Iterator[str]:
        given = {k: _without_nulls(step.arguments) for k, step in slot.steps.items()}
        if not all(isinstance(one, dict) for one in given.values()):
            yield "# its arguments are no object in every run: any will do"
            return
        merged = self._merge(slot, given, "")
        if not merged:
            yield "arguments = {}"
        for name, value in merged.items():
            into[name] = value
            there = [one for one in given.values() if _has_key(one, name)]
            varied = ""
            if not is_pattern(value):
                varied, there = self._say_other(name, there), _with_value(there, name, value)
            share = self._share(len(there), len(slot.steps))
            yield f"arguments.{key(name)} = {inline(value)}  # {share}{varied}"

    def _say_other(self, name: str, there: Sequence[Any]) -> str:
        """What runs have that is not in the plan, because there are too few to believe it."""
        values = [one[key_] for one in there for key_ in one if spelled(key_) == spelled(name)]
        other = next((one for one in values[1:] if not are_same(values[0], one)), None)
        return "" if other is None else f"; another has {shown(Value(other).text, 40)}"

    def _merge(self, slot: _Slot, given: Mapping[int, Any], path: str) -> Any:
        """What the values of several runs have in common, as a value or a pattern."""
        values = list(given.values())
        first = values[0]
        if all(are_same(first, one) for one in values[1:]):
            return as_literal(first)
        if all(isinstance(one, dict) for one in values):
            return self._merge_objects(slot, given, path)
        if all(isinstance(one, str) and Value(one).worded for one in values):
            return {"like": list(dict.fromkeys(values))[:_MOST_VALUES]}
        if self.count < VARYING_FROM:
            return as_literal(first)
        shown_by = self._find_source(slot, given, path)
        if shown_by is not None:
            return {"from": shown_by}
        different: list[Any] = []
        for one in values:
            if not any(are_same(one, known) for known in different):
                different.append(one)
        invented = all(self._facts[k].is_invented(slot.steps[k].id, path) for k in given)
        if len(different) > _MOST_VALUES or invented:
            return {"any": True}
        return {"one_of": different}

    def _merge_objects(self, slot: _Slot, given: Mapping[int, Any], path: str) -> dict[str, Any]:
        names = {spelled(name): name for one in [*given.values()][::-1] for name in one}
        order = dict.fromkeys(spelled(name) for one in given.values() for name in one)
        found: dict[str, Any] = {}
        for name in order:
            inside = {
                k: one[own] for k, one in given.items() for own in one if spelled(own) == name
            }
            value = self._merge(slot, inside, f"{path}.{names[name]}" if path else names[name])
            if len(inside) == len(given):
                found[names[name]] = value
            elif self.count >= VARYING_FROM:
                found[names[name]] = {"optional": value}
            elif 0 in inside:
                found[names[name]] = value
        return found

    def _find_source(self, slot: _Slot, given: Mapping[int, Any], path: str) -> str | None:
        """The step and the path from which all runs have a value, in the words of ``from``."""
        found: set[tuple[str, str]] | None = None
        for k in given:
            owners = {one.steps[k].id: one.name for one in self.slots if k in one.steps}
            owners |= self._looks[k]
            sources = {
                (owners[source], where)
                for source, where in self._facts[k].sources_of(slot.steps[k].id, path)
                if source in owners
            }
            found = sources if found is None else found & sources
        name, where = min(found or {("", "")})
        if name in self._looks[0].values() and name not in self._asked:
            self._asked.append(name)
        return f"{name}.{where}".rstrip(".") if name else None

    def _find_looks(self) -> list[dict[str, str]]:
        """By run the looks whose tool is called in every run, and by no step of the draft."""
        taken = {slot.name for slot in self.slots}
        by_run = [
            {
                step.id: step.tool
                for step, role in zip(side.scored.steps, side.roles, strict=True)
                if role == "reads" and step.tool and step.tool not in taken
            }
            for side in self._sides
        ]
        common = set.intersection(*(set(one.values()) for one in by_run))
        return [{name: tool for name, tool in one.items() if tool in common} for one in by_run]

    def _order(self, due: Sequence[_Slot]) -> dict[str, list[str]]:
        """For each step those that come before it in every run, for a reason that is known."""
        before: dict[str, set[str]] = {slot.name: set() for slot in due}
        for one in due:
            for other in due:
                together = one.steps.keys() & other.steps.keys()
                if one is not other and together and self._is_before(one, other, together):
                    before[other.name].add(one.name)
        return {
            name: sorted(
                one for one in several if not any(one in before[other] for other in several)
            )
            for name, several in before.items()
        }

    def _is_before(self, one: _Slot, other: _Slot, together: Collection[int]) -> bool:
        pairs = [(k, one.steps[k].id, other.steps[k].id) for k in together]
        if all(self._facts[k].flows(a, b) for k, a, b in pairs):
            return True
        many = len(pairs) == self.count >= CONFLICTS_FROM
        return many and all(self._facts[k].conflicts(a, b) for k, a, b in pairs)

    def _share(self, count: int, of: int | None = None) -> str:
        return f"{count} of {count_text(of or self.count, 'run')}"

    def _suggest(self, left: Sequence[_Slot]) -> Iterator[str]:
        """What needs a person, in comments."""
        lines: list[str] = []
        for slot in left:
            share = self._share(len(slot.steps))
            lines.append(f"{share} called {shown(slot.name, 40)}, which is not in the plan.")
        common = sorted(set(self._looks[0].values()) - set(self._asked))
        looks = [shown(tool, 40) for tool in common[:_NAMED]]
        if looks:
            lines.append(f"All runs looked with {', '.join(looks)}: add them if a run must.")
        never = self._list_never()
        if never:
            lines.append(f'No run called {", ".join(never)}: to forbid it, need = "forbidden".')
        if any(run.told for run in self.runs):
            lines.append("What the user must be told goes into must_tell.")
        if lines:
            yield ""
            yield "# Suggestions"
        for one in lines:
            yield from comment(one)

    def _list_never(self) -> list[str]:
        """Tools that the runs know and none of them called, which change something."""
        known = {name for run in self.runs for name in run.tools}
        called = {step.tool for run in self.runs for step in run.steps}
        facts = {name: run.tools[name] for run in self.runs for name in run.tools}
        never = sorted(name for name in known - called if facts[name].read_only is not True)
        return [shown(name, 40) for name in never[:_NAMED]]


class _Facts:
    """What is known of the values and the order of one run."""

    def __init__(self, side: Run) -> None:
        self._ids = [step.id for step in side.scored.steps]
        self._place = {name: k for k, name in enumerate(self._ids)}
        traced = "traced" in side.mechanisms
        self._flow = side.graphs["traced"].graph if traced else None
        self._after = _reach(self._flow)
        self._conflicts = side.graphs["conflicts"].graph
        whole = [step.id for step in side.flat.trajectory.steps]
        self._invented = {(whole[one.step], _path_of(one.path)) for one in side.ungrounded}

    def is_invented(self, step: str, path: str) -> bool:
        """Whether nothing before showed a value."""
        return (step, _path_of(path)) in self._invented

    def flows(self, one: str, other: str) -> bool:
        """Whether a step used what another showed, directly or through others."""
        return self._place[other] in self._after[self._place[one]]

    def conflicts(self, one: str, other: str) -> bool:
        """Whether a step came before another that names the same thing."""
        ends = self._place[one], self._place[other]
        return any((edge.source, edge.target) == ends for edge in self._conflicts.edges)

    def sources_of(self, step: str, path: str) -> Iterator[tuple[str, str]]:
        """The steps that showed a value, and where in their results it stood."""
        wanted = _path_of(f"arguments.{path}")
        for edge in self._flow.edges if self._flow else ():
            if self._ids[edge.target] == step:
                for one in edge.evidence:
                    if one.source_path.startswith("effect") and _path_of(one.target_path) == wanted:
                        where = _INDEX.sub("", one.source_path).removeprefix("effect").lstrip(".")
                        yield self._ids[edge.source], where


def _reach(graph: DependencyGraph | None) -> list[set[int]]:
    """For each step those that follow from it by values."""
    if graph is None:
        return []
    after: list[set[int]] = [set() for _ in range(graph.size)]
    for j in reversed(graph.order):
        for edge in graph.edges:
            shows = any(one.source_path.startswith("effect") for one in edge.evidence)
            if edge.source == j and shows:
                after[j] |= {edge.target} | after[edge.target]
    return after


def _name_slot(tool: str, taken: set[str]) -> str:
    """An id for a step of this tool that no other has."""
    number, name = 2, tool
    while name in taken:
        name, number = f"{tool}-{number}", number + 1
    return name


def _tool_of(slot: _Slot) -> str:
    return canonical_tool(next(iter(slot.steps.values())).tool or "").bare


def _path_of(path: str) -> str:
    return spelled_path(_INDEX.sub("", path))


def _has_key(data: Any, name: str) -> bool:
    return any(spelled(own) == spelled(name) for own in data)


def _with_value(given: Sequence[Any], name: str, value: Any) -> list[Any]:
    """The arguments that have the value of a plan under a name, or none that is one value."""
    literal = isinstance(value, str | int | float)
    return [
        one
        for one in given
        if not literal or any(are_same(one[k], value) for k in one if spelled(k) == spelled(name))
    ]


def _without_nulls(data: Any) -> Any:
    """Data without keys and members that are null, which TOML has not and no plan asks for."""
    data = plain(data)
    if isinstance(data, dict):
        return {name: _without_nulls(one) for name, one in data.items() if one is not None}
    if isinstance(data, list):
        return [_without_nulls(one) for one in data if one is not None]
    return data

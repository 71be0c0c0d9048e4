"""Drafts a plan from good runs of one task, for a person to read and edit.

The run that is nearest to the others comes first, and the counterparts of its steps in the other
runs are merged into it. Steps of all runs are required. From three runs on, steps of some runs
become optional or alternatives, and values that vary become choices. No majority decides, and
nothing is forbidden: that is left to a person. A comment beside each line says how many runs it
rests on.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, pairwise
from typing import Any

from otap._numbers import count_text, score_text
from otap.config import Config
from otap.errors import FormatError, shown
from otap.graph import DependencyGraph, turn_ranks
from otap.learning.selection.losses import PairLosses
from otap.learning.toml import comment_lines, toml_key, toml_string, toml_value
from otap.plans import Plan, parse_plan
from otap.plans.model import MAX_PLAN_STEPS, SCHEMA_VERSION
from otap.plans.patterns import are_same, as_literal, is_pattern
from otap.run.change_facts import ChangeFacts
from otap.run.placeholders import has_placeholder
from otap.run.precedence import judge_order
from otap.run.run import Run, prepare
from otap.run.settings import RunSettings
from otap.scoring import Score, Scorer
from otap.trajectory import Step, Trajectory
from otap.values.keys import canonical_key, canonical_path
from otap.values.tool_names import canonical_tool
from otap.values.value import Value, plain

MIN_VARYING = 3  # runs from which optional steps and varying values are drafted
MIN_CONFLICTS = 5  # runs from which a shared resource alone puts steps in order
MIN_AGREEING = 3  # runs from which their common order is suggested
MAX_RUNS = 30  # runs of a draft; further ones are ignored
MAX_STEP_PAIRS = 100_000  # of steps; with more, the most central run is found by estimates
_MAX_VALUES = 30  # values of one argument; with more, any value is allowed
_MAX_NAMES = 10  # runs or tools listed in one comment
_MAX_NAME = 60  # characters of a run's name in a comment
_MAX_TOOL = 40  # characters of a tool's name or a value in a comment
_INDEX = re.compile(r"\[\d+\]")


@dataclass
class _DraftStep:
    """A step of the draft.

    Attributes:
        id: its id in the plan.
        by_run: the steps of the runs that it was made from, by the index of the run.
    """

    id: str
    by_run: dict[int, Step] = field(default_factory=dict)

    @property
    def tool(self) -> str:
        """The tool as its first run calls it."""
        return next(iter(self.by_run.values())).tool or ""


@dataclass(frozen=True)
class Draft:
    """A drafted plan.

    Attributes:
        plan: the plan.
        text: the same as TOML, with comments about its evidence.
        scores: the score of each source run against the plan; the first is the most central run.
    """

    plan: Plan
    text: str
    scores: tuple[Score, ...]


def draft_plan(runs: Sequence[Trajectory], config: Config | None = None) -> Draft:
    """Drafts a plan that good runs of one task fulfil, as far as possible.

    Args:
        runs: good runs of one task, at least one; only the first MAX_RUNS are used.
        config: the settings; None: the preset ``default``.

    Raises:
        FormatError: if there is no run, or nothing was understood of one.
        LimitError: if a run is too long to be scored.
    """
    runs = runs[:MAX_RUNS]
    if not runs:
        raise FormatError("a plan is drafted from good runs, and there is none")
    for run in runs:
        if not run.understood:
            raise FormatError(f"{shown(run.name)}: nothing was understood of it")
    scorer = Scorer(config)
    medoid = _find_medoid(runs, scorer)
    runs = [runs[medoid], *runs[:medoid], *runs[medoid + 1 :]]
    drafter = _Drafter(runs, scorer)
    lines = list(drafter.write())
    plan = parse_plan(drafter.plan, "draft")
    scores = tuple(scorer.score(run, plan) for run in runs)
    text = "".join(f"{line}\n" for line in [*_head_lines(runs, scores), *lines])
    return Draft(plan, text, scores)


def _find_medoid(runs: Sequence[Trajectory], scorer: Scorer) -> int:
    """Returns the index of the reference against which all runs score highest in total.

    For long runs, estimates of the losses decide.
    """
    if len(runs) < MIN_VARYING:
        return 0
    count = len(runs)
    if sum(len(run.steps) for run in runs) ** 2 > MAX_STEP_PAIRS:
        return _estimate_medoid(runs, scorer.config)
    pairs = [(run, reference) for reference in runs for run in runs]
    scores = [score.score for score in scorer.score_many(pairs)]
    totals = [round(sum(scores[k * count : (k + 1) * count]), 9) for k in range(count)]
    return totals.index(max(totals))


def _estimate_medoid(runs: Sequence[Trajectory], config: Config) -> int:
    """Returns the index of the run with the least estimated loss to all others."""
    pairs = list(combinations(range(len(runs)), 2))
    totals = [0.0] * len(runs)
    with PairLosses(runs, config) as losses:
        for (first, second), loss in zip(pairs, losses.estimate(pairs).tolist(), strict=True):
            totals[first] += loss
            totals[second] += loss
    rounded = [round(total, 9) for total in totals]
    return rounded.index(min(rounded))


def _head_lines(runs: Sequence[Trajectory], scores: Sequence[Score]) -> Iterator[str]:
    """Yields the comment at the top: the sources, and how far they fulfil the plan."""
    names = ", ".join(shown(run.name, _MAX_NAME) for run in runs[:_MAX_NAMES])
    more = ", ..." if len(runs) > _MAX_NAMES else ""
    yield from comment_lines(
        f"Draft from {count_text(len(runs), 'good run')}: {names}{more}."
        " Read and edit it; nothing is forbidden yet."
    )
    if len(runs) < MIN_VARYING:
        yield from comment_lines(
            f"From {MIN_VARYING} runs on, steps of some runs become optional, and values that vary"
            " become a choice."
        )
    fulfilling = []
    for run, score in zip(runs, scores, strict=True):
        if score.severity in (None, "minor"):
            fulfilling.append(score.score)
        else:
            yield from comment_lines(
                f"{shown(run.name, _MAX_NAME)} does not fulfil it ({score_text(score.score)}):"
                f" {score.findings[0].sentence}"
            )
    lowest = min(fulfilling, default=1.0)
    if lowest < 1:
        yield from comment_lines(
            f"The runs that fulfil it score {score_text(lowest)} or more; they have extra look-ups"
            " or other wording."
        )
    yield ""


class _Drafter:
    """Merges runs into draft steps, and writes these as a plan.

    Attributes:
        plan: the plan as plain data, which :meth:`write` fills in.
    """

    def __init__(self, runs: Sequence[Trajectory], scorer: Scorer) -> None:
        self._runs = runs
        settings = RunSettings(scorer.config)
        self._prepared = [prepare(run, settings) for run in runs]
        has_changes = any("writes" in run.roles for run in self._prepared)
        self._only_changes = scorer.config.only_changes
        # Look-ups are steps of the plan only if no run changes anything.
        needs_look_ups = not has_changes and not self._only_changes
        self._roles = {"reads"} if needs_look_ups else {"writes", "handoff"}
        self._steps: list[_DraftStep] = []
        self._merge_runs(scorer)
        self._facts = [_RunFacts(run) for run in self._prepared]
        self._look_ups = self._find_look_ups()
        self._suggested = set[tuple[str, str]]()  # steps whose order only all runs agree on
        self._source_tools: list[str] = []  # look-ups that become steps, as a value comes from them
        self.plan: dict[str, Any] = {"schema_version": SCHEMA_VERSION}

    def _merge_runs(self, scorer: Scorer) -> None:
        for index, run in enumerate(self._prepared):
            counterparts: Mapping[str, str | None] = {}
            if index:
                alignment = scorer.score(self._runs[index], self._runs[0]).alignment
                counterparts = {row.id: row.counterpart for row in alignment.agent}
            for step in self._plan_steps(run):
                draft_step = self._match_step(index, step, counterparts.get(step.id))
                draft_step.by_run[index] = step

    def _plan_steps(self, run: Run) -> Iterator[Step]:
        """Yields the calls of a run that belong into a plan: successful ones of the right role."""
        for step, role, failed in zip(run.scored.steps, run.roles, run.failed, strict=True):
            if step.tool is not None and role in self._roles and not failed:
                yield step

    def _match_step(self, run_index: int, step: Step, counterpart: str | None) -> _DraftStep:
        """Returns the draft step for a step of a run, which may be new.

        Args:
            run_index: the index of the run.
            step: the step.
            counterpart: the id of its counterpart in the first run; None: it has none.
        """
        tool = canonical_tool(step.tool or "").bare
        candidates = [
            draft_step
            for draft_step in self._steps
            if run_index not in draft_step.by_run and canonical_tool(draft_step.tool).bare == tool
        ]
        for draft_step in candidates:
            if 0 in draft_step.by_run and draft_step.by_run[0].id == counterpart:
                return draft_step
        for draft_step in candidates:
            merged = draft_step.by_run.values()
            if any(are_same(step.arguments, earlier.arguments) for earlier in merged):
                return draft_step
        # Without a counterpart it may be an option that the first run did not take.
        for draft_step in candidates:
            if 0 not in draft_step.by_run and run_index:
                return draft_step
        used_ids = {draft_step.id for draft_step in self._steps}
        self._steps.append(_DraftStep(_unused_id(step.tool or "", used_ids)))
        return self._steps[-1]

    def write(self) -> Iterator[str]:
        """Yields the lines of the file, and fills in ``plan``.

        Raises:
            FormatError: if the plan has more than MAX_PLAN_STEPS steps.
        """
        yield from self._write_task()
        has_options = len(self._runs) >= MIN_VARYING
        included = [
            step for step in self._steps if has_options or len(step.by_run) == len(self._runs)
        ]
        if len(included) > MAX_PLAN_STEPS:
            raise FormatError(
                f"the runs have more than {MAX_PLAN_STEPS} steps, the limit of a plan"
            )
        predecessors = self._find_predecessors(included)
        if included:
            self.plan["steps"] = []
        for group in self._group_alternatives(included):
            if len(group) > 1:
                yield from self._write_alternatives(group, predecessors)
            else:
                yield from self._write_step(group[0], predecessors[group[0].id])
        yield from self._write_sources()
        omitted = [step for step in self._steps if step not in included]
        yield from self._write_suggestions(omitted, self._list_free_pairs(included, predecessors))

    def _write_task(self) -> Iterator[str]:
        run = self._runs[0]
        yield f"schema_version = {toml_string(SCHEMA_VERSION)}"
        if run.task is not None:
            self.plan["task"] = run.task
            yield f"task = {toml_string(run.task)}"
        elif run.request:
            self.plan["request"] = list(run.request)
            yield f"request = {toml_value(self.plan['request'])}"
        if self._only_changes:
            self.plan["only_changes"] = True
            yield "only_changes = true"

    def _write_sources(self) -> Iterator[str]:
        """Writes the look-ups from which values of other steps come."""
        for tool in self._source_tools:
            self.plan["steps"].append({"id": tool, "tool": tool, "times": [1]})
            yield ""
            yield f"[[steps]]  # {self._share(len(self._runs))}: a value comes from its result"
            yield f"id = {toml_string(tool)}"
            yield f"tool = {toml_string(tool)}"
            yield "times = [1]"

    def _group_alternatives(self, steps: Sequence[_DraftStep]) -> list[list[_DraftStep]]:
        """Groups steps of which every run has exactly one; other steps are groups of their own."""
        run_count = len(self._runs)
        ungrouped = list(steps)
        groups: list[list[_DraftStep]] = []
        while ungrouped:
            group = [ungrouped.pop(0)]
            covered_runs = set(group[0].by_run)
            for step in ungrouped:
                if len(covered_runs) < run_count and covered_runs.isdisjoint(step.by_run):
                    group.append(step)
                    covered_runs.update(step.by_run)
            if len(covered_runs) < run_count:
                group = group[:1]
            ungrouped = [step for step in ungrouped if step not in group]
            groups.append(group)
        return groups

    def _write_alternatives(
        self, group: Sequence[_DraftStep], predecessors: Mapping[str, Sequence[str]]
    ) -> Iterator[str]:
        yield ""
        yield f"[[steps]]  # one of these in each of {count_text(len(self._runs), 'run')}"
        group_id = "-or-".join(step.id for step in group)
        alternatives: list[list[dict[str, Any]]] = []
        self.plan["steps"].append({"id": group_id, "one_of": alternatives})
        yield f"id = {toml_string(group_id)}"
        yield "one_of = ["
        for step in group:
            alternative: dict[str, Any] = {"id": step.id, "tool": step.tool}
            if predecessors[step.id]:
                alternative["after"] = list(predecessors[step.id])
            arguments = _arguments_by_run(step)
            if all(isinstance(of_run, dict) for of_run in arguments.values()):
                alternative["arguments"] = self._merge_objects(step, arguments, "")
            yield f"  [{toml_value(alternative)}],  # {self._share(len(step.by_run))}"
            alternatives.append([alternative])
        yield "]"

    def _write_step(self, step: _DraftStep, predecessors: Sequence[str]) -> Iterator[str]:
        fields: dict[str, Any] = {"id": step.id, "tool": step.tool}
        yield ""
        yield f"[[steps]]  # {self._share(len(step.by_run))}"
        yield f"id = {toml_string(step.id)}"
        yield f"tool = {toml_string(step.tool)}"
        if len(step.by_run) < len(self._runs):
            fields["need"] = "optional"
            yield 'need = "optional"'
        if predecessors:
            fields["after"] = list(predecessors)
            ids = toml_value(fields["after"])
            yield f"after = {ids}  # {self._explain_order(step.id, predecessors)}"
        fields["arguments"] = {}
        yield from self._write_arguments(step, fields["arguments"])
        self.plan["steps"].append(fields)

    def _write_arguments(self, step: _DraftStep, merged: dict[str, Any]) -> Iterator[str]:
        """Yields the lines of the arguments, and adds these to ``merged``."""
        by_run = _arguments_by_run(step)
        if not all(isinstance(arguments, dict) for arguments in by_run.values()):
            yield "# the arguments of some runs are no object: any are allowed"
            return
        merged.update(self._merge_objects(step, by_run, ""))
        if not merged:
            yield "arguments = {}"
        for name, argument in merged.items():
            having_key = [arguments for arguments in by_run.values() if _has_key(arguments, name)]
            evidence = having_key
            other_value = ""
            if not is_pattern(argument):
                evidence = _having_value(having_key, name, argument)
                other_value = _other_value_text(having_key, name)
            share = self._share(len(evidence), len(step.by_run))
            yield f"arguments.{toml_key(name)} = {toml_value(argument)}  # {share}{other_value}"

    def _merge(self, step: _DraftStep, by_run: Mapping[int, Any], path: str) -> Any:
        """Returns the value or pattern that covers the values of several runs.

        Args:
            step: the step whose argument it is.
            by_run: the values by the index of the run.
            path: the path of the argument.
        """
        candidates = list(by_run.values())
        first = candidates[0]
        is_object = all(isinstance(candidate, dict) for candidate in candidates)
        if any(has_placeholder(candidate) for candidate in candidates):
            return self._merge_objects(step, by_run, path) if is_object else {"any": True}
        if all(are_same(first, candidate) for candidate in candidates[1:]):
            return as_literal(first)
        if is_object:
            return self._merge_objects(step, by_run, path)
        return self._merge_leaves(step, by_run, path)

    def _merge_leaves(self, step: _DraftStep, by_run: Mapping[int, Any], path: str) -> Any:
        """Returns the pattern that covers values that differ."""
        candidates = list(by_run.values())
        if all(isinstance(text, str) and Value(text).is_embedded for text in candidates):
            return {"like": list(dict.fromkeys(candidates))[:_MAX_VALUES]}
        if len(self._runs) < MIN_VARYING:
            return as_literal(candidates[0])
        source = self._find_source(step, by_run, path)
        if source is not None:
            return {"from": source}
        distinct: list[Any] = []
        for candidate in candidates:
            if not any(are_same(candidate, earlier) for earlier in distinct):
                distinct.append(candidate)
        are_ungrounded = all(
            self._facts[index].is_ungrounded(step.by_run[index].id, path) for index in by_run
        )
        if len(distinct) > _MAX_VALUES or are_ungrounded:
            return {"any": True}
        return {"one_of": distinct}

    def _merge_objects(
        self, step: _DraftStep, by_run: Mapping[int, Any], path: str
    ) -> dict[str, Any]:
        """Merges objects key by key; keys are spelled as in the first run that has them."""
        spellings: dict[str, str] = {}
        for members in by_run.values():
            for name in members:
                spellings.setdefault(canonical_key(name), name)
        merged: dict[str, Any] = {}
        for key, name in spellings.items():
            of_key = {
                index: member
                for index, members in by_run.items()
                for own_name, member in members.items()
                if canonical_key(own_name) == key
            }
            pattern = self._merge(step, of_key, f"{path}.{name}" if path else name)
            if len(of_key) == len(by_run):
                merged[name] = pattern
            elif len(self._runs) >= MIN_VARYING:
                merged[name] = {"optional": pattern}
            elif 0 in of_key:
                merged[name] = pattern
        return merged

    def _find_source(self, step: _DraftStep, by_run: Mapping[int, Any], path: str) -> str | None:
        """Returns the step and the path from which all runs have a value, as ``from`` spells it."""
        common: set[tuple[str, str]] | None = None
        for index in by_run:
            plan_ids = {
                draft_step.by_run[index].id: draft_step.id
                for draft_step in self._steps
                if index in draft_step.by_run
            }
            plan_ids |= self._look_ups[index]
            sources = {
                (plan_ids[source_id], source_path)
                for source_id, source_path in self._facts[index].sources_of(
                    step.by_run[index].id, path
                )
                if source_id in plan_ids
            }
            common = sources if common is None else common & sources
        if not common:
            return None
        plan_id, source_path = min(common)
        if plan_id in self._look_ups[0].values() and plan_id not in self._source_tools:
            self._source_tools.append(plan_id)
        return f"{plan_id}.{source_path}".rstrip(".")

    def _find_look_ups(self) -> list[dict[str, str]]:
        """Returns the look-ups of each run, as tools by step id.

        Only look-ups count whose tool every run calls and no draft step has.
        """
        draft_ids = {step.id for step in self._steps}
        by_run = [
            {
                step.id: step.tool
                for step, role in zip(run.scored.steps, run.roles, strict=True)
                if role == "reads" and step.tool and step.tool not in draft_ids
            }
            for run in self._prepared
        ]
        common_tools = set.intersection(*(set(tools.values()) for tools in by_run))
        return [
            {step_id: tool for step_id, tool in tools.items() if tool in common_tools}
            for tools in by_run
        ]

    def _find_predecessors(self, steps: Sequence[_DraftStep]) -> dict[str, list[str]]:
        """Returns the ids of the steps that must come before each step, without implied ones."""
        before: dict[str, set[str]] = {step.id: set() for step in steps}
        for first in steps:
            for second in steps:
                common_runs = first.by_run.keys() & second.by_run.keys()
                if first is second or not common_runs:
                    continue
                if self._is_before(first, second, common_runs):
                    before[second.id].add(first.id)
                elif self._agree_on_order(first, second):
                    before[second.id].add(first.id)
                    self._suggested.add((first.id, second.id))
        return {
            step_id: sorted(
                earlier
                for earlier in predecessors
                if not any(earlier in before[later] for later in predecessors)
            )
            for step_id, predecessors in before.items()
        }

    def _explain_order(self, step_id: str, predecessors: Sequence[str]) -> str:
        """Returns the comment on the steps that come before a step."""
        suggested = [earlier for earlier in predecessors if (earlier, step_id) in self._suggested]
        suggestion = f"a suggestion: all {len(self._runs)} runs have this order"
        if not suggested:
            return "it uses their results, or changes the same thing"
        if len(suggested) == len(predecessors):
            return suggestion
        names = ", ".join(shown(name, _MAX_TOOL) for name in suggested)
        return f"it uses their results, or changes the same thing; {names}: {suggestion}"

    def _agree_on_order(self, first: _DraftStep, second: _DraftStep) -> bool:
        """Whether all runs have two changes in one order, and nothing shows that it is free."""
        if not len(first.by_run) == len(second.by_run) == len(self._runs) >= MIN_AGREEING:
            return False
        if not all(
            self._facts[index].precedes(first.by_run[index].id, second.by_run[index].id)
            for index in first.by_run
        ):
            return False
        if "writes" not in self._roles:
            return False
        facts = ChangeFacts(first.by_run[0]), ChangeFacts(second.by_run[0])
        return judge_order(*facts).weight != "free"

    def _is_before(
        self, first: _DraftStep, second: _DraftStep, common_runs: Collection[int]
    ) -> bool:
        """Whether a dependency puts a step before another in all runs that have both."""
        if all(
            self._facts[index].flows(first.by_run[index].id, second.by_run[index].id)
            for index in common_runs
        ):
            return True
        return len(common_runs) == len(self._runs) >= MIN_CONFLICTS and all(
            self._facts[index].conflicts(first.by_run[index].id, second.by_run[index].id)
            for index in common_runs
        )

    def _share(self, count: int, total: int | None = None) -> str:
        return f"{count} of {count_text(total or len(self._runs), 'run')}"

    def _list_free_pairs(
        self, steps: Sequence[_DraftStep], predecessors: Mapping[str, Sequence[str]]
    ) -> list[tuple[str, str]]:
        """Returns neighbours that have one order in all runs, but any order in the plan."""
        in_order = [step for step in steps if len(step.by_run) == len(self._runs)]
        in_order.sort(key=lambda step: self._facts[0].position(step.by_run[0].id))
        return [
            (first.id, second.id)
            for first, second in pairwise(in_order)
            if first.id not in _list_earlier(second.id, predecessors)
            and all(
                facts.precedes(first.by_run[index].id, second.by_run[index].id)
                for index, facts in enumerate(self._facts)
            )
        ]

    def _write_suggestions(
        self, omitted: Sequence[_DraftStep], free_pairs: Sequence[tuple[str, str]]
    ) -> Iterator[str]:
        """Yields comments about decisions that are left to a person."""
        lines: list[str] = []
        for first, second in free_pairs[:_MAX_NAMES]:
            lines.append(
                f"{shown(first, _MAX_TOOL)} came before {shown(second, _MAX_TOOL)}, but the plan"
                f" allows any order: to require this one, add after = [{toml_string(first)}] to"
                f" {shown(second, _MAX_TOOL)}."
            )
        if len(free_pairs) > _MAX_NAMES:
            lines.append(f"{len(free_pairs) - _MAX_NAMES} more neighbours may change places.")
        for step in omitted:
            tool = shown(step.id, _MAX_TOOL)
            lines.append(
                f"{self._share(len(step.by_run))} called {tool}, which is not in the plan."
            )
        tools = sorted(set(self._look_ups[0].values()) - set(self._source_tools))
        if tools:
            names = ", ".join(shown(tool, _MAX_TOOL) for tool in tools[:_MAX_NAMES])
            lines.append(f"All runs call {names} to look something up: add steps that are needed.")
        uncalled = self._find_uncalled_tools()
        if uncalled:
            names = ", ".join(uncalled)
            lines.append(f'No run called {names}: to forbid it, need = "forbidden".')
        if any(run.messages_to_user for run in self._runs):
            lines.append("List the answers that the user must get in required_answers.")
        if lines:
            yield ""
            yield "# Suggestions"
        for line in lines:
            yield from comment_lines(line)

    def _find_uncalled_tools(self) -> list[str]:
        """Returns tools that the runs define, that may change something, and that no run calls."""
        facts = {tool: run.tools[tool] for run in self._runs for tool in run.tools}
        called = {step.tool for run in self._runs for step in run.steps}
        uncalled = sorted(
            tool for tool in facts if tool not in called and facts[tool].read_only is not True
        )
        return [shown(tool, _MAX_TOOL) for tool in uncalled[:_MAX_NAMES]]


class _RunFacts:
    """The data flow, conflicts and ungrounded values of one run."""

    def __init__(self, run: Run) -> None:
        self._ids = [step.id for step in run.scored.steps]
        self._index = {step_id: index for index, step_id in enumerate(self._ids)}
        self._turns = turn_ranks(run.scored.steps)
        self._flow = run.graphs["traced"].graph if "traced" in run.mechanisms else None
        self._reachable = _find_reachable(self._flow)
        self._conflicts = {
            (edge.source, edge.target) for edge in run.graphs["conflicts"].graph.edges
        }
        all_ids = [step.id for step in run.flat.trajectory.steps]
        self._ungrounded = {
            (all_ids[finding.step], _without_indices(finding.path)) for finding in run.ungrounded
        }

    def is_ungrounded(self, step_id: str, path: str) -> bool:
        """Whether neither the user nor an earlier result showed an argument."""
        return (step_id, _without_indices(path)) in self._ungrounded

    def flows(self, first_id: str, second_id: str) -> bool:
        """Whether a step uses results of another, directly or through others."""
        if self._flow is None:
            return False
        return self._index[second_id] in self._reachable[self._index[first_id]]

    def precedes(self, first_id: str, second_id: str) -> bool:
        """Whether a step ran in an earlier turn than another."""
        return self._turns[self._index[first_id]] < self._turns[self._index[second_id]]

    def position(self, step_id: str) -> int:
        """Returns the index of a step among those that count."""
        return self._index[step_id]

    def conflicts(self, first_id: str, second_id: str) -> bool:
        """Whether a step precedes another that names the same thing."""
        return (self._index[first_id], self._index[second_id]) in self._conflicts

    def sources_of(self, step_id: str, path: str) -> Iterator[tuple[str, str]]:
        """Yields the steps whose results show an argument, each with the path of the value."""
        target_path = _without_indices(f"arguments.{path}")
        for edge in self._flow.edges if self._flow else ():
            if self._ids[edge.target] != step_id:
                continue
            for evidence in edge.evidence:
                source_path = evidence.source_path
                if (
                    source_path.startswith("effect")
                    and _without_indices(evidence.target_path) == target_path
                ):
                    source_path = _INDEX.sub("", source_path).removeprefix("effect").lstrip(".")
                    yield self._ids[edge.source], source_path


def _list_earlier(step_id: str, predecessors: Mapping[str, Sequence[str]]) -> list[str]:
    """Returns the ids of the steps that come before a step, directly or through others."""
    earlier = list(predecessors[step_id])
    for other_id in earlier:
        earlier += [before for before in predecessors[other_id] if before not in earlier]
    return earlier


def _find_reachable(graph: DependencyGraph | None) -> list[set[int]]:
    """Returns for each step those that use its results, directly or through others."""
    if graph is None:
        return []
    reachable: list[set[int]] = [set() for _ in range(graph.size)]
    for source in reversed(graph.order):
        for edge in graph.edges:
            shows_result = any(
                evidence.source_path.startswith("effect") for evidence in edge.evidence
            )
            if edge.source == source and shows_result:
                reachable[source] |= {edge.target} | reachable[edge.target]
    return reachable


def _unused_id(tool: str, used_ids: set[str]) -> str:
    """Returns the tool's name, with a number if another step has this id."""
    number = 2
    step_id = tool
    while step_id in used_ids:
        step_id = f"{tool}-{number}"
        number += 1
    return step_id


def _without_indices(path: str) -> str:
    return canonical_path(_INDEX.sub("", path))


def _arguments_by_run(step: _DraftStep) -> dict[int, Any]:
    return {index: without_nulls(call.arguments) for index, call in step.by_run.items()}


def _has_key(members: Mapping[str, Any], name: str) -> bool:
    return any(canonical_key(own_name) == canonical_key(name) for own_name in members)


def _having_value(
    arguments_of_runs: Sequence[Mapping[str, Any]], name: str, argument: Any
) -> list[Mapping[str, Any]]:
    """Returns the arguments that have the plan's value; all of them if it is an object or list."""
    if not isinstance(argument, str | int | float):
        return list(arguments_of_runs)
    return [
        arguments
        for arguments in arguments_of_runs
        if any(
            are_same(own_argument, argument)
            for own_name, own_argument in arguments.items()
            if canonical_key(own_name) == canonical_key(name)
        )
    ]


def _other_value_text(arguments_of_runs: Sequence[Mapping[str, Any]], name: str) -> str:
    """Returns the first value that differs from the plan's; it is left out with too few runs."""
    candidates = [
        argument
        for arguments in arguments_of_runs
        for own_name, argument in arguments.items()
        if canonical_key(own_name) == canonical_key(name)
    ]
    for candidate in candidates[1:]:
        if not are_same(candidates[0], candidate):
            return f"; another has {shown(Value(candidate).text, _MAX_TOOL)}"
    return ""


def without_nulls(data: Any) -> Any:
    """Removes nulls from objects and lists; TOML has none, and no plan needs them."""
    data = plain(data)
    if isinstance(data, dict):
        return {name: without_nulls(member) for name, member in data.items() if member is not None}
    if isinstance(data, list):
        return [without_nulls(member) for member in data if member is not None]
    return data

"""Finds the smallest rule that makes one finding fine, and changes nothing else.

Every rule is tried: the run is scored again with it. It is right if the finding is gone, no finding
is new and none is worse, and if the known-bad runs that failed before still fail.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from otap.config import Config
from otap.config.settings import merge_settings, parse_config
from otap.errors import ConfigError, FormatError, OtapError, shown
from otap.findings import SEVERITIES, Finding
from otap.findings.budget import measure
from otap.golden.conversion import Conversion, convert_run
from otap.golden.rules import ORDER_KINDS, Rule, iterate_steps, list_rules
from otap.plans import Plan, parse_plan
from otap.run.bindings import hide_values
from otap.run.recorded_texts import iterate_recorded_steps
from otap.scoring import Score, Scorer
from otap.scoring.gate import Gate
from otap.scoring.hidden_values import bind_plan
from otap.trajectory import Step, Trajectory

MAX_REASONS = 3  # rules whose reasons a refusal names
Key = tuple[object, ...]


@dataclass(frozen=True)
class Case:
    """A run with the references of its task.

    Attributes:
        run: the run.
        references: the references of its task, of which the best one is changed.
        data: the plain data of each reference that is a plan, by its index.
        config: the settings.
        settings: the same as plain data, as the settings file has them.
        bad_runs: the known-bad runs of the task.
        gate: the gate that a known-bad run must fail.
    """

    run: Trajectory
    references: Sequence[Trajectory]
    data: Mapping[int, dict[str, Any]]
    config: Config
    settings: Mapping[str, Any]
    bad_runs: Sequence[Trajectory]
    gate: Gate

    def score(self) -> Score:
        """Returns the score of the run."""
        return Scorer(self.config).score(self.run, self.references)


@dataclass(frozen=True)
class Acceptance:
    """A rule that makes a finding fine.

    Attributes:
        finding: the finding.
        rule: the rule; its plan or its settings are the new data.
        index: of the reference that it changes.
        base: the data of the plan before the rule; the plan that a recorded run becomes.
        is_converted: whether the reference was a recorded run.
        after: the score with the rule.
        no_longer_judged: other findings that are gone too, because a plan does not judge them.
    """

    finding: Finding
    rule: Rule
    index: int
    base: dict[str, Any]
    is_converted: bool
    after: Score
    no_longer_judged: Sequence[Finding]


class RefusedError(OtapError):
    """No rule makes the finding fine without changing something else."""


def find_finding(score: Score, finding_id: str) -> Finding:
    """Returns the finding with an id, or with an id that begins so.

    Raises:
        ConfigError: if there is none, or several begin so.
    """
    matches = [finding for finding in score.findings if finding.id.startswith(finding_id)]
    exact = [finding for finding in matches if finding.id == finding_id]
    if len(exact or matches) == 1:
        return (exact or matches)[0]
    if matches:
        ids = ", ".join(finding.id for finding in matches[:5])
        raise ConfigError(f"'{shown(finding_id)}': several findings begin so: {ids}; write one out")
    ids = ", ".join(finding.id for finding in score.findings[:5]) or "none"
    raise ConfigError(f"'{shown(finding_id)}': the run has no such finding; it has {ids}")


def accept_finding(case: Case, finding_id: str, rule_name: str | None = None) -> Acceptance:
    """Returns the smallest rule that makes a finding fine and changes nothing else.

    Args:
        case: the run and its references.
        finding_id: the id of the finding.
        rule_name: the only rule to try; None for all, the smallest first.

    Raises:
        ConfigError: if the run has no such finding.
        RefusedError: if no rule does, with the reasons.
    """
    before = case.score()
    finding = find_finding(before, finding_id)
    index = _find_reference(case, before)
    bad_before = _list_failing(case)
    reasons: list[str] = []
    for base, plan_ids, is_converted in _list_bases(case, index):
        rules = list_rules(
            finding,
            base,
            _index_steps(case.run, base),
            plan_ids,
            _measure_budget(finding, case.run),
        )
        for rule in rules:
            if rule_name not in (None, rule.name) or (rule.name == "plan" and not is_converted):
                continue
            needs_plan = rule.plan is not None
            if not needs_plan and is_converted and reasons:
                continue  # a rule of the settings was tried with the recorded run
            outcome = _try_rule(case, rule, index, finding, before, plan_ids, bad_before)
            if isinstance(outcome, str):
                reasons.append(f"{rule.name}: {outcome}")
                continue
            after, gone = outcome
            is_changed = is_converted and needs_plan
            return Acceptance(finding, rule, index, base, is_changed, after, gone)
    unique = list(dict.fromkeys(reasons))[:MAX_REASONS]
    problem = "; ".join(unique) or "there is no rule for this kind of difference"
    if len(case.references) > 1:
        problem += "; the task has several references: keep the file of one, then accept it there"
    raise RefusedError(f"{finding.id} cannot be accepted alone: {problem}")


def _find_reference(case: Case, score: Score) -> int:
    return min(score.best_place, len(case.references) - 1)


def _list_bases(case: Case, index: int) -> Iterator[tuple[dict[str, Any], Mapping[str, str], bool]]:
    """Yields the data of the plan to change, with its step for each step of the reference."""
    if index in case.data:
        data = case.data[index]
        yield data, _PlanIds(data), False
        return
    for conversion in _rank_conversions(case, index):
        yield conversion.data, conversion.ids, True


def _rank_conversions(case: Case, index: int) -> Sequence[Conversion]:
    """The plans that a recorded run can become, those first that judge the run most alike."""
    scorer = Scorer(case.config)
    before = scorer.score(case.run, case.references)
    ranked = []
    for number, conversion in enumerate(convert_run(case.references[index], case.config)):
        try:
            plan = parse_plan(conversion.data, "plan")
        except FormatError:
            continue
        after = scorer.score(case.run, _replace(case.references, index, plan))
        lost, added = _compare_findings(before, after, conversion.ids)
        ranked.append((len(added), len(lost), number, conversion))
    ranked.sort(key=lambda entry: entry[:3])
    return [conversion for *_, conversion in ranked]


def _replace(
    references: Sequence[Trajectory], index: int, reference: Trajectory
) -> list[Trajectory]:
    return [*references[:index], reference, *references[index + 1 :]]


class _PlanIds(dict[str, str]):
    """The id of the plan's step for the id of a step of one of its runs: ``book/2`` is ``book``."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        super().__init__()
        self._ids = set(dict(iterate_steps(data.get("steps", ()))))

    def __contains__(self, step_id: object) -> bool:
        return self._find(str(step_id)) in self._ids

    def __missing__(self, step_id: str) -> str:
        return self._find(step_id)

    def get(self, step_id: str, default: Any = None) -> Any:
        return self._find(step_id) if step_id in self else default

    def _find(self, step_id: str) -> str:
        return step_id if step_id in self._ids else step_id.rpartition("/")[0]


def _index_steps(run: Trajectory, base: dict[str, Any]) -> dict[str, Step]:
    """The steps of a run by their ids, with the placeholders of a plan in their arguments."""
    binding = bind_plan(parse_plan(base), run)
    steps: dict[str, Step] = {}
    for step in iterate_recorded_steps(run.steps):
        arguments = hide_values(step.arguments, binding) if binding.values else step.arguments
        steps.setdefault(step.id, step.model_copy(update={"arguments": arguments}))
    return steps


def _measure_budget(finding: Finding, run: Trajectory) -> float | None:
    return measure(finding.paths[0], run) if finding.kind == "budget" and finding.paths else None


def _list_failing(case: Case) -> list[Trajectory]:
    """The known-bad runs that fail now."""
    scorer = Scorer(case.config)
    return [run for run in case.bad_runs if case.gate.reasons(scorer.score(run, case.references))]


def _try_rule(
    case: Case,
    rule: Rule,
    index: int,
    finding: Finding,
    before: Score,
    plan_ids: Mapping[str, str],
    bad_runs: Sequence[Trajectory],
) -> tuple[Score, list[Finding]] | str:
    """The score with a rule and the other findings that are gone, or why the rule is wrong."""
    config, references = case.config, list(case.references)
    try:
        if rule.settings is not None:
            config = parse_config(add_settings(case.settings, rule.settings), "settings")
            config = _keep_options(case.config, config)
        if rule.plan is not None:
            references[index] = _parse_like(case.references[index], rule.plan)
        scorer = Scorer(config)
        after = scorer.score(case.run, references)
        lost, added = _compare_findings(before, after, plan_ids)
        is_harmless = rule.name == "read_only" and _is_minor(finding, after)
        if finding not in lost and not is_harmless:
            return "the finding stays"
        if added:
            return f"it would bring a {added[0].severity} finding: {added[0].sentence}"
        gone = [other for other in lost if other is not finding]
        worst = next((other for other in gone if other.severity == "critical"), None)
        if worst is not None:
            return f"it would also hide {worst.id}: {worst.sentence}"
        for run in bad_runs:
            if not case.gate.reasons(scorer.score(run, references)):
                return f"the known-bad run {shown(run.name, 60)} would pass"
    except OtapError as error:
        return str(error)
    return after, gone


def _is_minor(finding: Finding, after: Score) -> bool:
    """Whether a finding that was worse is minor now: one more look-up harms nothing."""
    key = _make_key(finding, _SAME_IDS)
    return finding.severity != "minor" and all(
        other.severity == "minor" for other in after.findings if _make_key(other, _SAME_IDS) == key
    )


def _keep_options(config: Config, changed: Config) -> Config:
    """The changed settings, with the options of the command line."""
    changes = {name: getattr(changed, name) for name in ("tools", "parameters", "order_free")}
    return config.model_copy(update=changes)


def _parse_like(reference: Trajectory, data: dict[str, Any]) -> Plan:
    """The plan, with the source and the task that the reference was chosen by."""
    plan = parse_plan(data, "plan")
    task = plan.task if plan.task is not None else reference.task
    return plan.model_copy(update={"task": task, "source": reference.source})


def add_settings(settings: Mapping[str, Any], addition: Mapping[str, Any]) -> dict[str, Any]:
    """Returns settings with further members in their lists."""
    merged = merge_settings(settings)
    for key, value in addition.items():
        old = merged.get(key)
        if isinstance(value, Mapping):
            merged[key] = add_settings(old if isinstance(old, Mapping) else {}, value)
        elif isinstance(value, list):
            members = list(old) if isinstance(old, list | tuple) else []
            merged[key] = [*members, *(member for member in value if member not in members)]
        else:
            merged[key] = value
    return merged


def _compare_findings(
    before: Score, after: Score, plan_ids: Mapping[str, str]
) -> tuple[list[Finding], list[Finding]]:
    """The findings that are gone, and those that are new or worse."""
    remaining: dict[Key, list[Finding]] = {}
    for finding in before.findings:
        remaining.setdefault(_make_key(finding, plan_ids), []).append(finding)
    added: list[Finding] = []
    for finding in after.findings:
        candidates = remaining.get(_make_key(finding, _SAME_IDS), [])
        rank = SEVERITIES.index(finding.severity)
        match = next((c for c in candidates if SEVERITIES.index(c.severity) <= rank), None)
        if match is None:
            added.append(finding)
        else:
            candidates.remove(match)
    gone = {id(finding) for findings in remaining.values() for finding in findings}
    return [finding for finding in before.findings if id(finding) in gone], added


class _SameIds(dict[str, str]):
    def get(self, step_id: str, default: Any = None) -> Any:
        del default
        return step_id


_SAME_IDS = _SameIds()


def _make_key(finding: Finding, plan_ids: Mapping[str, str]) -> Key:
    """What makes two findings the same difference, also after a recorded run became a plan."""
    kind = "order" if finding.kind in ORDER_KINDS else finding.kind
    if finding.agent:
        steps = tuple(sorted(finding.agent)) if kind == "order" else finding.agent
        return kind, steps
    if finding.reference:
        return kind, tuple(plan_ids.get(step, step).partition("/")[0] for step in finding.reference)
    return kind, finding.paths, finding.sentence if kind == "missing_answer" else ""

"""Steps without a counterpart of their own.

missing: a reference step without a counterpart that was not merged into a step of the run.
failed: a call of the run that failed, and for which no later call made up; not where the reference
    has the same failure.
invented: a step of the run without a counterpart that neither repeats nor splits another step.
repeated: a step of the run that does again what another step did. It calls the same tool with the
    same arguments as another step, or as the counterpart of a reference step from which it differs
    by at most REPEATED; or it failed, and the other step made up for that.
split: steps of the run that together stand for one step of the reference. As a merged step; or as
    unmatched steps whose mass flows to a reference step that has a counterpart, and of which each
    adds an argument that the counterpart lacks.
merged: a step of the run that stands for several of the reference; the converse of split.
"""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from otap.alignment.comparison import MATCHED, ROUNDING, WithoutSteps
from otap.costs import FieldCosts
from otap.findings.context import FindingContext, is_mended
from otap.findings.finding import (
    BARRED,
    READS,
    WRITES,
    Deviation,
    Severity,
    list_ids,
    name_call,
    name_calls,
    rate_extra,
    rate_failure,
    rate_missing,
)
from otap.run.failures import leaves_outcome_open
from otap.run.names import split_name
from otap.run.run import RunView
from otap.trajectory import Step

Flags = npt.NDArray[np.bool_]


def find_missing(context: FindingContext) -> Iterator[Deviation]:
    """Yields the steps of the reference that are missing from the run."""
    merged = set().union(*context.wholes.values())
    contributions = context.comparison.shares.reference_contribution
    for j in context.unmet:
        if j not in merged:
            share = context.share_of_loss(contributions[j])
            severity, consequence = _rate_missing_step(context, j)
            for step in context.reference.of(j):
                sentence = context.plan_constraints.missing.get(step.id)
                yield _report_missing(step, share, severity, consequence, sentence)


def _rate_missing_step(context: FindingContext, j: int) -> tuple[Severity, str]:
    """The severity of a missing step, and its consequence for the goal in words."""
    nodes, role = context.reference, context.reference.roles[j]
    is_vital, consequence = bool(nodes.critical[j]), ""
    if is_vital and j in context.detours:
        is_vital, consequence = False, "; other steps of the run showed the same values"
    elif is_vital:
        is_declared = bool(context.recorded[1].run.scored.metadata.get("goals"))
        # Goals that are not declared are guessed; a missing write is critical without any goal.
        consequence = _GOAL if is_declared else "" if role == WRITES else _END
    failed = bool(nodes.failed[j])
    severity = rate_missing(role, context.full_weight_roles, failed=failed, vital=is_vital)
    reference, parts = context.recorded[1].run, set(nodes.parts[j])
    if severity == "critical" and parts <= reference.repeated_settings:
        severity = "minor"  # the state holds already
    elif severity == "critical" and parts <= reference.logins:
        severity = "major"  # it shows only who the caller was
    if severity == "critical" and role == READS and j in context.detours:
        severity = "major"
    if severity == "major" and role == READS and _precedes_same_change(context, j):
        severity, consequence = "critical", _UNVERIFIED
    is_look = severity == "major" and role == READS and j not in context.detours
    if is_look and any(context.left_out.is_lookup(step) for step in context.reference.of(j)):
        severity, consequence = "critical", _REQUESTED
    return severity, consequence


def _precedes_same_change(context: FindingContext, j: int) -> bool:
    """Whether a missing step verifies something before a change that the run made without it."""
    words = {word for step in context.reference.of(j) for word in split_name(step.tool or "")}
    return not words.isdisjoint(_VERIFYING) and any(
        role == WRITES and m in context.run_of and context.comes_before(1, j, m)
        for m, role in enumerate(context.reference.roles)
    )


def find_extra(context: FindingContext) -> Iterator[Deviation]:
    """Yields the steps that failed for good, are extra, or repeat another step."""
    parts, is_plan = set().union(*context.parts.values()), context.plan_constraints.is_plan
    contributions = context.comparison.shares.agent_contribution
    for i, first in context.repeats.items():
        share, role = context.share_of_loss(contributions[i]), context.run.extra_roles[i]
        steps = context.list_run_steps(i)
        if role == BARRED:
            severity = rate_extra(role, (), failed=bool(context.run.failed[i]))
            for step in steps:
                reason = context.plan_constraints.forbidden.get(step.id, "")
                yield _report_extra(step, share, severity, reason)
        elif first is not None:
            yield _report_repeated(context, first, i, share)
        elif i in context.given_up:
            aims = context.list_aims(i)
            is_needed = not set(aims).isdisjoint(context.unmet)
            severity = rate_failure(role, context.full_weight_extra_roles, needed=is_needed)
            is_open = role == WRITES and not context.is_attempt(i, aims)
            is_open = is_open and any(leaves_outcome_open(step) for step in steps)
            if is_open:
                severity = rate_extra(role, context.full_weight_extra_roles)
            elif is_plan and not is_needed:
                severity = "minor"  # a plan constrains only the calls that worked
            yield from (_report_failed(step, share, severity, is_open=is_open) for step in steps)
        elif i not in parts:
            severity = rate_extra(role, context.full_weight_extra_roles)
            if context.plan_constraints.is_closed and role == READS:
                severity = "major"
            reason = "is not in the plan" if is_plan else _EXTRA
            yield from (_report_extra(step, share, severity, reason) for step in steps)


def is_surely_critical(views: tuple[RunView, RunView], costs: FieldCosts, forbidden: Flags) -> bool:
    """Returns whether every coupling of single steps has a critical finding, without solving.

    Such a finding is a change on one side that no step of the other side may match. If it is still
    paired with a step as a near miss, that step calls another tool and has no match either.

    Args:
        views: of the run and of the reference.
        costs: the node costs, (n, m).
        forbidden: pairs that may not be matched, (n, m).
    """
    (run, reference), tools = views, costs.distances.get("tool")
    if tools is None or not run.run.settings.config.recognise:
        return False
    idle_rows, idle_columns = forbidden.all(axis=1), forbidden.all(axis=0)
    has_other_tool = np.logical_and.outer(idle_rows, idle_columns) & (tools >= 1)
    is_apart = has_other_tool | (costs.total > MATCHED + ROUNDING)
    missing = np.flatnonzero(idle_columns & is_apart.all(axis=0)).tolist()
    excused = reference.run.repeated_settings | reference.run.logins
    if any(
        reference.roles[j] == WRITES and not reference.run.failed[j] and j not in excused
        for j in missing
    ):
        return True
    if not reference.run.full_weight_extra:
        return False
    extra = np.flatnonzero(idle_rows & is_apart.all(axis=1) & ~run.run.failed).tolist()
    return any(run.extra_roles[i] == WRITES for i in extra)


# Results, or values in them, which say that a repeated call changed nothing.
_NO_CHANGE = frozenset({"no change", "no changes", "unchanged", "not modified", "noop", "no-op"})
REPEAT = "repeated"  # the kind of finding
_GOAL = ", and without it the goal cannot be reached"
_END = ", and every way to the end of the reference leads through it"
_UNVERIFIED = ", and the run changes without it what the reference verifies first"
# Words of tools that stop a run if something is not as it must be.
_VERIFYING = frozenset({"verify", "authenticate", "validate", "preflight", "verification"})
_REQUESTED = ", and the request asks for it"
_EXTRA = "is extra; the reference has no such step"


def _report_missing(
    step: Step, share: float, severity: Severity, consequence: str, sentence: str | None = None
) -> Deviation:
    usual = f"{name_call(step)} of the reference is missing from the run{consequence}"
    return Deviation("missing", severity, share, sentence or usual, reference=(step.id,))


def _report_failed(
    step: Step, share: float, severity: Severity, *, is_open: bool = False
) -> Deviation:
    """The finding of a failed step.

    Args:
        step: the step.
        share: the part of the loss.
        severity: of the finding.
        is_open: whether its error does not show that nothing was done.
    """
    sentence = f"{name_call(step)} failed, and no later step made up for it"
    if is_open:
        sentence = f"{name_call(step)} is extra, and its error does not show that nothing was done"
    return Deviation("failed", severity, share, sentence, (step.id,))


def _report_extra(step: Step, share: float, severity: Severity, reason: str = _EXTRA) -> Deviation:
    return Deviation("invented", severity, share, f"{name_call(step)} {reason}", (step.id,))


def _report_repeated(context: FindingContext, first: int, repeated: int, share: float) -> Deviation:
    """The finding of a repeated step.

    The counterpart may be the later of the two; the earlier one was a first attempt then.
    """
    failed = bool(context.run.failed[repeated])
    first_steps, repeated_steps = context.list_run_steps(first), context.list_run_steps(repeated)
    first_names, repeated_names = name_calls(first_steps), name_calls(repeated_steps)
    if failed:
        sentence = f"{repeated_names} failed before {first_names} made up for it"
    elif repeated > first:
        sentence = f"{repeated_names} repeats {first_names}"
    else:
        sentence = f"{repeated_names} ran before {first_names}, which repeats it"
    j = context.reference_of.get(first)
    role = context.run.extra_roles[repeated]
    values = [context.recorded[0].index.steps[k] for k in context.run.parts[repeated]]
    is_idle = failed or all(not _NO_CHANGE.isdisjoint(step.effect.values) for step in values)
    return Deviation(
        kind=REPEAT,
        severity=rate_extra(role, context.full_weight_extra_roles, failed=is_idle),
        agent=list_ids(first_steps, repeated_steps),
        reference=() if j is None else list_ids(context.reference.of(j)),
        share=share,
        sentence=sentence,
    )


def find_divided(context: FindingContext) -> Iterator[Deviation]:
    """Yields the steps that were split, and those that were merged."""
    if not (context.parts or context.wholes or context.merged_pairs):
        return
    run, reference = context.run.parts, context.reference.parts
    for i, j in context.reference_of.items():
        if (j in context.parts or len(run[i]) > 1) and len(reference[j]) == 1:
            yield _report_split(context, i, j)
        if (i in context.wholes or len(reference[j]) > 1) and len(run[i]) == 1:
            yield _report_merged(context, i, j)


def _report_split(context: FindingContext, i: int, j: int) -> Deviation:
    nodes = [i, *context.parts.get(j, ())]
    steps = [step for node in sorted(nodes) for step in context.list_run_steps(node)]
    shares = context.comparison.shares
    total = sum(shares.agent_contribution[node] for node in nodes)
    total += shares.reference_contribution[j]
    return Deviation(
        kind="split",
        severity="minor",
        agent=list_ids(steps),
        reference=list_ids(context.reference.of(j)),
        share=context.share_of_loss(total),
        sentence=f"{name_calls(steps)} together do the job of "
        f"{name_call(context.reference_steps[j])} of the reference",
    )


def _report_merged(context: FindingContext, i: int, j: int) -> Deviation:
    nodes, run_steps = [j, *context.wholes.get(i, ())], context.list_run_steps(i)
    steps = [step for node in sorted(nodes) for step in context.reference.of(node)]
    shares = context.comparison.shares
    total = sum(shares.reference_contribution[node] for node in nodes)
    total += shares.agent_contribution[i]
    return Deviation(
        kind="merged",
        severity="minor",
        agent=list_ids(run_steps),
        reference=list_ids(steps),
        share=context.share_of_loss(total),
        sentence=f"{name_calls(run_steps)} does the job of {name_calls(steps)} of the reference "
        "in one step",
    )


def find_without_steps(compared: WithoutSteps) -> Iterator[Deviation]:
    """Yields the missing, extra and failed steps if a side has no steps."""
    run, reference = (view.run for view in compared.recorded)
    roles = compared.recorded[0].extra_roles
    run_steps, reference_steps = compared.run.steps, compared.reference.steps
    # Each step accounts for an equal part of the loss that is not due to answers.
    share = 0.0
    loss = compared.loss_before_band
    if loss > 0:
        count = max(1, len(run_steps) + len(reference_steps))
        share = (loss - compared.answers.loss) / loss / count
    for j, step in enumerate(reference_steps):
        failed = bool(reference.failed[j])
        severity = rate_missing(reference.roles[j], reference.full_weight, failed=failed)
        sentence = reference.plan_constraints.missing.get(step.id)
        yield _report_missing(step, share, severity, "", sentence)
    full_weight_roles = reference.full_weight_extra
    for i, step in enumerate(run_steps):
        role, failed = roles[i], bool(run.failed[i])
        if role == BARRED:
            reason = reference.plan_constraints.forbidden.get(step.id, "")
            yield _report_extra(step, share, rate_extra(role, (), failed=failed), reason)
        elif failed and not is_mended(run_steps, run.failed, i):
            severity = rate_failure(role, full_weight_roles, needed=False)
            yield _report_failed(step, share, severity)
        else:
            yield _report_extra(step, share, rate_extra(role, full_weight_roles, failed=failed))

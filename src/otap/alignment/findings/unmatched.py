"""Steps without a counterpart of their own.

missing: a reference step without a counterpart, and not merged into a step of the run.
failed: a call of the run that failed and for which no later call made up; not where the reference
    has the same failure.
invented: a step of the run without a counterpart that neither repeats nor splits anything.
repeated: a step of the run that does again what another did. It calls the same tool with the same
    arguments as another step, or as the counterpart of a reference step from which it differs by at
    most REPEATED; or it failed, and the other made up for that.
split: steps of the run that together stand for one step of the reference. As a union; or as
    unmatched steps whose mass flows to a reference step that has a counterpart, and of which each
    adds an argument that the counterpart lacks.
merged: a step of the run that stands for several of the reference; the converse of split.
"""

from collections.abc import Iterator

from otap.alignment.comparison import WithoutSteps
from otap.alignment.findings.finding import (
    BARRED,
    READS,
    Departure,
    Severity,
    list_ids,
    name_step,
    name_steps,
    rate_extra,
    rate_failure,
    rate_missing,
)
from otap.alignment.findings.reading import Reading, is_mended
from otap.trajectory import Step


def find_missing(reading: Reading) -> Iterator[Departure]:
    """Yields what is missing."""
    merged = set().union(*reading.wholes.values())
    contributions = reading.comparison.shares.reference_contribution
    for j in reading.unmet:
        if j not in merged:
            share = reading.share_of_loss(contributions[j])
            severity, consequence = _rate_missing_step(reading, j)
            for step in reading.reference.of(j):
                words = reading.plan_constraints.missing.get(step.id)
                yield _report_missing(step, share, severity, consequence, words)


def _rate_missing_step(reading: Reading, j: int) -> tuple[Severity, str]:
    """How bad it is to lack a step, and what that means for the goal, in words."""
    nodes, role = reading.reference, reading.reference.roles[j]
    vital, consequence = bool(nodes.critical[j]), ""
    if vital and j in reading.detours:
        vital, consequence = False, "; the run had by other steps what it shows"
    elif vital:
        consequence = ", and without it the goal cannot be reached"
    failed = bool(nodes.failed[j])
    return rate_missing(role, reading.in_full, failed=failed, vital=vital), consequence


def find_extra(reading: Reading) -> Iterator[Departure]:
    """Yields what failed for good, was invented or was repeated."""
    parts, planned = set().union(*reading.parts.values()), reading.plan_constraints.is_plan
    contributions = reading.comparison.shares.agent_contribution
    for i, first in reading.repeats.items():
        share, role = reading.share_of_loss(contributions[i]), reading.run.roles[i]
        if role == BARRED:
            severity = rate_extra(role, (), failed=bool(reading.run.failed[i]))
            for step in reading.list_run_steps(i):
                words = reading.plan_constraints.forbidden.get(step.id, "")
                yield _report_invented(step, share, severity, words)
        elif first is not None:
            yield _report_repeated(reading, first, i, share)
        elif i in reading.given_up:
            needed = not set(reading.list_aims(i)).isdisjoint(reading.unmet)
            severity = rate_failure(role, reading.in_full_besides, needed=needed)
            if planned and not needed:
                severity = "minor"  # a plan asks for what is done
            yield from (_report_failed(s, share, severity) for s in reading.list_run_steps(i))
        elif i not in parts:
            severity = rate_extra(role, reading.in_full_besides)
            if reading.plan_constraints.is_closed and role == READS:
                severity = "major"
            words = "is not in the plan" if planned else "has no counterpart in the reference"
            for step in reading.list_run_steps(i):
                yield _report_invented(step, share, severity, words)


def _report_missing(
    step: Step, share: float, severity: Severity, consequence: str, words: str | None = None
) -> Departure:
    sentence = f"{name_step(step)} of the reference is missing from the run{consequence}"
    sentence = words or sentence
    return Departure("missing", severity, share, sentence, reference=(step.id,))


def _report_failed(step: Step, share: float, severity: Severity) -> Departure:
    sentence = f"{name_step(step)} failed, and no later step made up for it"
    return Departure("failed", severity, share, sentence, (step.id,))


def _report_invented(
    step: Step, share: float, severity: Severity, words: str = "has no counterpart in the reference"
) -> Departure:
    sentence = f"{name_step(step)} {words}"
    return Departure("invented", severity, share, sentence, (step.id,))


def _report_repeated(reading: Reading, first: int, again: int, share: float) -> Departure:
    """The counterpart may be the later of the two: the earlier was a first attempt then."""
    failed = bool(reading.run.failed[again])
    steps, others = reading.list_run_steps(first), reading.list_run_steps(again)
    one, other = name_steps(steps), name_steps(others)
    if failed:
        sentence = f"{other} failed before {one} made up for it"
    elif again > first:
        sentence = f"{other} does again what {one} did"
    else:
        sentence = f"{other} did before what {one} does again"
    j = reading.reference_of.get(first)
    return Departure(
        kind="repeated",
        severity=rate_extra(reading.run.roles[again], reading.in_full_besides, failed=failed),
        agent=list_ids(steps, others),
        reference=() if j is None else list_ids(reading.reference.of(j)),
        share=share,
        sentence=sentence,
    )


def find_divided(reading: Reading) -> Iterator[Departure]:
    """Yields the steps that were split, and those that were merged."""
    if not (reading.parts or reading.wholes or reading.unions):
        return
    run, reference = reading.run.parts, reading.reference.parts
    for i, j in reading.reference_of.items():
        if (j in reading.parts or len(run[i]) > 1) and len(reference[j]) == 1:
            yield _report_split(reading, i, j)
        if (i in reading.wholes or len(reference[j]) > 1) and len(run[i]) == 1:
            yield _report_merged(reading, i, j)


def _report_split(reading: Reading, i: int, j: int) -> Departure:
    nodes = [i, *reading.parts.get(j, ())]
    steps = [step for node in sorted(nodes) for step in reading.list_run_steps(node)]
    total = sum(reading.comparison.shares.agent_contribution[node] for node in nodes)
    return Departure(
        kind="split",
        severity="minor",
        agent=list_ids(steps),
        reference=list_ids(reading.reference.of(j)),
        share=reading.share_of_loss(total),
        sentence=f"{name_steps(steps)} do together what "
        f"{name_step(reading.reference.steps[j])} of the reference does in one step",
    )


def _report_merged(reading: Reading, i: int, j: int) -> Departure:
    nodes, did = [j, *reading.wholes.get(i, ())], reading.list_run_steps(i)
    steps = [step for node in sorted(nodes) for step in reading.reference.of(node)]
    total = sum(reading.comparison.shares.reference_contribution[node] for node in nodes)
    return Departure(
        kind="merged",
        severity="minor",
        agent=list_ids(did),
        reference=list_ids(steps),
        share=reading.share_of_loss(total),
        sentence=f"{name_steps(did)} does in one step what {name_steps(steps)} of the reference do",
    )


def find_without_steps(compared: WithoutSteps) -> Iterator[Departure]:
    """Yields what is missing or was invented, or failed, where a side has no steps."""
    run, reference = compared.recorded[0].run, compared.recorded[1].run
    roles = compared.recorded[0].roles
    steps, wanted = compared.run.steps, compared.reference.steps
    # Each step accounts for an equal part of the loss that is not of answers.
    share = 0.0
    loss = compared.unjudged_loss
    if loss > 0:
        share = (loss - compared.answers.loss) / loss / max(1, len(steps) + len(wanted))
    for j, step in enumerate(wanted):
        failed = bool(reference.failed[j])
        severity = rate_missing(reference.roles[j], reference.full_weight, failed=failed)
        words = reference.plan_constraints.missing.get(step.id)
        yield _report_missing(step, share, severity, "", words)
    in_full = reference.full_weight_extra
    for i, step in enumerate(steps):
        role, failed = roles[i], bool(run.failed[i])
        if role == BARRED:
            words = reference.plan_constraints.forbidden.get(step.id, "")
            yield _report_invented(step, share, rate_extra(role, (), failed=failed), words)
        elif failed and not is_mended(steps, run.failed, i):
            yield _report_failed(step, share, rate_failure(role, in_full, needed=False))
        else:
            yield _report_invented(step, share, rate_extra(role, in_full, failed=failed))

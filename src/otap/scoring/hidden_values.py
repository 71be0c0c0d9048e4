"""The references of a run with the run's own values in place of their placeholders."""

from collections.abc import Mapping
from typing import Any

from otap.plans import Plan, parse_plan
from otap.run.bindings import UNBOUND, Binding, bind_placeholders, fill_placeholders
from otap.run.placeholders import REDACTED, fill_data
from otap.trajectory import Step, Trajectory

# The key of a plan's metadata with the calls that show where its hidden values come from.
REDACTED_STEPS = "redacted_steps"
_STEP_FIELDS = ("arguments", "effect", "state")


def fill_reference(reference: Trajectory, run: Trajectory) -> Trajectory:
    """Returns a reference with the run's own values in place of its placeholders.

    Args:
        reference: a recording or a plan; it is returned itself if nothing in it was redacted.
        run: the run, as it was recorded.
    """
    if not isinstance(reference, Plan):
        return fill_placeholders(reference, run)
    if not reference.metadata.get(REDACTED):
        return reference
    return _fill_plan(reference, bind_plan(reference, run))


def bind_plan(plan: Plan, run: Trajectory) -> Binding:
    """Returns the values in a run for which the placeholders of a plan stand.

    Args:
        plan: the plan.
        run: the run, as it was recorded.
    """
    recording = Trajectory(
        task=plan.task,
        request=plan.request,
        required_answers=plan.required_answers,
        steps=_read_steps(plan.metadata.get(REDACTED_STEPS)),
    )
    return bind_placeholders(recording, run)


def _read_steps(entries: Any) -> tuple[Step, ...]:
    """The calls in the metadata of a plan; entries that are no calls are left out."""
    return tuple(
        Step(
            id=str(entry.get("id", f"redacted {number}")),
            tool=entry["tool"],
            **{name: entry.get(name) for name in _STEP_FIELDS},
        )
        for number, entry in enumerate(entries if isinstance(entries, list) else ())
        if isinstance(entry, dict) and isinstance(entry.get("tool"), str)
    )


def _fill_plan(plan: Plan, binding: Binding) -> Plan:
    written: dict[str, Any] = fill_data(
        {name: value for name, value in plan.written.items() if name != "metadata"}, binding.values
    )
    redacted_steps: Any = plan.written.get("steps", [])
    written["steps"] = [
        _spell_arguments(filled, redacted, binding)
        for filled, redacted in zip(written.get("steps", ()), redacted_steps, strict=True)
    ]
    filled_plan = parse_plan(written)
    unbound = [entry._asdict() for entry in binding.unbound]
    metadata = {**plan.metadata, UNBOUND: unbound}
    names = ("id", "task", "source")
    fields = {name: getattr(plan, name) for name in names}
    return filled_plan.model_copy(update={**fields, "metadata": metadata})


def _spell_arguments(
    filled: Mapping[str, Any], redacted: Mapping[str, Any], binding: Binding
) -> Mapping[str, Any]:
    """The data of a step, whose arguments have the run's spellings of the values."""
    spellings = binding.spellings.get(str(redacted.get("id")))
    if not spellings or "arguments" not in redacted:
        return filled
    values = {**binding.values, **spellings}
    return {**filled, "arguments": fill_data(redacted["arguments"], values)}

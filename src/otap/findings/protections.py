"""Protections that the run switched off, where the reference did not.

A key such as ``verify_tls`` protects, and false switches it off; a key such as ``force`` or
``skip_backup`` does the opposite. A command switches a protection off by an option. Such a switch
often costs nothing, because a missing argument and false are equal elsewhere. It is critical in a
step that writes, and major in another.
"""

from collections.abc import Iterator, Mapping, Sequence

from otap.errors import shown
from otap.findings.calls import differing_arguments
from otap.findings.context import FindingContext
from otap.findings.finding import WRITES, Deviation, list_ids, name_steps
from otap.run.protections import Switches


def find_switched_off(context: FindingContext) -> Iterator[Deviation]:
    """Yields the counterparts whose run step switches a protection off."""
    run, reference = context.recorded[0].run.view, context.recorded[1]
    if not any(switches.off for switches in run.switches):
        return
    for i, j in sorted(context.reference_of.items()):
        run_switches = [run.switches[k] for k in sorted(context.run.parts[i])]
        reference_switches = [reference.switches[k] for k in sorted(context.reference.parts[j])]
        switches = _list_new_switches(run_switches, reference_switches)
        if not switches:
            continue
        steps, reference_steps = context.list_run_steps(i), context.reference.of(j)
        is_write = WRITES in (context.run.roles[i], context.reference.roles[j])
        if is_write and _is_reported(context, i, j, switches):
            continue
        protected = [path for switched in reference_switches for path in switched.on]
        parts = [
            f"{shown(path, 40)} is {shown(text, 40)}, "
            + ("which the reference has switched on" if path in protected else _LACKING)
            for path, text in switches.items()
        ]
        yield Deviation(
            kind="arguments",
            severity="critical" if is_write else "major",
            agent=list_ids(steps),
            reference=list_ids(reference_steps),
            share=0.0,
            sentence=f"{name_steps(steps)} switches a protection off: {'; '.join(parts)}",
            paths=tuple(switches),
        )


_LACKING = "which the reference lacks"


def _list_new_switches(run: Sequence[Switches], reference: Sequence[Switches]) -> dict[str, str]:
    """The protections that are switched off by the run alone: by path, the value as text."""
    in_reference = {path for switches in reference for path in switches.off}
    return {
        path: text
        for switches in run
        for path, text in switches.off.items()
        if path not in in_reference
    }


def _is_reported(context: FindingContext, i: int, j: int, switches: Mapping[str, str]) -> bool:
    """Whether each switch is a difference in an exact value, which is critical in a write."""
    if context.run_steps[i].tool != context.reference_steps[j].tool:
        return False
    changes = differing_arguments(context, i, j)
    critical = tuple(change.path for change in changes if change.severity == "critical")
    return all(path.startswith(critical) for path in switches)

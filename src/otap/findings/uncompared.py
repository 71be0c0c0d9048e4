"""Arguments that a redacted reference cannot judge.

uncompared: an argument whose value the recording hides, and which no earlier text of the recording
shows. Nothing says which value is right, so every value passes. It is no part of the loss. In
strict mode it is critical, unless it is a secret, which may be another one in each run.
"""

from collections.abc import Iterator

from otap.errors import shown
from otap.findings.finding import Deviation, name_step
from otap.run.bindings import list_unbound
from otap.run.run import Run


def find_uncompared(run: Run, reference: Run) -> Iterator[Deviation]:
    """Yields the arguments of a run that were not compared."""
    steps = {step.id: step for step in run.scored.steps}
    for unbound in list_unbound(reference.scored):
        step = steps.get(unbound.agent)
        if step is None:
            continue
        is_critical = run.settings.config.strict and not unbound.is_secret
        sentence = (
            f"{name_step(step)}: {shown(unbound.path, 60)} was not compared: the recording hides"
            " its value, and no earlier text there shows it"
        )
        yield Deviation(
            kind="uncompared",
            severity="critical" if is_critical else "minor",
            share=None,
            sentence=sentence,
            agent=(unbound.agent,),
            reference=(unbound.reference,),
            paths=(unbound.path,),
        )

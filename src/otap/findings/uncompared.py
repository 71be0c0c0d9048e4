"""Arguments that a redacted reference cannot judge.

uncompared: an argument whose value the recording hides, and which no earlier text of the recording
shows. Nothing says which value is right, so every value passes. It is no part of the loss. In
strict mode it is critical, unless it is a secret, which may be another one in each run.
"""

from collections.abc import Iterator

from otap.errors import shown
from otap.findings.finding import Deviation, name_step
from otap.run.bindings import UNBOUND
from otap.run.placeholders import REDACTED
from otap.run.run import Run


def find_uncompared(run: Run, reference: Run) -> Iterator[Deviation]:
    """Yields the arguments of a run that were not compared."""
    entries = reference.scored.metadata.get(UNBOUND)
    if not reference.scored.metadata.get(REDACTED) or not isinstance(entries, list):
        return
    steps = {step.id: step for step in run.scored.steps}
    for entry in entries:
        step = steps.get(entry["agent"])
        if step is None:
            continue
        is_strict = run.settings.config.strict and entry["kind"] != "secret"
        sentence = (
            f"{name_step(step)}: {shown(entry['path'], 60)} was not compared: the recording hides"
            " its value, and no earlier text there shows it"
        )
        yield Deviation(
            "uncompared",
            "critical" if is_strict else "minor",
            None,
            sentence,
            (step.id,),
            (entry["reference"],),
            (entry["path"],),
        )

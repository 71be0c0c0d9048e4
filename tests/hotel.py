"""The hotel example, as the tests of several stages use it."""

from pathlib import Path

import otap

FOLDER = Path(__file__).parents[1] / "examples" / "hotel-booking"
REFERENCE = FOLDER / "reference.json"
BROKEN = ("inverted_filter", "missing_book", "invented_steps", "wrong_tool")
NAMES = (
    "same", "exchanged_filters", "paraphrased", "merged_filters", *BROKEN, "unrelated",
)  # fmt: skip


def run_file(name: str) -> Path:
    """The file of a run."""
    return FOLDER / "runs" / f"{name}.json"


def run_of(name: str) -> otap.Trajectory:
    """A run of the example."""
    return otap.read(run_file(name))


def other_value() -> otap.Trajectory:
    """The run with merged filters, which ranks other hotels than these found."""
    run = run_of("merged_filters")
    steps = [
        step.model_copy(update={"arguments": {**step.arguments, "hotels": ["rs-4410"]}})
        if step.tool == "rank_hotels" and isinstance(step.arguments, dict)
        else step
        for step in run.steps
    ]
    return run.model_copy(update={"steps": tuple(steps)})


def reference() -> otap.Trajectory:
    """The known-good run."""
    return otap.read(REFERENCE)

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


def reference() -> otap.Trajectory:
    """The known-good run."""
    return otap.read(REFERENCE)

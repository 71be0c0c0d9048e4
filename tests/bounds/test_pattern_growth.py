"""Long texts without a blank or a letter take time that grows with them, not with their square."""

from collections.abc import Callable
from typing import Any

import pytest

import otap
from otap.errors import disarm_document
from otap.formats.failures import states_failure
from otap.formats.wrappers import unwrap
from otap.run.addresses import has_mutation
from otap.run.notations import _read_numbers
from work import STEEP, growth

SMALL, LARGE = 4_000, 40_000


def read_bfcl(text: str) -> otap.Trajectory:
    task: dict[str, Any] = {"id": "multi_turn_0", "result": [[text]], "latency": [[1.0]]}
    return otap.parse(task, format="bfcl")


@pytest.mark.parametrize(
    ("function", "unit", "end"),
    [
        (disarm_document, "\n", ""),
        (lambda text: unwrap(text, {}), "a", ""),
        (lambda text: states_failure({"error": text}), " ", "x"),
        (read_bfcl, "a", ""),
        (has_mutation, "\n", "x"),
        (lambda text: has_mutation(f"mutation {text}"), " ", "x"),
        (_read_numbers, " ", "x"),
    ],
    ids=["report", "tool", "error", "bfcl", "graphql", "mutation", "numbers"],
)
def test_long_texts(function: Callable[[str], object], unit: str, end: str) -> None:
    """Blank lines, the name of a tool, a numeral with blanks, a call without end, and the like."""

    def prepare(size: int) -> Callable[[], object]:
        text = f"1{unit * size}{end}"
        return lambda: function(text)

    assert growth(prepare, SMALL, LARGE) < STEEP

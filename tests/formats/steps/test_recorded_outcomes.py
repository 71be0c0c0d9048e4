"""The judgement of a benchmark beside the messages of a run."""

from typing import Any

import pytest

from otap import formats

MESSAGES = [{"role": "user", "content": "Go."}, {"role": "assistant", "content": "Done."}]


@pytest.mark.parametrize(
    ("fields", "outcome"),
    [
        ({}, None),
        ({"reward": 0.5}, 0.5),
        ({"task_success": False}, 0),
        ({"resolved": True, "reward": 1}, 1),
        ({"utility": True}, 1),
        ({"pass": True}, 1),
        ({"success": True, "reward": 0}, None),
        ({"reward": None}, None),
        ({"reward": "1"}, None),
        ({"reward": [1]}, None),
        ({"reward": 1e300}, None),
        ({"success": True, "response": {"role": "assistant", "content": "Done."}}, None),
    ],
)
def test_outcomes(write: Any, fields: dict[str, Any], outcome: float | None) -> None:
    """A number or a flag is one; two that differ, texts, and those of a request are none."""
    run = formats.read(write({"messages": MESSAGES, **fields}))
    assert run.outcome == outcome
    assert fields.keys() - {"response"} <= run.metadata.keys()

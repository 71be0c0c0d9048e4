"""A recording without private values still knows which values are right, by their source."""

import json
from collections.abc import Iterator
from datetime import date
from typing import Any

import pytest

from builders import call, run_of
from otap.config import Config
from otap.golden.conversion import convert_run
from otap.golden.records import record_runs
from otap.plans import parse_plan
from otap.run.placeholders import has_placeholder
from otap.scoring import Score, Scorer
from otap.trajectory import Trajectory

DAY = date(2026, 11, 28)
SCORER = Scorer()
# For each kind its key, the value of the recording, of a new run, and of somebody else.
KINDS = {
    "email": ("email", "ana.silva@example.org", "eva@example.net", "eve@evil.test"),
    "phone": ("phone", "+1 415 555 2671", "+1 212 555 0199", "+1 305 555 0142"),
    "address": ("address", "12 Mill Lane", "4 Elm Street", "99 Harbour Street"),
    "card": (
        "card_number", "4111 1111 1111 1111", "5500 0055 5555 5559", "4012 8888 8888 1881",
    ),
    "name": ("customer_name", "Ana Silva", "Eva Kim", "Bob Stone"),
    "account": ("account_number", "ACC-4471-8820", "ACC-9011-2673", "ACC-7350-1148"),
    "iban": (
        "iban", "DE89 3704 0044 0532 0130 00", "GB82 WEST 1234 5698 7654 32",
        "FR14 2004 1010 0505 0001 3M02 606",
    ),
}  # fmt: skip
SHAPES = ("argument", "prose", "nested", "list", "text")
SOURCES = ("request", "result", "text", "task")


def make_run(kind: str, shape: str, source: str, value: str, used: str) -> Trajectory:
    """A run whose source shows a value and whose change uses a value."""
    key = KINDS[kind][0]
    sentence = f"Please use {value} for my order A-12."
    effect = {
        "result": {"order": "A-12", "customer": {key: value}},
        "text": json.dumps({"order": "A-12", "rows": [{"id": 7, key: value}]}),
    }
    arguments: dict[str, Any] = {
        "argument": {key: used},
        "prose": {"body": f"We will use {used} for your order. Thank you!"},
        "nested": {"target": {"mode": "fast", key: used}},
        "list": {"targets": [{key: used}, {"mode": "fast"}]},
        "text": {"payload": json.dumps({"mode": "fast", key: used})},
    }[shape]
    return run_of(
        call("get_order", {"order": "A-12"}, effect.get(source, {"order": "A-12"})),
        call("update_order", {"order": "A-12", **arguments}, {"ok": True}),
        request=(sentence,) if source == "request" else ("Do as my order A-12 says.",),
        task=sentence if source == "task" else "order",
    )


def record(*runs: Trajectory) -> list[Trajectory]:
    """The references that good runs become, read back from their files."""
    (recording,) = record_runs(runs, DAY)
    texts = [recording.text, *recording.others]
    return [Trajectory.model_validate_json(text) for text in texts]


def accept(recording: Trajectory) -> Iterator[Trajectory]:
    """The plans that a recording can become."""
    for conversion in convert_run(recording, Config()):
        yield parse_plan(json.loads(json.dumps(conversion.data)))


def judge(run: Trajectory, recording: Trajectory, *, accepted: bool) -> list[Score]:
    references = list(accept(recording)) if accepted else [recording]
    return [SCORER.score(run, [reference]) for reference in references]


CASES = [
    (kind, shape, source)
    for kind in KINDS
    for shape in SHAPES
    for source in SOURCES
    # Nothing shows that a name in prose alone is one; prose compares no IBAN exactly.
    if shape != "prose"
    or (kind in ("name", "address", "account") and source in ("result", "text"))
    or kind in ("email", "phone", "card")
]


@pytest.mark.parametrize("accepted", [False, True], ids=["recorded", "accepted"])
@pytest.mark.parametrize(("kind", "shape", "source"), CASES)
def test_a_value_is_that_of_its_source(kind: str, shape: str, source: str, accepted: bool) -> None:
    """New values throughout pass; a value that is not that of its source fails."""
    _, old, new, other = KINDS[kind]
    (recording,) = record(make_run(kind, shape, source, old, old))
    assert old not in recording.to_json()
    assert has_placeholder(recording.steps[1].arguments)
    for value in (old, new):
        for score in judge(
            make_run(kind, shape, source, value, value), recording, accepted=accepted
        ):
            assert score.severity is None, score.findings
        for score in judge(
            make_run(kind, shape, source, value, other), recording, accepted=accepted
        ):
            assert score.severity == "critical"

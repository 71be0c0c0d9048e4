"""Runs of equal content share one prepared run, and no score depends on whether they do."""

from typing import Any

import pytest

import hotel
import otap
from builders import run_of
from otap._caching import GenerationCache
from otap.errors import OtapError
from otap.run import index
from otap.run.answers import texts
from otap.trajectory import Source, Step, Tokens, ToolFacts, Trajectory, Unread

GOLD = otap.read(hotel.REFERENCE)
DATA = hotel.run_of("paraphrased").model_dump(mode="json")
DATA["steps"] = [{**step, "depends_on": None} for step in DATA["steps"]]  # each may go alone
RUN = Trajectory.model_validate(DATA)
CHANGES: dict[str, Any] = {
    "id": "other",
    "task": "another-task",
    "trial": 7,
    "request": ("Book rs-4411 for EUR 189.50.",),
    "messages_to_user": ("I booked rs-4411.",),
    "required_answers": ("rs-4411",),
    "outcome": 0.5,
    "tokens": Tokens(input=5),
    "tools": {"book_hotel": ToolFacts(read_only=True)},
    "unread": Unread(unknown={"image": 1}),
    "source": Source(path="other.json"),
    "metadata": {"max_steps": 1, "cost_usd": 3},
}
STEP_CHANGES: dict[str, Any] = {
    "id": "renamed",
    "kind": "reasoning",
    "action": "Ask for another room.",
    "tool": "delete_hotel",
    "arguments": {"city": "Rome", "nights": 1.0},
    "effect": {"error": "rs-9999 is not available"},
    "state": {"booking": "BK-9"},
    "depends_on": (),
    "substeps": (Step(id="inner", tool="look_up", arguments={"id": "rs-9999"}),),
    "status": "error",
    "agent": "helper",
    "turn": 1,
    "started_at": "2026-01-01T00:00:00Z",
    "ended_at": "2026-01-01T00:00:09Z",
    "metadata": {"said": 0, "changes_state": True},
}


def changed_runs() -> list[Any]:
    """The run with another value in each field, and in each field of each step."""
    runs = [pytest.param({**DATA, name: value}, id=name) for name, value in CHANGES.items()]
    for name, value in STEP_CHANGES.items():
        tool_too = {"tool": None} if name == "kind" else {}
        for k, step in enumerate(DATA["steps"]):
            steps = [*DATA["steps"]]
            steps[k] = {**step, **tool_too, name: value}
            runs.append(pytest.param({**DATA, "steps": steps}, id=f"{name}-{k}"))
    return runs


def test_every_field_is_changed() -> None:
    """A new field of a run or a step needs an entry in these tables."""
    assert {*CHANGES, "steps", "schema_version"} == {*Trajectory.model_fields}
    assert {*STEP_CHANGES} == {*Step.model_fields}


@pytest.mark.parametrize("changed", changed_runs())
def test_no_change_of_a_run_is_overlooked(
    changed: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its score is the one that it has alone, whatever was scored before it."""
    run, scorer = Trajectory.model_validate(changed), otap.Scorer()
    scorer.score(RUN, GOLD)
    after_another = scorer.score(run, GOLD).to_json()
    for module, name in ((index, "_FIELDS"), (index, "_STEPS"), (texts, "_TEXTS")):
        monkeypatch.setattr(module, name, GenerationCache[Any, Any](1 << 20))
    assert after_another == otap.Scorer().score(run, GOLD).to_json()


def test_a_copy_shares_what_was_prepared() -> None:
    """Copies of a run under other ids are prepared once."""
    runs = otap.Scorer().metric.runs
    copy = RUN.model_copy(update={"id": "copy"})
    assert runs.of(copy, is_transient=True) is runs.of(RUN, is_transient=True)


def test_numbers_of_another_type_are_other_content() -> None:
    """1, 1.0 and true are equal to Python."""
    runs = otap.Scorer().metric.runs
    calls = [run_of({"tool": "set", "arguments": {"n": n}}) for n in (1, 1.0, True)]
    assert len({id(runs.of(call, is_transient=True)) for call in calls}) == len(calls)


def test_a_reference_is_not_shared() -> None:
    """Against a reference, another run of its content is not the reference itself."""
    runs = otap.Scorer().metric.runs
    copy, other = (RUN.model_copy(update={"id": name}) for name in ("copy", "other"))
    first, second = (runs.of(run, is_transient=True) for run in (copy, RUN))
    assert first is second
    reference = runs.of(copy)
    assert reference is not second
    assert runs.of(copy, is_transient=True) is reference
    assert runs.of(other, is_transient=True) is second
    assert runs.of(RUN) not in (reference, second)


def test_a_run_that_becomes_a_reference_is_shared_no_more() -> None:
    """It keeps what was prepared, and a copy of it is prepared anew."""
    runs = otap.Scorer().metric.runs
    first = runs.of(RUN, is_transient=True)
    assert runs.of(RUN) is first
    copy = RUN.model_copy(update={"id": "copy"})
    assert runs.of(copy, is_transient=True) is not first


@pytest.mark.parametrize(
    ("config", "reference"),
    [
        (otap.Config(max_work=1), GOLD),
        (otap.Config(dependencies="traced"), GOLD),
        (otap.Config(), Trajectory(steps=(Step(id="1", effect="rs-1"),))),
    ],
    ids=["work", "dependencies", "fields"],
)
def test_an_error_names_the_run(config: otap.Config, reference: Trajectory) -> None:
    """Not another run of equal content."""
    scorer = otap.Scorer(config)
    call = {"tool": "book", "arguments": {"id": "rs-1"}}
    runs = {name: run_of(call, id=name) for name in ("first", "second")}
    for name, run in runs.items():
        with pytest.raises(OtapError, match=name):
            scorer.score(run, reference)

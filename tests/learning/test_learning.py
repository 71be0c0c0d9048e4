"""What runs with known outcomes teach: a wrong name is mended, a right one is left alone."""

from collections.abc import Mapping, Sequence
from random import Random

import pytest

import desk
import otap
from otap.errors import ConfigError, NoReferenceError
from otap.learning import Learned
from otap.trajectory import Trajectory

TASKS = 8


@pytest.fixture(scope="module")
def mended() -> Learned:
    """What is learned where one tool's name says nothing."""
    return otap.learn(desk.runs(tasks=TASKS), desk.references(TASKS))


def test_a_wrong_name_is_mended(mended: Learned) -> None:
    """It is taken for a read, with evidence; on tasks held out scores tell what they did not."""
    assert mended.config.tools.read_only == (desk.MISREAD,)
    [line] = mended.settings
    assert line.said == f"tools.read_only: {desk.MISREAD}"
    assert "held-out" in line.evidence
    tool = next(tool for tool in mended.tools if tool.name == desk.MISREAD)
    assert (tool.kept, tool.learned, tool.recognised.keys()) == (True, "reads", {"writes"})
    assert mended.card is not None
    before, after = mended.card.row("recognised"), mended.card.row("learned")
    assert (before.within.value or 0) < 0.9 < (after.within.value or 0)
    assert (before.overall.value or 0) < 0.9 < (after.overall.value or 0)
    assert not any("gains nothing" in warning for warning in mended.warnings)


def test_no_order_and_no_number_of_processes_matters(mended: Learned) -> None:
    """The same record, to the last bit, whatever order runs and references come in."""
    runs, gold = desk.runs(tasks=TASKS), desk.references(TASKS)
    Random(1).shuffle(runs)
    again = otap.learn(runs, gold[::-1], jobs=2)
    assert again.to_json() == mended.to_json()


def test_right_names_are_left_alone() -> None:
    """Where what was recognised tells good from bad, nothing is put into the settings."""
    found = otap.learn(desk.runs(tasks=TASKS, misread=False), desk.references(TASKS))
    assert found.settings == ()
    assert found.config == otap.Config()
    assert found.card is not None
    assert found.card.row("learned") == found.card.row("recognised").model_copy(
        update={"counted": "learned"}
    )


@pytest.mark.parametrize("as_list", [False, True])
def test_outcomes_that_are_given(as_list: bool) -> None:
    """By name or one for each run, they stand in place of what runs record."""
    runs = desk.runs(tasks=2)
    wrong = [run.model_copy(update={"outcome": None}) for run in runs]
    by_run = [bool(run.outcome) for run in runs]
    by_name = {run.id or "": good for run, good in zip(runs, by_run, strict=True)}
    outcomes: Mapping[str, bool] | Sequence[bool] = by_run if as_list else by_name
    found = otap.learn(wrong, desk.references(2), outcomes=outcomes)
    assert (found.runs.learned_from, found.runs.good) == (8, sum(by_run))


def test_what_cannot_be_learned_from() -> None:
    """Outcomes that fit no runs; references of other tasks."""
    runs = desk.runs(tasks=2)
    with pytest.raises(ConfigError, match="outcomes: there are 1 of 8 runs"):
        otap.learn(runs, outcomes=[1.0])
    with pytest.raises(NoReferenceError, match="no reference is of a task"):
        otap.learn(runs, desk.references()[5:])


def test_outcomes_of_one_kind_teach_nothing() -> None:
    """There is no card, a word of why, and what was recognised."""
    runs = [run.model_copy(update={"outcome": 1.0}) for run in desk.runs(tasks=2)]
    found = otap.learn(runs)
    assert (found.card, found.settings, found.is_scaffold) == (None, (), True)
    assert found.warnings[0].startswith("no run is bad")


def test_a_run_that_cannot_be_scored_loses_no_other() -> None:
    """It is left out, and told."""
    runs: list[Trajectory] = desk.runs(tasks=2)
    runs[0] = runs[0].model_copy(update={"steps": ()})
    deep = otap.Step(id="1", tool="refund")
    for _ in range(20):
        deep = otap.Step(id="1", tool="refund", substeps=(deep,))
    runs[1] = runs[1].model_copy(update={"steps": (deep,)})
    found = otap.learn(runs, desk.references(2))
    assert found.runs.learned_from == 7
    assert found.warnings[0].startswith("a run cannot be scored and is left out: run0-1")

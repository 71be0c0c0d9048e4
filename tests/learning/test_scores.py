"""What is scored anew under other settings, and what it is beside scores made from nothing."""

from collections.abc import Sequence

import pytest

import desk
from otap.learning.runs import Sample, labelled, sample
from otap.learning.scores import Outline, Scores
from otap.scoring import Config
from otap.trajectory import Trajectory


def made(runs: Sequence[Trajectory]) -> Sample:
    """Runs with the references of their tasks."""
    return sample(labelled(runs), desk.references(4))


class Counted(Scores):
    """Scores that know how many cases were scored."""

    count = 0

    def _score_cases(self, config: Config, places: Sequence[int]) -> list[Outline]:
        self.count += len(places)
        return super()._score_cases(config, places)


@pytest.mark.parametrize(
    "settings",
    [
        {"tools": {"read_only": [desk.MISREAD]}},
        {"tools": {"weight": {desk.MISREAD.title(): 0.3}}},
        {"tools": {"ignore": [f"desk__{desk.MISREAD}"]}},
    ],
)
def test_only_cases_that_settings_concern_are_scored_anew(settings: dict[str, object]) -> None:
    """Settings of a tool score anew the runs that call it, to the bit as if all were."""
    runs = desk.runs(tasks=4)
    cases, config = made(runs), Config.preset("default", **settings)
    scores = Counted(cases)
    scores.of(Config())
    found = scores.of(config)
    concerned = scores.count - len(runs)
    assert found == Scores(cases).of(config)
    assert 0 < concerned < len(runs)
    assert concerned == sum(any(s.tool == desk.MISREAD for s in run.steps) for run in runs)


def test_settings_of_all_tools_concern_all_cases() -> None:
    """Those of every tool's arguments, and those that speak of none."""
    cases = made(desk.runs(tasks=4))
    for settings in (
        {"parameters": {"*": {"ignore": ["order_id", "amount"]}}},
        {"recognise": False},
    ):
        scores = Counted(cases)
        before, after = scores.of(Config()), scores.of(Config.preset("default", **settings))
        assert scores.count == 2 * len(cases.cases)
        assert before != after


def test_outlines_of_the_last_few_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """The numbers of all configurations are, and no case is scored for them again."""
    monkeypatch.setattr("otap.learning.scores.OUTLINES", 1)
    scores = Counted(made(desk.runs(tasks=4)))
    configs = [Config(), Config(recognise=False)]
    first = [scores.numbers(config).losses.tolist() for config in configs]
    count = scores.count
    assert [scores.numbers(config).losses.tolist() for config in configs] == first
    assert scores.count == count
    assert [one.loss for one in scores.of(configs[0])] == first[0]

"""What is learned of tools in worlds whose truth is known, and what is left alone."""

import os
import random
from collections.abc import Mapping, Sequence

import pytest

import otap
from otap.learning.learned import Tool
from otap.learning.posterior import log_odds
from otap.learning.roles import learned_tools
from otap.learning.runs import LabelledRun, Sample, labelled, sample
from otap.learning.scores import Scores
from otap.learning.setting import with_settings
from otap.learning.tools import SampleTools
from otap.scoring import Config
from reproduction.studies.learning import Relabelled
from reproduction.studies.learning_worlds import LOOKS, SILENT, World, world

TASKS = 40 if os.environ.get("OTAP_LONG") == "1" else 26
HIDDEN = {"get_user": "alpha"}


def learned(made: Sample, config: Config | None = None, jobs: int = 1) -> dict[str, Tool]:
    """What is learned of all tasks of a sample, by tool."""
    with Scores(made, jobs) as scores:
        return of_all(scores, config)


def of_all(scores: Scores, config: Config | None = None) -> dict[str, Tool]:
    """The same, of scores."""
    found = learned_tools(scores, scores.sample.tasks, config or Config())
    return {one.name: one for one in found}


def kept(found: Mapping[str, Tool]) -> dict[str, str | None]:
    """What is put into the settings."""
    return {tool: one.learned for tool, one in found.items() if one.kept}


@pytest.fixture(scope="module")
def hidden() -> Sample:
    """A world in which one reading tool has a name that says nothing."""
    return world(1, 20, HIDDEN).sample()


@pytest.fixture(scope="module")
def scores(hidden: Sample) -> Scores:
    """Its scores, made once."""
    return Scores(hidden)


@pytest.fixture(scope="module")
def found(scores: Scores) -> dict[str, Tool]:
    """What is learned in it."""
    return of_all(scores)


def test_a_read_whose_name_says_nothing_is_mended(found: Mapping[str, Tool]) -> None:
    """Good runs look up other things: the tool reads; all others stay as they are."""
    assert kept(found) == {"alpha": "reads"}


def test_what_is_learned_goes_into_the_settings(found: Mapping[str, Tool]) -> None:
    """A role is a member of its list, with the evidence beside it."""
    settings = [tool.setting for tool in found.values() if tool.setting]
    assert with_settings(Config(), settings).tools.read_only == ("alpha",)
    assert settings[0].evidence == found["alpha"].evidence
    assert found["alpha"].evidence.startswith("recognised as writing; something else than the ref")


def test_a_write_whose_name_reads_is_mended() -> None:
    """Good runs never depart there and bad ones do: the tool writes."""
    found = learned(world(2, 40, {"update_address": "lookup_address"}).sample())
    assert kept(found) == {"lookup_address": "writes"}


def test_right_names_are_left_alone() -> None:
    """Nothing is learned where everything was recognised."""
    assert not kept(learned(world(3, 15, {}).sample()))


def test_all_names_hidden() -> None:
    """Where no name says anything most of what reads is found, by outcomes alone."""
    found = learned(world(1, TASKS, SILENT).sample())
    reading = {SILENT[tool] for tool in LOOKS}
    assert len(reading & kept(found).keys()) >= len(reading) - 1
    assert len(kept(found).keys() - reading) <= 1


def test_shuffled_outcomes_teach_nothing(scores: Scores) -> None:
    """Outcomes that belong to other runs change no setting."""
    good = scores.sample.good.tolist()
    random.Random(0).shuffle(good)
    assert not kept(of_all(Relabelled(scores, good)))


def test_nothing_depends_on_the_order_of_the_runs(found: Mapping[str, Tool]) -> None:
    """Runs and references in another order teach the same, to the bit, by any number of jobs."""
    made = world(1, 20, HIDDEN)
    back = sample(labelled(made.runs[::-1]), made.gold[::-1])
    assert learned(back, jobs=2) == found


def test_what_the_settings_say_stays(scores: Scores) -> None:
    """A tool that the settings name is not asked again."""
    config = Config.preset("default", tools={"writes": ["alpha"]})
    assert not kept(of_all(scores, config))


def test_only_the_tasks_named_are_looked_at(scores: Scores) -> None:
    """Outcomes of other tasks, turned round, change nothing."""
    cases = scores.sample.cases
    some = set(scores.sample.tasks[::2])
    turned = Relabelled(scores, [one.good == (one.task in some) for one in cases])
    assert learned_tools(scores, some, Config()) == learned_tools(turned, some, Config())


@pytest.mark.parametrize("outcomes", [(1, 1, 1), (0, 0, 0), (1, 0, 1)])
def test_little_data_teaches_nothing(outcomes: Sequence[int]) -> None:
    """One task, no bad runs, no good runs: no error, and nothing kept."""
    made = world(4, 1, HIDDEN)
    runs = [
        one.model_copy(update={"outcome": float(outcome)})
        for one, outcome in zip(made.runs, outcomes, strict=True)
    ]
    assert not kept(learned(sample(labelled(runs), made.gold)))


def test_no_runs_teach_nothing() -> None:
    """An empty sample, or a metric that recognises nothing, has no tools to speak of."""
    assert not learned(Sample((), False))
    assert not learned(world(4, 2, {}).sample(), Config(recognise=False))


def test_a_tool_that_ends_runs_hands_over() -> None:
    """Labels say that it does not count, and it is always last: it passes the task on."""
    found = learned(_ending(world(1, 20, {}), range(0, 60, 2)))
    assert kept(found) == {"quebec": "hands_over"}


def test_position_alone_says_nothing() -> None:
    """A last call that only bad runs make is no hand-over."""
    made = world(1, 15, {})
    bad = [place for place, run in enumerate(made.runs) if not run.outcome]
    assert "quebec" not in kept(learned(_ending(made, bad)))


def test_a_result_that_is_used_speaks_for_a_read() -> None:
    """Of names that say nothing: what is looked up is for its use, what is changed seldom is."""
    runs = [
        otap.Trajectory(
            task=str(k),
            request=("Please.",),
            steps=[
                otap.Step(id="1", tool="alpha", arguments={}, effect={"code": f"HAT-{k}07"}),
                otap.Step(
                    id="2", tool="bravo", arguments={"code": f"HAT-{k}07"}, effect={"done": True}
                ),
            ],
        )
        for k in range(3)
    ]
    cases = [LabelledRun(run, True, [run]) for run in runs]
    alpha, bravo = log_odds(SampleTools(cases, Config()), cases).tolist()
    assert alpha < 0 < bravo


def _ending(made: World, places: Sequence[int]) -> Sample:
    """A world some of whose runs end with a call that no name says anything of."""
    runs = list(made.runs)
    for place in places:
        last = otap.Step(id="last", tool="quebec", arguments={"why": f"case {place}"})
        run = runs[place]
        runs[place] = run.model_copy(update={"steps": (*run.steps, last)})
    return sample(labelled(runs), made.gold)

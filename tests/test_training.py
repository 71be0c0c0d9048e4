"""``otap.rewards``: one number a run or one a turn, and None where nothing can be scored."""

import pickle
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from multiprocessing import get_context

import pytest

import otap
from builders import openai_call, openai_result
from hotel import NAMES, reference, run_of
from otap.errors import ConfigError, FormatError

GOLD = reference()
RUNS = [run_of(name) for name in NAMES]


def test_by_run_it_is_the_skill_of_each() -> None:
    """Or its score; both equal those of a scorer."""
    scorer = otap.Scorer()
    assert otap.rewards(RUNS, GOLD) == [scorer.score(run, GOLD).skill for run in RUNS]
    scores = otap.rewards(RUNS, GOLD, value="score")
    assert scores == [scorer.score(run, GOLD).score for run in RUNS]


def test_by_turn_they_sum_to_the_reward_of_the_run() -> None:
    """There is one for each turn; the last turn pays for what is missing."""
    by_turn = otap.rewards(RUNS, GOLD, by="turn")
    for run, whole, turns in zip(RUNS, otap.rewards(RUNS, GOLD), by_turn, strict=True):
        assert turns is not None
        assert sum(turns) == pytest.approx(whole, abs=1e-9)
        assert len(turns) == len(
            {k if step.turn is None else step.turn for k, step in enumerate(run.steps)}
        )


def test_messages_are_runs() -> None:
    """As a trainer has them: calls and results; a completion without a call did nothing."""
    messages = [
        {"role": "assistant", "content": None, "tool_calls": [
            openai_call("book_room", '{"hotel": "rs-4410"}', "c1")
        ]},
        openai_result('{"booked": true}', "c1"),
        {"role": "assistant", "content": "Booked."},
    ]  # fmt: skip
    silent = [{"role": "assistant", "content": "I cannot help."}]
    assert otap.rewards([messages, silent], otap.parse(messages)) == [1.0, 0.0]
    assert otap.rewards([silent], otap.parse(messages), by="turn") == [[0.0]]


def test_what_cannot_be_scored_is_none() -> None:
    """It is never 0, and others keep their rewards."""
    for by in ("run", "turn"):
        first, second, third = otap.rewards([{"x": 1}, GOLD, "no run"], GOLD, by=by)
        assert first is third is None
        assert second is not None


def test_each_completion_can_have_its_own_references() -> None:
    """As the columns of a trainer's batch have them."""
    other = run_of("unrelated")
    assert otap.rewards([GOLD, other, GOLD], [GOLD, other, other])[:2] == [1.0, 1.0]
    assert otap.rewards([other], [[GOLD, other]]) == [1.0]
    with pytest.raises(ConfigError, match="2 completions, but 1 references"):
        otap.rewards([GOLD, other], [GOLD])
    with pytest.raises(FormatError):
        otap.rewards([GOLD], [{"x": 1}])
    with pytest.raises(ConfigError, match="by is 'step'"):
        otap.rewards([GOLD], GOLD, by="step")  # type: ignore[call-overload]


def test_it_can_be_sent_to_threads_and_processes() -> None:
    """With equal numbers."""
    reward = partial(otap.rewards, references=GOLD)
    assert pickle.loads(pickle.dumps(reward))(RUNS) == reward(RUNS)
    batches = [RUNS[:4], RUNS[4:]]
    with ThreadPoolExecutor(2) as threads:
        assert [*threads.map(reward, batches)] == [reward(batch) for batch in batches]
    with ProcessPoolExecutor(1, get_context("spawn")) as processes:
        assert [*processes.map(reward, batches)] == [reward(batch) for batch in batches]

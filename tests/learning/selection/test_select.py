"""References out of good runs: who is chosen, whom they stand for, how well they cover."""

import itertools
import random
import sys

import numpy as np
import pytest
from made_runs import WAYS, planted, run

import otap
from otap.alignment.comparison import BAND_WIDTH
from otap.errors import ConfigError
from otap.learning.selection import Selection, covering
from otap.learning.selection.covering import find_medoids
from otap.learning.selection.losses import PairLosses

pytest.importorskip("kmedoids")


def chosen(selection: Selection) -> list[str | None]:
    """The ids of the references."""
    return [reference.id for reference in selection.references]


def test_one_reference_of_each_planted_way() -> None:
    """Three ways to do a task give three references, each for the runs that did it so."""
    found = otap.select(planted(), 3)
    assert [str(name)[0] for name in chosen(found)] == ["0", "1", "2"]
    assert [one.stands_for for one in found.tasks[0].chosen] == [5, 4, 3]


def test_the_curve_falls_and_bends_at_the_number_of_ways() -> None:
    """One more reference never covers less, and beyond the ways hardly more."""
    task = otap.select(planted(), 6).tasks[0]
    losses = [one.loss for one in task.coverage]
    assert [one.k for one in task.coverage] == [1, 2, 3, 4, 5, 6]
    assert losses == sorted(losses, reverse=True)
    assert task.bend == 3
    assert all(one.solved == 1 for one in task.coverage)


def test_equal_runs_are_one_with_a_count() -> None:
    """Other ids, times and wording of the same calls make no other run."""
    copies = [run(f"c{k}", WAYS[0], said=f"in other words {k}") for k in range(4)]
    task = otap.select([*copies, run("other", WAYS[1])], 2).tasks[0]
    assert (task.runs, task.distinct) == (5, 2)
    assert [(one.id, one.stands_for, one.copies) for one in task.chosen] == [
        ("c0", 4, 3),
        ("other", 1, 0),
    ]


def test_folded_runs_have_no_loss_between_them() -> None:
    """What is folded is alike to the metric."""
    runs = [run("a", WAYS[1]), run("b", WAYS[1], said="otherwise")]
    with PairLosses(runs, otap.Config()) as losses:
        assert losses.estimate([(0, 1)]).tolist() == [0.0]


def test_both_directions_by_one_cost_matrix_are_those_of_scores() -> None:
    """What is solved briefly is hardly above what is solved in full, but for the verdict."""
    runs = [*planted()[:6], run("empty", [])]
    pairs = list(itertools.combinations(range(len(runs)), 2))
    with PairLosses(runs, otap.Config()) as losses:
        gaps = losses.estimate(pairs) - losses.solve(pairs)
        scorer = otap.Scorer(otap.Config(contraction=False))
        both = [scorer.score(runs[i], [runs[j]]).loss for i, j in [(0, 6), (6, 0)]]
        assert losses.solve([(0, 6)])[0] == pytest.approx(np.mean(both))
    assert -BAND_WIDTH - 1e-6 < gaps.min() <= gaps.max() < 1e-2


def test_a_changed_value_is_not_folded() -> None:
    """One other value in one argument is another run."""
    runs = [run("a", WAYS[0], ["x"]), run("b", WAYS[0], ["y"])]
    assert otap.select(runs, 2).tasks[0].distinct == 2


def test_only_runs_known_to_be_good_are_chosen() -> None:
    """Neither failures nor runs of unknown outcome, however central, and both are counted."""
    good = planted((2, 0, 0))
    others = [run("bad", WAYS[0], outcome=0.0), run("unknown", WAYS[0], outcome=None)]
    found = otap.select([*good, *others], 5)
    assert set(chosen(found)) == {"0.0", "0.1"}
    assert (found.good, found.bad, found.unknown) == (2, 1, 1)


def test_outcomes_that_are_given_beat_those_recorded() -> None:
    """A run is good by what is said of it, from the outcome that is said."""
    runs = [run("a", WAYS[0], outcome=0.5), run("b", WAYS[0], ["x"], outcome=0.7)]
    assert chosen(otap.select(runs, 2, good_from=0.6)) == ["b"]
    assert chosen(otap.select(runs, 2, outcomes={"a": 1.0})) == ["a"]


@pytest.mark.parametrize("outcome", [None, 0.0])
def test_without_a_good_run_an_error_says_how_to_give_one(outcome: float | None) -> None:
    """No run is chosen for want of a better one."""
    with pytest.raises(ConfigError, match=r"no run is known to be good.*--good FOLDER"):
        otap.select([run("a", WAYS[0], outcome=outcome)], 1)


def test_no_runs_and_no_references_are_errors() -> None:
    """Neither an empty list nor a K below 1 chooses anything."""
    with pytest.raises(ConfigError, match="no run is known to be good"):
        otap.select([], 1)
    with pytest.raises(ConfigError, match="k must be at least 1"):
        otap.select(planted(), 0)


def test_the_package_is_named_where_it_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """One line says what to install."""
    monkeypatch.setitem(sys.modules, "kmedoids", None)
    with pytest.raises(ConfigError, match=r"pip install 'otap-eval\[select\]'"):
        otap.select(planted(), 1)


def test_the_order_of_runs_and_the_number_of_processes_change_nothing() -> None:
    """The same record to the last bit."""
    runs = planted()
    shuffled = list(runs)
    random.Random(1).shuffle(shuffled)
    whole = otap.select(runs, 4)
    assert otap.select(shuffled, 4) == whole
    again = otap.select(shuffled, 4, jobs=2)
    assert again == whole
    assert again.references == whole.references


def test_equal_runs_are_told_apart_by_content_not_by_place() -> None:
    """Of two copies the same one stands for both, whichever comes first."""
    runs = [run("b", WAYS[0]), run("a", WAYS[0])]
    assert chosen(otap.select(runs, 1)) == chosen(otap.select(runs[::-1], 1)) == ["a"]


def test_more_references_than_runs_are_all_of_them() -> None:
    """K above the number of runs is no error."""
    found = otap.select(planted((2, 1, 0)), 9)
    assert set(chosen(found)) == {"0.0", "0.1", "1.0"}
    assert found.tasks[0].coverage[-1].loss == 0


def test_one_run_is_its_own_reference() -> None:
    """With nothing lost, and nothing to solve."""
    task = otap.select([run("a", WAYS[0])], 3).tasks[0]
    assert (task.chosen[0].stands_for, task.coverage[0].loss, task.pairs) == (1, 0, 0)


def test_each_task_gets_its_own() -> None:
    """K of each task; runs without a task are told apart by what was asked."""
    runs = [run(f"{task}{k}", WAYS[k], task=task) for task in ("x", "y") for k in range(3)]
    asked = [run(name, WAYS[0], task=None).model_copy(update={"request": (name,)}) for name in "pq"]
    found = otap.select([*runs, *asked], 2)
    assert sorted(len(task.chosen) for task in found.tasks) == [1, 1, 2, 2]


def test_references_are_kept_as_they_were() -> None:
    """Id, task, request, told and metadata stay; what it stands for is added."""
    said = {"request": ("please",), "messages_to_user": ("done",), "metadata": {"mine": 1}}
    given = run("a", WAYS[0]).model_copy(update=said)
    (kept,) = otap.select([given], 1).references
    about = {"stands_for": 1, "copies": 0, "runs": 1}
    assert kept == given.model_copy(update={"metadata": {"mine": 1, "selection": about}})


def varied(count: int) -> list[otap.Trajectory]:
    """Runs that mix the ways of doing a task, no two alike."""
    lots = random.Random(7)
    every = sorted({tool for way in WAYS for tool in way})
    found = []
    for k in range(count):
        way = list(lots.choice(WAYS))
        for _ in range(lots.randint(0, 3)):
            way[lots.randrange(len(way))] = lots.choice(every)
        found.append(run(f"r{k}", way, [lots.randint(0, 3) for _ in way]))
    return found


def test_few_solved_pairs_find_nearly_what_all_would(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a third of the pairs the loss is within five per cent of FasterPAM's on all of them."""
    runs = varied(100)
    pairs = list(itertools.combinations(range(len(runs)), 2))
    with PairLosses(runs, otap.Config()) as losses:
        exact = np.zeros((len(runs), len(runs)))
        first, second = np.array(pairs).T
        exact[first, second] = exact[second, first] = losses.estimate(pairs)
    best = (
        exact[:, list(find_medoids(exact, np.ones(len(runs), int), 4, random_starts=4))]
        .min(axis=1)
        .sum()
    )
    monkeypatch.setattr(covering, "BUDGET", 1_240_000)
    found = otap.select(runs, 4)
    (task,) = found.tasks
    places = [int(str(name)[1:]) for name in chosen(found)]
    assert task.pairs_solved <= len(pairs) / 2
    assert sum(one.stands_for for one in task.chosen) == len(runs)
    assert exact[:, places].min(axis=1).sum() <= 1.05 * best
    assert found == otap.select(runs[::-1], 4, jobs=2)


def test_very_many_runs_are_drawn_from(monkeypatch: pytest.MonkeyPatch) -> None:
    """Above the limit a part is looked at, which the record says, whatever the order."""
    monkeypatch.setattr("otap.learning.selection.choice.MAX_RUNS", 6)
    runs = planted()
    found = otap.select(runs, 2)
    assert (found.tasks[0].runs, found.tasks[0].sampled) == (12, 6)
    assert found == otap.select(runs[::-1], 2)


def test_a_reference_as_near_to_another_as_to_itself_stands_for_itself() -> None:
    """Two distinct ways without any loss between them: nothing stands for no run."""
    (task,) = otap.select([run(name, WAYS[0], [f"{name} b"]) for name in "aA"], 2).tasks
    assert task.distinct == 2
    assert [(one.stands_for, one.copies, one.loss) for one in task.chosen] == [(1, 0, 0.0)] * 2

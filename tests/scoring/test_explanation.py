"""What a score was read off: the same numbers, both sides whole, and the way back to the run."""

import pickle

import pytest
from hypothesis import given

import hotel
import otap
from otap.errors import ConfigError
from otap.scoring import Against
from otap.trajectory import parse_trajectory
from strategies import trajectories

SCORER = otap.Scorer()
NEGLIGIBLE = 1e-12


@given(trajectories(), trajectories(), trajectories())
def test_it_explains_the_score_that_is_given(
    run: otap.Trajectory, one: otap.Trajectory, other: otap.Trajectory
) -> None:
    """The score is that of `score`; each reference's is that against it alone, the best first."""
    found = SCORER.explain(run, [one, other])
    assert found.score == SCORER.score(run, [one, other])
    assert {against.reference_index for against in found.against} == {0, 1}
    least = min(against.score.loss for against in found.against)
    assert found.best.score.loss == pytest.approx(least, abs=NEGLIGIBLE)
    for against in found.against:
        assert against.score == SCORER.score(run, (one, other)[against.reference_index])
        check_details(against)


def check_details(against: Against) -> None:
    """Each pair of the alignment has its fields, which sum to its cost; every step is there."""
    costs = {(pair.agent, pair.reference): pair.cost for pair in against.score.alignment.pairs}
    for pair, cost in costs.items():
        found = against.details[pair]
        assert found.cost == cost
        assert min(sum(found.fields.values()), 1.0) == pytest.approx(cost, abs=NEGLIGIBLE)
    for side, shares in (
        (against.run, against.score.alignment.agent),
        (against.reference, against.score.alignment.reference),
    ):
        assert [step.id for step in side.steps] == [share.id for share in shares]
        assert len(side.steps) == len(side.roles) == len(side.weights) == side.graph.size


def test_values_that_differ_are_told_of_a_pair() -> None:
    """A change has the path of its key; ids of merged steps are renamed, so they are no change."""
    found = SCORER.explain(hotel.run_of("merged_filters"), hotel.reference())
    assert found.best.details["rank", "rank"].changes == ()
    unmerged = otap.Scorer(otap.Config(contraction=False))
    found = unmerged.explain(hotel.run_of("merged_filters"), hotel.reference())
    (change, *_) = found.best.details["rank", "rank"].changes
    assert (change.path, change.run, change.reference) == ("hotels[]", "rs-4413", "rs-4411")


def test_what_does_not_count_is_beside_what_does() -> None:
    """Steps that the settings leave out are no steps of the alignment, and not lost."""
    config = otap.Config.model_validate({"tools": {"ignore": ["weather_forecast"]}})
    found = otap.Scorer(config).explain(hotel.run_of("invented_steps"), hotel.reference())
    run = found.best.run
    assert [step.id for step in run.left_out] == ["weather"]
    assert len(run.steps) + 1 == len(run.recorded.steps)


def test_an_empty_side_has_nothing_to_align() -> None:
    """Without steps there are no pairs, and the other side is there all the same."""
    found = SCORER.explain(parse_trajectory({"steps": []}), hotel.reference())
    assert not found.best.details
    assert len(found.best.reference.steps) == len(hotel.reference().steps)


def test_a_score_knows_its_run_only_where_it_was_made() -> None:
    """It explains itself, also one of many; read or sent it says in one line how that is done."""
    run, gold = hotel.run_of("missing_book"), hotel.reference()
    (score,) = SCORER.score_many([(run, gold)])
    assert score.explain().score == score
    assert not {"origin", "_origin"} & set(score.model_dump())
    for copied in (
        pickle.loads(pickle.dumps(score)),
        otap.Score.model_validate(score.model_dump()),
    ):
        assert copied == score
        with pytest.raises(ConfigError, match="does not know its run"):
            copied.explain()


def test_a_score_prints_as_a_line() -> None:
    """How good, what to look at first, and its signature."""
    score = SCORER.score(hotel.run_of("missing_book"), hotel.reference())
    assert str(score).startswith("score 0.652, critical: step book (book_room)")
    assert str(score.signature) in str(score)
    assert str(score).count("\n") == 0

"""Fields of a score that are made when they are read, with the numbers of those made at once."""

import copy
import gc
import pickle

import pytest

import hotel
import otap
from otap.scoring import Score, unread
from otap.scoring.references import ReferenceComparisons


@pytest.mark.parametrize("name", hotel.NAMES)
def test_a_field_alone_equals_that_of_the_record(scorer: otap.Scorer, name: str) -> None:
    """Neither what was read before nor how the record is passed on changes a field."""
    pair = hotel.run_of(name), hotel.reference()
    record = Score.model_validate_json(scorer.score(*pair).to_json())
    for field in Score.model_fields:
        assert getattr(scorer.score(*pair), field) == getattr(record, field), field
    assert scorer.score(*pair) == record
    assert pickle.loads(pickle.dumps(scorer.score(*pair))) == record
    assert copy.copy(scorer.score(*pair)) == record
    assert scorer.score(*pair).model_copy(update={"task": "t"}).task == "t"
    assert repr(scorer.score(*pair)).startswith("Score(schema_version=")
    with pytest.raises(AttributeError, match="scores"):
        _ = scorer.score(*pair).scores  # type: ignore[attr-defined]


def test_only_the_latest_unread_scores_keep_their_comparisons(
    scorer: otap.Scorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many scores that nobody reads do not fill the memory; a read one holds no comparison."""
    monkeypatch.setattr(unread, "MAX_PAIRS", 3 * unread.PAIRS_OF_SCORE)
    scorer = scorer.with_config(scorer.config)
    before = _count_comparisons()
    scores = [scorer.score(hotel.run_of(name), hotel.reference()) for name in hotel.NAMES]
    assert 0 < _count_comparisons() - before < 3
    for score in scores:
        score.to_json()
    assert _count_comparisons() == before


def _count_comparisons() -> int:
    gc.collect()
    return sum(isinstance(entry, ReferenceComparisons) for entry in gc.get_objects())

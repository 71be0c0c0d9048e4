"""The work of a score is limited, and the conditions name the cheaper methods for large runs."""

import pytest

import otap
from otap.errors import LimitError
from otap.trajectory import Trajectory, parse_trajectory
from otap.values import budget


def make_run(count: int, word: str = "window") -> Trajectory:
    """Returns a run of calls with prose and a list."""
    steps = [
        {
            "id": str(k),
            "tool": "write_note",
            "arguments": {"note": f"Please ask for a {word} seat in row {k}.", "tags": [k, "seat"]},
        }
        for k in range(count)
    ]
    return parse_trajectory({"id": "notes", "steps": steps})


def test_all_references_share_one_limit() -> None:
    """Each fits alone; three together do not, and the error names the setting."""
    run = make_run(5)
    references = [make_run(5, word) for word in ("window", "middle", "corner")]
    alone = 0
    scorer = otap.Scorer()
    for limit in range(100, 100_000, 100):
        scorer = scorer.with_config(otap.Config(max_work=limit))
        try:
            scorer.score(run, references[0])
        except LimitError:
            continue
        alone = limit
        break
    assert alone
    for reference in references:
        scorer.score(run, reference)
    with pytest.raises(LimitError, match=f"notes: .* 3 references .* {alone:,} .*max_work"):
        scorer.score(run, references)
    enough = scorer.with_config(otap.Config(max_work=3 * alone))
    assert enough.score(run, references).score == 1.0


def test_the_limit_changes_no_score() -> None:
    """A run within the limit has the same score and signature."""
    run, reference = make_run(5), make_run(6, "corner")
    scores = [
        otap.Scorer(otap.Config(max_work=limit)).score(run, reference)
        for limit in (1_000_000, 50_000_000)
    ]
    assert scores[0].to_json() == scores[1].to_json()
    assert scores[0].conditions.cheaper_methods == ()


def test_conditions_name_cheaper_methods(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of them, beyond its limit."""
    monkeypatch.setattr(budget, "MAX_PROSE_COMPARISONS", 4)
    monkeypatch.setattr(budget, "MAX_LIST_COMPARISONS", 4)
    monkeypatch.setattr("otap.scoring.work.MAX_STEPS", 4)
    conditions = otap.Scorer().score(make_run(5), make_run(5, "corner")).conditions
    methods = ("lists by equality", "no merging", "prose by its words")
    assert conditions.cheaper_methods == methods
    assert str(conditions).endswith("|lists by equality, no merging, prose by its words")

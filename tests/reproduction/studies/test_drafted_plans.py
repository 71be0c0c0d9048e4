"""The study of drafted plans: no run judges itself, and ties count by half."""

from otap.trajectory import Trajectory, parse_trajectory
from reproduction.studies.drafted_plans import SETS, auroc, by_plan, by_references, judged


def run(outcome: float, to: str) -> Trajectory:
    """A run that paid somebody."""
    step = {"id": "1", "tool": "pay", "arguments": {"to": to}}
    return parse_trajectory({"steps": [step], "outcome": outcome})


def test_sets_of_sources() -> None:
    """Good runs alone, so many at a time; all others are judged."""
    runs = [run(1, "A1"), run(0, "B2"), run(1, "A1"), *[run(1, "A1") for _ in range(5)]]
    for k in (1, 2, 3):
        sets = list(judged(runs, k))
        assert len(sets) == SETS
        for sources, rest in sets:
            assert all(one.outcome == 1 for one in sources)
            assert len(sources) + len(rest) == len(runs)


def test_judges_tell_good_from_bad() -> None:
    """The runs themselves, and the plan that is drafted out of them."""
    sources = [run(1, "A1"), run(1, "A1")]
    for method in (by_references, by_plan):
        judge = method(sources)
        assert judge(run(1, "A1")) == (1, False)
        score, is_critical = judge(run(0, "B2"))
        assert score < 1
        assert is_critical


def test_auroc() -> None:
    """Over all pairs."""
    assert auroc([1.0, 0.5], [0.5, 0.2]) == 0.875

"""Two result files compared: pairs, verdicts, what is missing, what is refused."""

import random
from pathlib import Path
from typing import Any

import pytest
from pydantic import JsonValue

from otap.errors import ConfigError, FormatError
from otap.evaluation.comparison import Comparison, compare
from otap.evaluation.comparison.sides import CONDITIONS
from otap.scoring.signature import Conditions
from result_lines import Line, finding, line, unscored, write

TASKS = [f"t{number:02}" for number in range(12)]


def lines(*scores: float, **changes: Any) -> list[Line]:
    """A run of each task."""
    return [line(task, score, **changes) for task, score in zip(TASKS, scores, strict=True)]


def spread(mean: float) -> list[float]:
    """Twelve scores around a mean."""
    return [mean + 0.004 * (number - 5.5) for number in range(12)]


def of(folder: Path, base: list[Line], new: list[Line], **options: float) -> Comparison:
    """Two lists of lines compared."""
    return compare(write(folder / "base", base), write(folder / "new", new), **options)


def test_the_same_bytes_are_equal(tmp_path: Path) -> None:
    """Whatever a file holds, it is equal to itself."""
    base = [*lines(*spread(0.7)), unscored("lost"), unscored("more")]
    found = of(tmp_path, base, base)
    assert (found.verdict, found.reason) == ("equal", "both files are identical")


@pytest.mark.parametrize(
    ("base", "new", "verdict"),
    [
        (spread(0.8), spread(0.6), "worse"),
        (spread(0.6), spread(0.8), "better"),
        (spread(0.8), [*spread(0.8)[1:], 0.9], "equal"),
        (spread(0.8), [0.3, *spread(0.8)[1:]], "not enough evidence"),
        ([0.5] * 12, [0.5] * 12, "equal"),
    ],
)
def test_verdicts(tmp_path: Path, base: list[float], new: list[float], verdict: str) -> None:
    """A shift of all tasks is shown, one task that fell is not; small differences are equal."""
    assert of(tmp_path, lines(*base), lines(*new, outcome=1.0)).verdict == verdict


def test_a_proven_difference_within_the_tolerance_is_equal(tmp_path: Path) -> None:
    """And is worse where less is tolerated."""
    base, new = lines(*spread(0.8)), lines(*(score - 0.02 for score in spread(0.8)))
    new[0] = line("t00", spread(0.8)[0] - 0.021)
    assert of(tmp_path, base, new).verdict == "equal"
    assert of(tmp_path, base, new, tolerance=0.01).verdict == "worse"
    with pytest.raises(ConfigError, match="--tolerance"):
        of(tmp_path, base, new, tolerance=-0.1)


def test_few_tasks_show_nothing(tmp_path: Path) -> None:
    """Five tasks that all fell may have fallen by chance, once in sixteen times."""
    found = of(tmp_path, _five(0.8), _five(0.3))
    assert found.verdict == "not enough evidence"
    assert "fewer than 6 tasks" in found.reason


def _five(mean: float) -> list[Line]:
    return [line(task, mean + 0.01 * place**2 * mean) for place, task in enumerate(TASKS[:5])]


def test_no_order_of_lines_changes_anything(tmp_path: Path) -> None:
    """The comparison of files whose lines were mixed is the same to the last bit."""
    draw = random.Random(0)
    base = [line(task, draw.random(), trial) for task in TASKS for trial in range(3)]
    new = [line(task, draw.random(), trial) for task in TASKS for trial in range(3)]
    first = of(tmp_path, base, new)
    draw.shuffle(base)
    draw.shuffle(new)
    assert of(tmp_path, base, new) == first


def test_repetitions_are_paired_by_name(tmp_path: Path) -> None:
    """Where both sides ran the same ones, one that failed is left out on both."""
    base = [line("a", 0.2, 0), line("a", 0.8, 1)]
    found = of(tmp_path, base, [unscored("a", trial=0), line("a", 0.7, 1)])
    assert found.tasks[0].difference == pytest.approx(-0.1)
    assert found.tasks[0].runs == (1, 1)


def test_repetitions_without_common_names_are_exchangeable(tmp_path: Path) -> None:
    """Then all that are scored count: the mean of each side."""
    base = [line("a", 0.2, "x"), line("a", 0.8, "y")]
    found = of(tmp_path, base, [line("a", 0.7, None), line("a", 0.7, None), line("a", 0.4, None)])
    assert found.tasks[0].difference == pytest.approx(0.1)
    assert found.tasks[0].runs == (2, 3)


def test_what_has_no_score_is_counted_apart(tmp_path: Path) -> None:
    """Failed and unmatched runs are named on their side, and no number is made of them."""
    base = [*lines(*spread(0.8)), unscored("u", "unmatched", message="no reference of its task")]
    new = [*lines(*spread(0.7)), unscored("f", "score"), line("n", 0.1)]
    found = of(tmp_path, base, new)
    assert (found.base.scored, found.base.failed, found.base.unmatched) == (12, 0, 1)
    assert (found.new.scored, found.new.failed, found.new.unmatched) == (13, 1, 0)
    assert found.base.failures == ("u/0: no reference of its task",)
    assert found.new.only_here == ("n",)
    assert (found.base.missing, found.new.missing) == (0, 0)
    assert found.everywhere.score is not None
    assert found.everywhere.score.difference == pytest.approx(-0.1)
    assert found.verdict == "worse"


@pytest.mark.parametrize("lost", ["failed", "left out", "not understood"])
def test_too_much_missing_is_not_enough_evidence(tmp_path: Path, lost: str) -> None:
    """Two of twelve runs without a score could be those that matter; one that is new could not."""
    base, new = lines(*spread(0.8)), lines(*spread(0.6))
    for place in (0, 1):
        if lost == "not understood":
            new[place] = line(TASKS[place], 1.0, understood=False)
        elif lost == "failed":
            new[place] = unscored(TASKS[place])
    found = of(tmp_path, base, new[2:] if lost == "left out" else new)
    assert found.everywhere.verdict == "worse"
    assert found.verdict == "not enough evidence"
    assert found.reason.startswith("17% of the runs to compare have no score in NEW")


def test_conditions_that_differ(tmp_path: Path) -> None:
    """Such tasks are listed with what differs; a difference that is theirs alone shows nothing."""
    base = lines(*spread(0.8))
    new = lines(*[0.2, 0.3, 0.25, 0.3, 0.2, 0.3], *(spread(0.8)[6:]))
    for one in new[:6]:
        one["conditions"].update(fields={"tool": 1.0}, order_scored=False)
    found = of(tmp_path, base, new)
    assert [change.task for change in found.conditions] == TASKS[:6]
    assert [what.split(":")[0] for what in found.conditions[0].what] == ["fields", "order_scored"]
    assert found.everywhere.verdict == "worse"
    assert found.same_conditions is not None
    assert (found.same_conditions.verdict, found.same_conditions.tasks) == ("equal", 6)
    assert found.verdict == "not enough evidence"
    assert found.reason == "worse only with the tasks whose conditions differ; equal without them"


def test_the_conditions_have_the_names_of_a_result() -> None:
    """Each compared condition is a field of the conditions of a score."""
    assert set(CONDITIONS) <= set(Conditions.model_fields)


@pytest.mark.parametrize(
    ("condition", "other"), [("answers_recorded", False), ("full_weight", ["writes", "reads"])]
)
def test_each_condition_is_compared(tmp_path: Path, condition: str, other: JsonValue) -> None:
    """Tasks whose runs were scored with other answers or full weights are listed."""
    new = lines(*spread(0.8))
    new[0]["conditions"][condition] = other
    (change,) = of(tmp_path, lines(*spread(0.8)), new).conditions
    assert [difference.split(":")[0] for difference in change.what] == [condition]


def test_what_a_run_did_is_no_condition(tmp_path: Path) -> None:
    """Masses and tools differ with every run, and a run that did nothing decides no fields."""
    new = lines(
        *spread(0.7), conditions={"masses": {"run": 9.0, "reference": 9.0}, "renamed_ids": 4}
    )
    new[0]["conditions"].update(fields={}, order_scored=False)
    assert of(tmp_path, lines(*spread(0.8)), new).conditions == ()


def test_other_references_are_a_condition(tmp_path: Path) -> None:
    """Where the digests of all references differ, tasks are listed whose files differ."""
    given = {"path": "gold.json", "index": 0, "sha256": "a" * 64}
    sides = [
        lines(*spread(0.8), references_digest=digest, reference_sources=[{**given, "sha256": sha}])
        for digest, sha in (("1", "a" * 64), ("2", "b" * 64))
    ]
    sides[1][3] = {**sides[1][3], "reference_sources": [given]}
    found = of(tmp_path, *sides)
    assert len(found.conditions) == 11
    assert found.conditions[0].what == ("references: other files",)


def test_unequal_signatures_are_refused(tmp_path: Path) -> None:
    """The error says what differs."""
    new = lines(*spread(0.8), signature={"metric": 99})
    with pytest.raises(FormatError, match=r"not made in the same way: metric \(12 and 99\)"):
        of(tmp_path, lines(*spread(0.8)), new)
    with pytest.raises(FormatError, match="holds no result"):
        of(tmp_path, [], new)


def test_findings_that_came_and_went(tmp_path: Path) -> None:
    """By kind and tool, in runs and tasks; the first one of a task is what the other side lacks."""
    old, fresh = finding("repeated", "look"), finding("missing", "pay", sentence="no pay")
    base = lines(*spread(0.8), findings=[old])
    new = lines(*spread(0.6), findings=[old, fresh, fresh])
    found = of(tmp_path, base, new)
    change = found.findings[0]
    assert (change.kind, change.tool, change.base, change.new) == ("missing", "pay", 0, 24)
    assert (change.came, change.went) == (12, 0)
    assert change.p_corrected == pytest.approx(2 * 2 * 0.5**12)
    assert {one.finding for one in found.tasks} == {"no pay"}
    assert {one.finding for one in of(tmp_path, new, base).tasks} == {"no pay"}


def test_measures_beside_the_score_are_corrected_together(tmp_path: Path) -> None:
    """The score's p stands as it is: the verdict was to rest on it before anyone looked."""
    base = lines(*spread(0.8), precision=0.5, recall=None)
    new = [
        line(task, score, precision=0.4 + 0.001 * place)
        for place, (task, score) in enumerate(zip(TASKS, spread(0.6), strict=True))
    ]
    measures = {one.measure: one for one in of(tmp_path, base, new).measures}
    assert list(measures) == ["score", "skill", "precision", "critical"]
    assert measures["score"].p_corrected == measures["score"].p == 2 / 2**12
    assert measures["precision"].p_corrected == 3 * measures["precision"].p


def test_tries_steps_and_tokens(tmp_path: Path) -> None:
    """pass@k and pass^k up to what every task has; steps and tokens as means over tasks."""
    tokens = {"input": 10, "output": 5}
    base = [line(t, 0.9, r, outcome=float(r < 2), tokens=tokens) for t in TASKS for r in range(3)]
    steps = {"agent": 7, "reference": 3}
    new = [line(t, 0.9, r, outcome=1.0, steps=steps) for t in TASKS for r in range(3)]
    found = of(tmp_path, base, new)
    assert [(one.k, one.tasks) for one in found.tries] == [(1, 12), (2, 12), (3, 12)]
    assert found.tries[1].pass_at == pytest.approx((1.0, 1.0))
    assert found.tries[1].pass_all == pytest.approx((1 / 3, 1.0))
    assert (found.base.tokens, found.new.tokens, found.new.steps) == (15, None, 7)


def test_how_many_more_would_tell(tmp_path: Path) -> None:
    """More tasks, and more repetitions where it is they that make the noise."""
    draw = random.Random(4)
    sides = [
        [line(task, draw.choice([0.5, 0.9]), trial) for task in TASKS for trial in range(4)]
        for _ in range(2)
    ]
    more = of(tmp_path, *sides).everywhere.more
    assert more is not None and more.tasks is not None and more.repetitions is not None
    assert more.tasks > 12
    assert 1 < more.repetitions <= more.tasks / 12 + 1

"""What a calibration says of runs: its threshold, what it catches, what it warns of."""

import json
from pathlib import Path

import pytest
import ticket_desk

import otap
from otap.learning.calibration import (
    Calibration,
    calibrate,
    calibrate_scored,
    make_promise,
    read_scored_results,
)
from otap.learning.calibration.pipeline import round_down
from result_lines import line, unscored, write


@pytest.fixture(scope="module")
def found() -> Calibration:
    """Nine tasks at 10 %: the lowest score of a good run is the threshold."""
    return calibrate(ticket_desk.runs(9), false_alarms=0.1, on="score")


def test_good_runs_pass_and_bad_ones_do_not(found: Calibration) -> None:
    """The threshold lies between; it holds as it is printed, and is never rounded up."""
    assert found.has_gate and found.threshold is not None
    assert found.threshold <= min(found.values.good) <= found.threshold + 2e-6
    assert (found.tasks, found.runs, found.missing, found.stopped) == (9, 9, 0, 0)
    assert found.bad is not None and found.bad.of_runs.share == 1
    assert found.own_references is True


def test_the_record_is_json_of_its_schema(found: Calibration) -> None:
    """What is written can be read, without NaN."""
    data = json.loads(found.to_json())
    assert data["schema_version"] == "otap.calibration/1"
    assert Calibration.model_validate(data) == found


def test_nothing_depends_on_the_order_of_runs() -> None:
    """Reversed, the same; and by two processes."""
    runs = list(ticket_desk.runs(9))
    first = calibrate(runs, false_alarms=0.1)
    assert calibrate(runs[::-1], false_alarms=0.1, jobs=2) == first


@pytest.mark.parametrize("tasks", [0, 1, 8])
def test_too_few_tasks_are_refused(tasks: int) -> None:
    """It says how many are missing, and gives no threshold."""
    found = calibrate(ticket_desk.runs(tasks), false_alarms=0.1)
    assert (found.threshold, found.missing) == (None, 9 - tasks)
    assert f"{9 - tasks} are missing" in str(found.reason)


def test_one_sided_data() -> None:
    """Without bad runs it warns that nothing shows what is caught."""
    found = calibrate(ticket_desk.runs(9, bad=False), false_alarms=0.1)
    assert found.bad is None
    assert any("no run is known to be bad" in text for text in found.warnings)


def test_a_run_that_is_its_reference_is_left_out() -> None:
    """A copy would score 1 whatever the metric is worth."""
    runs = [*ticket_desk.runs(9), ticket_desk.run(0, 7)]
    found = calibrate(runs, false_alarms=0.1)
    assert found.runs == 9
    assert any("1 good run has the same steps as its reference" in text for text in found.warnings)


def test_references_that_show_too_little() -> None:
    """Nearly equal ones, chains, and those without effects are named."""
    runs = list(ticket_desk.runs(3))
    twice = [ticket_desk.run(task, 9) for task in range(3)] * 2
    assert "add nothing" in " ".join(calibrate(runs, twice).warnings)
    bare = [_bare(one) for one in twice[:3]]
    assert "record no effects" in " ".join(calibrate(runs, bare).warnings)
    equal = [twice[0].model_copy(update={"task": f"{task:02}"}) for task in range(3)]
    assert "references of all tasks are equal" in " ".join(calibrate(runs, equal).warnings)
    chains = [_chained(one) for one in twice[:3]]
    assert "3 of 3 references of several steps are chains" in " ".join(
        calibrate(runs, chains).warnings
    )


def _bare(run: otap.Trajectory) -> otap.Trajectory:
    steps = tuple(step.model_copy(update={"effect": None}) for step in run.steps)
    return run.model_copy(update={"steps": steps})


def _chained(run: otap.Trajectory) -> otap.Trajectory:
    before: tuple[str, ...] = ()
    steps = []
    for step in run.steps:
        steps.append(step.model_copy(update={"depends_on": before}))
        before = (step.id,)
    return run.model_copy(update={"steps": tuple(steps)})


def results(path: Path, good: float, tasks: int = 20, **changes) -> Path:
    """A result file: a good run a task, and a bad one of each at .2."""
    lines = [line(f"t{k:02}", good + k / 1000, 0, outcome=1.0, **changes) for k in range(tasks)]
    lines += [line(f"t{k:02}", 0.2, 1, outcome=0.0, skill=0.0) for k in range(tasks)]
    return write(path, lines)


def test_result_files_have_their_scores(tmp_path: Path) -> None:
    """Nothing is scored anew."""
    path = results(tmp_path / "results.jsonl", 0.8)
    found = calibrate(path, on="score")
    assert found.threshold == pytest.approx(0.8, abs=2e-6)
    assert found.own_references is None
    assert found.bad is not None and found.bad.of_runs.share == 1


def test_results_without_score_are_counted(tmp_path: Path) -> None:
    """A failure is no bad run, and no outcome no good one."""
    path = results(tmp_path / "results.jsonl", 0.8)
    lines = [json.loads(text) for text in path.read_text("utf-8").splitlines()]
    write(path, [*lines, {**unscored("t50"), "outcome": 1.0}, line("t51", 0.1, outcome=None)])
    told = " ".join(calibrate(path, on="score").warnings)
    assert "1 run has no known outcome" in told
    assert "1 run has an outcome and no score" in told


def test_results_made_in_different_ways_are_refused(tmp_path: Path) -> None:
    """Numbers of two settings have no threshold in common."""
    one = results(tmp_path / "one.jsonl", 0.8)
    other = results(tmp_path / "other.jsonl", 0.8, signature={"theta": 0.1})
    other.write_text("".join(other.read_text("utf-8").splitlines(True)[:20]), "utf-8")
    with pytest.raises(otap.OtapError, match="have different versions or settings"):
        read_scored_results([one, other])


def test_skill_with_ties_at_nothing_has_no_threshold(tmp_path: Path) -> None:
    """Below 0 there is nothing to stop."""
    found = calibrate(results(tmp_path / "r.jsonl", 0.8, skill=0.0), on="skill")
    assert not found.has_gate and found.missing == 0
    assert "skill of 0" in str(found.reason)


@pytest.mark.parametrize(
    ("good", "gate"),
    [(("minor",), "major"), (("major",), "critical"), (("critical",), None), ((None,), "minor")],
)
def test_the_gate_on_findings(tmp_path: Path, good: tuple[str | None, ...], gate: str) -> None:
    """The mildest severity that the good runs do not have is gated on."""
    path = results(tmp_path / "r.jsonl", 0.8, severity=good[0])
    found = calibrate_scored(read_scored_results([path]), make_promise(), "severity")
    assert (found.severity, found.threshold) == (gate, None)
    assert [one.allowed for one in found.gates].count(True) == (
        0 if gate is None else ("critical", "major", "minor").index(gate) + 1
    )
    assert found.gates[0].most >= 1 / 21


def test_a_threshold_that_catches_nothing_says_so(tmp_path: Path) -> None:
    """Bad runs that score as good ones do are a warning, not a success."""
    found = calibrate(results(tmp_path / "r.jsonl", 0.1), on="score")
    assert any("catches none of the bad runs" in text for text in found.warnings)


def test_rounding_is_downwards() -> None:
    """However the digits fall, what scored so passes, here and on another machine."""
    for value in (1.0, 0.3, 0.1234567, 0.999999, 1e-9, 0.5000000001):
        assert round_down(value) <= max(0.0, value - 1e-9)
        assert float(f"{round_down(value):.6f}") == round_down(value)


@pytest.mark.parametrize("shares", [(0.0, None), (1.0, None), (0.05, 0.0), (0.05, 1.0)])
def test_shares_that_are_none(shares: tuple[float, float | None]) -> None:
    """A promise of nothing or of everything is an error."""
    with pytest.raises(otap.OtapError, match="between 0 and 1"):
        make_promise(*shares)

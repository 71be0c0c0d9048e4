"""Runs with their outcomes, as a command line names them."""

import math
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

import otap
from otap.errors import ConfigError, OtapError
from otap.learning.reading import ReadRuns, RunFiles, read_labelled, read_runs


def write(file: Path, *runs: otap.Trajectory) -> str:
    """A file of runs."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("\n".join(run.to_json() for run in runs), "utf-8")
    return str(file)


def run(name: str, outcome: float | None = None, **fields: str) -> otap.Trajectory:
    """A run of one call."""
    steps = (otap.Step(id="1", tool="pay"),)
    return otap.Trajectory(id=name, steps=steps, outcome=outcome, **fields)


def goodness(found: ReadRuns) -> Mapping[str | None, bool | None]:
    """Whether each run was good, by its id."""
    return {one.run.id: one.good for one in found.runs}


def test_outcomes_of_the_files_of_folders_and_of_a_table(tmp_path: Path) -> None:
    """A folder says more than a file, a table as well; a file that is named twice is read once."""
    plain = write(tmp_path / "all.jsonl", run("a", 1), run("b", 0), run("c"), run("d", 1))
    good = write(tmp_path / "good" / "x.json", run("e", 0))
    write(tmp_path / "bad" / "y.json", run("f"))
    table = tmp_path / "table.csv"
    table.write_text("id,outcome\nc,good\nd,no\nz,1\n")
    runs = (plain, good, str(tmp_path / "." / "all.jsonl"))
    named = RunFiles(runs, (str(tmp_path / "good"),), (str(tmp_path / "bad"),), table)
    found = read_labelled(named)
    assert goodness(found) == {"a": True, "b": False, "c": True, "d": False, "e": True, "f": False}
    assert len(found.runs) == 6
    assert found.unused == [f"{table}:4: no run is called 'z'; the nearest names are 'f', 'e', 'd'"]


def test_folders_alone(tmp_path: Path) -> None:
    """RUNS may be left out."""
    good = write(tmp_path / "good" / "x.json", run("e"))
    assert goodness(read_labelled(RunFiles(good=(good,)))) == {"e": True}


def test_what_cannot_be_read_is_told_and_left_out(tmp_path: Path) -> None:
    """A broken line, a broken file, an empty one, a missing one: the others are there."""
    lines = write(tmp_path / "a.jsonl", run("a", 1), run("b", 0))
    with Path(lines).open("a") as file:
        file.write("\n{\n")
    for name, text in (("broken.json", "{"), ("other.json", "[]")):
        (tmp_path / name).write_text(text)
    found = read_labelled(RunFiles((str(tmp_path),)))
    assert goodness(found) == {"a": True, "b": False}
    assert len(found.failed) == 3
    assert all(str(tmp_path) in line for line in found.failed)


@pytest.mark.parametrize(
    ("named", "words"),
    [
        (RunFiles(), "no runs are named"),
        (RunFiles(("good",), ("good",), ("good",)), "is in --good and in --bad"),
        (RunFiles(("good", "twins"), outcomes=Path("e.csv")), "two runs are called 'e'"),
        (RunFiles(bad=("good",), outcomes=Path("e.csv")), "'e' is in --bad; fix one"),
        (RunFiles(("broken.json",)), "broken.json"),
        (RunFiles(("good",), good_from=float("nan")), "no number"),
    ],
)
def test_what_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: RunFiles, words: str
) -> None:
    """Contradictions, names that are two runs', and nothing that can be read."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "good" / "x.json", run("e"))
    write(tmp_path / "twins" / "x.json", run("e", task="other"))
    (tmp_path / "e.csv").write_text("id,outcome\ne,1\n")
    (tmp_path / "broken.json").write_text("{")
    with pytest.raises(OtapError) as error:
        read_labelled(named)
    assert words in str(error.value)


def test_runs_without_regard_to_outcomes(tmp_path: Path) -> None:
    """Any outcome will do; runs that cannot be read are listed."""
    file = write(tmp_path / "runs.jsonl", run("a", 7), run("b"))
    (tmp_path / "broken.json").write_text("{")
    found = read_runs(RunFiles([str(tmp_path)]))
    assert [one.run.id for one in found.runs] == ["a", "b"]
    assert found.files[-1] == file
    assert [line.startswith(str(tmp_path / "broken.json")) for line in found.failed] == [True]
    with pytest.raises(OtapError, match="broken"):
        read_runs(RunFiles([str(tmp_path / "broken.json")]))


def test_no_outcome_at_all(tmp_path: Path) -> None:
    """It says how to give them."""
    found = read_labelled(RunFiles((write(tmp_path / "x.json", run("e")),)))
    with pytest.raises(ConfigError, match=r"no run has an outcome; .*--good .*--outcomes"):
        found.require_outcomes()


def test_outcomes_between_are_counted(tmp_path: Path) -> None:
    """They are bad, which is a guess, unless a bound is said."""
    file = write(tmp_path / "runs.jsonl", run("a", 0.7), run("b", 0.0), run("c", 1.0))
    assert read_labelled(RunFiles([file])).partial == 1
    assert read_labelled(RunFiles([file], good_from=0.5)).partial == 0


@pytest.mark.parametrize("command", [otap.calibrate, otap.select])
def test_outcomes_that_python_gives(command: Callable[..., object]) -> None:
    """One for each run, in both; what is no outcome is told, not raised through."""
    if command is otap.select:
        pytest.importorskip("kmedoids")
    runs, more = [run("a"), run("b")], {"k": 1} if command is otap.select else {}
    command(runs, outcomes=[True, None], **more)
    for outcomes, words in (
        ([1], "1 for 2 runs"),
        ({"a": "good"}, "run 'a': its outcome is 'good'"),
        ([1, math.nan], "run 'b': its outcome is 'nan'"),
    ):
        with pytest.raises(ConfigError, match=words):
            command(runs, outcomes=outcomes, **more)
    if command is not otap.calibrate:  # which takes a file of results
        with pytest.raises(ConfigError, match="'runs/' is the name of a file"):
            command("runs/", **more)

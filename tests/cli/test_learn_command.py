"""``otap learn``: what it writes and shows, what it refuses, and its exit codes."""

import json
from pathlib import Path

import pytest
from commands import Otap, assert_refused

import desk
from otap.config.file import load_config
from otap.trajectory import Trajectory


def write(path: Path, runs: list[Trajectory]) -> str:
    """A file of runs."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{run.to_json()}\n" for run in runs), "utf-8")
    return str(path)


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    """Runs of a few tasks, and their references."""
    runs = write(tmp_path / "runs.jsonl", desk.runs(tasks=2))
    return runs, write(tmp_path / "gold.jsonl", desk.references(2))


def test_settings_are_printed_and_the_rest_is_shown_beside(
    otap_: Otap, files: tuple[str, str], tmp_path: Path
) -> None:
    """`otap learn RUNS > otap.toml` works: a person reads standard error."""
    done = otap_("learn", files[0], "-r", files[1], "--jobs", 1)
    assert done.code == 0
    (tmp_path / "it.toml").write_text(done.out, "utf-8")
    load_config(tmp_path / "it.toml")
    assert "AUROC x 100" in done.err
    assert "otap: next: otap evaluate RUNS -r REFS --config FILE" in done.err


def test_a_file_is_written_over_only_as_it_was_made(
    otap_: Otap, files: tuple[str, str], tmp_path: Path
) -> None:
    """Made again it is the same, and nothing is learned from it; an edited one is refused."""
    command = ("learn", files[0], "-r", files[1], "-o", "otap.toml", "--jobs", 1)
    first = otap_(*command)
    assert (first.code, "AUROC x 100" in first.out) == (0, True)
    text = (tmp_path / "otap.toml").read_text("utf-8")
    assert otap_(*command).code == 0
    assert (tmp_path / "otap.toml").read_text("utf-8") == text
    (tmp_path / "otap.toml").write_text(f'{text}failed = "folded"\n', "utf-8")
    assert_refused(otap_(*command), "otap: otap.toml: is there", "--force")
    assert otap_(*command, "--force").code == 0
    assert (tmp_path / "otap.toml").read_text("utf-8") == text


def test_gold_that_the_files_carry_is_named(otap_: Otap, real_data: Path) -> None:
    """It counts only if -r names it; with outcomes of one kind nothing is learned."""
    table = Path("o.csv")
    file = real_data / "tau-bench" / "gpt-4o-airline.tasks-0-24.json"
    table.write_text("task,trial,outcome\n0,0,good\n", "utf-8")
    done = otap_("learn", file, "--outcomes", table, "--good-from", 2, "--jobs", 1)
    assert done.code == 0
    assert f"the files carry gold, which counts with -r {file}" in done.err
    assert "no run is bad" in done.err or "without a good run" in done.err


def test_without_outcomes_it_is_a_scaffold(otap_: Otap, tmp_path: Path) -> None:
    """What was recognised, in comments; what could not be read is told, with exit code 3."""
    runs = [run.model_copy(update={"outcome": None}) for run in desk.runs(tasks=2)]
    write(tmp_path / "in" / "runs.jsonl", runs)
    (tmp_path / "in" / "broken.json").write_text("{")
    done = otap_("learn", "in", "--json")
    found = json.loads(done.out)
    assert done.code == 3
    assert done.err.startswith("otap: in/broken.json: ")
    assert (found["schema_version"], found["card"]) == ("otap.learning/1", None)
    assert [tool["name"] for tool in found["tools"]] == ["get_user", desk.MISREAD, "refund"]


def test_folders_of_good_and_bad_runs(otap_: Otap, tmp_path: Path) -> None:
    """Without RUNS; one good run of each task is the reference, and gold is no part of it."""
    for run in desk.runs(tasks=4):
        folder = "good" if run.outcome else "bad"
        write(tmp_path / folder / f"{run.id}.jsonl", [run.model_copy(update={"outcome": None})])
    done = otap_("learn", "--good", "good", "--bad", "bad", "-o", "x.toml", "--jobs", 1)
    assert done.code == 0
    assert "compared with one good run of each task" in done.out


@pytest.mark.parametrize(
    ("arguments", "start", "words"),
    [
        ((), "otap: no runs are named", "--good and --bad"),
        (("runs.jsonl", "--outcomes", "none.csv"), "otap: none.csv: ", "cannot be read"),
        (("runs.jsonl", "-r", "other.jsonl"), "otap: no reference is of a task", "pairs them"),
        (("none.jsonl",), "otap: none.jsonl: ", "no such file"),
    ],
)
def test_what_is_refused(
    otap_: Otap, files: tuple[str, str], tmp_path: Path, arguments: tuple[str, ...], start: str,
    words: str,
) -> None:  # fmt: skip
    """One line, and exit code 2."""
    write(tmp_path / "other.jsonl", desk.references(9)[7:])
    assert_refused(otap_("learn", *arguments), start, words)

"""``otap init``: its output, its refusals, and its exit codes."""

import json
import tomllib
from pathlib import Path

import pytest
from commands import Otap, assert_refused
from jsonschema import Draft202012Validator

import desk
from otap.config.file import load_config
from otap.trajectory import Trajectory


def write(path: Path, runs: list[Trajectory]) -> str:
    """A file of runs."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{run.to_json()}\n" for run in runs), "utf-8")
    return str(path)


@pytest.fixture
def runs(tmp_path: Path) -> str:
    """A file with runs of a few tasks."""
    return write(tmp_path / "runs.jsonl", desk.runs(tasks=2))


def test_settings_are_printed_and_the_table_goes_to_standard_error(
    otap_: Otap, runs: str, tmp_path: Path
) -> None:
    """`otap init RUNS -o - > otap.toml` works: a person reads standard error."""
    done = otap_("init", runs, "-o", "-")
    assert done.code == 0
    (tmp_path / "it.toml").write_text(done.out, "utf-8")
    load_config(tmp_path / "it.toml")
    assert f'#   "{desk.MISREAD}",  # nothing shows that it only reads; ' in done.out
    assert "3 tools in 8 runs" in done.err
    assert "1 tool has its role by default" in done.err
    assert "otap: next: otap evaluate RUNS -r REFS --config FILE" in done.err


def test_an_existing_file_is_overwritten_by_force_only(
    otap_: Otap, runs: str, tmp_path: Path
) -> None:
    """Without --force the command refuses; with it, the settings of the file are repeated."""
    command = ("init", runs, "-o", "otap.toml")
    first = otap_(*command)
    assert (first.code, "3 tools in 8 runs" in first.out) == (0, True)
    text = (tmp_path / "otap.toml").read_text("utf-8")
    assert_refused(otap_(*command), "otap: otap.toml: exists", "--force")
    assert otap_(*command, "--force").code == 0
    assert (tmp_path / "otap.toml").read_text("utf-8") == text


def test_settings_in_force_are_repeated(otap_: Otap, runs: str, tmp_path: Path) -> None:
    """They decide the role of the tools that they list, and the new file keeps them."""
    (tmp_path / "otap.toml").write_text(f'[tools]\nread_only = ["{desk.MISREAD}"]\n')
    done = otap_("init", runs, "-o", "new.toml")
    assert "otap: these settings are in force and are repeated: otap.toml" in done.err
    assert "by the settings" in done.out
    config = load_config(tmp_path / "new.toml").config
    assert config.tools.read_only == (desk.MISREAD,)


def test_json_and_a_file_that_cannot_be_read(otap_: Otap, tmp_path: Path) -> None:
    """The file is listed, the tools of the others are there, and the exit code is 3."""
    runs = [run.model_copy(update={"outcome": None}) for run in desk.runs(tasks=2)]
    write(tmp_path / "in" / "runs.jsonl", runs)
    (tmp_path / "in" / "broken.json").write_text("{")
    done = otap_("init", "in", "--json")
    found = json.loads(done.out)
    assert done.code == 3
    assert done.err.startswith("otap: in/broken.json: ")
    assert (found["schema_version"], found["runs"]) == ("otap.learning/1", 8)
    assert [tool["name"] for tool in found["tools"]] == ["get_user", desk.MISREAD, "refund"]


@pytest.mark.parametrize(
    ("arguments", "start", "words"),
    [
        ((), "otap: no runs are named", "give files or folders"),
        (("none.jsonl",), "otap: none.jsonl: ", "no such file"),
        (
            ("runs.jsonl", "-o", "none/otap.toml"),
            "otap: none/otap.toml: ",
            "the folder does not exist",
        ),
    ],
)
def test_refusals(
    otap_: Otap, runs: str, arguments: tuple[str, ...], start: str, words: str
) -> None:
    """One line, and exit code 2."""
    assert_refused(otap_("init", *arguments), start, words)


def test_a_project_is_set_up(otap_: Otap, runs: str, tmp_path: Path) -> None:
    """It says what it saw, writes two files, and names three commands; a file that exists stays."""
    (tmp_path / "otap.toml").write_text("# mine\n", "utf-8")
    done = otap_("init", runs)
    assert done.code == 0
    assert "formats: otap (1 file)" in done.out
    assert "2 tasks: " in done.out
    assert "outcomes: " in done.out
    assert "3 tools in 8 runs" in done.out
    commands = [text.split()[1] for text in done.out.splitlines() if text.startswith("  otap ")]
    assert commands[-2:] == ["check", "accept"]
    assert (tmp_path / "otap.toml").read_text("utf-8") == "# mine\n"
    assert "--force overwrites it" in done.err
    job = (tmp_path / ".github/workflows/otap.yml").read_text("utf-8")
    assert "pip install otap-eval\n" in job and "otap check" in job
    assert otap_("init", runs, "--force").code == 0
    assert "# [tools]" in (tmp_path / "otap.toml").read_text("utf-8")


def test_editors_know_the_settings(otap_: Otap, runs: str, tmp_path: Path) -> None:
    """The first line of otap.toml names a schema that is there, and that the file fits."""
    assert otap_("init", runs).code == 0
    first, *_ = (tmp_path / "otap.toml").read_text("utf-8").splitlines()
    assert first.startswith("#:schema ./")
    schema = json.loads((tmp_path / first.removeprefix("#:schema ")).read_text("utf-8"))
    settings = tomllib.loads((tmp_path / "otap.toml").read_text("utf-8"))
    Draft202012Validator(schema).validate(settings)
    assert not Draft202012Validator(schema).is_valid({**settings, "no_such": 1})

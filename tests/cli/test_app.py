"""The commands: what they print, what they refuse, and the code that they leave."""

import io
import json
import os
import re
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest
from commands import (
    ESCAPE,
    GOLD,
    LONG,
    RUN,
    TAU,
    Otap,
    all_in_a_process,
    assert_refused,
    in_a_process,
    trace,
)

import otap
from otap import cli
from otap.cli.app import COMMANDS
from otap.formats import read_document
from otap.formats.limits import Limits
from otap.scoring import Score
from otap.transport import core_name


@pytest.mark.parametrize("arguments", [[], ["--help"], ["-h"]])
def test_help(otap_: Otap, arguments: list[str]) -> None:
    """Alone, or asked for it, it lists the commands."""
    done = otap_(*arguments)
    assert (done.code, done.err) == (0, "")
    listed = done.out[done.out.index("Commands:") :].splitlines()[1:]
    assert [line.split()[0] for line in listed if line[2:3].strip()] == list(COMMANDS)


def test_a_command_is_a_module_and_a_line_of_the_table() -> None:
    """Every module but those that commands share is a command of the table."""
    shared = {
        "__init__", "app", "gating", "golden_files", "labels", "options", "output", "progress",
        "reference_files", "secrets", "sessions", "settings", "yaml_files",
    }  # fmt: skip
    modules = {file.stem for file in Path(cli.__file__).parent.glob("*.py")}
    assert modules - shared == set(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_has_help(otap_: Otap, command: str) -> None:
    """With its options."""
    done = otap_(command, "--help")
    assert done.code == 0
    assert f"Usage: otap {command}" in done.out


@pytest.mark.parametrize("command", COMMANDS)
def test_examples_in_the_help_use_options_that_exist(otap_: Otap, command: str) -> None:
    """Each example is a line of its own, of this command, with options from the list below it."""
    text, _, options = otap_(command, "--help").out.partition("\nOptions:\n")
    examples = re.findall(r"^    (otap .*)$", text, re.MULTILINE)
    assert examples
    for example in examples:
        assert example.split()[1] == command
        for option in re.findall(r"(?<= )--?[\w-]+", example):
            assert re.search(rf"^ .*{option}\b", options, re.MULTILINE), example


def test_version(otap_: Otap) -> None:
    """With the core that solves."""
    assert otap_("--version") == (0, f"otap {otap.__version__} (core: {core_name()})\n", "")


def test_several_runs_are_listed(otap_: Otap, real_data: Path) -> None:
    """One must be named."""
    path = real_data.joinpath(*TAU)
    for command in ("score", "graph"):
        done = otap_(command, path)
        assert (done.code, done.out) == (2, "")
        assert f"{path}: has 100 runs; name one with --run: 0/0, " in done.err
        assert done.err.endswith(" and 90 more\n")
    done = otap_("score", path, "--run", "8")
    assert "4 runs match '8'; name one with --run: 8/0, 8/1, 8/2, 8/3" in done.err
    assert "no runs match 'x'" in otap_("score", path, "--run", "x").err


def test_standard_input(otap_: Otap, monkeypatch: pytest.MonkeyPatch) -> None:
    """A dash is standard input, for the run or for a reference."""
    for arguments in (["-", "-r", GOLD], [RUN, "-r", "-"]):
        file = RUN if arguments[0] == "-" else GOLD
        stream = io.TextIOWrapper(io.BytesIO(Path(file).read_bytes()))
        monkeypatch.setattr(sys, "stdin", stream)
        done = otap_("score", *arguments, "--json")
        assert Score.model_validate_json(done.out).score == pytest.approx(0.6518, abs=5e-5)


def test_reasoning(otap_: Otap, tmp_path: Path) -> None:
    """Text that leads to no call becomes a step if asked for."""
    messages = [{"role": "user", "content": "Hi."}, {"role": "assistant", "content": "I think."}]
    (tmp_path / "chat.json").write_text(json.dumps({"messages": messages}))
    assert json.loads(otap_("convert", "chat.json").out)["steps"] == []
    assert len(json.loads(otap_("convert", "chat.json", "--reasoning").out)["steps"]) == 1
    done = otap_("score", "chat.json", "-r", "chat.json", "--reasoning", "--json")
    assert len(Score.model_validate_json(done.out).alignment.agent) == 1
    assert json.loads(otap_("graph", "chat.json", "--json").out)["steps"] == []


STEP = {"id": "1", "tool": "t", "depends_on": []}
BAD_FILES = {
    "empty": ("", "is empty; a trace holds at least one run"),
    "truncated": (trace(STEP)[:-3], "the JSON ends too early"),
    "no trace": ('{"colour": "red"}', "no format recognises it"),
    "no JSON": ("hello", "not JSON"),
    "binary": (b"\x7fELF\x02\x01\x00\x00\x00\x00", "is a binary file, not JSON"),
    "cycle": (
        trace({**STEP, "depends_on": ["2"]}, {**STEP, "id": "2", "depends_on": ["1"]}),
        "depends_on has a cycle",
    ),
    "duplicate": (trace(STEP, STEP), "step id '1' appears twice"),
    "unknown key": (trace({**STEP, "colour": "red"}), "steps[0].colour: unknown key"),
    "escape": (trace({**STEP, "id": ESCAPE}, {**STEP, "id": ESCAPE}), "step id '\\x1b[31mred"),
}


@pytest.mark.parametrize("name", BAD_FILES)
@pytest.mark.parametrize("command", ["score", "reference", "graph", "convert"])
def test_a_bad_file_is_one_line(otap_: Otap, tmp_path: Path, command: str, name: str) -> None:
    """What, where and how to mend it, with exit code 2; nothing is printed or written."""
    content, words = BAD_FILES[name]
    file = tmp_path / "bad.json"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    arguments = {
        "score": ["score", "bad.json", "-r", GOLD],
        "reference": ["score", RUN, "-r", "bad.json"],
        "graph": ["graph", "bad.json"],
        "convert": ["convert", "bad.json", "-o", "out.json"],
    }
    assert_refused(otap_(*arguments[command]), "otap: bad.json", words)
    assert list(tmp_path.iterdir()) == [file]


def test_a_folder_with_nothing_readable(otap_: Otap, tmp_path: Path) -> None:
    """Is an error, as a path that is not there is."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "notes.txt").write_text("hello")
    assert_refused(otap_("score", "folder", "-r", GOLD), "otap: folder", "holds no file that ends")
    assert_refused(otap_("score", "none", "-r", GOLD), "otap: none", "No such file or directory")


def test_a_document_over_the_limit(otap_: Otap, tmp_path: Path) -> None:
    """The limit is named."""
    with pytest.raises(otap.OtapError, match="max_bytes"):
        read_document(RUN, Limits(max_bytes=10))
    if LONG:  # it takes 2 GB of memory
        with (tmp_path / "large.json").open("wb") as file:
            file.truncate(Limits().max_bytes + 1)
        done = otap_("score", "large.json", "-r", GOLD)
        assert_refused(done, "otap: large.json", "above the limit of 1 GiB (max_bytes)")


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ("[weights]\naction = nan", "weights.action: Input should be a finite number"),
        ("[weights]\naction = inf", "weights.action: Input should be a finite number"),
        ("thta = 1", "unknown setting 'thta'; did you mean 'theta'?"),
        ('preset = "fast"', "no preset 'fast'"),
        ("preset = []", "no preset '[]'"),
        ("theta =", "not valid TOML"),
    ],
)
def test_a_bad_configuration_is_one_line(
    otap_: Otap, tmp_path: Path, settings: str, words: str
) -> None:
    """As a bad file is."""
    (tmp_path / "otap.toml").write_text(settings)
    assert_refused(otap_("score", RUN, "-r", GOLD), "otap: ", words)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["score"], "no run; name a file"),
        (["graph"], "Missing argument 'RUN'"),
        (["score", RUN, GOLD], "unexpected extra argument"),
        (["score", RUN, "--colour"], "No such option: --colour (see otap score --help)"),
        (["nothing"], "No such command 'nothing'"),
        (["score", RUN, "-r", GOLD, "--preset", "fast"], "no preset 'fast'"),
        (["score", RUN, "-r", GOLD, "--dependencies", "x"], "command line: dependencies: "),
        (["score", RUN, "-r", GOLD, "--config", "none.toml"], "none.toml: cannot read it"),
        (["score", RUN, "-r", GOLD, "--format", "x"], "unknown format 'x'; OTAP reads otap"),
        (["score", RUN, "-r", GOLD, "--format", "openai"], "is not in the format 'openai'"),
        (
            ["score", RUN, "-r", GOLD, "--required-answer", " "],
            "--required-answer: an answer is blank",
        ),
        (["score", ESCAPE, "-r", GOLD], "\\x1b[31mred"),
    ],
)
def test_bad_usage_is_one_line(otap_: Otap, arguments: list[str], words: str) -> None:
    """With exit code 2, whichever part of the program noticed it."""
    assert_refused(otap_(*arguments), "otap: ", words)


HOSTILE = [
    ["score", "run.json", "-r", "run.json"],
    ["score", "run.json", "-r", GOLD],
    ["score", GOLD, "-r", "run.json", "--json"],
    ["graph", "run.json"],
    ["graph", "run.json", "--json"],
    ["graph", "run.json", "--mermaid"],
    ["graph", "run.json", "--dot"],
    ["convert", "run.json"],
    ["score", "run.json", "-r", GOLD, "--run", "x"],
    ["graph", "run.json", "--dependencies", "explicit"],
]


@pytest.mark.parametrize("arguments", HOSTILE, ids=" ".join)
def test_a_terminal_escape_is_never_printed_raw(
    otap_: Otap, tmp_path: Path, arguments: list[str]
) -> None:
    """Neither in a tool name nor anywhere else, by any command, in any form of output."""
    step = {"tool": ESCAPE, "action": ESCAPE, "arguments": {ESCAPE: f"{ESCAPE} QX-7719"}}
    steps = [{"id": ESCAPE, "effect": f"{ESCAPE} QX-7719", **step}, {"id": "b", **step}]
    (tmp_path / "run.json").write_text(trace(*steps, id=ESCAPE, task=ESCAPE), "utf-8")
    done = otap_(*arguments)
    assert done.code in (0, 2)
    assert done.out or done.err
    for character in done.out + done.err:
        assert character == "\n" or character.isprintable()


def boom(*_: object, **__: object) -> None:
    """Fails as only a mistake of ours can."""
    raise RuntimeError(f"boom {ESCAPE}\nsecond line")


def test_an_internal_failure(otap_: Otap, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ends with 70 and asks for a report; only --debug shows the traceback."""
    monkeypatch.setattr("otap.scoring.Scorer.explain", boom)
    done = otap_("score", RUN, "-r", GOLD)
    assert (done.code, done.out) == (70, "")
    assert done.err.startswith("otap: internal error (RuntimeError: boom \\x1b[31m")
    assert "please report it to OTAP's developers" in done.err
    assert done.err.count("\n") == 1
    for arguments in (["--debug", "score", RUN, "-r", GOLD], ["score", RUN, "-r", GOLD, "--debug"]):
        done = otap_(*arguments)
        assert done.code == 70
        assert "Traceback (most recent call last)" in done.err


def test_debug_shows_where_bad_input_was_found(otap_: Otap) -> None:
    """The code stays what it is."""
    done = otap_("score", "none.json", "--debug")
    assert done.code == 2
    assert "Traceback" in done.err
    assert done.err.splitlines()[-1].startswith("otap: none.json: cannot be read")


def test_a_file_that_the_system_refuses(otap_: Otap, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever that happens, the line names the file and not standard output."""

    def gone(*_: object, **__: object) -> Score:
        raise PermissionError(13, "Permission denied", "secret/run.json")

    monkeypatch.setattr("otap.scoring.Scorer.explain", gone)
    done = otap_("score", RUN, "-r", GOLD)
    assert done.code == 2
    assert done.err == "otap: secret/run.json: cannot be read or written (Permission denied)\n"


def test_an_interrupt(otap_: Otap, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ends without a word, with the code that shells give it."""

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("otap.scoring.Scorer.explain", interrupted)
    assert otap_("score", RUN, "-r", GOLD) == (130, "", "")


def test_standard_input_of_a_process() -> None:
    """As a pipe gives it; empty input is an error."""
    done = in_a_process("score", "-", "-r", GOLD, "--json", stdin=Path(RUN).read_text("utf-8"))
    assert Score.model_validate_json(done.out).id == "hotel-booking/missing_book"
    assert in_a_process("score", "-", "-r", GOLD) == (
        2, "", "otap: -: is empty; a trace holds at least one run\n",
    )  # fmt: skip


@pytest.mark.parametrize(
    "environment",
    [{"LC_ALL": "C", "PYTHONUTF8": "0"}, {"PYTHONIOENCODING": "latin-1"}, {"LC_ALL": "C.UTF-8"}],
    ids=str,
)
def test_any_locale(environment: dict[str, str], tmp_path: Path) -> None:
    """What a locale cannot write is replaced; no traceback, and the code is right."""
    step = {"id": "1", "tool": "予約", "action": "Book it, ✓."}
    (tmp_path / "run.json").write_text(trace(step, id="ホテル"), "utf-8")
    run = str(tmp_path / "run.json")
    commands = [
        ["score", run, "-r", GOLD], ["graph", run], ["convert", run], ["formats"],
        ["score", str(tmp_path / "ホ.json"), "-r", GOLD],
    ]  # fmt: skip
    codes, said = all_in_a_process(*commands, **environment)
    assert codes == [0, 0, 0, 0, 2]
    assert said.startswith("otap: ")
    assert said.count("\n") == 1
    assert "cannot be read" in said


def test_no_home() -> None:
    """Nothing is looked for there."""
    bare = {name: value for name, value in os.environ.items() if name not in ("HOME", "TERM")}
    done = subprocess.run(
        [sys.executable, "-m", "otap", "score", RUN, "-r", GOLD],
        env=bare, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "score      0.652" in done.stdout
    assert "\x1b" not in done.stdout


@pytest.mark.parametrize(
    "arguments", [["score", RUN, "-r", GOLD], ["convert", RUN], ["formats"], ["--help"]], ids=str
)
def test_a_reader_that_has_enough(arguments: list[str]) -> None:
    """A closed pipe, as head leaves it, is no failure and nothing to report."""
    process = subprocess.Popen(
        [sys.executable, "-m", "otap", *arguments],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    with process.stderr as stream:
        assert stream.read() == ""
    assert process.wait() == 0


CLOSED = ("1>&-", "2>&-", "1>&- 2>&-")
WITHOUT_STREAMS = (
    (["score", "nowhere.json", "-r", GOLD], 2),
    (["--help"], 0),
    (["score", RUN, "-r", GOLD, "--fail-on", "critical"], 1),
    (["score", RUN, "-r", GOLD], 0),
    (["formats"], 0),
)


@pytest.mark.parametrize(
    ("command", "closed"),
    # Every command with every closing in long runs, else three of them with one each.
    list(product(WITHOUT_STREAMS, CLOSED) if LONG else zip(WITHOUT_STREAMS, CLOSED, strict=False)),
    ids=str,
)
def test_closed_streams(command: tuple[list[str], int], closed: str) -> None:
    """Who starts it without standard output or standard error gets the exit code alone."""
    arguments, code = command
    done = subprocess.run(
        ["sh", "-c", f'"$@" {closed}', "sh", sys.executable, "-m", "otap", *arguments],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == code
    assert "Traceback" not in done.stderr
    assert "internal error" not in done.stderr + done.stdout
    assert not (done.stdout if "1" in closed else done.stderr)


def test_nothing_is_written_or_left_behind(otap_: Otap, tmp_path: Path) -> None:
    """Scoring and drawing leave the folder as it was."""
    for arguments in (["score", RUN, "-r", GOLD], ["graph", GOLD], ["convert", GOLD], ["formats"]):
        assert otap_(*arguments).code == 0
    assert list(tmp_path.iterdir()) == []

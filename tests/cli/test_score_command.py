"""``otap score``: options, references, the gate."""

import functools
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from commands import GOLD, RUN, TAU, Otap

import hotel
import otap
from otap._numbers import score_text
from otap.scoring import Score
from otap.transport import solve_batch


def test_score(otap_: Otap) -> None:
    """The main job: score, alignment and findings as text, without colour in a pipe."""
    done = otap_("score", RUN, "-r", GOLD)
    assert (done.code, done.err) == (0, "")
    assert f"score      {score_text(otap.score(otap.read(RUN), otap.read(GOLD)).score)}" in done.out
    assert "findings   1      1 critical" in done.out
    assert "step book (book_room) of the reference is missing" in done.out
    assert "\x1b" not in done.out


def test_explain(otap_: Otap) -> None:
    """All of it: what the short form has, and every field besides."""
    done = otap_("score", RUN, "-r", GOLD, "--explain")
    assert (done.code, done.err) == (0, "")
    for part in ("\nReferences\n", "\nLoss\n", "\nFindings\n", "\nOrder\n", "\nWhat counts\n"):
        assert part in done.out
    assert '{"offer": "of-9034", "guest": "Maria Duarte"}' in done.out


@pytest.mark.parametrize("columns", [60, 200])
@pytest.mark.parametrize("more", [(), ("--explain",)])
def test_no_line_is_longer_than_the_terminal(
    otap_: Otap, columns: int, more: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever is shown; a pipe has 100 columns if nobody says otherwise."""
    monkeypatch.setenv("COLUMNS", str(columns))
    lines = otap_("score", hotel.run_file("merged_filters"), "-r", GOLD, *more).out.splitlines()
    lines += otap_("graph", GOLD).out.splitlines()
    assert max(map(len, lines)) <= columns


def test_a_pipe_loads_no_templates_or_plots() -> None:
    """They take as long to load as a score."""
    code = "import sys; from otap.cli.app import main; main()"
    code = (
        f"import atexit, sys; atexit.register(lambda: print(*sys.modules, file=sys.stderr)); {code}"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "score", RUN, "-r", GOLD],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    loaded = {*done.stderr.split()}
    assert not {"jinja2", "matplotlib", "scipy"} & loaded


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_without_unicode(encoding: str) -> None:
    """Nothing crashes, and nothing is a question mark."""
    done = subprocess.run(
        [sys.executable, "-m", "otap", "score", RUN, "-r", GOLD],
        capture_output=True, check=True, env={**os.environ, "PYTHONIOENCODING": encoding},
    )  # fmt: skip
    text = done.stdout.decode("ascii")
    assert "?" not in text
    assert "  # kept 0.652   lost to * missing steps" in text


def test_json_is_the_python_record(otap_: Otap) -> None:
    """The same schema, the same bits."""
    done = otap_("score", RUN, "-r", GOLD, "--json")
    record = otap.score(otap.read(RUN), otap.read_references(GOLD))
    assert json.loads(done.out)["schema_version"] == "otap.score/1"
    assert Score.model_validate_json(done.out) == record


def test_references_of_every_kind(otap_: Otap) -> None:
    """Files, folders and several of them; the nearest is named."""
    done = otap_("score", RUN, "-r", GOLD, "-r", hotel.run_file("wrong_tool"), "--json")
    found = Score.model_validate_json(done.out)
    assert [one.id for one in found.references] == [
        "hotel-booking/reference", "hotel-booking/wrong_tool",
    ]  # fmt: skip
    done = otap_("score", GOLD, "--reference", hotel.FOLDER / "runs")
    assert "the nearest of 8 references" in " ".join(done.out.split())


def test_options_reach_the_scorer(otap_: Otap, tmp_path: Path) -> None:
    """Preset, encoder, dependencies, and a configuration file."""
    (tmp_path / "my.toml").write_text("theta = 0.5")
    done = otap_(
        "score", RUN, "-r", GOLD, "--json", "--preset", "paper", "--encoder", "wordllama",
        "--dependencies", "sequential", "--config", "my.toml", "--format", "otap",
    )  # fmt: skip
    result = Score.model_validate_json(done.out)
    signature = result.signature
    assert (signature.epsilon, signature.theta, signature.preset) == (0.05, 0.5, "custom")
    assert signature.encoder.startswith("wordllama")
    assert signature.dependencies == result.conditions.dependencies.run == "sequential"


def test_a_configuration_in_the_folder_counts(otap_: Otap, tmp_path: Path) -> None:
    """Without being named."""
    (tmp_path / "otap.toml").write_text("theta = 0.5")
    done = otap_("score", RUN, "-r", GOLD, "--json")
    assert Score.model_validate_json(done.out).signature.theta == 0.5


def test_show_config(otap_: Otap, tmp_path: Path) -> None:
    """Each setting, its value, and where that comes from; nothing is read or scored."""
    (tmp_path / "otap.toml").write_text(
        '[weights]\naction = 1\n[[substitutes]]\ntools = ["a", "\\u001b"]'
    )
    done = otap_("score", "none.json", "--show-config", "--preset", "paper", "--encoder", "e")
    assert (done.code, done.err) == (0, "")
    rows = {line.split()[0]: line.split() for line in done.out.splitlines()}
    assert rows["theta"] == ["theta", "0.35", "preset", "paper"]
    assert rows["encoder"] == ["encoder", "e", "command", "line"]
    assert rows["weights"][-1] == "otap.toml"
    assert rows["weights"][1:3] == ["action", "1.0,"]
    assert "\x1b" not in done.out


def test_what_counts(otap_: Otap, tmp_path: Path) -> None:
    """What a file says of tools and arguments is in force, and shown; names are escaped."""
    (tmp_path / "otap.toml").write_text(
        'failed = "folded"\n[tools]\nignore = ["filter_by_price"]\nweight = { "\\u001b" = 2 }\n'
        '[parameters."*"]\nsets = ["a.b"]\ntolerance = { c = "1%" }'
    )
    shown = otap_("score", "none.json", "--show-config")
    rows = {line.split()[0]: line for line in shown.out.splitlines()}
    assert "ignore ['filter_by_price'], weight {\\x1b 2.0}" in rows["tools"]
    assert "* {tolerance {c 1%}, sets ['a.b']}" in rows["parameters"]
    assert rows["failed"].split() == ["failed", "folded", "otap.toml"]
    steps = otap.read(GOLD).steps
    left = [step.id for step in steps if step.tool == "filter_by_price"]
    assert left
    done = otap_("score", GOLD, "-r", GOLD)
    assert f"does not count: {len(left)} step of the run, {len(left)} step of the ref" in done.out
    assert (
        f"reference ({len(steps) - len(left)} steps, {len(left)} more do not count) against"
        in done.out
    )
    result = Score.model_validate_json(otap_("score", GOLD, "-r", GOLD, "--json").out)
    assert list(result.left_out.agent) == list(result.left_out.reference) == left


def test_the_gate(otap_: Otap) -> None:
    """A score of exactly the bound passes; the next number above it does not."""
    score = otap.score(otap.read(RUN), otap.read(GOLD)).score
    above = score + 2**-53
    assert above > score
    passed = otap_("score", RUN, "-r", GOLD, "--fail-under", repr(score))
    assert (passed.code, passed.err) == (0, "")
    failed = otap_("score", RUN, "-r", GOLD, "--fail-under", repr(above), "--json")
    assert failed.code == 1
    assert failed.err == f"otap: score {score!r} is below {above!r}\n"
    assert Score.model_validate_json(failed.out).score == score
    assert otap_("score", hotel.run_file("same"), "-r", GOLD, "--fail-under", "1").code == 0


@pytest.mark.parametrize("bound", ["-0.1", "1.01", "nan", "high"])
def test_a_bound_that_no_score_can_meet(otap_: Otap, bound: str) -> None:
    """Is a mistake, not a gate."""
    done = otap_("score", RUN, "-r", GOLD, f"--fail-under={bound}")
    assert (done.code, done.out) == (2, "")
    assert "--fail-under" in done.err


@pytest.mark.parametrize(
    ("on", "code"),
    [
        (["critical"], 1),
        (["major"], 1),
        (["minor"], 1),
        (["missing"], 1),
        (["missing:book_room"], 1),
        (["missing:book_*"], 1),
        (["critical:book_*"], 1),
        (["critical:hotel_*"], 0),
        (["missing:BOOK_ROOM"], 0),
        (["invented"], 0),
        (["invented", "missing"], 1),
        (["invented", "failed:*"], 0),
    ],
)
def test_a_gate_on_findings(otap_: Otap, on: list[str], code: int) -> None:
    """A run fails by a finding of that severity or worse, or of that kind, whatever its score."""
    asked = [word for one in on for word in ("--fail-on", one)]
    done = otap_("score", RUN, "-r", GOLD, *asked)
    assert done.code == code
    if not code:
        assert done.err == ""
    else:
        assert done.err == (
            f"otap: --fail-on {on[-1]}: critical missing: step book (book_room) of the reference "
            "is missing from the run\n"
        )
    assert otap_("score", GOLD, "-r", GOLD, *asked).code == 0


def test_a_gate_on_findings_leaves_the_record_as_it_is(otap_: Otap) -> None:
    """And says each reason in a line of its own."""
    plain = otap_("score", RUN, "-r", GOLD, "--json")
    done = otap_("score", RUN, "-r", GOLD, "--json", "--fail-on", "missing", "--fail-under", "1")
    assert done.out == plain.out
    assert done.code == 1
    low, missing = done.err.splitlines()
    assert low.endswith("is below 1.0")
    assert missing.startswith("otap: --fail-on missing: critical missing: ")


def test_a_tool_is_that_of_a_step_that_the_finding_names(otap_: Otap, tmp_path: Path) -> None:
    """Of its own side: ids of the run and of the reference say nothing of each other."""
    for name, tool in (("run", "get_user"), ("gold", "pay")):
        step = {"id": "1", "tool": tool, "arguments": {"id": tool}}
        (tmp_path / f"{name}.json").write_text(json.dumps({"steps": [step]}), encoding="utf-8")
    given = ["score", "run.json", "-r", "gold.json", "--fail-on"]
    assert [otap_(*given, f"missing:{tool}").code for tool in ("pay", "get_user")] == [1, 0]
    assert [otap_(*given, f"invented:{tool}").code for tool in ("pay", "get_user")] == [0, 1]


def test_a_failed_gate_names_the_worst_findings(otap_: Otap) -> None:
    """Three, and how many more there are, in one line."""
    done = otap_("score", hotel.run_file("unrelated"), "-r", GOLD, "--fail-on", "minor")
    assert done.code == 1
    assert done.err.count("\n") == 1
    assert done.err.startswith("otap: --fail-on minor: critical missing: ")
    assert done.err.endswith("; and 9 more\n")


@pytest.mark.parametrize("on", ["worst", "", "Critical", "missing:", "critical,major", ":book"])
def test_a_gate_that_is_not_known(otap_: Otap, on: str) -> None:
    """Is a mistake, and the line says what there is."""
    done = otap_("score", RUN, "-r", GOLD, f"--fail-on={on}")
    assert (done.code, done.out) == (2, "")
    assert done.err.count("\n") == 1
    if on != "missing:":
        assert "severities: critical, major, minor; findings: missing, failed, " in done.err
    assert "--fail-on" in done.err


def test_an_unfinished_solve_decides_nothing(otap_: Otap, monkeypatch: pytest.MonkeyPatch) -> None:
    """The gate ends as inconclusive; without a gate it is only said."""
    monkeypatch.setattr(
        "otap.scoring.solve.solve_batch", functools.partial(solve_batch, max_outer=1)
    )
    arguments = ["score", hotel.run_file("paraphrased"), "-r", GOLD]
    done = otap_(*arguments)
    assert done.code == 0
    assert "did not converge" in done.out
    for gate in (("--fail-under", "0.1"), ("--fail-on", "critical")):
        gated = otap_(*arguments, "--json", *gate)
        assert (gated.code, gated.err) == (
            3,
            "otap: the solver did not converge: the score may be higher\n",
        )


def test_nothing_to_compare_is_said(otap_: Otap, tmp_path: Path) -> None:
    """Two runs without steps are the same, but a gate that passes on them gates nothing."""
    empty = tmp_path / "empty.json"
    empty.write_text('{"steps": []}', encoding="utf-8")
    said = "otap: nothing was compared: neither side has a step that counts\n"
    done = otap_("score", empty, "-r", empty)
    assert (done.code, done.err) == (0, said)
    done = otap_("score", empty, "-r", empty, "--fail-under", "1")
    assert (done.code, done.err.count("\n")) == (3, 2)
    assert "neither the run nor its reference has a step" in done.err
    nothing = {"steps": [], "metadata": {"reference": "required"}}
    empty.write_text(json.dumps(nothing), encoding="utf-8")
    assert otap_("score", empty, "-r", empty, "--fail-under", "1").code == 0
    assert otap_("score", RUN, "-r", RUN).err == ""


def test_the_gold_of_the_file_itself(otap_: Otap, real_data: Path) -> None:
    """Used and named where no reference is given; --run picks by task and trial."""
    path = real_data.joinpath(*TAU)
    done = otap_("score", path, "--run", "8/2", "--json")
    assert done.code == 0
    assert done.err == "otap: no -r given; using the gold in the run's file\n"
    found = Score.model_validate_json(done.out)
    assert (found.id, found.best_reference) == ("8/2", "8/gold")


def test_no_reference(otap_: Otap, tmp_path: Path) -> None:
    """Neither given nor carried; and one that was given is not replaced in silence."""
    done = otap_("score", RUN)
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        "otap: no reference: pass known-good runs with -r; there is no gold in the run's file\n"
    )
    broken = {"task_id": 1, "trial": 0, "reward": None, "info": {"error": "x"}, "traj": []}
    (tmp_path / "none.json").write_text(json.dumps([broken]))
    done = otap_("score", RUN, "-r", "none.json")
    assert (done.code, done.err) == (2, "otap: no reference: the files of -r hold no run\n")


def test_references_of_other_tasks(otap_: Otap, real_data: Path) -> None:
    """Are no references of this run."""
    done = otap_("score", RUN, "-r", real_data.joinpath(*TAU))
    assert done.code == 2
    assert (
        "no reference of its task 'hotel-booking', nor of its request; the references are of"
        in done.err
    )


def test_the_task_is_said(otap_: Otap, real_data: Path) -> None:
    """A run that names another task, or none, is held to the references of the one that is said."""
    done = otap_("score", RUN, "-r", real_data.joinpath(*TAU), "--task", "8", "--json")
    found = Score.model_validate_json(done.out)
    assert (found.task, found.best_reference) == ("8", "8/gold")
    done = otap_("score", RUN, "-r", real_data.joinpath(*TAU), "--task", "x")
    assert done.code == 2
    assert "no reference of task 'x'; the references are of 0, 1, 10" in done.err


def test_the_request_finds_the_references(otap_: Otap, tmp_path: Path) -> None:
    """Of a run without a task, where one task's user asked the same; the terminal says so."""
    steps = [{"id": "1", "tool": "book"}]
    golds = [
        {"id": task, "task": task, "request": [f"Please book {task}"], "steps": steps}
        for task in ("Rome", "Oslo")
    ]
    (tmp_path / "golds.json").write_text(json.dumps(golds))
    run = {"request": ["please  book OSLO"], "steps": steps}
    (tmp_path / "run.json").write_text(json.dumps(run))
    done = otap_("score", "run.json", "-r", "golds.json", "--json")
    assert done.err == "otap: references chosen by what the user asked for: task 'Oslo'\n"
    assert Score.model_validate_json(done.out).best_reference == "Oslo"


def test_a_failed_gate_fails_whoever_reads_on() -> None:
    """A reader that leaves early does not turn a red gate green."""
    code = f"{sys.executable} -m otap score {RUN} -r {GOLD} --fail-under 0.95"
    script = f'{code} 2>/dev/null | true; exit "${{PIPESTATUS[0]}}"'
    done = subprocess.run(["bash", "-c", script], check=False)
    assert done.returncode == 1


def test_what_a_reference_is_can_be_said(otap_: Otap) -> None:
    """Settings like any other: in the signature, and in what the pair decided."""
    plain = Score.model_validate_json(otap_("score", RUN, "-r", GOLD, "--json").out)
    done = otap_("score", RUN, "-r", GOLD, "--json", "--required", "--only-changes")
    said = Score.model_validate_json(done.out)
    assert (plain.signature.reference, plain.signature.only_changes) == ("complete", False)
    assert (said.signature.reference, said.signature.only_changes) == ("required", True)
    assert said.conditions.reference == "required"


def test_must_tell(otap_: Otap, tmp_path: Path) -> None:
    """An answer that is asked for on the command line is missed, and the gate can name it."""
    run = tmp_path / "run.json"
    run.write_text(
        '{"messages_to_user": ["It costs 54.04."], "steps": [{"id": "1", "tool": "pay"}]}'
    )
    asked = ("score", str(run), "-r", str(run), "--fail-on", "missing_answer", "--required-answer")
    assert otap_(*asked, "$54.04").code == 0
    done = otap_(*asked, "41.64")
    assert done.code == 1
    told = " ".join(done.out.split())
    assert "the run never gave the answer '41.64'; the nearest number it gave is 54.04" in told


def test_told_is_not_recorded(otap_: Otap, tmp_path: Path) -> None:
    """What is not scored is said, in a line."""
    run = tmp_path / "run.json"
    run.write_text('{"steps": [{"id": "1", "tool": "pay"}]}')
    done = otap_("score", str(run), "-r", str(run), "--required-answer", "41.64")
    assert "Required answers are not scored: the run records no messages to its user." in done.out


def test_markdown(otap_: Otap, tmp_path: Path) -> None:
    """Why, for a pull request, into a file or in front of what the command shows."""
    file = tmp_path / "why.md"
    done = otap_("score", RUN, "-r", GOLD, "--markdown", str(file), "--fail-under", "0.9")
    assert done.code == 1
    assert file.read_text("utf-8").startswith("### OTAP: score 0.652, critical\n")
    printed = otap_("score", RUN, "-r", GOLD, "--markdown", "-").out
    assert printed == file.read_text("utf-8")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--markdown", RUN), "is an input"),
        (("--html", GOLD), "is an input"),
        (("--html", str(Path(GOLD).absolute())), "is an input"),
        (("--markdown", "-", "--html", "-"), "name the same file"),
        (("--markdown", "nowhere/why.md"), "the folder does not exist"),
    ],
)
def test_a_report_never_replaces_a_trace(otap_: Otap, options: tuple[str, ...], said: str) -> None:
    """It is refused before anything is read."""
    before = [Path(file).read_bytes() for file in (RUN, GOLD)]
    done = otap_("score", RUN, "-r", GOLD, *options)
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert said in done.err
    assert before == [Path(file).read_bytes() for file in (RUN, GOLD)]


def test_html(otap_: Otap, tmp_path: Path) -> None:
    """A page that says why, into a file that is named, or in front of what the command shows."""
    file = tmp_path / "why.html"
    done = otap_("score", RUN, "-r", GOLD, "--html", str(file), "--fail-under", "0.9")
    assert done.code == 1
    assert done.err.startswith(f"otap: the page is in {file}\n")
    page = file.read_text("utf-8")
    assert page == otap.score(otap.read(RUN), otap.read(GOLD)).to_html()
    printed = otap_("score", RUN, "-r", GOLD, "--html", "-")
    assert (printed.out, printed.err) == (page, "")


def test_html_into_no_folder(otap_: Otap, tmp_path: Path) -> None:
    """Refused in a line before anything is read."""
    done = otap_("score", "nowhere.json", "--html", str(tmp_path / "none" / "why.html"))
    assert done.code == 2
    assert "the folder does not exist; make it first" in done.err


def test_redact(otap_: Otap, tmp_path: Path) -> None:
    """What the run says is in no report, and is not printed."""
    page, text = tmp_path / "why.html", tmp_path / "why.md"
    done = otap_("score", RUN, "-r", GOLD, "--redact", "--html", str(page), "--markdown", str(text))
    assert done.code == 0
    for file in (page, text):
        shown = file.read_text("utf-8")
        assert "of-9034" not in shown
        assert "Maria" not in shown
        assert "book" in shown
    hidden = otap.score(otap.read(RUN), otap.read(GOLD)).to_html(redact=True)
    assert page.read_text("utf-8") == hidden
    for option in ("--json", "--explain"):
        done = otap_("score", RUN, "-r", GOLD, "--redact", option)
        assert done.code == 0
        assert "of-9034" not in done.out
        assert "book" in done.out


@pytest.mark.parametrize("option", ["--markdown", "--html"])
def test_json_and_a_report_are_not_printed_into_each_other(otap_: Otap, option: str) -> None:
    """Two things on standard output could not be told apart."""
    done = otap_("score", RUN, "-r", GOLD, "--json", option, "-")
    assert (done.code, done.out) == (2, "")
    assert "write the report to a file" in done.err

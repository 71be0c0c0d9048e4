"""``otap evaluate``: a result file, a table, an exit code."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from commands import GOLD, RUN, Otap, assert_refused, in_a_process

import hotel
import otap
from otap.evaluation import read_results

RUNS = str(hotel.FOLDER / "runs")


def test_a_folder(otap_: Otap, tmp_path: Path) -> None:
    """A result each, a table, and how long it took; again, it is read only."""
    done = otap_("evaluate", RUNS, "-r", GOLD, "-o", "out.jsonl", "--jobs", "1")
    assert done.code == 0
    assert done.out.startswith("9 runs: 9 scored, 0 failed, 0 without a reference of their task\n")
    assert "critical  missing   book_room                        2 runs" in done.out
    assert done.err.startswith("otap: 9 runs in ")
    names = [one.id for one in read_results(tmp_path / "out.jsonl")]
    assert names == [otap.read(hotel.run_file(name)).id for name in sorted(hotel.NAMES)]
    before = (tmp_path / "out.jsonl").read_bytes()
    again = otap_("evaluate", RUNS, "-r", GOLD, "-o", "out.jsonl", "--jobs", "1")
    assert (again.code, again.out) == (0, done.out)
    assert again.err.endswith("; 9 were finished before\n")
    assert (tmp_path / "out.jsonl").read_bytes() == before


def test_no_output(otap_: Otap, tmp_path: Path) -> None:
    """The table alone, or as JSON with every task and finding."""
    done = otap_("evaluate", RUNS, "-r", GOLD, "--json", "--jobs", "1")
    summary = json.loads(done.out)
    assert (summary["runs"], summary["severity"]["critical"]) == (9, 4)
    assert [task["task"] for task in summary["tasks"]] == ["invoice-rounding", "hotel-booking"]
    assert list(tmp_path.iterdir()) == []


def test_patterns(otap_: Otap) -> None:
    """As shells have them, where the shell left them alone; each name is one or more files."""
    done = otap_("evaluate", f"{RUNS}/m*.json", f"{RUNS}/same.json", "-r", GOLD, "--jobs", "1")
    assert done.out.startswith("3 runs: 3 scored")


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (("--fail-under", "0.82"), 0, ""),
        (("--fail-under", "0.84"), 1, "the mean score 0.8309"),
        (("--fail-on", "critical"), 1, "--fail-on critical: 11 critical findings in 4 of 9"),
        (("--fail-on", "missing:book_*"), 1, "--fail-on missing:book_*: 2 missing findings in 2"),
        (("--fail-on", "missing:pay_*"), 0, ""),
    ],
)
def test_the_gate(otap_: Otap, options: tuple[str, ...], code: int, words: str) -> None:
    """The mean of all runs, and the findings of any."""
    done = otap_("evaluate", RUNS, "-r", GOLD, "--jobs", "1", *options)
    assert done.code == code
    assert words in done.err


def test_some_runs_without_a_score(otap_: Otap, tmp_path: Path) -> None:
    """They are shown and counted, and the exit code is 3; a gate that failed comes before that."""
    (tmp_path / "bad.json").write_text("{", "utf-8")
    (tmp_path / "odd.json").write_text('{"id": "o", "messages": [{"role": "x"}]}', "utf-8")
    given = ("evaluate", str(hotel.run_file("missing_book")), "bad.json", "-r", GOLD)
    done = otap_(*given, "--jobs", "1")
    assert done.code == 3
    assert done.out.startswith("2 runs: 1 scored, 1 failed, 0 without")
    assert "  read: bad.json: " in done.out
    assert "otap: 1 run that could not be read or scored\n" in done.err
    assert otap_(*given, "--jobs", "1", "--fail-on", "missing").code == 1
    assert otap_(*given, "--jobs", "1", "--fail-under", "0.1").code == 3
    assert otap_("evaluate", "bad.json", "-r", GOLD, "--jobs", "1", "--fail-under", "0").code == 3


def test_the_summary_of_a_job(otap_: Otap, tmp_path: Path) -> None:
    """As Markdown, with what the gate said; a file that cannot be written is an error in a line."""
    given = ("evaluate", RUNS, "-r", GOLD, "-o", "out.jsonl", "--jobs", "1", "--markdown")
    done = otap_(*given, "summary.md", "--fail-under", "0.9")
    assert done.code == 1
    text = (tmp_path / "summary.md").read_text("utf-8")
    assert text.startswith("### OTAP: 9 runs: 9 scored, 0 failed")
    assert "\n- the mean score 0.8309" in text
    assert "| invoice-rounding | 1 | 0.204 |" in text
    refused = otap_(*given, "no/summary.md")
    assert (refused.code, refused.err.splitlines()[-1][:45]) == (
        2, "otap: no/summary.md: cannot write it (No such",
    )  # fmt: skip


def test_nothing_understood_is_no_pass(otap_: Otap, tmp_path: Path) -> None:
    """Its score is in the file and in no mean, and the exit code is 3."""
    run = {"id": "blind", "task": "hotel-booking", "steps": [], "unread": {"unknown": {"call": 2}}}
    (tmp_path / "blind.json").write_text(json.dumps(run), "utf-8")
    done = otap_("evaluate", "blind.json", "-r", GOLD, "-o", "out.jsonl", "--jobs", "1")
    assert done.code == 3
    assert done.out.startswith("1 run: 0 scored, 0 failed, 0 without a reference of their task, 1")
    assert "otap: 1 run not understood\n" in done.err
    (result,) = read_results(tmp_path / "out.jsonl")
    assert result.score is not None


def test_no_step_against_no_step_is_no_pass(otap_: Otap, tmp_path: Path) -> None:
    """It says nothing of the run, unless the reference lists all that must happen: nothing."""
    run = {"task": "wait", "steps": [], "messages_to_user": ["I wait."]}
    for reference, code in (("complete", 3), ("required", 0)):
        gold = {"task": "wait", "steps": [], "metadata": {"reference": reference}}
        (tmp_path / "run.json").write_text(json.dumps(run), "utf-8")
        (tmp_path / "gold.json").write_text(json.dumps(gold), "utf-8")
        done = otap_("evaluate", "run.json", "-r", "gold.json", "--jobs", "1")
        said = "otap: 1 run without a step, against a reference without one\n"
        assert (done.code, said in done.err) == (code, code == 3)


def test_their_own_gold(otap_: Otap, real_data: Path) -> None:
    """Without -r, the gold that the runs' files carry."""
    done = otap_("evaluate", real_data / "tau-bench", "--jobs", "1")
    assert done.code == 0
    assert "otap: no -r given; using the gold in the files of the runs\n" in done.err
    assert re.search(r"^all +100 +0\.", done.out, re.MULTILINE)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("none.json", "-r", GOLD), "none.json: no such file or folder"),
        (("*.json", "-r", GOLD), "*.json: no such file or folder, and it matches none"),
        (("-", "-r", GOLD), "- is standard input, which cannot be resumed"),
        ((RUNS, "-r", "-", "-r", "-"), "- is standard input, which can be read only once"),
        (("x" * 5000, "-r", GOLD), ": cannot be read (File name too long)"),
        ((RUNS, "-r", GOLD, "-o", "x", "--markdown", "x"), "and --output name the same file"),
        ((RUNS, "-r", GOLD, "--markdown", GOLD), "is an input; name another file"),
        ((RUNS,), "no reference: pass known-good runs with -r"),
        ((RUNS, "-r", "none.json"), "none.json: cannot be read"),
        ((RUNS, "-r", GOLD, "--fail-under", "2"), "--fail-under must lie between 0 and 1"),
        ((RUNS, "-r", GOLD, "--jobs", "0"), "--jobs"),
        ((RUNS, "-r", GOLD, "--preset", "x"), "no preset 'x'"),
        ((RUNS, "-r", GOLD, "-o", "no/out.jsonl"), "no/out.jsonl: cannot write it (No such file"),
    ],
)
def test_what_is_refused(otap_: Otap, arguments: tuple[str, ...], words: str) -> None:
    """One line that says what, where, and how to mend it; nothing is written."""
    assert_refused(otap_("evaluate", *arguments), "otap: ", words)
    assert list(Path().iterdir()) == []


@pytest.mark.parametrize(
    "arguments",
    [("evaluate", RUNS, "--jobs", "1"), ("evaluate", RUNS, "--jobs", "2"), ("score", RUN)],
    ids=str,
)
def test_an_encoder_that_does_not_load(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    """One line, whoever was to load it; the package that takes seconds to load is a stand-in."""
    stand_in = "def SentenceTransformer(*_, **__):\n    raise OSError('no model')\n"
    (tmp_path / "sentence_transformers.py").write_text(stand_in)
    path = os.pathsep.join([str(tmp_path), *filter(None, sys.path)])
    done = in_a_process(*arguments, "-r", GOLD, "--encoder", "none/here", PYTHONPATH=path)
    assert_refused(done, "otap: the encoder 'none/here' ", "did not load (no model)")


def test_the_output_among_the_runs(otap_: Otap, tmp_path: Path) -> None:
    """It is no run, even if it lies in their folder."""
    (tmp_path / "run.json").write_bytes(hotel.run_file("same").read_bytes())
    for _ in range(2):
        done = otap_("evaluate", ".", "-r", GOLD, "-o", "out.jsonl", "--jobs", "1")
        assert (done.code, done.out[:15]) == (0, "1 run: 1 scored")


def test_columns_among_the_runs(otap_: Otap, tmp_path: Path) -> None:
    """Neither the columns nor the lines that they are made of are runs."""
    pytest.importorskip("pyarrow")
    (tmp_path / "run.json").write_bytes(hotel.run_file("same").read_bytes())
    for _ in range(2):
        done = otap_("evaluate", ".", "-r", GOLD, "-o", "out.parquet", "--jobs", "1")
        assert (done.code, done.out[:15]) == (0, "1 run: 1 scored")


def test_columns(otap_: Otap, tmp_path: Path) -> None:
    """Parquet is made of the lines when all is done, and says the same."""
    pytest.importorskip("pyarrow")
    done = otap_("evaluate", RUNS, "-r", GOLD, "-o", "out.parquet", "--jobs", "1")
    assert done.code == 0
    assert sorted(file.name for file in tmp_path.iterdir()) == ["out.jsonl", "out.parquet"]
    lines, columns = (list(read_results(tmp_path / f"out.{kind}")) for kind in ("jsonl", "parquet"))
    assert columns == lines
    from pyarrow import parquet

    table = parquet.read_table(tmp_path / "out.parquet")
    assert table.column("score").to_pylist() == [one.score for one in lines]
    parquet.write_table(table.drop_columns(["json"]), tmp_path / "other.parquet")
    with pytest.raises(Exception, match="no column 'json'"):
        list(read_results(tmp_path / "other.parquet"))


def test_columns_without_their_library(otap_: Otap, monkeypatch: pytest.MonkeyPatch) -> None:
    """That is said before anything is scored."""
    monkeypatch.setattr("otap.evaluation.results.result_files.find_spec", lambda _: None)
    done = otap_("evaluate", RUNS, "-r", GOLD, "-o", "out.parquet")
    assert_refused(done, "otap: Parquet needs pyarrow", "pip install 'otap-eval[parquet]'")


def test_all_processors() -> None:
    """Several processes, as they are by default, say the same as one."""
    done = in_a_process("evaluate", RUNS, "-r", GOLD, "--jobs", "3")
    assert done.code == 0
    assert done.out == in_a_process("evaluate", RUNS, "-r", GOLD, "--jobs", "1").out


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="no terminals")
def test_progress_on_a_terminal() -> None:
    """A bar with the number of runs and the rate, which is gone at the end."""
    terminal, end = os.openpty()
    done = subprocess.run(
        [sys.executable, "-m", "otap", "evaluate", RUNS, "-r", GOLD, "--jobs", "2"],
        stdout=subprocess.DEVNULL, stderr=end, env={**os.environ, "TERM": "xterm"}, check=False,
    )  # fmt: skip
    os.close(end)
    said = os.read(terminal, 1 << 16).decode()
    os.close(terminal)
    assert done.returncode == 0
    assert "runs/s" in said
    assert "otap: 9 runs in " in said


def test_results_that_are_asked_for_as_a_table(otap_: Otap) -> None:
    """They are JSONL or Parquet: a file that says otherwise would not be what it says."""
    done = otap_("evaluate", RUNS, "-r", GOLD, "-o", "out.csv")
    assert done.code == 2
    assert "OUT.jsonl or OUT.parquet" in done.err


def test_an_encoder_that_there_is_not(otap_: Otap) -> None:
    """A word is no model of a hub, and nothing is asked of the network for it."""
    done = otap_("evaluate", RUNS, "-r", GOLD, "--encoder", "foo")
    assert done.code == 2
    assert "no encoder 'foo': use wordllama, minilm, the folder" in done.err

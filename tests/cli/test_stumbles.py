"""What a newcomer meets first: settings in force, misspelt tools, gates, progress."""

import json
import os
import re
import time
from pathlib import Path
from typing import Any

import pytest
from commands import GOLD, RUN, Otap, trace

import hotel
from otap.cli import progress

RUNS = str(hotel.FOLDER / "runs")
VERDICT = "no verdict: a run could not be read or scored, or evidence is lacking"


def _order(step_id: str, **changes: Any) -> dict[str, Any]:
    step = {
        "id": step_id, "tool": "create_order", "arguments": {"sku": "SKU-771", "qty": 2},
        "effect": "order ORD-881 created",
    }  # fmt: skip
    return {**step, **changes}


FAILED = {"effect": "Error: timeout", "status": "error"}


def test_a_settings_file_in_force_is_named(otap_: Otap, tmp_path: Path) -> None:
    """Once, on standard error; not with --json, nor if an option names the file."""
    (tmp_path / "otap.toml").write_text("theta = 0.4\n")
    line = "otap: settings from otap.toml\n"
    for command in (("score", RUN, "-r", GOLD), ("graph", GOLD), ("evaluate", RUN, "-r", GOLD)):
        assert otap_(*command).err.count(line) == 1
        assert line not in otap_(*command, "--json").err
        assert line not in otap_(*command, "--config", "otap.toml").err
    (tmp_path / "otap.toml").write_text("")
    assert line not in otap_("score", RUN, "-r", GOLD).err


@pytest.mark.parametrize("command", [("score", RUN), ("evaluate", RUNS)])
def test_a_misspelt_tool_is_asked_about_once(
    otap_: Otap, tmp_path: Path, command: tuple[str, str]
) -> None:
    """With the tool of a similar name; names without one share a line, and nothing fails."""
    (tmp_path / "otap.toml").write_text(
        '[tools]\nread_only = ["hotel_serch", "rank_*"]\nignore = ["zzz", "yyy_*"]\n'
    )
    done = otap_(*command, "-r", GOLD)
    assert done.code == 0
    question = "names 'hotel_serch', but no run or reference calls it; did you mean 'hotel_search'?"
    assert done.err.count(f"otap: tools.read_only {question}\n") == 1
    assert "the settings name 2 tools that no run or reference here calls: zzz, yyy_*\n" in done.err
    assert "rank_*" not in done.err


def test_a_similar_tool_of_another_task_is_not_asked_about(otap_: Otap, tmp_path: Path) -> None:
    """A tool that another entry names is hardly meant."""
    (tmp_path / "otap.toml").write_text('[tools]\nread_only = ["hotel_search", "hotel_searches"]\n')
    done = otap_("score", RUN, "-r", GOLD)
    assert "did you mean" not in done.err
    assert (
        "the settings name 1 tool that no run or reference here calls: hotel_searches" in done.err
    )


def test_a_failed_attempt_says_that_it_failed(otap_: Otap, tmp_path: Path) -> None:
    """In the row, and in the sentence for many."""
    (tmp_path / "good.json").write_text(trace(_order("a")))
    (tmp_path / "run.json").write_text(trace(_order("a", **FAILED), _order("b")))
    out = otap_("score", "run.json", "-r", "good.json").out
    assert "failed, then again" in out
    many = [_order(f"a{k}", **FAILED) for k in range(4)]
    (tmp_path / "run.json").write_text(trace(*many, _order("b")))
    text = otap_("score", "run.json", "-r", "good.json", "--markdown", "-").out
    assert "(4 times) failed first, and was then done again" in text
    assert "4 failed, then again" in text


def test_graph_shows_a_check_before_a_change(otap_: Otap, tmp_path: Path) -> None:
    """Although no value flows between the two."""
    steps = [
        {"id": "a", "tool": "verify_payment", "arguments": {"order": "ORD-77"}, "effect": "ok"},
        {"id": "b", "tool": "refund_order", "arguments": {"order": "ORD-77"}, "effect": "done"},
    ]
    (tmp_path / "run.json").write_text(trace(*steps))
    assert "a check or a precaution before the change" in otap_("graph", "run.json").out
    edges = json.loads(otap_("graph", "run.json", "--json").out)["edges"]
    assert [(edge["source"], edge["target"]) for edge in edges] == [("a", "b")]


def test_each_marked_row_has_a_word(otap_: Otap, tmp_path: Path) -> None:
    """Also in strict mode, where equal calls in another order are no other sign."""
    look = {"tool": "get_user", "arguments": {"id": "U-12"}, "effect": "Bob"}
    mail = {"tool": "send_email", "arguments": {"to": "x@y.org"}, "effect": "sent"}
    for name, steps in (("good", [look, mail]), ("run", [mail, look])):
        numbered = [{**step, "id": str(k)} for k, step in enumerate(steps)]
        (tmp_path / f"{name}.json").write_text(trace(*numbered))
    done = otap_("score", "run.json", "-r", "good.json", "--strict")
    rows = [line for line in done.out.splitlines() if line.startswith("  ! ")]
    assert len(rows) == 2
    assert all(row.endswith("order not proven") for row in rows)
    both = "step 0 (send_email) ran before step 1 (get_user); in the reference step 0 (get_user)"
    assert both in done.err


def test_the_gate_counts_findings_and_runs(otap_: Otap) -> None:
    """Those of a severity, of a kind, and of a tool."""
    for on, words in (
        ("critical", "11 critical findings in 4 of 9 runs"),
        ("major", "12 critical or major findings in 4 of 9 runs"),
        ("missing", "7 missing findings in 2 of 9 runs"),
        ("missing:book_*", "2 missing findings in 2 of 9 runs"),
        ("missing:*_*", "7 missing findings among 9 runs"),
    ):
        done = otap_("evaluate", RUNS, "-r", GOLD, "--jobs", "1", "--fail-on", on)
        assert done.err.endswith(f"otap: --fail-on {on}: {words}\n")


@pytest.mark.parametrize("command", [("score", RUN), ("evaluate", RUNS)])
def test_a_printed_report_is_the_only_output(otap_: Otap, command: tuple[str, str]) -> None:
    """It would be the same result twice."""
    out = otap_(*command, "-r", GOLD, "--markdown", "-").out
    assert out.startswith("### OTAP")
    assert out.count("book") == out.replace("&#95;", "_").count("book")
    assert "\nWorst runs\n  critical" not in out
    assert "Side by side" not in out
    done = otap_(*command, "-r", GOLD, "--markdown", "-", "--json")
    assert (done.code, done.out) == (2, "")


def test_one_definition_of_exit_code_3(otap_: Otap) -> None:
    """In the help of all commands, and on the page."""
    for command in ("score", "evaluate", "compare", "calibrate", "select", "plan", "formats"):
        assert f"  3  {VERDICT}\n" in otap_(command, "--help").out
    docs = Path(__file__).parents[2] / "docs"
    assert VERDICT in (docs / "exit-codes.md").read_text("utf-8")


def test_a_task_of_references_without_a_task(otap_: Otap, tmp_path: Path) -> None:
    """The error says what the references have instead."""
    request = ["please cancel my order number 77 today thanks"]
    (tmp_path / "run.json").write_text(trace(_order("a"), request=request))
    done = otap_("score", "run.json", "-r", "run.json", "--task", "foo")
    assert done.code == 2
    assert "no reference of task 'foo'; the references name no task" in done.err
    ignored = otap_("score", RUN, "-r", GOLD, "--task-from", "file:night-*.json").err
    assert "otap: --task-from is ignored: no reference has a file name that matches" in ignored


def test_a_sequence_is_no_need(otap_: Otap) -> None:
    """If the order is only that of the list, no step is said to need a result."""
    run = str(hotel.run_file("exchanged_filters"))
    done = otap_("score", run, "-r", GOLD, "--dependencies", "sequential")
    assert "which comes first in the reference" in " ".join(done.out.split())
    assert "whose result it needs" not in done.out


def test_a_text_that_the_settings_free_is_shown_word_by_word(otap_: Otap, tmp_path: Path) -> None:
    """With the reason why it is a minor difference."""
    for name, body in (("good", "Your refund of 100 EUR was sent."), ("run", "We sent 250 EUR.")):
        step = {"id": "a", "tool": "send_email", "arguments": {"body": body}, "effect": "ok"}
        (tmp_path / f"{name}.json").write_text(trace(step))
    (tmp_path / "my.toml").write_text('[parameters.send_email]\ntext = ["body"]\n')
    out = otap_("score", "run.json", "-r", "good.json", "--config", "my.toml").out
    words = " ".join(out.split())
    assert 'body says "We sent 250 EUR.", the reference says "Your refund of 100 EUR' in words
    assert "by the settings any text passes here, with any numbers" in words


def test_the_rate_has_a_plural() -> None:
    """And a digit if it is small; slow work shows the seconds of a run."""
    assert progress._rate_text(0.04) == "25.0 s/run"
    assert progress._rate_text(0.0) == ""
    assert progress._rate_text(1.0) == "1.0 runs/s"
    assert progress._rate_text(12.3) == "12 runs/s"


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="no terminals")
def test_long_work_shows_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal, in one line that is gone at the end."""
    monkeypatch.setattr(progress, "FIRST", 0.05)
    terminal, end = os.openpty()
    with os.fdopen(end, "w") as stream:
        monkeypatch.setattr("sys.stderr", stream)
        with progress.Elapsed("comparing 2 runs"):
            time.sleep(0.2)
        text = ""
        while not text.endswith(" \r"):  # a terminal hands over one write after the other
            text += os.read(terminal, 1 << 16).decode()
    os.close(terminal)
    assert re.match(r"\rotap: comparing 2 runs, \d+ seconds? *\r", text)


def test_long_tasks_are_shortened_where_they_do_not_differ(otap_: Otap, tmp_path: Path) -> None:
    """And a run keeps the name of its file beside its id."""
    for month in ("May", "June", "July"):
        task = f"Please change the booking of the flight from Lisbon to Vienna on 3rd {month}"
        for sku in ("SKU-771", "SKU-9"):
            step = _order("a", arguments={"sku": sku, "qty": 2})
            file = tmp_path / f"{month}-{sku}.json"
            file.write_text(trace(step, task=task, id=f"9f2c{month}{sku[4:]}"))
    months = ("May", "June", "July")
    good = [text for month in months for text in ("-r", f"{month}-SKU-771.json")]
    out = otap_("evaluate", ".", *good, "--jobs", "1").out
    assert all(f"Please change the bo…{month} " in out for month in months)
    assert "9f2cMay9 (May-SKU-9.json)" in out

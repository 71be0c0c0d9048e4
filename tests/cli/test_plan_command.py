"""``otap plan``, and the other commands that take plans."""

import json
from pathlib import Path
from typing import Any

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples" / "plans"
RUNS, PLAN = EXAMPLES / "runs", EXAMPLES / "refund.toml"


def test_check(otap_: Any, tmp_path: Path) -> None:
    """A line a run, with the reason in the plan's words; 1 if one does not fulfil it."""
    done = otap_("plan", RUNS, "--check", PLAN)
    assert done.code == 1
    signs = dict(line.split()[:2][::-1] for line in done.out.splitlines()[1:] if line[0] in "yn")
    assert {name for name, sign in signs.items() if sign == "yes"} == {"good-card", "good-gift"}
    assert "neither refund_payment nor issue_gift_card was called" in done.out
    assert "amount is 420, allowed: at most 60" in " ".join(done.out.split())
    good = [RUNS / "good-card.json", RUNS / "good-gift.json"]
    assert otap_("plan", *good, "--check", PLAN).code == 0
    other = tmp_path / "o.json"
    other.write_text('{"schema_version": "otap.trajectory/1", "task": "x", "steps": []}')
    assert "1 run of other tasks" in otap_("plan", *good, other, "--check", PLAN).err
    done = otap_("plan", *good, "--check", RUNS / "good-card.json")
    assert (done.code, "holds no plan" in done.err) == (2, True)


def test_draft(otap_: Any, tmp_path: Path) -> None:
    """Out of good runs alone, into a file or to the terminal; nothing is written over."""
    good = RUNS / "good-card.json"
    done = otap_("plan", good)
    assert done.code == 0
    assert "no run has an outcome: all runs count as good" in done.err
    file = tmp_path / "plan.toml"
    assert otap_("plan", good, "-o", file).code == 0
    assert file.read_text("utf-8") == done.out
    assert otap_("score", good, "-r", file, "--fail-on", "critical").code == 0
    assert "exists already" in otap_("plan", good, "-o", file).err
    done = otap_("plan", "--bad", RUNS)
    assert (done.code, "no run is good" in done.err) == (2, True)


def test_drafts_of_several_tasks(otap_: Any, tmp_path: Path) -> None:
    """One file each, in a folder."""
    runs = tmp_path / "runs"
    runs.mkdir()
    for task in ("Book a flight!", "book A flight?"):
        step = {"id": "1", "tool": "book_flight", "arguments": {"to": task}}
        one = {"schema_version": "otap.trajectory/1", "task": task, "steps": [step]}
        (runs / f"{len(list(runs.iterdir()))}.json").write_text(json.dumps(one))
    done = otap_("plan", runs)
    assert (done.code, "-o FOLDER writes all plans" in done.err) == (2, True)
    assert otap_("plan", runs, "-o", tmp_path / "plans").code == 0
    names = sorted(file.name for file in (tmp_path / "plans").iterdir())
    assert names == ["Book-a-flight.toml", "book-A-flight-2.toml"]
    assert otap_("evaluate", runs, "-r", tmp_path / "plans", "--fail-under", "1").code == 0


def test_graph(otap_: Any) -> None:
    """Options and alternatives are drawn."""
    for form in ((), ("--mermaid",), ("--dot",), ("--json",)):
        done = otap_("graph", PLAN, *form)
        assert done.code == 0
        assert "0 to 2 times" in done.out
    assert "comes after verify" in otap_("graph", PLAN).out


def test_pages_show_the_plan(otap_: Any, tmp_path: Path) -> None:
    """Terminal, page, Markdown and JSON have the same words."""
    run, page, text = RUNS / "too-much.json", tmp_path / "p.html", tmp_path / "p.md"
    done = otap_("score", run, "-r", PLAN, "--html", page, "--markdown", text)
    for said in (done.out, page.read_text("utf-8"), text.read_text("utf-8")):
        assert "allowed: at most 60" in said
    found = json.loads(otap_("score", run, "-r", PLAN, "--json").out)
    assert "allowed: at most 60" in found["findings"][0]["sentence"]
    assert otap_("evaluate", RUNS, "-r", PLAN, "--fail-on", "critical").code == 1


@pytest.mark.parametrize("suffix", ["yaml", "json"])
def test_convert(otap_: Any, tmp_path: Path, suffix: str) -> None:
    """Of promptfoo, in YAML or JSON; what does not fit is told; modes of agentevals."""
    file = tmp_path / f"promptfooconfig.{suffix}"
    file.write_text(
        '{"prompts": [], "tests": [{"description": "refund", "assert": ['
        '{"type": "trajectory:tool-used", "value": "refund_payment"},'
        '{"type": "trajectory:goal-success", "value": "x"}]}]}'
    )
    plan = tmp_path / "plan.json"
    done = otap_("convert", file, "--plan", "-o", plan)
    assert done.code == 0
    assert done.err == "otap: a plan cannot express: refund: trajectory:goal-success\n"
    assert otap_("score", RUNS / "good-card.json", "-r", plan, "--fail-on", "critical").code == 0
    assert otap_("score", RUNS / "nothing.json", "-r", plan, "--fail-on", "critical").code == 1
    done = otap_("convert", RUNS / "good-card.json", "--plan", "--match", "superset")
    assert json.loads(done.out)["others"] == "free"
    assert "--match is one of strict" in otap_("convert", file, "--plan", "--match", "x").err
    assert "need" in otap_("convert", RUNS / "nothing.json", "--match", "strict").err
    assert "--plan" in otap_("convert", file).err


def test_yaml_that_is_refused(otap_: Any, tmp_path: Path) -> None:
    """Broken, too large, or with aliases of aliases."""
    file = tmp_path / "c.yaml"
    file.write_text("a: [")
    assert "cannot read it" in otap_("convert", file, "--plan").err
    levels = [f"a{k}: &a{k} [" + ", ".join([f"*a{k - 1}"] * 10) + "]" for k in range(1, 9)]
    file.write_text("\n".join(["a0: &a0 [x]", *levels]))
    refused = otap_("convert", file, "--plan").err
    assert "line 5: unfolds to more than 50,000 values by its aliases" in refused
    file.write_text("a: &a [*a]\n")
    assert "line 1: is nested deeper than 100 levels" in otap_("convert", file, "--plan").err
    file.write_text("? [1, 2]\n: 3\n")
    assert "unhashable key" in otap_("convert", file, "--plan").err
    file.write_text("a: " + "x" * (1 << 20))
    assert "is larger than 1,048,576 bytes" in otap_("convert", file, "--plan").err


def test_commands_that_take_runs_refuse_plans(otap_: Any) -> None:
    """In one line that says what to do."""
    for command in ("score", "select", "calibrate"):
        done = otap_(command, PLAN)
        assert done.code == 2
        assert "is a plan, not a run" in done.err


def test_a_refused_conversion_is_one_line(otap_: Any, tmp_path: Path) -> None:
    """Where a file has only checks that no plan can express, the line names the first one."""
    file = tmp_path / "promptfooconfig.yaml"
    file.write_text(
        '{"tests": [{"description": "refund", "assert": ['
        '{"type": "trajectory:goal-success", "value": "x"}, {"type": "odd", "value": 5}]}]}'
    )
    done = otap_("convert", file, "--plan", "-o", tmp_path / "plan.json")
    assert done.code == 2
    assert done.err.count("\n") == 1
    assert "such as refund: " in done.err

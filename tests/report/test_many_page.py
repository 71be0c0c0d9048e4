"""The page of many runs: what its rows say, what they open to, and what a hostile trace shows."""

import hashlib
import json
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from markupsafe import Markup

import otap
from nights import NAMES, evaluated, page_of, pieces_of, runs_file
from otap.evaluation import read_results
from otap.evaluation.comparison import compare
from otap.report.pages import many
from otap.report.pages.many import Packs
from otap.report.pages.overview import Base
from otap.report.redaction import Redactor
from result_lines import finding, line, unscored, write

HOSTILE = '</script><script>alert("x")</script><b onclick=x>\x1b[31m\u202e&amp;' + "long " * 9000


@pytest.fixture(scope="module")
def night(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four runs of one task."""
    folder = tmp_path_factory.mktemp("night")
    return evaluated(folder / "out.jsonl", runs_file(folder, *NAMES))


def rows_of(html: str) -> list[list[str]]:
    """The texts of the cells of each row."""
    table = html[html.index('<table id="rows"') :]
    table = table[table.index("<tbody>") : table.index("</tbody>")]
    return [
        [unescape(re.sub(r"<[^>]+>", "", cell)) for cell in re.findall(r"<t[dh].*?</t[dh]>", row)]
        for row in table.split("</tr>")[:-1]
    ]


def test_each_run_opens_to_its_steps(night: Path) -> None:
    """By the number of its line; the runs of a task open side by side."""
    made = page_of(night)
    pieces = pieces_of(made.html)
    assert (made.without_steps, made.left_out) == ({}, 0)
    assert set(pieces) == {"run-1", "run-2", "run-3", "run-4", "task-0"}
    assert "missing_book 1" in pieces["run-2"]
    assert rows_of(made.html)[0][5].startswith("book_room is missing")
    for number in range(1, 5):
        assert f'<a href="#run-{number}">' in made.html


def test_the_worst_comes_first(tmp_path: Path) -> None:
    """Without a score, then by severity, then by score."""
    bad: dict[str, Any] = {
        "severity": "critical",
        "findings": [finding("missing", "pay", sentence="pay!")],
    }
    bad["source"] = None
    lines = [
        line("good", 1.0, severity=None, findings=[], source=None),
        line("bad", 0.5, **bad),
        line("worse", 0.25, **bad),
        unscored("broken", message="no JSON at all"),
    ]
    rows = rows_of(page_of(write(tmp_path / "r.jsonl", lines)).html)
    assert [row[1] for row in rows] == ["broken", "worse", "bad", "good"]
    assert [row[3] for row in rows] == ["-", "0.250", "0.500", "1.000"]
    assert [row[4] for row in rows] == ["no score", "critical", "critical", "none"]
    assert [row[5] for row in rows] == ["no JSON at all", "pay!", "pay!", ""]


def test_what_was_found_is_counted_by_run(tmp_path: Path) -> None:
    """By kind and by tool; what is critical most often comes first."""
    two = [finding("missing", "pay"), finding("missing", "pay"), finding("tool", "find", "pay")]
    reads = [finding("invented", "look", severity="minor")]
    lines = [
        line("a", 0.5, severity="critical", findings=two),
        *(line("b", 0.9, k, severity="minor", findings=reads) for k in range(3)),
    ]
    html = page_of(write(tmp_path / "r.jsonl", lines)).html
    bars = re.findall(
        r'data-filter="(kind|tool)".*?class="word">(\w+).*?class="number">(\d+)', html, re.S
    )
    assert bars == [
        ("kind", "missing", "1"), ("kind", "other", "1"), ("kind", "extra", "3"),
        ("tool", "find", "1"), ("tool", "pay", "1"), ("tool", "look", "3"),
    ]  # fmt: skip
    assert "1 run</strong> has a critical finding" in html


def test_what_moved_against_a_base(tmp_path: Path) -> None:
    """The verdict, and the score of the same trial before."""
    base = write(tmp_path / "base.jsonl", [line(f"t{k}", 0.9, 0) for k in range(8)])
    new = write(tmp_path / "new.jsonl", [line(f"t{k}", 0.5 + k / 100, 0) for k in range(8)])
    before = Base(compare(base, new), list(read_results(base)))
    html = page_of(new, before).html
    assert '<strong class="critical">WORSE</strong>' in html
    assert rows_of(html)[0][3:6] == ["0.500", "0.900", "-0.400"]


def test_more_runs_than_a_page_has_rows(night: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The worst have rows, all are counted, and the page says so."""
    monkeypatch.setattr(many, "ROWS", 1)
    made = page_of(night)
    assert made.left_out == 3
    assert len(rows_of(made.html)) == 1
    assert "3 more runs are counted here but have no row below" in made.html


def test_a_run_whose_trace_is_gone_opens_to_its_result(night: Path, tmp_path: Path) -> None:
    """With one sentence that says why there are no steps."""
    moved = tmp_path / "moved.jsonl"
    moved.write_text(night.read_text("utf-8").replace("runs.jsonl", "gone.jsonl"), "utf-8")
    made = page_of(moved)
    assert made.without_steps == {"their traces are gone or have changed": 4}
    assert " 4 runs open without steps: their traces are gone or have changed." in made.html
    opened = pieces_of(made.html)["run-2"]
    assert "gone.jsonl: is not there any more" in opened
    assert "is missing from the run" in opened


def test_a_hostile_trace_is_text(tmp_path: Path) -> None:
    """Markup, escapes and long texts: in rows, in filters, and in what is packed."""
    steps = [{"id": HOSTILE[:200], "tool": HOSTILE, "arguments": {HOSTILE: HOSTILE}}]
    run = {
        "id": HOSTILE,
        "task": HOSTILE,
        "trial": HOSTILE,
        "steps": steps,
        "messages_to_user": [HOSTILE],
    }
    trajectory = otap.Trajectory.model_validate(run)
    path = tmp_path / "runs.jsonl"
    path.write_text(2 * (trajectory.to_json() + "\n"), "utf-8")
    gold = trajectory.model_copy(update={"steps": ()})
    html = page_of(evaluated(tmp_path / "out.jsonl", path, gold, embed=True)).html
    shown = html + "".join(pieces_of(html).values())
    assert "alert(&#34;x&#34;)" in shown
    for bad in ("<script>alert", "<b onclick", "\x1b", "\u202e"):
        assert bad not in shown
    assert shown.count("</script>") == shown.count("<script")


def test_what_is_hidden_is_nowhere(tmp_path: Path) -> None:
    """No value, text, name or path is left, in the rows or in what is packed."""
    results = evaluated(tmp_path / "canary-out.jsonl", canaries(tmp_path), secret(0), embed=True)
    lines = [*results.read_text("utf-8").splitlines(), failed_line(results)]
    results.write_text("\n".join(lines), "utf-8")
    open_page = page_of(results).html
    assert "canary" in (open_page + "".join(pieces_of(open_page).values())).casefold()
    before = Base(compare(results, results), list(read_results(results)))
    made = page_of(results, before, Redactor())
    pieces = pieces_of(made.html)
    assert made.without_steps == {}
    assert set(pieces) == {"run-1", "run-2", "task-0"}
    text = (made.html + "".join(pieces.values())).casefold()
    assert "canary" not in text
    assert hashlib.sha256((tmp_path / "canary-runs.jsonl").read_bytes()).hexdigest() not in text
    for kept in ("book_it", "room_kind", "text #1", "task #1"):
        assert kept in text


def canaries(folder: Path) -> Path:
    """Two runs that have a word of their own wherever there is room for a text."""
    path = folder / "canary-runs.jsonl"
    path.write_text("".join(secret(k).to_json() + "\n" for k in (1, 2)), "utf-8")
    return path


def secret(k: int) -> otap.Trajectory:
    """A run full of canaries; they differ by run, but for what flows."""
    flows = "canary-flowing-42X"
    first = {
        "id": f"canary-id-{k}", "tool": "book_it", "action": f"canary action {k}",
        "arguments": {"room_kind": f"canary {k} suite", "nested": {f"canary_key_{k}": [k, True]}},
        "effect": {f"canary_{k}": flows, "code": flows}, "state": {f"canary_state{k}": k * 1.5},
        "agent": f"canary agent {k}", "metadata": {"canary": "canary"}, "status": "ok",
    }  # fmt: skip
    second = {
        "id": f"canary-2-{k}", "tool": "pay_it", "arguments": {"code": flows, "canary key!": k},
        "effect": f"canary effect {k}", "substeps": [{"id": f"canary-sub{k}", "tool": "inner"}],
    }  # fmt: skip
    extra = [{"id": "canary-bad", "tool": "pay_it", "arguments": [f"canary{k}"], "status": "error"}]
    thinks = [{"id": "canary-think", "kind": "reasoning", "action": f"canary thought {k}"}]
    return otap.Trajectory.model_validate(
        {
            "id": f"canary run {k}", "task": "canary task", "trial": f"canary trial {k}",
            "request": [f"canary request {k}"], "messages_to_user": [f"canary told {k}"],
            "required_answers": ["canary answer"] if k == 0 else [],
            "steps": [first, second, *(extra if k else []), *thinks],
            "unread": {"unknown": {f"canary kind {k}": 1}}, "metadata": {"canary": "canary"},
        }
    )  # fmt: skip


def failed_line(results: Path) -> str:
    """A run of the same file that could not be read."""
    known = json.loads(results.read_text("utf-8").splitlines()[0])
    return json.dumps(
        {
            "schema_version": "otap.score/1", "id": "canary failed", "task": "canary other",
            "error": {"kind": "read", "message": "canary.json: line canary"},
            "signature": known["signature"],
        }
    )  # fmt: skip


def test_equal_texts_are_packed_once() -> None:
    """A pack has each tag and text once; a piece is found by its name."""
    packs = Packs()
    for k in range(50):
        packs.add(f"run-{k}", Markup("<p>the same</p>") * 40 + Markup(f"<b>{k}</b>"))
    packed = packs.close()
    assert len(packed) == 1
    assert len(packed[0]) < 3000
    assert (packs.pack_numbers["run-7"], "run-70" in packs.pack_numbers) == (0, False)

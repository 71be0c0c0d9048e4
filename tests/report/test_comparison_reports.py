"""A comparison as people and CI systems read it: text, Markdown, JUnit's XML."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from mermaid_lines import check_flowchart

from otap.evaluation.comparison import Comparison, compare
from otap.report.model.vocabulary import escape_markdown
from otap.report.results import comparison_junit, comparison_markdown, comparison_view
from otap.report.view import Terminal, plain
from result_lines import finding, line, unscored, write

HOSTILE = (
    "a|b`c`<img src=x>[x](http://e.x)\n# y @me #1 \x1b[31m\x00\ufffe\u202e ]]> & **d** www.e.x"
)


def made(folder: Path, fall: float, name: str = "t") -> Comparison:
    """Eight tasks that all fell by about so much, and one that rose."""
    sentence = "step 1 (pay) of the reference is missing"
    found = [finding("missing", "pay", sentence=f"{sentence} {name}")]
    base = [line(f"{name}{k}", 0.9 - 0.001 * k) for k in range(9)]
    new = [line(f"{name}{k}", 0.9 - fall - 0.002 * k, findings=found) for k in range(8)]
    new += [line(f"{name}8", 0.97), unscored("lost", message=name)]
    return compare(write(folder / "base.jsonl", base), write(folder / "new.jsonl", new))


def test_the_verdict_comes_first(tmp_path: Path) -> None:
    """Then how sure it is, both files, the measures, the tasks that moved and their findings."""
    text = plain(comparison_view(made(tmp_path, 0.4)))
    assert text.startswith("WORSE: the interval is below 0")
    order = ("BASE ", "no score: lost/0: t", "score ", "Tasks that moved: 9", "new: step 1 (pay)")
    places = [text.index(part) for part in order]
    assert places == sorted(places)
    assert re.search(r"critical +missing +pay +0 +8 +8 +0 +0\.016", text)


@pytest.mark.parametrize("tokens", [None, {"input": 10, "output": 5}])
def test_nothing_is_cut_at_80_columns(tmp_path: Path, tokens: dict[str, int] | None) -> None:
    """Each measure has its whole name and interval; a column without a number is left out."""
    base = [line(f"t{k}", 0.9 - 0.01 * k, tokens=tokens) for k in range(8)]
    new = [line(f"t{k}", 0.5 - 0.02 * k, tokens=tokens) for k in range(8)]
    found = compare(write(tmp_path / "a", base), write(tmp_path / "b", new))
    text = plain(comparison_view(found), Terminal(80))
    tables = text.partition("\nTasks that moved")[0]
    assert "\N{HORIZONTAL ELLIPSIS}" not in tables
    assert re.search(r"measure +BASE +NEW +difference +95 % interval +p +tasks", tables)
    assert re.search(r"\n  score +0\.865 +0\.430 +-0\.435 +-0\.\d+ to -0\.\d+ ", tables)
    assert ("tokens" in tables) == (tokens is not None)


def test_both_verdicts_are_shown_where_conditions_differ(tmp_path: Path) -> None:
    """With the tasks whose conditions differ, and without."""
    base = [line(f"t{k}", 0.9 - 0.01 * k) for k in range(8)]
    new = [line(f"t{k}", 0.5 - 0.02 * k) for k in range(8)]
    new[0]["conditions"]["order_scored"] = not base[0]["conditions"]["order_scored"]
    found = compare(write(tmp_path / "a", base), write(tmp_path / "b", new))
    told = "all 8 tasks: worse; the 7 with equal conditions: worse (-0.4"
    assert told in plain(comparison_view(found))
    assert "Conditions differ in 1 of 8 tasks" in comparison_markdown(found)


@pytest.mark.parametrize("fall", [0.4, 0.0])
def test_junit_is_red_only_for_a_regression(tmp_path: Path, fall: float) -> None:
    """A case of the verdict and one of each task that moved; failures only where it is worse."""
    root = ElementTree.fromstring(comparison_junit(made(tmp_path, fall)))
    (suite,) = root
    cases = suite.findall("testcase")
    worse = fall > 0
    assert (root.tag, suite.tag, cases[0].get("name")) == ("testsuites", "testsuite", "verdict")
    assert [case.get("name") for case in cases[1:]][-1] == "t8"
    assert len(cases) == (10 if worse else 2)
    failures = suite.findall("testcase/failure")
    assert len(failures) == (9 if worse else 0)
    assert [failure.get("type") for failure in failures[:2]] == (
        ["worse", "missing"] if worse else []
    )
    for element in (root, suite):
        counts = {name: element.get(name) for name in ("tests", "failures", "errors", "skipped")}
        skipped = len(suite.findall("testcase/skipped"))
        wanted = {"tests": len(cases), "failures": len(failures), "errors": 0, "skipped": skipped}
        assert counts == {name: str(count) for name, count in wanted.items()}


def test_junit_holds_what_its_schema_allows(tmp_path: Path) -> None:
    """The elements and attributes that Jenkins, GitLab and GitHub's reporters know, in order."""
    allowed = {
        "testsuites": {"name", "tests", "failures", "errors", "skipped", "time"},
        "testsuite": {"name", "tests", "failures", "errors", "skipped", "time"},
        "testcase": {"name", "classname", "time"},
        "failure": {"message", "type"},
        "skipped": {"message"},
        "system-out": set(),
    }
    text = comparison_junit(made(tmp_path, 0.4, HOSTILE))
    for element in ElementTree.fromstring(text).iter():
        assert set(element.attrib) <= allowed[element.tag]
    for case in ElementTree.fromstring(text).iter("testcase"):
        tags = [child.tag for child in case]
        assert tags == sorted(tags, key=("skipped", "failure", "system-out").index)


def test_nothing_of_a_trace_is_markup(tmp_path: Path) -> None:
    """Control characters are shown as escapes; no tag, link, mention or table cell is made."""
    found = made(tmp_path, 0.4, HOSTILE)
    markdown, xml = comparison_markdown(found), comparison_junit(found)
    for text in (markdown, xml, plain(comparison_view(found))):
        assert all(sign == "\n" or sign.isprintable() for sign in text)
        assert "x1b" in text
    around = markdown.replace(f"```mermaid\n{chart(markdown)}\n```", "")
    check_flowchart(chart(markdown))
    assert not any(sign in around for sign in ("<img", "](", "@me", " #1", "`", "://", "www."))
    rows = [row for row in markdown.splitlines() if row.startswith("| a")]
    assert rows
    assert {row.count("|") for row in rows} == {6}
    assert "<img" not in xml
    assert "]]>" not in xml


def test_text_as_it_was() -> None:
    """Plain words are not touched, and what is escaped reads the same."""
    assert escape_markdown("step 3 (pay): 1.50 - done!") == "step 3 (pay): 1.50 - done!"
    assert escape_markdown("a_b|c&d") == "a&#95;b&#124;c&amp;d"


def test_tasks_with_one_reason_meet_in_it(tmp_path: Path) -> None:
    """The flowchart has a node of each task that moved with a finding, and one of each reason."""
    lines = chart(comparison_markdown(made(tmp_path, 0.4))).splitlines()
    assert sum(line.endswith(":::task") for line in lines) == 9
    assert [line for line in lines if line.endswith(":::critical")] == [
        '  f0(["missing#58; pay<br/>critical"]):::critical',
        '  f1(["missing#58; book_room<br/>critical"]):::critical',
    ]
    assert sum('gone"| f1' in line for line in lines) == 1
    assert sum('new"| f0' in line for line in lines) == 8


def test_without_a_reason_there_is_no_flowchart(tmp_path: Path) -> None:
    """No task moved: both files are one."""
    file = write(tmp_path / "a.jsonl", [line(f"t{k}", 0.9) for k in range(8)])
    assert "mermaid" not in comparison_markdown(compare(file, file))


def chart(text: str) -> str:
    """The flowchart in it; there is one."""
    return text.split("```mermaid\n")[1].split("\n```")[0]

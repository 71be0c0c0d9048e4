"""``otap calibrate``: what it prints, draws and refuses."""

import json
from pathlib import Path

import pytest
from commands import Otap, in_a_process

import hotel
from result_lines import line, write

EXAMPLES = str(hotel.FOLDER / "runs")


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Twenty tasks, each with a good run at .8 or more and a bad one at .2."""
    lines = [line(f"t{k:02}", 0.8 + k / 1000, 0, outcome=1.0) for k in range(20)]
    lines += [line(f"t{k:02}", 0.2, 1, outcome=0.0) for k in range(20)]
    return str(write(tmp_path_factory.mktemp("made") / "results.jsonl", lines))


def traces(path: Path) -> str:
    """Two runs of each of nine tasks, good, and a bad one."""
    lines = []
    for task in range(9):
        for trial, ticket in enumerate((task, task, task + 90)):
            steps = [
                {"id": str(n), "tool": "get_ticket", "arguments": {"page": n}}
                for n in range(trial + 1)
            ]
            steps += [{"id": "c", "tool": "close_ticket", "arguments": {"id": f"T-{ticket:04}"}}]
            about = {"task": f"{task}", "trial": trial, "outcome": float(trial < 2)}
            lines.append(json.dumps({**about, "steps": steps}))
    path.write_text("\n".join(lines), "utf-8")
    return str(path)


def test_the_threshold_can_be_pasted(otap_: Otap, results: str) -> None:
    """The promise in a sentence, the command, and what is caught, with bars."""
    done = otap_("calibrate", results, "--on", "score")
    assert done.code == 0, done.err
    assert done.out.startswith("score 0.799999\n")
    assert (
        "at most 5 % of good runs of new tasks are below it, on average over calibrations"
        in done.out
    )
    assert "otap score RUN -r REF --fail-under 0.799999" in done.out
    assert "20 good runs of 20 tasks" in done.out and "100 %" in done.out
    assert "their scores are used" in done.err


def test_confidence_is_said(otap_: Otap, results: str) -> None:
    """Twenty tasks are fewer than the 45 that 90 % take: no threshold, and exit code 3."""
    done = otap_("calibrate", results, "--on", "score", "--confidence", "0.9")
    assert done.code == 3
    assert done.out.startswith("NO THRESHOLD: ")
    assert "45 independent tasks" in done.out and "25 are missing" in done.out
    loose = otap_(
        "calibrate", results, "--on", "score", "--confidence", "0.9", "--false-alarms", "0.12"
    )
    assert "in 90 % of calibrations" in loose.out


@pytest.mark.parametrize(("on", "gate"), [("severity", "--fail-on"), ("skill", "jq -e")])
def test_other_gates(otap_: Otap, results: str, on: str, gate: str) -> None:
    """Severity is gated by findings; skill has no option of score."""
    done = otap_("calibrate", results, "--on", on, "--false-alarms", "0.1")
    assert gate in done.out or "NO THRESHOLD" in done.out


def test_traces_are_scored(otap_: Otap, tmp_path: Path) -> None:
    """In JSON there is everything."""
    runs = traces(tmp_path / "runs.jsonl")
    done = otap_(
        "calibrate",
        runs,
        "--on",
        "score",
        "--false-alarms",
        "0.1",
        "--json",
        "--jobs",
        "1",
    )
    assert done.code == 0, done.err
    found = json.loads(done.out)
    assert found["threshold"] and found["tasks"] == 9


def test_bars_without_unicode(results: str) -> None:
    """A stream that has no blocks gets bars of ASCII."""
    done = in_a_process(
        "calibrate",
        results,
        "--on",
        "score",
        "--false-alarms",
        "0.1",
        PYTHONIOENCODING="ascii:strict",
    )
    assert done.code == 0, done.err
    assert "##########" in done.out and done.out.isascii()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "no runs are named"),
        (("{results}", "--false-alarms", "1.5"), "false alarms must be between 0 and 1"),
        (("{results}", "--confidence", "0"), "confidence must be between 0 and 1"),
        (("{results}", "-r", "gold.json"), "results of otap evaluate already have their scores"),
        (("{results}", "--preset", "paper"), "results of otap evaluate already have their scores"),
        (("{results}", EXAMPLES), "is a result file of otap evaluate, but other RUNS are traces"),
        ((EXAMPLES,), "no run has an outcome"),
        (("nowhere.json",), "no such file"),
    ],
)
def test_errors_are_one_line(
    otap_: Otap, results: str, options: tuple[str, ...], said: str
) -> None:
    """What is wrong, and how to mend it; exit code 2."""
    done = otap_("calibrate", *(one.format(results=results) for one in options))
    assert done.code == 2
    assert said in done.err.splitlines()[-1]

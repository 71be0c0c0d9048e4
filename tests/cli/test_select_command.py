"""``otap select``: what is shown and written, exit codes, errors."""

import json
from importlib.util import find_spec
from pathlib import Path

import pytest
from commands import Otap, assert_refused

import otap
from hotel import FOLDER

pytestmark = pytest.mark.skipif(find_spec("kmedoids") is None, reason="kmedoids is not installed")
RUNS = FOLDER / "runs"


def test_a_folder_of_references_is_read_back(otap_: Otap, tmp_path: Path) -> None:
    """One file a reference, by which runs can be scored; a second time nothing is written over."""
    gold = tmp_path / "gold"
    done = otap_("select", "--good", RUNS, "-k", 2, "-o", gold, "--jobs", 1)
    assert done.code == 0
    assert "mean loss of a run to its nearest reference" in done.out
    assert "1 task has one distinct good run, which is the reference" in done.out
    references = otap.read_references(gold)
    assert len(references) == len(list(gold.glob("*.json"))) == 3  # of two tasks, one of one run
    assert all("stands_for" in one.metadata["selection"] for one in references)
    assert otap_("score", RUNS / "same.json", "-r", gold).code == 0
    assert_refused(otap_("select", "--good", RUNS, "-o", gold), "otap: ", "exists already")


def test_json_and_lines(otap_: Otap, tmp_path: Path) -> None:
    """The record as JSON, and the references a line each."""
    gold = tmp_path / "gold.jsonl"
    done = otap_("select", "--good", RUNS, "-k", 1, "-o", gold, "--json", "--jobs", 1)
    found = json.loads(done.out)
    assert (found["schema_version"], found["good"]) == ("otap.selection/1", 9)
    assert len(gold.read_text("utf-8").splitlines()) == len(found["tasks"]) == 2


def test_runs_without_outcomes_are_refused(otap_: Otap) -> None:
    """Nobody says that they are good; the line says how to."""
    assert_refused(otap_("select", RUNS), "otap: ", "no run is known to be good")


def test_a_name_that_says_no_format_is_refused(otap_: Otap, tmp_path: Path) -> None:
    """References go to JSONL or to a folder."""
    assert_refused(otap_("select", "--good", RUNS, "-o", tmp_path / "gold.csv"), "otap: ", ".jsonl")

"""References that are named after tests: recorded, missing, refreshed, unused; trials together."""

import os
import shutil
from pathlib import Path

import pytest
from test_pytest_plugin import session

from otap.cli import main
from otap.integrations.recordings import name_recording

pytest_plugins = ["pytester"]
LONG = os.environ.get("OTAP_LONG") == "1"
TESTS = """
import json, os, pathlib, pytest

def make_run(amount, note="ok"):
    arguments = {"order": "A-12", "amount": amount}
    return [
        {"role": "user", "content": "refund order A-12"},
        {"role": "assistant", "tool_calls": [{"id": "1", "function": {
            "name": "get_order", "arguments": json.dumps({"order": "A-12"})}}]},
        {"role": "tool", "tool_call_id": "1", "content": "ok"},
        {"role": "assistant", "tool_calls": [{"id": "2", "function": {
            "name": "refund_payment", "arguments": json.dumps(arguments)}}]},
        {"role": "tool", "tool_call_id": "2", "content": note},
    ]

AMOUNT = float(os.environ.get("AMOUNT", "18.5"))

def test_refund(otap_score):
    otap_score(make_run(AMOUNT))

@pytest.mark.parametrize("region", ["eu/north", "eu north", "us"])
def test_region(otap_score, region):
    otap_score(make_run(18.5))
    otap_score(make_run(20))

class TestTrials:
    trials = 0

    @pytest.mark.otap(trials=3)
    def test_often(self, otap_score, tmp_path):
        TestTrials.trials += 1
        assert not (tmp_path / "mark").exists()
        (tmp_path / "mark").touch()
        flaky = "FLAKY" in os.environ and TestTrials.trials == 2
        otap_score(make_run(999 if flaky else 18.5))
"""


def list_files(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.*"))


def test_names_of_files_are_safe_and_differ() -> None:
    """Parameters can have any character, and file systems may ignore letter case."""
    ids = [f"tests/test_a.py::test_x[{text}]" for text in ("eu", "EU", "e/u", "e-u", "../..", "é")]
    ids += ["tests/test_a.py::test_x", "tests/test_a.py::TestX::test_x", f"t.py::{'x' * 300}"]
    names = [str(name_recording(node_id, 1)) for node_id in ids]
    assert len({name.lower() for name in names}) == len(ids)
    assert names[0] == "tests/test_a/test_x-eu"
    assert all(len(Path(name).name) <= 100 for name in names)
    assert not any(part.startswith(".") for name in names for part in name.split("/"))
    assert str(name_recording(ids[0], 2)) == "tests/test_a/test_x-eu.2"


@pytest.mark.parametrize("workers", [(), ("-n", "2")] if LONG else [("-n", "2")])
def test_record_check_accept(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, workers: tuple[str, ...]
) -> None:
    """Missing, recorded, green, red, accepted, and green again, in a process and in several."""
    module = "test_record_check_accept"
    missing = session(pytester, TESTS, *workers)
    missing.assert_outcomes(failed=5)
    command = f"*no reference of this test*pytest --otap-update {module}.py -k test_refund"
    missing.stdout.fnmatch_lines([command])
    assert not (pytester.path / "gold").exists()

    monkeypatch.setenv("CI", "true")
    session(pytester, TESTS, "--otap-update", *workers).assert_outcomes(failed=5)
    assert not (pytester.path / "gold").exists()

    monkeypatch.delenv("CI")
    recorded = session(pytester, TESTS, "--otap-update", *workers)
    recorded.assert_outcomes(passed=5)
    files = list_files(pytester.path / "gold" / module)
    assert len(files) == 8
    assert {"TestTrials.test_often.toml", "test_refund.json", "test_region-us.2.json"} < set(files)
    recorded.stdout.fnmatch_lines([f"otap: gold/{module}/test_refund.json: recorded from *"])
    assert "no test uses" not in recorded.stdout.str()

    monkeypatch.setenv("AMOUNT", "185")
    monkeypatch.setenv("FLAKY", "1")
    failed = session(pytester, TESTS, *workers)
    failed.assert_outcomes(passed=3, failed=2)
    failed.stdout.fnmatch_lines_random(
        [
            "BelowReferenceError: critical arguments * in 1 of 3: *amount is 999, allowed: 18.5",
            f"*to accept it: otap accept .otap/pytest/{module}/test_refund.jsonl:*",
        ]
    )
    (line,) = [
        line for line in failed.stdout.lines if f"accept .otap/pytest/{module}/test_refund" in line
    ]
    monkeypatch.chdir(pytester.path)
    with pytest.raises(SystemExit) as end:
        main([*line.split("otap ", 1)[1].split(), "--yes", "--why", "the price changed"])
    assert end.value.code == 0
    monkeypatch.delenv("FLAKY")
    session(pytester, TESTS, *workers).assert_outcomes(passed=5)


def test_refresh_and_unused(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only a reference that its run fails is replaced; a file without a test is reported."""
    folder = pytester.path / "gold" / "test_refresh_and_unused"
    session(pytester, TESTS, "--otap-update").assert_outcomes(passed=5)
    before = {name: (folder / name).read_bytes() for name in list_files(folder)}
    for name in ("test_gone.json", "test_refund.2.json"):
        (folder / name).write_bytes(before["test_refund.json"])
    (pytester.path / "gold" / "checkout.json").write_bytes(before["test_refund.json"])
    monkeypatch.setenv("AMOUNT", "20")
    result = session(pytester, TESTS, "--otap-update")
    result.assert_outcomes(passed=5)
    result.stdout.fnmatch_lines(
        [
            "otap: gold/*/test_refund.json: replaced, because *amount*is 20*instead of 18.5*",
            "otap: gold/*/test_gone.json: no test uses this reference; delete it",
            "otap: gold/*/test_refund.2.json: no test uses this reference; delete it",
        ]
    )
    assert "checkout.json" not in result.stdout.str()
    changed = [name for name in before if (folder / name).read_bytes() != before[name]]
    assert changed == ["test_refund.json"]
    selected = session(pytester, TESTS, "-k", "refund")
    assert "no test uses" not in selected.stdout.str()


def test_the_marker_and_the_options_of_the_project(pytester: pytest.Pytester) -> None:
    """The call comes before the marker, the marker before the project; wrong ones are one line."""
    pytester.makeini(
        "[pytest]\notap_references = recorded\notap_min_score = 0.99\notap_fail_on = minor\n"
    )
    tests = (
        TESTS.partition("AMOUNT =")[0]
        + """
GOLD = make_run(18.5)
pathlib.Path("good.json").write_text(json.dumps(GOLD))

def test_project(otap_score):
    otap_score(make_run(20), GOLD)

@pytest.mark.otap(min_score=0, fail_on="missing")
def test_marker(otap_score):
    otap_score(make_run(20), GOLD)

@pytest.mark.otap(min_score=0, fail_on="missing")
def test_call(otap_score):
    otap_score(make_run(20), GOLD, fail_on="arguments")

@pytest.mark.otap(reference="good.json")
def test_file(otap_score):
    otap_score(make_run(18.5))

@pytest.mark.otap(reference="nowhere/good.json")
def test_no_file(otap_score):
    otap_score(make_run(18.5))

@pytest.mark.otap(treshold=1)
def test_typo(otap_score):
    otap_score(make_run(18.5), GOLD)

@pytest.mark.otap(trials="many")
def test_number(otap_score):
    otap_score(make_run(18.5), GOLD)

def test_record(otap_score):
    otap_score(make_run(18.5))

def test_a_failed_test_records_nothing(otap_score):
    otap_score(make_run(18.5))
    assert False, "the answer is wrong"
"""
    )
    result = session(pytester, tests, "--otap-update")
    result.assert_outcomes(passed=3, failed=4, errors=2)
    result.stdout.fnmatch_lines_random(
        [
            "@pytest.mark.otap: unknown argument treshold; it has reference, min_score, *",
            "@pytest.mark.otap: trials must be a number from 1",
            "*NoReferenceError: nowhere/good.json: no reference; * otap record RUN -o nowhere",
        ]
    )
    assert [Path(name).name for name in list_files(pytester.path / "recorded")] == [
        "test_record.json"
    ]


def test_a_checkout_that_cannot_be_written(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tests pass and fail as elsewhere; a recording that cannot be written fails in one line.

    Files in the place of folders: the superuser can write in every folder.
    """
    session(pytester, TESTS, "--otap-update").assert_outcomes(passed=5)
    monkeypatch.setenv("AMOUNT", "185")
    (pytester.path / ".otap").touch()
    only = "-k", "test_refund or test_often"
    failed = session(pytester, TESTS, *only)
    failed.assert_outcomes(passed=1, failed=1, deselected=3)
    assert "otap accept" not in failed.stdout.str()
    shutil.rmtree(pytester.path / "gold")
    (pytester.path / "gold").touch()
    update = session(pytester, TESTS, "--otap-update", *only)
    update.assert_outcomes(failed=2, deselected=3)
    update.stdout.fnmatch_lines(["*ConfigError: *cannot make the folder*"])

"""The pytest plugin, in sessions of its own: what fails, what it says, and what it writes."""

import json
from pathlib import Path

import pytest

from otap.evaluation.results import read_results

pytest_plugins = ["pytester"]
HOTEL = Path(__file__).parents[2] / "examples" / "hotel-booking"
TESTS = f"""
import pytest
HOTEL = {str(HOTEL)!r}
GOLD = HOTEL + "/reference.json"

def test_good(otap_score):
    assert otap_score(HOTEL + "/runs/exchanged_filters.json", GOLD, min_score=1).score == 1

def test_low(otap_score):
    otap_score(HOTEL + "/runs/missing_book.json", GOLD, min_score=0.9)

def test_found(otap_score):
    otap_score(HOTEL + "/runs/wrong_tool.json", [GOLD], fail_on=["tool:currency*"])

def test_other_tool(otap_score):
    otap_score(HOTEL + "/runs/wrong_tool.json", GOLD, fail_on="tool:weather")
"""


def session(pytester: pytest.Pytester, tests: str, *options: str) -> pytest.RunResult:
    """Runs tests with the plugin, and no other that happens to be installed but xdist."""
    pytester.makepyfile(tests)
    pytester.plugins = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
        named = ("otap.integrations.pytest", "xdist")
        return pytester.runpytest_subprocess(*(f"-p{name}" for name in named), *options)


def test_the_message_is_the_score(pytester) -> None:
    """Why it failed comes first, then what a terminal shows; no frame of ours."""
    result = session(pytester, TESTS)
    result.assert_outcomes(passed=2, failed=2)
    result.stdout.fnmatch_lines(
        [
            "*BelowReferenceError: score 0.65* is below 0.9",
            "E  *missing_book* (5 steps) against *reference* (6 steps)",
            "E  *Why",
            "E *critical*book*missing*",
            "E  *Side by side",
            "*BelowReferenceError: --fail-on tool:currency[*]: critical tool:*",
        ]
    )
    assert "integrations/pytest.py" not in result.stdout.str()


@pytest.mark.parametrize("workers", [(), ("-n", "2")])
def test_the_report_is_a_result_file(pytester, workers) -> None:
    """Of all tests, also those that failed; the same bytes from one process and from several."""
    session(pytester, TESTS, "--otap-report", "out.jsonl", *workers)
    lines = (pytester.path / "out.jsonl").read_text("utf-8").splitlines()
    assert [json.loads(line)["id"].split("/")[1] for line in lines] == [
        "wrong_tool", "exchanged_filters", "missing_book", "wrong_tool",
    ]  # fmt: skip
    assert len(list(read_results(pytester.path / "out.jsonl"))) == 4


def test_a_run_without_task_goes_by_its_test(pytester) -> None:
    """So that two reports can be compared."""
    run = {"steps": [{"id": "1", "tool": "go", "arguments": {"id": "W1"}}]}
    (pytester.path / "run.json").write_text(json.dumps(run))
    tests = "def test_one(otap_score):\n    otap_score('run.json', 'run.json', min_score=1)\n"
    session(pytester, tests, "--otap-report", "out.jsonl").assert_outcomes(passed=1)
    task = json.loads((pytester.path / "out.jsonl").read_text("utf-8"))["task"]
    assert task.endswith(".py::test_one")


def test_what_cannot_be_decided_is_no_pass(pytester) -> None:
    """A run of which nothing was understood fails a test that asks for something."""
    run = {"messages": [{"role": "assistant", "content": [{"type": "unheard_of"}]}]}
    (pytester.path / "run.json").write_text(json.dumps(run))
    tests = (
        f"def test_one(otap_score):\n    otap_score('run.json', {str(HOTEL / 'reference.json')!r},"
        " min_score=0)\n"
    )
    result = session(pytester, tests)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*BelowReferenceError: inconclusive: nothing was understood*"])


def test_errors_are_one_line(pytester) -> None:
    """A file that is not there, a finding that does not exist."""
    tests = """
def test_missing(otap_score):
    otap_score("nowhere.json", "nowhere.json")

def test_unknown(otap_score):
    otap_score("nowhere.json", "nowhere.json", fail_on="missin")
"""
    result = session(pytester, tests)
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(["*FormatError: nowhere.json*", "*ConfigError: --fail-on knows*"])


def test_a_report_that_cannot_be_written(pytester) -> None:
    """Its folder is missed before any test is run; what only shows at the end loses no result."""
    result = session(pytester, TESTS, "--otap-report", "no/folder/out.jsonl")
    result.stderr.fnmatch_lines(["ERROR: --otap-report: no folder no/folder; make it first"])
    pytester.mkdir("taken")
    result = session(pytester, "def test_nothing(): pass", "--otap-report", "taken")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["--otap-report: cannot write taken (*"])
    assert result.ret == pytest.ExitCode.USAGE_ERROR


def test_settings_are_those_of_the_project(pytester) -> None:
    """As for the command: otap.toml where pytest is run; a fixture of the user's comes first."""
    (pytester.path / "otap.toml").write_text('preset = "paper"\nencoder = "wordllama"\n')
    tests = f"""
import otap, pytest
HOTEL = {str(HOTEL)!r}

class TestOther:
    @pytest.fixture(scope="session")
    def otap_scorer(self):
        return otap.Scorer()

    def test_mine(self, otap_score):
        found = otap_score(HOTEL + "/reference.json", HOTEL + "/reference.json")
        assert found.signature.preset == "default"

def test_file(otap_score):
    found = otap_score(HOTEL + "/reference.json", HOTEL + "/reference.json")
    assert found.signature.preset == "paper"
"""
    session(pytester, tests).assert_outcomes(passed=2)

"""Two nights of runs of six frameworks, with ids that are new each night: every command on them.

tests/data/frameworks.zip was made by examples/frameworks/produce.py; where the frameworks are
installed, they make both nights anew.
"""

import json
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest

import otap
from otap.integrations.pytest import BelowReferenceError
from otap.tasks import name_task

ROOT = Path(__file__).parents[2]
NAMES = ("openai-agents", "pydantic-ai", "langgraph", "google-adk", "smolagents", "strands")
PACKAGES = ("agents", "pydantic_ai", "langgraph", "google.adk", "smolagents", "strands")
# What went wrong in the second night, by a word of the request, or the case that a run says.
FINDINGS = {
    "refund": ("arguments", "refund_payment"),
    "address": ("missing", "change_address"),
    "table": ("repeated", "book_table"),
    "arrival": None,
}
WORDS = {
    "refund": "refund", "street": "address", "address": "address", "table": "table",
    "arrive": "arrival",
}  # fmt: skip


def _are_installed() -> bool:
    try:
        return all(map(find_spec, PACKAGES))
    except ModuleNotFoundError:
        return False


@pytest.fixture(scope="module", params=["recorded", "made anew"])
def nights(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of both nights."""
    folder = tmp_path_factory.mktemp("nights")
    if request.param == "recorded":
        with zipfile.ZipFile(ROOT / "tests" / "data" / "frameworks.zip") as archive:
            archive.extractall(folder)
    elif not _are_installed():
        pytest.skip(f"needs {', '.join(PACKAGES)}: examples/frameworks/produce.py")
    else:
        script = ROOT / "examples" / "frameworks" / "produce.py"
        subprocess.run([sys.executable, script, folder], check=True, capture_output=True)
    return folder


def case_of(task: str) -> str:
    """The task that a name is of: the case itself, or what was asked for."""
    found = [case for word, case in WORDS.items() if word in task]
    return task if task in FINDINGS else found[0]


def results(path: str) -> dict[str, Mapping[str, Any]]:
    """The results of a file by their case; one each."""
    lines = [json.loads(line) for line in Path(path).read_text("utf-8").splitlines()]
    found = {case_of(line["task"]): line for line in lines}
    assert len(found) == len(lines) == len(FINDINGS)
    return found


@pytest.mark.parametrize("name", NAMES)
def test_a_framework(nights: Path, name: str, otap_: Any) -> None:
    """No run is judged by another task's reference, each that goes wrong is found, nights pair."""
    before, after = nights / "night1" / name, nights / "night2" / name
    assert otap_("select", "--good", before, "-o", "gold").code == 0
    done = otap_("evaluate", before, "-r", "gold", "-o", "1", "--fail-on", "critical")
    assert done.code == 0
    assert all(line["score"] == 1 for line in results("1").values())
    done = otap_("evaluate", after, "-r", "gold", "-o", "2", "--fail-on", "critical")
    assert done.code == 1
    good = results("1")
    for case, line in results("2").items():
        wanted, kinds = FINDINGS[case], [(f["kind"], f["tools"]) for f in line["findings"]]
        assert line["reference_sources"] == good[case]["reference_sources"]
        if wanted is None:
            assert line["score"] == 1
        else:
            assert line["severity"] == "critical"
            assert (wanted[0], [wanted[1]]) in kinds
    assert "Tasks that moved: 3" in otap_("compare", "1", "2").out
    assert otap_("report", "2", "--base", "1", "-o", "page.html").code == 0
    assert "3 tasks moved" in Path("page.html").read_text("utf-8")


@pytest.mark.filterwarnings("ignore")  # which frameworks give of themselves
@pytest.mark.parametrize("name", NAMES)
def test_what_a_framework_holds(name: str, tmp_path: Path) -> None:
    """Is read as the file that is made of it."""
    if not _are_installed():
        pytest.skip(f"needs {', '.join(PACKAGES)}: examples/frameworks/produce.py")
    script = ROOT / "examples" / "frameworks" / "produce.py"
    spec = spec_from_file_location("produce", script)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    for task, (calls, answer) in module.WRONG.items():
        live, text = module.FRAMEWORKS[name](task, calls, answer)
        file = tmp_path / ("a.jsonl" if name in ("openai-agents", "strands") else "a.json")
        file.write_text(text)
        one, other = otap.parse(live), otap.read(file)
        read = [
            [(s.tool, s.arguments, s.effect, s.status == "error") for s in run.steps]
            for run in (one, other)
        ]
        assert read[0] == read[1]
        assert other.messages_to_user in (None, one.messages_to_user)
        assert otap.score(live, other).score == 1


@pytest.mark.parametrize("name", NAMES)
def test_outcomes_and_the_fixture(nights: Path, name: str, otap_: Any, otap_score: Any) -> None:
    """Runs are named by their files in a table of outcomes; pytest finds the right reference."""
    before, after = nights / "night1" / name, nights / "night2" / name
    gold = [run for file in sorted(before.iterdir()) for run in otap.read_all(file)]
    rows = ["id,outcome"]
    for file in sorted(after.iterdir()):
        run = otap.read(file)
        wanted = FINDINGS[case_of(name_task(run) or "")]
        rows.append(f"{file.name},{'good' if wanted is None else 'bad'}")
        if wanted is None:
            assert otap_score(run, gold, fail_on="critical").score == 1
        else:
            with pytest.raises(BelowReferenceError, match=wanted[1]):
                otap_score(run, gold, fail_on="critical")
    Path("how.csv").write_text("\n".join(rows))
    done = otap_("calibrate", after, "--outcomes", "how.csv", "-r", before, "--jobs", "1")
    assert "--fail-on critical: it stops 0 % of the good runs and catches 100 %" in done.out

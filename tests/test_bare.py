"""scripts/bare: the newcomer's commands come from the pages, and a wrong end stops the script."""

import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def bare() -> ModuleType:
    """The script as a module."""
    spec = importlib.util.spec_from_file_location("bare", ROOT / "scripts" / "bare.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["bare"] = module
    spec.loader.exec_module(module)
    return module


def test_a_newcomer_goes_from_nothing_to_a_green_check(bare: ModuleType) -> None:
    """A score, a page, a red check, an accepted difference, a green check, in this order."""
    steps = [(step.command, step.code) for step in bare.plan_steps(None)]
    parts = ["-m venv", "pip install .", "otap score mine", "--html", "otap check", "otap accept"]
    first = [next(i for i, (command, _) in enumerate(steps) if part in command) for part in parts]
    assert first == sorted(first)
    checks = [code for command, code in steps if "otap check" in command]
    assert (1 in checks, checks[-1]) == (True, 0)


def test_nothing_of_this_machine_is_there(
    bare: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """But what a network needs."""
    monkeypatch.setenv("OTAP_CORE", "numpy")
    monkeypatch.setenv("PIP_INDEX_URL", "https://index.example.org/simple")
    variables = bare.environment_of(tmp_path, has_compiler=False)
    assert variables["PIP_INDEX_URL"] == "https://index.example.org/simple"
    assert (variables["HOME"], variables["PATH"]) == (str(tmp_path), "/usr/bin:/bin")
    assert not {"OTAP_CORE", "VIRTUAL_ENV", "PYTHONPATH"} & variables.keys()


def test_a_step_that_ends_otherwise_than_its_page_says(bare: ModuleType, tmp_path: Path) -> None:
    """Ends the script, with what the step said."""
    steps = [bare.Step("fails as it should", "exit 1", 1), bare.Step("fails", "echo why; exit 3")]
    times = bare.follow(steps, dict(os.environ), tmp_path)
    assert next(times).clock >= 0
    with pytest.raises(SystemExit, match=r"ended with 3, not with 0.*\nwhy"):
        next(times)

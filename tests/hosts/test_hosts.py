"""Hosts that every change is tried with; scripts/hosts tries the others."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]


@pytest.mark.parametrize(
    ("host", "module"), [("langgraph", "langgraph"), ("opentelemetry", "opentelemetry.sdk")]
)
def test_objects_of_a_host_are_read_as_its_file(host: str, module: str) -> None:
    """A good run scores 1, a wrong write is critical, and an object that is no run is refused."""
    pytest.importorskip(module)
    environment = {**os.environ, "PYTHONPATH": str(TESTS)}
    command = [sys.executable, "-W", "ignore", "-m", "hosts.check", host]
    process = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stderr
    assert process.stdout.startswith("| ")


def test_a_recipe_runs_in_its_host() -> None:
    """Good, missing, wrong and unreadable runs are told apart in the host's own terms."""
    pytest.importorskip("opentelemetry.sdk")
    environment = {**os.environ, "PYTHONPATH": str(TESTS)}
    command = [sys.executable, "-W", "ignore", "-m", "hosts.recipes", "opentelemetry"]
    process = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stderr
    assert process.stdout.startswith("| [OpenTelemetry](#opentelemetry) | ")


def test_the_page_has_a_row_for_each_recipe() -> None:
    """scripts/hosts prints the rows of docs/hosts.md."""
    page = (TESTS.parent / "docs" / "hosts.md").read_text("utf-8")
    titles = [
        re.findall(r'^TITLE = "(.*)"$', path.read_text("utf-8"), re.M)[0]
        for path in (TESTS / "hosts").glob("*_recipe.py")
    ]
    assert len(titles) >= 10
    assert [title for title in titles if f"\n| [{title}](#" not in page] == []
    assert [title for title in titles if f"\n## {title}\n" not in page] == []

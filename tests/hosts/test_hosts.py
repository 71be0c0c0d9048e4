"""Hosts that every change is tried with; scripts/hosts tries the others."""

import os
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

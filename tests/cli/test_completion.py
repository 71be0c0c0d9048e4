"""Completion in a shell, as typer installs it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")


def bash(script: str, **variables: str) -> str:
    """The output of a script, with otap on the path."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", script], env={**os.environ, "PATH": path, **variables}, check=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    return done.stdout


def test_the_installed_completion_completes(tmp_path: Path) -> None:
    """Commands and options, in a shell that reads its new start file."""
    installed = bash("otap --install-completion; true", HOME=str(tmp_path))
    assert installed.startswith("bash completion installed in ")
    complete = 'source "$HOME/.bashrc"; COMP_CWORD=$((${#COMP_WORDS[@]} - 1));'
    complete += ' _otap_completion otap; echo "${COMPREPLY[@]}"'
    home = str(tmp_path)
    assert bash(f"COMP_WORDS=(otap ch); {complete}", HOME=home).split() == ["check"]
    options = bash(f"COMP_WORDS=(otap check --fail); {complete}", HOME=home).split()
    assert sorted(options) == ["--fail-on", "--fail-under"]

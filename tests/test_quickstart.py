"""docs/quickstart.md: its code runs with real frameworks, and its commands on what the code saves.

tests/data/quickstart.zip was made by examples/frameworks/quickstart.py; where a framework is
installed, the code of the page makes its traces anew.
"""

import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from test_documentation import EXIT, ROOT, assert_in_order, blocks_of, commands, environment

SCRIPTS = ROOT / "examples" / "frameworks"
SECTIONS = dict(
    section.split("\n", 1)
    for section in (ROOT / "docs" / "quickstart.md").read_text("utf-8").split("\n## ")
)
COMMON = SECTIONS["# Save a trace"]


def load_frameworks() -> Mapping[str, tuple[str, str, Callable[..., Any]]]:
    """The frameworks of the script: title, package, and what its code starts from."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(SCRIPTS))
        import quickstart  # type: ignore[import-not-found]

        frameworks: Mapping[str, tuple[str, str, Callable[..., Any]]] = quickstart.FRAMEWORKS
        return frameworks


FRAMEWORKS = load_frameworks()


def is_installed(package: str) -> bool:
    """Whether a package is installed; a folder of tests with its name is none."""
    try:
        spec = find_spec(package)
    except ModuleNotFoundError:
        return False
    return spec is not None and "site-packages" in str(spec.origin)


def extract(name: str, folder: Path) -> Path:
    """The saved traces of a framework."""
    with zipfile.ZipFile(ROOT / "tests" / "data" / "quickstart.zip") as archive:
        archive.extractall(folder)
    return folder / name


def shell(command: str, folder: Path, **variables: str) -> "subprocess.CompletedProcess[str]":
    """Runs a command as a reader of the page does."""
    return subprocess.run(
        command, shell=True, cwd=folder, env={**environment(folder), **variables}, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
    )  # fmt: skip


def check_commands(section: str, folder: Path) -> None:
    """Each command of a section ends as it says, and prints the lines that are shown."""
    found = [pair for block in blocks_of(section, "console") for pair in commands(block)]
    assert found
    for command, shown in found:
        done = shell(command, folder)
        codes = [int(code) for line in shown for code in EXIT.findall(line)]
        assert done.returncode == (codes[0] if codes else 0), f"{command}\n{done.stdout}"
        assert "not understood" not in done.stdout
        assert_in_order([line for line in shown if not EXIT.match(line)], done.stdout)


def test_every_framework_has_a_section() -> None:
    """And an entry in the list at the top."""
    titles = [title for title, *_ in FRAMEWORKS.values()]
    assert [title for title in SECTIONS if title in titles] == titles
    assert all(f"[{title}](#{title.lower().replace(' ', '-')})" in COMMON for title in titles)


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_the_command_on_saved_traces(name: str, tmp_path: Path) -> None:
    """Prints what the page shows."""
    check_commands(SECTIONS[FRAMEWORKS[name][0]], extract(name, tmp_path))


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_the_code_and_the_command(name: str, tmp_path: Path) -> None:
    """The code of the page saves a trace that the command scores."""
    title, package, _ = FRAMEWORKS[name]
    if not is_installed(package):
        pytest.skip(f"needs {package}: examples/frameworks/quickstart.py")
    script = SCRIPTS / "quickstart.py"
    subprocess.run([sys.executable, script, tmp_path, name], check=True, capture_output=True)
    check_commands(SECTIONS[title], tmp_path / name)


def test_the_first_lines(tmp_path: Path) -> None:
    """All but the first, which installs OTAP, run here."""
    folder = extract("openai-agents", tmp_path)
    check_commands(COMMON, folder)
    [block] = blocks_of(COMMON, "sh")
    install, *lines = block.splitlines()
    assert install.startswith("pip install . ")
    done = shell("\n".join(lines), folder)
    assert done.returncode == 0
    assert "No differences found." in done.stdout


def test_the_newest_session_of_claude_code(tmp_path: Path) -> None:
    """Is copied, and no session of a sub-agent."""
    saved, sessions = extract("claude-code", tmp_path), tmp_path / ".claude" / "projects" / "-work"
    (sessions / "s" / "subagents").mkdir(parents=True)
    for name in ("s.jsonl", "s/subagents/agent-1.jsonl"):
        shutil.copy(saved / "good.jsonl", sessions / name)
    [block] = blocks_of(SECTIONS["Claude Code"], "sh")
    assert shell(block, tmp_path, HOME=str(tmp_path)).returncode == 0
    assert (tmp_path / "mine.jsonl").read_bytes() == (saved / "good.jsonl").read_bytes()

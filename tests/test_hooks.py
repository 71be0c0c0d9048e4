"""The hook of pre-commit: its command, on the files that it selects."""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
(HOOK,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))


def run_hook(folder: Path) -> "subprocess.CompletedProcess[str]":
    """Runs the command of the hook on the files of a folder that it selects."""
    names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))
    selected = [name for name in names if re.search(HOOK["files"], name)]
    program, *words = shlex.split(HOOK["entry"])
    command = [str(Path(sys.executable).parent / program), *words, *selected]
    return subprocess.run(
        command, cwd=folder, check=False, text=True, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A recorded run, a plan in a folder of its own, and a settings file beside them."""
    (tmp_path / "gold" / "shop").mkdir(parents=True)
    shutil.copy(ROOT / "examples" / "refund" / "good.json", tmp_path / "gold" / "good.json")
    shutil.copy(ROOT / "examples" / "plans" / "refund.toml", tmp_path / "gold" / "shop")
    (tmp_path / "otap.toml").write_text("strict = true\n", "utf-8")
    return tmp_path


def test_valid_references_pass(folder: Path) -> None:
    """The settings are no reference, and the hook does not read them."""
    done = run_hook(folder)
    assert (done.returncode, "otap.toml" in done.stdout) == (0, False)


@pytest.mark.parametrize(
    ("name", "old", "new", "reason"),
    [
        ("gold/shop/refund.toml", "need = ", "ned = ", "ned"),
        ("gold/good.json", "{", "", "good.json"),
    ],
)
def test_an_invalid_reference_fails(
    folder: Path, name: str, old: str, new: str, reason: str
) -> None:
    """With a line that says which file, and why."""
    file = folder / name
    text = file.read_text("utf-8")
    assert old in text
    file.write_text(text.replace(old, new, 1), "utf-8")
    done = run_hook(folder)
    assert done.returncode != 0
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("otap: ")]
    assert name in line
    assert reason in line

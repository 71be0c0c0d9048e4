"""No command prints what a CI system would run as a command, whatever a trace or a name holds."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from otap.cli.output import escaped

SIGNS = "::error::a ##[b]c ##vso[d]e ###[f :::g"
COMMAND = re.compile(r"##\w*\[|::")
STEP = {"id": SIGNS, "tool": SIGNS, "arguments": {SIGNS: SIGNS, "n": SIGNS}, "effect": SIGNS}


def write_run(path: Path, *steps: dict[str, Any], outcome: float = 1.0) -> Path:
    """Writes a run with the signs in each of its texts."""
    fields = {"id": f"{SIGNS} {path.stem}", "task": SIGNS, "request": [SIGNS]}
    run = {"schema_version": "otap.trajectory/1", **fields, "steps": steps, "outcome": outcome}
    path.write_text(json.dumps(run))
    return path


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """A run, and a reference with other arguments and one more step."""
    other = {**STEP, "arguments": {SIGNS: f"{SIGNS}x"}}
    run = write_run(tmp_path / "run.json", STEP)
    return run, write_run(tmp_path / "ref.json", other, {"id": "2", "tool": f"delete_{SIGNS}"})


COMMANDS: list[tuple[Any, ...]] = [
    ("score", "{run}", "-r", "{ref}"),
    ("score", "{run}", "-r", "{ref}", "--explain"),
    ("score", "{run}", "-r", "{ref}", "--json"),
    ("score", "{run}", "-r", "{ref}", "--run", SIGNS + "nowhere"),
    ("evaluate", "{run}", "-r", "{ref}"),
    ("evaluate", "{run}", "-r", "{ref}", "--json"),
    ("formats", "{run}"),
    ("formats", SIGNS),
    ("graph", "{run}"),
    ("graph", "{run}", "--json"),
    ("convert", "{run}"),
    ("convert", "{run}", "--plan"),
    ("plan", "{run}"),
    ("record", "{run}"),
    ("check", "{run}", "-r", "{ref}"),
    ("select", "{run}", "{ref}"),
    ("select", "{run}", "{ref}", "--json"),
    (SIGNS,),
    ("score", SIGNS, "-r", SIGNS),
]


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: " ".join(words)[:40])
def test_no_command_reaches_a_log(words: Any, files: tuple[Path, Path], otap_: Any) -> None:
    """On standard output and standard error, anywhere in a line; JSON keeps its data."""
    run, reference = files
    done = otap_(*(word.format(run=run, ref=reference) for word in words))
    assert not COMMAND.search(done.out + done.err)
    if "--json" in words or (words[:2] == ("convert", "{run}") and len(words) == 2):
        assert SIGNS in json.dumps(json.loads(done.out), ensure_ascii=False)


@pytest.mark.parametrize("option", ["--mermaid", "--dot", "--markdown"])
def test_documents(option: str, files: tuple[Path, Path], otap_: Any) -> None:
    """Colons in the middle of a line may belong to the language of a drawing."""
    run, reference = files
    words = ("score", run, "-r", reference, option, "-")
    out = otap_(*(words if option == "--markdown" else ("graph", run, option))).out
    assert out
    assert not re.search(r"##\w*\[|(?m:^\s*::)", out)


def test_json_keeps_its_data() -> None:
    """Whatever stands next to the signs."""
    for text in (SIGNS, "\\##[", "a:::::b", "####vso[", '":":', "\\\\::"):
        safe = escaped(json.dumps({text: [text]}))
        assert json.loads(safe) == {text: [text]}
        assert not COMMAND.search(safe)

"""Private values are not copied into references and plans, unless that is asked for."""

from pathlib import Path
from typing import Any

import pytest

from otap.trajectory import parse_trajectory

SECRET = "planted-Pa55word"


@pytest.mark.parametrize("command", ["plan", "select"])
def test_commands(command: str, tmp_path: Path, otap_: Any) -> None:
    """A command says how many values it copies, and which it replaces."""
    arguments = {"to": "Oslo", "password": SECRET}
    step = {"id": "1", "tool": "create_booking", "arguments": arguments, "effect": "ok"}
    path = tmp_path / "run.json"
    path.write_text(parse_trajectory({"id": "r", "steps": [step]}).to_json())
    output = tmp_path / ("plan.toml" if command == "plan" else "references.jsonl")
    for options, is_hidden in (([], True), (["--no-redaction"], False)):
        output.unlink(missing_ok=True)
        good = [path] if command == "plan" else ["--good", path]
        done = otap_(command, *good, "-o", output, *options)
        assert done.code == 0
        assert ("3 values are copied; 1 private ones are replaced" in done.err) is is_hidden
        assert ("arguments.password of" in done.err) is is_hidden
        assert (SECRET in output.read_text()) is not is_hidden
        assert "Oslo" in output.read_text()
        assert otap_("score", path, "-r", output, "--fail-on", "major").code == 0

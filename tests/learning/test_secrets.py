"""What looks like a secret is not copied into references and plans, unless that is asked for."""

import json
from pathlib import Path
from typing import Any

import pytest

from otap.cli import main
from otap.learning.secrets import REDACTED, Redaction
from otap.trajectory import Trajectory, parse_trajectory

SECRETS = [
    "sk-proj-" + "a1B2" * 6,
    "ghp_" + "a1B2c3" * 6,
    "AKIA" + "ABCD1234" * 2,
    "eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0.SflKxwRJSMeKKF2QT4",
    "Bearer " + "abc123DEF456" * 2,
    "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----",
    "4111 1111 1111 1111",
]
HARMLESS = ["#W2378156", "2024-05-16T10:00:00", "sk-8", "1715850000000000", "basic economy seats"]


def run(arguments: dict[str, Any], effect: Any = "ok") -> Trajectory:
    """Returns a run of one call."""
    step = {"id": "1", "tool": "create_booking", "arguments": arguments, "effect": effect}
    return parse_trajectory({"id": "r", "steps": [step]})


@pytest.mark.parametrize("secret", SECRETS)
def test_forms_of_secrets(secret: str) -> None:
    """A token, a key or a card is replaced inside any text; the words around it stay."""
    redaction = Redaction()
    hidden = redaction.hide(run({"note": f"use {secret} now"}, {"log": [f"with {secret}"]}))
    assert hidden.steps[0].arguments == {"note": f"use {REDACTED} now"}
    assert hidden.steps[0].effect == {"log": [f"with {REDACTED}"]}
    assert dict(redaction.secrets) == {"arguments.note": 1, "effect.log": 1}
    assert "2 that look like secrets" in redaction.describe()


def test_keys_of_secrets() -> None:
    """However a key is written, also in JSON inside a text; null says nothing."""
    content = {"Api-Key": "x", "nested": [{"user_password": "y", "password": "z"}], "pin": None}
    hidden = Redaction().hide(run(content, json.dumps({"access_token": "q"})))
    nested = [{"user_password": "y", "password": REDACTED}]
    assert hidden.steps[0].arguments == {"Api-Key": REDACTED, "nested": nested, "pin": None}
    assert hidden.steps[0].effect == {"access_token": REDACTED}


def test_other_values_stay() -> None:
    """Ids, times and numbers; the run is equal."""
    recorded = run({"values": HARMLESS, "number": 4111}, json.dumps({"id": HARMLESS}))
    redaction = Redaction()
    assert redaction.hide(recorded) == recorded
    assert "none looks like a secret" in redaction.describe()


@pytest.mark.parametrize("command", ["plan", "select"])
def test_commands(command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A command says how many values it copies, and hides secrets unless asked for them."""
    path = tmp_path / "run.json"
    path.write_text(run({"to": "Oslo", "password": "planted-password"}).to_json())
    output = tmp_path / ("plan.toml" if command == "plan" else "references.jsonl")
    for options, is_hidden in (([], True), (["--with-secrets"], False)):
        output.unlink(missing_ok=True)
        good = [str(path)] if command == "plan" else ["--good", str(path)]
        with pytest.raises(SystemExit) as end:
            main([command, *good, "-o", str(output), *options])
        assert not end.value.code
        err = capsys.readouterr().err
        assert ("values of the runs are copied" in err) is is_hidden
        assert ("arguments.password (1)" in err) is is_hidden
        assert ("planted-password" in output.read_text()) is not is_hidden
        assert "Oslo" in output.read_text()
    if command == "plan":
        return
    assert REDACTED not in output.read_text()

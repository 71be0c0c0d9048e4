"""promptfoo calls an assertion in Python; the program comes from npm."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from hosts.recipes import CASES, NO_RUN, PAGE, Result, messages_of

PACKAGES = ()
NPM = ("promptfoo",)
TITLE = "promptfoo"


def release() -> str:
    """The release of the program."""
    command = [os.environ["OTAP_PROMPTFOO"], "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return f"promptfoo {done.stdout.split()[-1]}"


def results(recipe: Any) -> dict[str, Result]:
    """The results of an evaluation with a provider that echoes the run."""
    del recipe
    section = PAGE.read_text("utf-8").partition(f"## {TITLE}")[2]
    assertion = "file://recipe.py"
    assert f'assert: [{{type: python, value: "{assertion}"}}]' in section
    tests = [
        {
            "description": name,
            "vars": {
                "run": json.dumps(messages_of(calls)) if calls else NO_RUN,
                "reference": "gold/refund.json",
            },
            "assert": [{"type": "python", "value": assertion}],
        }
        for name, calls in CASES.items()
    ]
    config = {"providers": ["echo"], "prompts": ["{{run | safe}}"], "tests": tests}
    Path("promptfooconfig.json").write_text(json.dumps(config))
    offline = {
        "PROMPTFOO_DISABLE_TELEMETRY": "1",
        "PROMPTFOO_DISABLE_UPDATE": "1",
        "PROMPTFOO_DISABLE_REMOTE_GENERATION": "1",
        "PROMPTFOO_CONFIG_DIR": str(Path.cwd()),
        "PROMPTFOO_PYTHON": sys.executable,
        "PROMPTFOO_DISABLE_TEMPLATE_ENV_VARS": "1",
    }
    program = os.environ["OTAP_PROMPTFOO"]
    command = [program, "eval", "-c", "promptfooconfig.json", "-o", "out.json", "--no-cache"]
    done = subprocess.run(
        command, env={**os.environ, **offline}, capture_output=True, text=True, check=False
    )
    assert Path("out.json").exists(), done.stdout + done.stderr
    found = {}
    for row in json.loads(Path("out.json").read_text())["results"]["results"]:
        [component] = row["gradingResult"]["componentResults"]
        name = row["testCase"]["description"]
        assert component["pass"] == (name == "good")
        is_error = name == "unreadable"
        found[name] = Result(None if is_error else component["score"], component["reason"])
    return found

"""The workflows of GitHub: what they call is there and pinned, and they hold no secret."""

import os
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[1]
FILES = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
PINS = sorted((ROOT / ".github" / "pins").glob("*.txt"))
WORKFLOWS: dict[str, Any] = {path.stem: yaml.safe_load(path.read_text("utf-8")) for path in FILES}
PINNED = re.compile(r"uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$")


def steps(workflow: str) -> Iterator[dict[str, Any]]:
    """The steps of all jobs of a workflow."""
    for job in WORKFLOWS[workflow]["jobs"].values():
        yield from job["steps"]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_actions_are_pinned_and_no_secret_is_named(path: Path) -> None:
    """Each action stands with a commit and its version."""
    text = path.read_text("utf-8")
    uses = [line.strip(" -") for line in text.splitlines() if "uses:" in line]
    assert [line for line in uses if not PINNED.match(line)] == []
    assert "secrets." not in text


@pytest.mark.parametrize("workflow", WORKFLOWS)
def test_only_two_jobs_may_more_than_read(workflow: str) -> None:
    """The publishing job proves who it is; the one after it writes the page of the release."""
    assert WORKFLOWS[workflow]["permissions"] == {"contents": "read"}
    more = {
        name: job["permissions"]
        for name, job in WORKFLOWS[workflow]["jobs"].items()
        if "permissions" in job
    }
    publishing = {"publish": {"id-token": "write"}, "release": {"contents": "write"}}
    assert more == (publishing if workflow == "wheels" else {})


def test_only_a_tag_publishes() -> None:
    """After the wheels were tried, and a person approved."""
    jobs = WORKFLOWS["wheels"]["jobs"]
    assert jobs["publish"]["if"] == "github.ref_type == 'tag'"
    assert (jobs["publish"]["needs"], jobs["release"]["needs"]) == ("try", "publish")
    assert jobs["publish"]["environment"] == "pypi"


@pytest.mark.parametrize("workflow", WORKFLOWS)
def test_scripts_of_a_workflow_are_there(workflow: str) -> None:
    """And can be run."""
    lines = "\n".join(step.get("run", "") for step in steps(workflow)).splitlines()
    called = {word for line in lines for word in line.split() if word.startswith("scripts/")}
    assert called
    assert [name for name in called if not os.access(ROOT / name, os.X_OK)] == []


@pytest.mark.skipif(not (ROOT / ".ci").exists(), reason="the sdist has no .ci")
def test_pull_requests_get_what_ci_runs() -> None:
    """Each script of .ci/run is a part of the workflow."""
    run = (ROOT / ".ci" / "run").read_text("utf-8")
    called = {word for word in shlex.split(run, comments=True) if word.startswith("scripts/")}
    text = (ROOT / ".github" / "workflows" / "ci.yml").read_text("utf-8")
    assert [name for name in called if name not in text] == []


@pytest.mark.parametrize("path", PINS, ids=lambda path: path.stem)
def test_build_tools_are_pinned_with_hashes(path: Path) -> None:
    """Each requirement of the list is there in one version, with its hashes."""
    text = path.read_text("utf-8")
    blocks = re.split(r"^(?=[a-z])", text, flags=re.MULTILINE)[1:]
    assert [
        block for block in blocks if not re.match(r"[\w-]+==\S+ .*?\\\n    --hash=", block)
    ] == []
    listed = path.with_suffix(".in").read_text("utf-8").splitlines()
    names = {block.partition("==")[0] for block in blocks}
    assert {name for name in listed if name and not name.startswith("#")} <= names

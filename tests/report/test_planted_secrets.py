"""A hundred secrets in a run, in references, plans, names and ids: redaction hides them all."""

import json
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from otap.cli import main


class Secrets:
    """Makes secrets, each with a number of its own."""

    def __init__(self) -> None:
        self._numbers = count(1)
        self.made: list[str] = []

    def make(self) -> str:
        """Returns a new secret."""
        self.made.append(f"planted{next(self._numbers):04d}secret")
        return self.made[-1]

    def step(self, tool: str, key: str = "") -> dict[str, Any]:
        """Returns a call with a secret in each field that may hold one."""
        content = {
            "action": self.make(),
            "effect": {self.make(): [self.make()]},
            "state": {self.make(): self.make()},
            "metadata": {"note": self.make()},
        }
        arguments = {"card": self.make(), "inner": {self.make(): [self.make(), 1]}}
        return {"id": key or self.make(), "tool": tool, "arguments": arguments, **content}

    def run(self, *steps: dict[str, Any]) -> dict[str, Any]:
        """Returns a run with a secret in each of its texts."""
        return {
            "schema_version": "otap.trajectory/1",
            "id": self.make(),
            "task": self.make(),
            "trial": self.make(),
            "request": [self.make()],
            "messages_to_user": [self.make()],
            "steps": list(steps),
            "metadata": {"note": self.make()},
        }

    def plan(self) -> dict[str, Any]:
        """Returns a plan with secrets as allowed values, answers and ids."""
        first, last = self.make(), self.make()
        arguments: dict[str, Any] = {
            "card": {"one_of": [self.make(), self.make()]},
            "inner": {"any": True},
            "to": self.make(),
        }
        return {
            "schema_version": "otap.plan/1",
            "id": self.make(),
            "task": self.make(),
            "request": [self.make()],
            "required_answers": [self.make()],
            "steps": [
                {"id": first, "tool": "create_booking", "arguments": arguments},
                {"id": last, "tool": "delete_user", "after": [first], "arguments": {}},
                {"tool": "refund", "need": "forbidden", "arguments": {"to": self.make()}},
            ],
            "metadata": {"note": self.make()},
        }


@pytest.fixture
def planted(tmp_path: Path) -> Iterator[tuple[Secrets, Path, list[Path]]]:
    """A run, and a plan and a reference that differ from it, in files with secret names."""
    secrets = Secrets()
    sub = secrets.step("look_up")
    run_data = secrets.run(
        secrets.step("create_booking"), {**secrets.step("delete_user"), "substeps": [sub]},
        secrets.step("refund"), {**secrets.step("extra"), "agent": secrets.make()},
    )  # fmt: skip
    gold_data = secrets.run(secrets.step("create_booking"), secrets.step("delete_user"))
    gold_data["task"] = run_data["task"]
    run = tmp_path / f"{secrets.make()}.json"
    run.write_text(json.dumps(run_data))
    references = [tmp_path / f"{secrets.make()}.json" for _ in range(2)]
    plan_data = {**secrets.plan(), "task": run_data["task"]}
    references[0].write_text(json.dumps(plan_data))
    gold_data["required_answers"] = [secrets.make()]
    references[1].write_text(json.dumps(gold_data))
    assert len(secrets.made) >= 80
    yield secrets, run, references


@pytest.mark.parametrize("chosen", [[0], [1], [0, 1]])
def test_nothing_planted_is_left(
    chosen: list[int], planted: Any, otap_command: Any, tmp_path: Path
) -> None:
    """In pages, in Markdown, in JSON and on the terminal."""
    secrets, run, references = planted
    words = [word for k in chosen for word in ("-r", str(references[k]))]
    page, text = tmp_path / "page.html", tmp_path / "text.md"
    files = ("--html", str(page), "--markdown", str(text))
    for options in (files, ("--json",), ("--explain",)):
        out = otap_command("score", str(run), *words, "--redact", *options)
        shown = out + "".join(file.read_text() for file in (page, text) if file.exists())
        assert [secret for secret in secrets.made if secret in shown] == []


def test_the_page_of_many_runs(planted: Any, otap_command: Any, tmp_path: Path) -> None:
    """Against a plan and a reference, with the runs inside."""
    secrets, run, references = planted
    results, page = tmp_path / "results.jsonl", tmp_path / "page.html"
    words = [word for path in references for word in ("-r", str(path))]
    otap_command("evaluate", str(run), *words, "-o", str(results), "--embed")
    otap_command("report", str(results), "-o", str(page), "--redact")
    shown = page.read_text()
    assert [secret for secret in secrets.made if secret in shown] == []


@pytest.fixture
def otap_command(capsys: pytest.CaptureFixture[str]) -> Any:
    """Runs a command in this process and returns what it printed."""

    def run(*words: str) -> str:
        capsys.readouterr()
        with pytest.raises(SystemExit):
            main(list(words))
        out, err = capsys.readouterr()
        return out + err

    return run

"""The GitHub Action: its steps are run here as a runner runs them, but for what GitHub does."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
import yaml

import hotel

ROOT = Path(__file__).parents[1]
ACTION: Mapping[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
STEPS = ACTION["runs"]["steps"]
EXPRESSION = re.compile(r"\$\{\{ ([\w.-]+) \}\}")
TASKS = 8
LONG = os.environ.get("OTAP_LONG") == "1"
FALLEN = ("missing_book", "wrong_tool", "unrelated")
pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")


@dataclass(frozen=True)
class Job:
    """What a run of the action left behind."""

    code: int
    log: str
    summary: str
    artifact: list[str]


@dataclass
class Runner:
    """What an action meets of GitHub's runner: variables, conditions, files that steps write."""

    workspace: Path
    context: Mapping[str, str] = field(default_factory=dict)

    def run(self, **inputs: str) -> Job:
        """Runs all steps in bash, in order, until one fails; - in an input is _ here."""
        given = {name.replace("_", "-"): value for name, value in inputs.items()}
        assert given.keys() <= ACTION["inputs"].keys()
        values = {f"inputs.{name}": str(one.get("default", "")) for name, one in _inputs()}
        values |= {f"inputs.{name}": value for name, value in given.items()}
        values["github.action_path"] = str(ROOT)
        values |= self.context
        summary, log, code, artifact = self.workspace.parent / "summary.md", "", 0, ""
        summary.write_text("", "utf-8")
        for step in STEPS:
            if code or not _wanted(step.get("if"), values):
                continue
            if "uses" in step:
                artifact = _filled(step["with"]["path"], values)
                continue
            code, said = self._step(step, values, summary)
            log += said
        names = [name for name in artifact.splitlines() if (self.workspace / name).exists()]
        return Job(code, log, summary.read_text("utf-8"), names)

    def _step(self, step: Any, values: dict[str, str], summary: Path) -> tuple[int, str]:
        script, output = (self.workspace.parent / name for name in ("step.sh", "output"))
        script.write_text(step["run"], "utf-8")
        output.write_text("", "utf-8")
        files = {"GITHUB_STEP_SUMMARY": str(summary), "GITHUB_OUTPUT": str(output)}
        env = {name: _filled(text, values) for name, text in step["env"].items()}
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)],
            cwd=self.workspace, env={**os.environ, **files, **env, "PATH": path}, check=False,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
        for line in output.read_text("utf-8").splitlines():
            name, _, value = line.partition("=")
            values[f"steps.{step['id']}.outputs.{name}"] = value
        return done.returncode, done.stdout


def _inputs() -> list[tuple[str, Any]]:
    return list(ACTION["inputs"].items())


def _filled(text: str, values: Mapping[str, str]) -> str:
    """A text with its expressions; what a step that was left out would have given is empty."""
    return EXPRESSION.sub(lambda found: values.get(found[1], ""), text)


def _wanted(condition: str | None, values: Mapping[str, str]) -> bool:
    if condition is None:
        return True
    name, is_not, other = condition.split(" ")
    assert (is_not, other) == ("!=", "''")
    return values[name] != ""


def commands(log: str) -> list[str]:
    """The lines that a runner obeys: it stops where it is told to, until it sees the word again."""
    obeyed, token = [], None
    for line in map(str.strip, log.splitlines()):
        if token is None and line.startswith("::stop-commands::"):
            token = line.removeprefix("::stop-commands::")
        elif token is not None and line == f"::{token}::":
            token = None
        elif token is None and (line.startswith("::") or "##[" in line):
            obeyed.append(line)
    return obeyed


def error(text: str) -> str:
    """The line by which the last step says why the job fails."""
    return f"::error title=OTAP::{text}"


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    """A workspace with eight tasks: references, good runs, and runs that fell."""
    workspace = tmp_path / "work space"
    (workspace / "good").mkdir(parents=True)
    (workspace / "bad").mkdir()
    gold = []
    for number in range(TASKS):
        name = f"task {number}"
        gold.append(_of_task(hotel.REFERENCE, name))
        good = "same" if number % 2 else "paraphrased"
        bad = FALLEN[number % len(FALLEN)]
        for folder, run in (("good", good), ("bad", bad)):
            made = _of_task(hotel.run_file(run), name)
            (workspace / folder / f"{name}.json").write_text(made, "utf-8")
    (workspace / "gold.jsonl").write_text("\n".join(gold), "utf-8")
    return Runner(workspace)


def _of_task(file: Path, task: str) -> str:
    return json.dumps({**json.loads(file.read_text("utf-8")), "task": task})


def test_inputs_reach_scripts_as_variables() -> None:
    """No script has an expression, so none can be ended by what an input says; all are used."""
    scripts = [step["run"] for step in STEPS if "run" in step]
    assert len(scripts) == 6
    assert not any("${{" in script for script in scripts)
    assert all(step["shell"] == "bash" for step in STEPS if "run" in step)
    used = set(EXPRESSION.findall(json.dumps(STEPS))) | {"inputs.baseline"}
    assert {f"inputs.{name}" for name in ACTION["inputs"]} <= used


def test_it_installs_what_it_is_told_to(tmp_path: Path) -> None:
    """In an environment of its own, of which the job gets the command alone; here pip is played."""
    fake = tmp_path / "bin" / "python3"
    fake.parent.mkdir()
    fake.write_text(
        '#!/bin/sh\nmkdir -p "$3/bin"\n'
        'printf \'#!/bin/sh\\necho "$@" >>"$LOG"\\n\' | tee "$3/bin/pip" >"$3/bin/otap"\n'
        'chmod +x "$3/bin/pip" "$3/bin/otap"\n'
    )
    fake.chmod(0o755)
    env = {
        "PATH": f"{fake.parent}{os.pathsep}/usr/bin{os.pathsep}/bin", "PACKAGE": "otap[x]; reboot",
        "RUNNER_TEMP": str(tmp_path / "a b"), "GITHUB_PATH": str(tmp_path / "path"),
        "LOG": str(tmp_path / "log"), "OWN": "/action",
    }  # fmt: skip
    script = STEPS[0]["run"]
    subprocess.run(["bash", "-eo", "pipefail", "-c", script], env=env, check=True)
    assert (tmp_path / "path").read_text() == f"{tmp_path / 'a b' / 'otap-bin'}\n"
    said = (tmp_path / "log").read_text().splitlines()
    assert said == ["install --quiet -- otap[x]; reboot", "--version"]


def test_green(runner: Runner) -> None:
    """The results are kept, the summary shows them, and the job goes on."""
    job = runner.run(runs="good", references="gold.jsonl", fail_on="critical", fail_under="0.9")
    assert (job.code, commands(job.log)) == (0, [])
    assert job.artifact == [
        f"otap-results/{name}" for name in ("results.jsonl", "summary.md", "report.html")
    ]
    assert job.summary.startswith("### OTAP: 8 runs: 8 scored, 0 failed")


def test_red_by_the_gate(runner: Runner) -> None:
    """What is to blame is in the summary, and everything is kept before the job fails."""
    job = runner.run(
        runs="bad/task 0.json\n\nbad/task 1.json\n", references="gold.jsonl",
        fail_on="missing:book_*\r\nminor\n", fail_under="0.9", output="out/of it", args="--jobs=1",
    )  # fmt: skip
    assert (job.code, commands(job.log)) == (1, [error("the gate failed")])
    assert [Path(name).name for name in job.artifact][:2] == ["results.jsonl", "summary.md"]
    assert job.artifact[2] == "out/of it/report.html"
    assert job.summary.startswith("### OTAP: 2 runs: 2 scored")
    assert "\n- the mean score 0.70" in job.summary
    assert "--fail-on missing:book&#95;&#42;: 1 missing finding in 1 of 2 runs\n" in job.summary
    assert "--fail-on minor: " in job.summary


def test_against_a_baseline(runner: Runner) -> None:
    """Equal is green, worse is red, too few to tell is as the caller wants it."""
    given = {"references": "gold.jsonl", "args": "--jobs=1"}
    runner.run(runs="good", output="before", **given)
    given["baseline"] = "before/results.jsonl"
    same = runner.run(runs="good", output="same", tolerance="0.01", **given)
    assert (same.code, commands(same.log)) == (0, [])
    assert "### OTAP: equal" in same.summary
    worse = runner.run(runs="bad", output="worse", **given)
    assert (worse.code, commands(worse.log)) == (1, [error("worse than the baseline")])
    assert [Path(name).name for name in worse.artifact] == [
        "results.jsonl", "summary.md", "comparison.md", "junit.xml", "report.html",
    ]  # fmt: skip
    assert worse.summary.index("### OTAP: 8 runs") < worse.summary.index("### OTAP: worse")
    few = runner.run(runs="bad/task 0.json", output="few", **given)
    assert (few.code, commands(few.log)[0][:24]) == (3, error("not enough")[:24])
    if LONG:
        passed = runner.run(runs="bad/task 0.json", output="few", inconclusive="pass", **given)
        assert (passed.code, commands(passed.log)[0][:9]) == (0, "::warning")


def test_runs_that_cannot_be_read(runner: Runner) -> None:
    """Red, by a code of its own, with the reason in the summary."""
    (runner.workspace / "bad" / "task 0.json").write_text("{", "utf-8")
    job = runner.run(runs="bad", references="gold.jsonl", args="--jobs=1")
    assert job.code == 3
    assert commands(job.log) == [error("some runs have no score, or one that is not final")]
    assert "\n- read: bad/task 0.json: " in job.summary


@pytest.mark.parametrize(
    "inputs",
    [
        {"runs": "none"},
        {"runs": "good", "args": "--no-such"},
        {"runs": "good", "baseline": "none.jsonl"},
        {"runs": "good", "fail_under": "high"},
    ],
)
def test_wrong_inputs(runner: Runner, inputs: Mapping[str, str]) -> None:
    """Red, with the line in the log that says what is wrong."""
    job = runner.run(references="gold.jsonl", **inputs)
    assert job.code == 2
    assert len(commands(job.log)) == 1
    assert "otap: " in job.log
    if "baseline" not in inputs:
        assert job.summary.startswith("### OTAP: nothing was scored\n\n    ")
        assert "otap: " in job.summary


EVIL = "$(touch pwned) `touch pwned` ; touch pwned # \" ' && touch pwned | *"


def test_inputs_are_never_obeyed(
    runner: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not by the shell, and not as options: each line is one word, a value or a name."""
    log = tmp_path / "log"
    fake = tmp_path / "bin" / "otap"
    fake.parent.mkdir()
    fake.write_text(f"#!/bin/sh\nprintf '%s\\n' \"$@\" >>'{log}'\n")
    fake.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(fake))
    runner.run(
        runs=f"{EVIL}\n--output=x\n-o y", references=f"--output=x\n{EVIL}", fail_under=EVIL,
        fail_on=f"-o\n{EVIL}", output=f"-{EVIL}", args="--jobs=1", tolerance=EVIL, baseline="-h",
    )  # fmt: skip
    out = f"=-{EVIL}"
    assert log.read_text().splitlines() == [
        "--version",
        "evaluate", "--jobs=1", "--reference=--output=x", f"--reference={EVIL}",
        f"--fail-under={EVIL}", "--fail-on=-o", f"--fail-on={EVIL}",
        f"--output{out}/results.jsonl", f"--markdown{out}/summary.md",
        "--", EVIL, "--output=x", "-o y",
        "compare", f"--markdown{out}/comparison.md", f"--junit{out}/junit.xml",
        f"--tolerance={EVIL}", "--", "-h", f"-{EVIL}/results.jsonl",
        "report", f"--output{out}/report.html", "--base=-h", "--", f"-{EVIL}/results.jsonl",
    ]  # fmt: skip
    assert not list(runner.workspace.rglob("pwned"))


def test_traces_are_never_obeyed(runner: Runner) -> None:
    """A runner obeys lines of the log: none that a trace wrote."""
    hostile = "::error::pwned"
    for task in (hostile, "##[add-mask]x", "<img src=x> | ## x"):
        made = _of_task(hotel.run_file("missing_book"), task)
        with (runner.workspace / "gold.jsonl").open("a") as file:
            file.write(f"\n{_of_task(hotel.REFERENCE, task)}")
        (runner.workspace / "bad" / f"{len(task)}.json").write_text(made, "utf-8")
    job = runner.run(runs="bad", references="gold.jsonl", args="--jobs=1")
    assert "\n: :error" in job.log
    assert "\n# #[add-mask]x" in job.log
    assert (job.code, commands(job.log)) == (0, [])
    assert "<img" not in job.summary


@dataclass
class GitHub:
    """The comments of a pull request, as GitHub's interface serves them."""

    comments: list[dict[str, Any]] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    status: int = 200


@pytest.fixture
def github(monkeypatch: pytest.MonkeyPatch, runner: Runner) -> Iterator[GitHub]:
    """A server with the requests of comments, and the runner of a pull request there."""
    github = GitHub()

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            size = int(self.headers.get("Content-Length") or 0)
            content = json.loads(self.rfile.read(size) or "{}")
            github.requests.append(f"{self.command} {self.path}")
            answer: Any = []
            if self.command == "GET" and self.path.endswith("&page=1"):
                answer = github.comments
            elif self.command == "POST" and github.status == 200:
                user = {"type": "Bot"}
                github.comments.append({"id": len(github.comments), "user": user, **content})
            elif self.command == "PATCH":
                github.comments[int(self.path.rpartition("/")[2])].update(content)
            self.send_response(github.status)
            self.end_headers()
            self.wfile.write(json.dumps(answer).encode())

        do_GET = do_POST = do_PATCH = answer  # noqa: N815

        def log_message(self, format: str, *args: object) -> None:
            """Prints nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever)
    thread.start()
    monkeypatch.setenv("GITHUB_API_URL", f"http://127.0.0.1:{server.server_port}")
    monkeypatch.setenv("GITHUB_REPOSITORY", "shop/agent")
    runner.context = {"github.event.pull_request.number": "7", "github.token": "secret"}
    yield github
    server.shutdown()
    thread.join()
    server.server_close()


def test_the_comment_of_a_pull_request(runner: Runner, github: GitHub) -> None:
    """One comment, which the next job updates; that of a person is left alone."""
    marker = "<!-- otap: otap-results -->"
    github.comments.append({"id": 0, "user": {"type": "User"}, "body": f"{marker}\nhello"})
    given = {"references": "gold.jsonl", "comment": "true", "args": "--jobs=1"}
    red = runner.run(runs="bad", fail_on="critical", **given)
    assert (red.code, commands(red.log)) == (1, [error("the gate failed")])
    body = github.comments[1]["body"]
    assert body.startswith(f"{marker}\n## OTAP: failed\n")
    assert "step book (book&#95;room) of the reference is missing" in body
    assert "- to accept it: otap accept otap-results/results.jsonl:" in body
    green = runner.run(runs="good", fail_on="critical", output="new", **given)
    assert green.code == 0
    assert len(github.comments) == 2
    assert github.comments[1]["body"].startswith(f"{marker}\n## OTAP: passed\n")
    assert github.comments[0]["body"] == f"{marker}\nhello"
    assert github.requests[1].startswith("POST /repos/shop/agent/issues/7/comments")
    assert github.requests[3].startswith("PATCH /repos/shop/agent/issues/comments/1")


def test_a_comment_that_cannot_be_written(runner: Runner, github: GitHub) -> None:
    """Is a warning, as in pull requests of forks; a job without a pull request has none."""
    github.status = 403
    given = {"runs": "good/task 0.json", "references": "gold.jsonl", "comment": "true"}
    denied = runner.run(**given)
    assert denied.code == 0
    (warning,) = commands(denied.log)
    assert "403" in warning
    assert "pull-requests: write" in warning
    runner.context = {"github.event.pull_request.number": ""}
    assert "no pull request" in runner.run(**{**given, "output": "push"}).log
    assert len(github.requests) == 1

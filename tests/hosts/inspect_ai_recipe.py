"""Inspect AI: an evaluation with a scripted solver, and ``inspect score`` on its log."""

import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import inspect_ai
from inspect_ai.dataset import Sample
from inspect_ai.log import read_eval_log
from inspect_ai.model import (
    ChatMessageAssistant,
    ChatMessageTool,
    ChatMessageUser,
    ModelOutput,
    get_model,
)
from inspect_ai.solver import solver
from inspect_ai.tool import ToolCall, ToolCallError

import otap
from hosts.recipes import CASES, ERROR, Result
from hosts.scenario import ANSWER, REQUEST

PACKAGES = ("inspect-ai",)
TITLE = "Inspect AI"


@solver
def act() -> Any:
    """A solver that does a case without asking its model."""

    async def solve(state: Any, generate: Any) -> Any:
        del generate
        messages: list[Any] = [ChatMessageUser(content=REQUEST)]
        for call in CASES[state.metadata["case"]] or ():
            request = ToolCall(id=call.id, function=call.tool, arguments=call.arguments)
            error = ToolCallError("unknown", ERROR) if call.result is None else None
            messages += [
                ChatMessageAssistant(content="", tool_calls=[request]),
                ChatMessageTool(
                    content=call.result or "", tool_call_id=call.id, function=call.tool, error=error
                ),
            ]
        state.messages = [*messages, ChatMessageAssistant(content=ANSWER)]
        if CASES[state.metadata["case"]] is None:
            state.messages = []
        state.output = ModelOutput.from_content("none", ANSWER)
        return state

    return solve


def _results(log: Any) -> dict[str, Result]:
    scores = {sample.metadata["case"]: next(iter(sample.scores.values())) for sample in log.samples}
    return {
        name: Result(None if math.isnan(value.value) else value.value, value.explanation)
        for name, value in scores.items()
    }


def results(recipe: Any) -> dict[str, Result]:
    """The results of an evaluation, of its log scored anew, and of the command."""
    samples = [Sample(input=REQUEST, metadata={"case": name}) for name in CASES]
    task = inspect_ai.Task(dataset=samples, solver=act(), scorer=recipe.otap_scorer())
    model = get_model("mockllm/model")
    [log] = inspect_ai.eval(task, model=model, log_dir="logs", display="none", log_format="json")
    assert log.status == "success", log.error
    found = _results(log)
    metrics = {name: metric.value for name, metric in log.results.scores[0].metrics.items()}
    scored = [result.score for result in found.values() if result.score is not None]
    assert math.isclose(metrics["mean"], sum(scored) / 3), metrics  # without the unscored run
    assert _results(inspect_ai.score(log, recipe.otap_scorer(), action="overwrite")) == found
    [path] = Path("logs").glob("*.json")
    for run, (name, result) in zip(otap.read_all(path), found.items(), strict=True):
        if CASES[name]:  # the messages and the log of a sample are the same run
            assert recipe.judge(run).score == result.score, name
    command = [
        str(Path(sys.executable).with_name("inspect")), "score", str(path), "--scorer", "otap/otap",
        "-S", "references=gold", "--overwrite", "--action", "overwrite", "--display", "none",
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr + done.stdout
    assert _results(read_eval_log(str(path))) == found
    return found

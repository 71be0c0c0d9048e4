"""Asks one installed tool about every case: ask.py TOOL, the verdicts of its modes as JSON.

It runs inside the tool's own environment, so it imports nothing of this project. A function below
asks one tool about one case, by the interface that the tool documents, and returns for each mode
whether the run passes; the first mode is the tool's default. A mode names no tool of the cases, but
for those that end in BY_HAND, which leave out the arguments that the case calls free.
"""

import asyncio
import json
import subprocess
import sys
import tempfile
import tomllib
from datetime import UTC, datetime, timedelta
from itertools import product
from pathlib import Path
from typing import Any

CASES = tomllib.loads(Path(__file__).with_name("cases.toml").read_text("utf-8"))["case"]
Case = dict[str, Any]
Verdicts = dict[str, bool]
START = datetime(2026, 1, 1, tzinfo=UTC)
BY_HAND = ", by hand"
SHARES = (1.0, 0.9, 0.8, 0.7, 0.6, 0.5)  # thresholds of a score from 0 to 1


def otap(case: Case) -> Verdicts:
    """`otap score run.json -r gold.json --fail-on critical`: its exit code, nothing configured."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("gold", "run"):
            Path(folder, f"{name}.json").write_text(json.dumps(messages(case, name)), "utf-8")
        command = ["score", "run.json", "-r", "gold.json", "--fail-on", "critical"]
        done = subprocess.run(
            [sys.executable, "-m", "otap", *command], cwd=folder, capture_output=True, check=False
        )
    assert done.returncode in (0, 1), done.stderr
    return {"--fail-on critical": done.returncode == 0}


def agentevals(case: Case) -> Verdicts:
    """`create_trajectory_match_evaluator`; by hand with `tool_args_match_overrides`."""
    from agentevals.trajectory.match import create_trajectory_match_evaluator

    modes = ("strict", "unordered", "subset", "superset")
    compared = {call["tool"]: list(expected(case, call)) for call in case["gold"]}
    verdicts = {}
    for mode, arguments, (suffix, overrides) in product(
        modes, ("exact", "ignore", "subset", "superset"), {"": None, BY_HAND: compared}.items()
    ):
        evaluate = create_trajectory_match_evaluator(
            trajectory_match_mode=mode, tool_args_match_mode=arguments,
            tool_args_match_overrides=overrides,
        )  # fmt: skip
        answer = evaluate(outputs=messages(case, "run"), reference_outputs=messages(case, "gold"))
        verdicts[f"{mode}, arguments {arguments}{suffix}"] = bool(answer["score"])
    return verdicts


def google_adk(case: Case) -> Verdicts:
    """`TrajectoryEvaluator` (`tool_trajectory_avg_score`) at the default criterion, 1.0."""
    from google.adk.evaluation.eval_case import IntermediateData, Invocation
    from google.adk.evaluation.eval_metrics import EvalMetric, EvalStatus, ToolTrajectoryCriterion
    from google.adk.evaluation.trajectory_evaluator import TrajectoryEvaluator
    from google.genai.types import Content, FunctionCall, Part

    def invocation(name: str) -> Any:
        calls = [FunctionCall(name=call["tool"], args=call["arguments"]) for call in case[name]]
        return Invocation(
            user_content=Content(parts=[Part(text=case["request"])]),
            final_response=Content(parts=[Part(text=case["reply"])]),
            intermediate_data=IntermediateData(tool_uses=calls),
        )

    verdicts = {}
    for match_type in ToolTrajectoryCriterion.MatchType:
        criterion = ToolTrajectoryCriterion(threshold=1.0, match_type=match_type)
        metric = EvalMetric(metric_name="tool_trajectory_avg_score", criterion=criterion)
        evaluator = TrajectoryEvaluator(eval_metric=metric)
        answer = evaluator.evaluate_invocations([invocation("run")], [invocation("gold")])
        verdicts[match_type.name] = answer.overall_eval_status == EvalStatus.PASSED
    return verdicts


def deepeval(case: Case) -> Verdicts:
    """`ToolCorrectnessMetric` without `available_tools`, so that its model is never asked."""
    from deepeval.metrics import ToolCorrectnessMetric
    from deepeval.models import DeepEvalBaseLLM
    from deepeval.test_case import LLMTestCase, ToolCall, ToolCallParams

    class NoModel(DeepEvalBaseLLM):  # type: ignore
        def _refuse(self, *_: Any, **__: Any) -> Any:
            raise AssertionError("a model was asked")

        generate = a_generate = _refuse

        def load_model(self) -> None: ...

        def get_model_name(self) -> str:
            return "none"

    called, gold = (
        [ToolCall(name=call["tool"], input_parameters=call["arguments"]) for call in case[name]]
        for name in ("run", "gold")
    )
    test = LLMTestCase(
        input=case["request"], actual_output=case["reply"], tools_called=called, expected_tools=gold
    )
    compared = {"names": [], "names and inputs": [ToolCallParams.INPUT_PARAMETERS]}
    verdicts = {}
    for order, (fields, params), threshold in product(
        ("any order", "should_consider_ordering", "should_exact_match"),
        compared.items(),
        SHARES[::-1],
    ):
        metric = ToolCorrectnessMetric(
            model=NoModel(), threshold=threshold, evaluation_params=params, async_mode=False,
            should_consider_ordering=order == "should_consider_ordering",
            should_exact_match=order == "should_exact_match",
        )  # fmt: skip
        metric.measure(test, _show_indicator=False)
        verdicts[f"{order}, {fields}, threshold {threshold}"] = bool(metric.is_successful())
    return verdicts


def ragas(case: Case) -> Verdicts:
    """`ToolCallAccuracy` and `ToolCallF1`: scores for which Ragas names no threshold."""
    from ragas.dataset_schema import MultiTurnSample
    from ragas.messages import AIMessage, HumanMessage, ToolCall
    from ragas.metrics import ExactMatch, NonLLMStringSimilarity, ToolCallAccuracy, ToolCallF1

    called, gold = (
        [ToolCall(name=call["tool"], args=call["arguments"]) for call in case[name]]
        for name in ("run", "gold")
    )
    asked, answered = case["request"], AIMessage(content=case["reply"], tool_calls=called)
    sample = MultiTurnSample(
        user_input=[HumanMessage(content=asked), answered], reference_tool_calls=gold
    )
    metrics = {
        f"ToolCallAccuracy, strict_order={is_strict}, {type(compare).__name__}": ToolCallAccuracy(
            strict_order=is_strict, arg_comparison_metric=compare
        )
        for compare, is_strict in product((ExactMatch(), NonLLMStringSimilarity()), (True, False))
    }
    metrics["ToolCallF1"] = ToolCallF1()
    verdicts: Verdicts = {}
    for name, metric in metrics.items():
        try:
            score = asyncio.run(metric.multi_turn_ascore(sample))
        except TypeError:  # ToolCallF1 cannot hash arguments that are lists
            score = 0.0
        verdicts |= {f"{name}, threshold {share}": bool(score >= share) for share in SHARES}
    return verdicts


def offtrack(case: Case) -> Verdicts:
    """`offtrack check` with its defaults: five runs against a baseline of five, all the same."""
    from offtrack.compare import compare_task
    from offtrack.ingest import build_trajectory
    from offtrack.suite import GlobalConfig, ResolvedTask, RunSpec, Task

    def recordings(name: str, kind: str) -> list[Any]:
        events = [
            {"type": "tool_call", "name": call["tool"], "args": call["arguments"],
             "result": call["result"]}
            for call in case[name]
        ]  # fmt: skip
        answer = {"type": "final_answer", "result": case["reply"]}
        trace = [{"ev": "step", **event} for event in [*events, answer]]
        trace.append({"ev": "end", "status": "complete"})
        return [build_trajectory(trace, "s/t", kind, i, "capture").trajectory for i in range(5)]

    task = ResolvedTask(
        task_key="s/t", suite="s", task=Task(id="t", run=RunSpec(command=["agent"])),
        repetitions=5, timeout_s=300, mask_config={},
    )  # fmt: skip
    verdicts = {}
    for threshold, answer in product((0.85, *SHARES), ("presence", "lexical")):
        align = {"divergence_threshold": threshold, "final_answer": answer}
        config = GlobalConfig.model_validate({"align": align})
        runs = recordings("gold", "baseline"), recordings("run", "candidate")
        mode = f"divergence_threshold {threshold}, final_answer {answer}"
        verdicts[mode] = compare_task(task, config, *runs)["verdict"] == "PASS"
    return verdicts


def pydantic_evals(case: Case) -> Verdicts:
    """`TrajectoryMatch` or `ToolCorrectness`, with `ArgumentCorrectness` of each gold call."""
    from pydantic_evals.evaluators import ArgumentCorrectness, EvaluatorContext, ToolCorrectness
    from pydantic_evals.evaluators import TrajectoryMatch as Match
    from pydantic_evals.otel import SpanTree
    from pydantic_evals.otel.span_tree import SpanNode

    tree = SpanTree()
    for i, call in enumerate(case["run"]):
        texts = {"tool.name": call["tool"], "tool.call.arguments": json.dumps(call["arguments"])}
        time = START + timedelta(seconds=i)
        attributes = {f"gen_ai.{name}": text for name, text in texts.items()}
        span = SpanNode(
            name=f"execute_tool {call['tool']}", trace_id=1, span_id=i + 1, parent_span_id=None,
            start_timestamp=time, end_timestamp=time, attributes=attributes,
        )  # fmt: skip
        tree.add_spans([span])
    context = EvaluatorContext(
        name="", inputs=case["request"], metadata=None, expected_output=None, output=case["reply"],
        duration=1.0, _span_tree=tree, attributes={}, metrics={},
    )  # fmt: skip
    names = [call["tool"] for call in case["gold"]]

    def has_arguments(is_by_hand: bool) -> bool:
        checks = [
            ArgumentCorrectness(
                call["tool"], expected(case, call) if is_by_hand else call["arguments"],
                occurrence=names[:i].count(call["tool"]),
            )
            for i, call in enumerate(case["gold"])
        ]  # fmt: skip
        return all(check.evaluate(context).value for check in checks)

    evaluators = {
        **{f"TrajectoryMatch {o}": Match(names, o) for o in ("in_order", "exact", "any_order")},
        "ToolCorrectness": ToolCorrectness(names),
        "ToolCorrectness allow_extra": ToolCorrectness(names, allow_extra=True),
    }
    verdicts = {}
    for (name, evaluator), share in product(evaluators.items(), SHARES):
        mode, is_passed = f"{name}, threshold {share}", evaluator.evaluate(context).value >= share
        verdicts[mode] = is_passed
        verdicts[f"{mode}, arguments"] = is_passed and has_arguments(is_by_hand=False)
        verdicts[f"{mode}, arguments{BY_HAND}"] = is_passed and has_arguments(is_by_hand=True)
    return verdicts


def evalview(case: Case) -> Verdicts:
    """`evalview check --no-judge` against the golden run, by the statuses that fail."""
    from evalview.core import types
    from evalview.core.diff import compare_to_golden
    from evalview.core.golden import GoldenMetadata, GoldenTrace
    from evalview.evaluators.evaluator import Evaluator

    def trace(name: str) -> Any:
        steps = [
            {"step_id": str(i), "step_name": call["tool"], "tool_name": call["tool"], "metrics": {},
             "parameters": call["arguments"], "output": call["result"], "success": True}
            for i, call in enumerate(case[name])
        ]  # fmt: skip
        return types.ExecutionTrace(
            session_id=name, start_time=START, end_time=START, steps=steps,
            final_output=case["reply"], metrics={"total_cost": 0, "total_latency": 0},
        )  # fmt: skip

    names = [call["tool"] for call in case["gold"]]
    test = types.TestCase(
        name="t", input={"query": case["request"]}, thresholds={"min_score": 0},
        expected={"tools": names, "tool_sequence": names},
    )  # fmt: skip
    evaluator = Evaluator(skip_llm_judge=True)
    good, score = (asyncio.run(evaluator.evaluate(test, trace(n))).score for n in ("gold", "run"))
    metadata = GoldenMetadata(test_name="t", blessed_at=START, score=good)
    golden = GoldenTrace(metadata=metadata, trace=trace("gold"), tool_sequence=names)
    status = compare_to_golden(golden, trace("run"), score).overall_severity.name
    failing = {
        "check": ["REGRESSION"],
        "check --fail-on REGRESSION,TOOLS_CHANGED": ["REGRESSION", "TOOLS_CHANGED"],
        "check --strict": ["REGRESSION", "TOOLS_CHANGED", "OUTPUT_CHANGED"],
    }
    return {mode: status not in statuses for mode, statuses in failing.items()}


def tracediff(case: Case) -> Verdicts:
    """`tracediff run` with a suite that expects the gold, then `diff --fail-on regressions`."""
    from tracediff.diff import compare
    from tracediff.runner import run_suite
    from tracediff.suite import Suite, Task

    verdicts = {}
    for mode, suffix in product(
        ("subset", "unordered", "strict"), ("", ", args", f", args{BY_HAND}")
    ):
        expect: Case = {"tools": [call["tool"] for call in case["gold"]], "mode": mode}
        if suffix:
            is_by_hand = suffix.endswith(BY_HAND)
            expect["args"] = {
                call["tool"]: expected(case, call) if is_by_hand else call["arguments"]
                for call in case["gold"]
            }
        suite = Suite("s", [Task("t", case["request"], expect)], holdout_fraction=0.0)
        before = run_suite(suite, lambda _: messages(case, "gold"))
        after = run_suite(suite, lambda _: messages(case, "run"))
        verdicts[f"{mode}{suffix}"] = not compare(before, after)["has_regressions"]
    return verdicts


def agentprdiff(case: Case) -> Verdicts:
    """`agentprdiff check`, which fails where a grader fails that passed for the gold."""
    from agentprdiff import ToolCall, Trace
    from agentprdiff.graders import tool_called, tool_sequence

    names = [call["tool"] for call in case["gold"]]
    graders = {
        "tool_sequence": [tool_sequence(names)],
        "tool_sequence, strict": [tool_sequence(names, strict=True)],
        "tool_called": [tool_called(name, min_times=names.count(name)) for name in set(names)],
    }
    calls = [ToolCall(name=call["tool"], arguments=call["arguments"]) for call in case["run"]]
    trace = Trace(case_name="t", suite_name="s", input=case["request"], tool_calls=calls)
    return {
        mode: all(grader(trace).passed for grader in expect) for mode, expect in graders.items()
    }


def agent_trajectory_diff(case: Case) -> Verdicts:
    """`agentdiff diff --fail-on-regression`: `compare`, then `evaluate_gate`."""
    from agentdiff import compare
    from agentdiff.models.trace import AgentTrace
    from agentdiff.testing import evaluate_gate

    def trace(name: str) -> Any:
        steps = [
            {"step_id": str(i), "step_index": i, "step_type": "tool_call", "name": call["tool"],
             "input_payload": call["arguments"], "output_payload": call["result"]}
            for i, call in enumerate(case[name])
        ]  # fmt: skip
        task = {"request": case["request"]}
        return AgentTrace(trace_id=name, agent_name="a", task_input=task, steps=steps)

    verdicts = {}
    for flag, limit in product(("", ", strict_tool_signatures"), (0.3, 0.2, 0.1, 0.0)):
        report = compare(trace("gold"), trace("run"), strict_tool_signatures=bool(flag))
        gate = evaluate_gate(report, max_divergence=limit, max_cost_increase_pct=10.0)
        verdicts[f"max_divergence {limit}{flag}"] = gate.passed
    return verdicts


def ciagent(case: Case) -> Verdicts:
    """`diff(golden, current)`: differences of severity error, or of any."""
    from ciagent import diff
    from ciagent.models import Span, Trace

    def trace(name: str) -> Any:
        calls = [{"tool_name": call["tool"], "arguments": call["arguments"]} for call in case[name]]
        return Trace(spans=[Span(tool_calls=calls, output_data=case["reply"])])

    report = diff(trace("gold"), trace("run"))
    return {"has_regression": not report.has_regression, "any difference": not report.diffs}


def expected(case: Case, call: Case) -> Case:
    """The arguments of a call without those that its author would leave free."""
    return {name: v for name, v in call["arguments"].items() if name not in case.get("free", [])}


def messages(case: Case, name: str) -> list[Case]:
    """The gold or the run as messages of OpenAI's chat format."""
    chat: list[Case] = [{"role": "user", "content": case["request"]}]
    for i, call in enumerate(case[name], 1):
        function = {"name": call["tool"], "arguments": json.dumps(call["arguments"])}
        calls = [{"id": f"call_{i}", "type": "function", "function": function}]
        chat.append({"role": "assistant", "content": "", "tool_calls": calls})
        result = json.dumps(call["result"])
        chat.append({"role": "tool", "tool_call_id": f"call_{i}", "content": result})
    return [*chat, {"role": "assistant", "content": case["reply"]}]


def verdicts_of(tool: str) -> dict[str, Verdicts]:
    """For each mode of a tool, for each case: whether the run passes. Each gold run has to."""
    ask = globals()[tool.replace("-", "_")]
    for case in CASES:
        assert next(iter(ask({**case, "run": case["gold"]}).values())), case["name"]
    answers = {case["name"]: ask(case) for case in CASES}
    return {m: {name: a[m] for name, a in answers.items()} for m in next(iter(answers.values()))}


if __name__ == "__main__":
    print(json.dumps(verdicts_of(sys.argv[1])))

"""What the readers read of every file is what a counter, written apart from them, counts in it.

The counters know the producers' formats and nothing of the readers: they take the raw JSON.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from formats.counts import agents, chats, coding, exports, items, logs, models, spans, suites
from formats.counts.counted import Counts, read

MADE = Path(__file__).parents[1] / "made"
REAL = {
    "planbench/oracle_720.jsonl": suites.planbench,
    "tau-bench/gpt-4o-airline.tasks-0-24.json": suites.tau_bench,
    "tau-bench-retail/tasks-0-49.json": suites.tau_bench,
    "tau2/airline_tasks.json": suites.tau2_tasks,
    "tau2/results/airline_relaxed_llm_agent_grok-3-mini_user_simulator_grok-3-mini.json": (
        suites.tau2_results
    ),
    "tau2/results/airline_relaxed_llm_agent_grok-4-fast-reasoning_user_simulator_grok-4-fast-"
    "reasoning.json": suites.tau2_results,
    "worfbench/alfworld.json": suites.worfbench,
    "worfbench/seal_tools.json": suites.worfbench,
    "worfbench/toolbench.json": suites.worfbench,
    "traces/adk/dependent_tool_calls.evalset.json": agents.adk_set,
    "traces/adk/sample.session.json": agents.adk_session,
    "traces/coding-agents/claude_code.json": coding.claude_code,
    "traces/coding-agents/codex_rollout.json": items.responses,
    "traces/inspect/browser.json": agents.inspect,
    "traces/inspect/log_streaming.eval": agents.inspect,
    "traces/otel-spans/claude_agent_sdk.json": spans.otel,
    "traces/otel-spans/genai_convention.json": spans.otel,
    "traces/otel-spans/openinference_langchain.json": spans.otel,
    "traces/otel-spans/openinference_openai_agents.json": spans.otel,
    "traces/otlp/helm.json": spans.otel,
    "traces/otlp/tempo_batches.json": spans.otel,
    "traces-2/mini-swe-agent/github_issue.traj.json": coding.mini_swe_agent,
    "traces-2/mini-swe-agent/local.traj.json": coding.mini_swe_agent,
    "traces-2/openhands/output.jsonl": coding.openhands,
    "traces-2/swe-agent/ctf_babytimecapsule.traj": coding.swe_agent,
    "traces-2/swe-agent/ctf_katy.traj": coding.swe_agent,
    "traces-2/swe-agent/ctf_networking.traj": coding.swe_agent,
    "traces-2/swe-agent/ctf_rock.traj": coding.swe_agent,
    "traces-2/swe-agent/function_calling_simple.traj": coding.swe_agent,
    "traces-2/swe-agent/marshmallow_default.traj": coding.swe_agent,
    "traces-2/swe-agent/marshmallow_function_calling.traj": coding.swe_agent,
    "traces-2/swe-agent/marshmallow_window.traj": coding.swe_agent,
    "traces-2/swe-agent/marshmallow_xml.traj": coding.swe_agent,
    "traces-2/swe-agent/pydicom.traj": coding.swe_agent,
    "traces-2/swe-agent/test_repo.traj": coding.swe_agent,
}
OWN = {
    "adk_evalset.json": agents.adk_set,
    "adk_older.json": agents.adk_set,
    "adk_older_in.json": agents.adk_first_sets,
    "adk_results.json": agents.adk_results,
    "adk_session.json": agents.adk_session,
    "ai_sdk.jsonl": chats.ai_sdk,
    "ai_sdk_4.jsonl": chats.ai_sdk,
    "anthropic.json": chats.anthropic,
    "atif.json": agents.atif,
    "claude_code_session.jsonl": coding.claude_code,
    "claude_code_stream.jsonl": coding.claude_code,
    "claude_code_subagent.jsonl": coding.claude_code,
    "codex.jsonl": items.codex,
    "autogen.jsonl": models.autogen,
    "autogen_state.jsonl": models.autogen,
    "bedrock.jsonl": models.bedrock,
    "dspy.jsonl": models.dspy,
    "gemini.jsonl": models.gemini,
    "gemini_cli.jsonl": models.gemini_cli,
    "haystack.jsonl": models.haystack,
    "inspect.eval": agents.inspect,
    "inspect.json": agents.inspect,
    "langchain.jsonl": chats.langchain,
    "langsmith.json": exports.langsmith,
    "langsmith_text.jsonl": exports.langsmith,
    "llama_index.json": chats.llama_index,
    "llama_index_memory.json": chats.llama_index,
    "mini_swe_agent.traj.json": coding.mini_swe_agent,
    "mini_swe_agent_1.traj.json": coding.mini_swe_agent,
    "mlflow.json": spans.otel,
    "mlflow_2.json": spans.otel,
    "mlflow_langchain.json": spans.otel,
    "openai_agents.jsonl": items.agents,
    "openai_response.json": items.responses,
    "openai_responses.json": items.responses,
    "openhands.jsonl": coding.openhands_events,
    "openinference.jsonl": spans.otel,
    "otel/adk_spans.jsonl": spans.otel,
    "otel/agent_framework.jsonl": spans.otel,
    "agent_framework.jsonl": models.agent_framework,
    "otel/agentcore.jsonl": spans.otel,
    "otel/autogen_spans.jsonl": spans.otel,
    "otel/langfuse.json": exports.langfuse,
    "otel/openllmetry.jsonl": spans.otel,
    "otel/smolagents_spans.jsonl": spans.otel,
    "otel/vercel_ai.jsonl": spans.otel,
    "pydantic_ai.jsonl": spans.otel,
    "pydantic_ai_messages.jsonl": chats.pydantic_ai,
    "pydantic_ai_no_content.jsonl": spans.otel,
    "pyperplan.soln": suites.plan,
    "browser_use.json": logs.browser_use,
    "crewai.jsonl": logs.crewai,
    "orders.xes": logs.xes,
    "semantic_kernel.json": chats.semantic_kernel,
    "smolagents.jsonl": agents.smolagents,
    "strands.jsonl": spans.otel,
    "strands_latest.jsonl": spans.otel,
}
# What is no trace, and why.
NO_TRACES = {
    "README.md": "says where the data comes from",
    "webarena/": "configurations of tasks, which hold no run and no action",
}


def _files(folder: Path) -> set[str]:
    return {file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file()}


def test_every_shared_file_is_counted(real_data: Path) -> None:
    """A file that nobody has counted fails, and so does a count whose file is gone."""
    counted = {name for name in _files(real_data) if not name.startswith(tuple(NO_TRACES))}
    assert counted == REAL.keys()


def test_every_made_file_is_counted() -> None:
    """Also what was made for the tests; beside it stand the programs that made it."""
    made = {name for name in _files(MADE) if not name.endswith((".py", ".mjs", ".pyc"))}
    assert made == OWN.keys()


@pytest.mark.parametrize("name", REAL)
def test_shared(real_data: Path, name: str) -> None:
    """Runs, calls by tool, failures, the user's texts, outcomes and golds are those of the file."""
    _hold(REAL[name], real_data / name)


@pytest.mark.parametrize("name", OWN)
def test_made(name: str) -> None:
    """The same of what producers' programs wrote for the tests."""
    _hold(OWN[name], MADE / name)


def _hold(count: Callable[[Path], Counts], file: Path) -> None:
    found, wanted = read(file), count(file)
    assert len(found.runs) == len(wanted.runs)
    for index, (run, other) in enumerate(zip(found.runs, wanted.runs, strict=True)):
        assert run == other, f"run {index}"
    assert found.golds == wanted.golds

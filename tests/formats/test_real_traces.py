"""Every real trace is read by detection alone, with the tool executions that a person counts in it.

The counts were written down by reading the files; sub-steps count.
"""

from collections.abc import Sequence
from pathlib import Path

import pytest

from otap import formats
from otap.errors import FormatError
from otap.trajectory import Step

# The file, its format, its runs, and the tool calls in all of them.
COUNTED = {
    "adk/dependent_tool_calls.evalset.json": ("adk", 1, 2),
    "adk/sample.session.json": ("adk", 1, 2),
    "coding-agents/claude_code.json": ("claude-code", 1, 1),
    "coding-agents/codex_rollout.json": ("openai-responses", 1, 2),
    "inspect/browser.json": ("inspect", 1, 4),
    "inspect/log_streaming.eval": ("inspect", 4, 0),  # two questions, twice, without tools
    "otel-spans/claude_agent_sdk.json": ("otel", 1, 6),  # three sub-agents, one command in each
    "otel-spans/genai_convention.json": ("otel", 1, 2),  # one of them failed
    # One span of a tool; one more call was asked for of which no execution is recorded.
    "otel-spans/openinference_langchain.json": ("otel", 1, 2),
    "otel-spans/openinference_openai_agents.json": ("otel", 1, 4),  # three inside the first
    "otlp/helm.json": ("otel", 1, 1),
    "otlp/tempo_batches.json": ("otel", 1, 1),
}


def counted(steps: Sequence[Step]) -> int:
    """The tool calls among some steps and inside them."""
    return sum((step.kind == "tool") + counted(step.substeps) for step in steps)


def test_no_trace_is_left_out(real_data: Path) -> None:
    """Each file in the folder has a count."""
    folder = real_data / "traces"
    files = {str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file()}
    assert files == COUNTED.keys()


@pytest.mark.parametrize("name", COUNTED)
def test_steps_are_the_tool_executions(real_data: Path, name: str) -> None:
    """Without a flag."""
    wanted, runs, calls = COUNTED[name]
    (file,) = formats.open_files(real_data / "traces" / name)
    found = list(file.runs())
    assert (file.format.NAME, len(found)) == (wanted, runs)
    assert sum(counted(run.steps) for run in found) == calls


def test_configurations_are_no_traces(real_data: Path) -> None:
    """What holds no run is refused, not read as an empty one."""
    files = [file for file in (real_data / "webarena").iterdir() if file.suffix == ".json"]
    assert files
    for file in files:
        with pytest.raises(FormatError, match="no format recognises it"):
            list(formats.read_all(file))

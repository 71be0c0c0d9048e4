"""Makes mini_swe_agent.traj.json with mini-swe-agent and a model that follows a script.

pip install mini-swe-agent==2.4.6; then: python make_mini_swe_agent.py

The agent lists two things side by side, runs a command that fails, says something that is no
action, and submits.
"""

import json
import os
from pathlib import Path
from tempfile import TemporaryDirectory

os.environ["MSWEA_SILENT_STARTUP"] = "1"

from minisweagent.agents.default import DefaultAgent
from minisweagent.environments.local import LocalEnvironment
from minisweagent.models.test_models import DeterministicToolcallModel, make_toolcall_output

HERE = Path(__file__).parent


def says(text, *commands):
    """Returns what the model says, with calls of its only tool: pairs of id and command."""
    calls = [
        {
            "id": identifier,
            "type": "function",
            "function": {"name": "bash", "arguments": json.dumps({"command": command})},
        }
        for identifier, command in commands
    ]
    actions = [{"command": command, "tool_call_id": i} for i, command in commands]
    return make_toolcall_output(text, calls, actions)


def main():
    """Runs the agent and keeps its trajectory."""
    submit = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT && echo done"
    model = DeterministicToolcallModel(
        outputs=[
            says("I look around.", ("call_1", "echo a.txt"), ("call_2", "echo b.txt")),
            says(None, ("call_3", "cat missing.txt")),
            says("I submit.", ("call_4", submit)),
        ]
    )
    with TemporaryDirectory() as folder:
        environment = LocalEnvironment(cwd=folder)
        written = Path(folder) / "run.traj.json"
        agent = DefaultAgent(
            model,
            environment,
            system_template="You run commands.",
            instance_template="Task: {{task}}",
            output_path=written,
        )
        agent.run("Find the file.")
        text = written.read_text("utf-8").replace(folder, "/home")
    (HERE / "mini_swe_agent.traj.json").write_text(text, "utf-8")


if __name__ == "__main__":
    main()

"""Makes mini_swe_agent_1.traj.json with the first version of mini-swe-agent and a scripted model.

pip install mini-swe-agent==1.17.5; then: python make_mini_swe_agent_1.py

The agent looks around, runs a command that fails, says something that is no action, runs into the
limit of time, and submits.
"""

import os
from pathlib import Path
from tempfile import TemporaryDirectory

os.environ["MSWEA_SILENT_STARTUP"] = "1"

import yaml
from minisweagent.agents.default import DefaultAgent
from minisweagent.config import get_config_path
from minisweagent.environments.local import LocalEnvironment
from minisweagent.models.test_models import DeterministicModel
from minisweagent.run.utils.save import save_traj

HERE = Path(__file__).parent


def says(text, command):
    """Returns what the model says, with a command in a block of code."""
    return f"THOUGHT: {text}\n\n```bash\n{command}\n```"


def main():
    """Runs the agent and keeps its trajectory."""
    settings = yaml.safe_load(get_config_path("default").read_text())["agent"]
    submit = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT && echo done"
    model = DeterministicModel(
        outputs=[
            says("I look around.", "echo a.txt"),
            says("I read it.", "cat missing.txt"),
            "There is no such file.",
            says("I wait.", "sleep 9"),
            says("I submit.", submit),
        ]
    )
    with TemporaryDirectory() as folder:
        environment = LocalEnvironment(cwd=folder, timeout=1)
        agent = DefaultAgent(model, environment, **settings)
        status, result = agent.run("Find the file.")
        written = Path(folder) / "run.traj.json"
        save_traj(agent, written, exit_status=status, result=result, instance_id="find-1")
        text = written.read_text("utf-8").replace(folder, "/home")
    (HERE / "mini_swe_agent_1.traj.json").write_text(text, "utf-8")


if __name__ == "__main__":
    main()

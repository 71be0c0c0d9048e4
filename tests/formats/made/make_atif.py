"""Makes atif.json: a trajectory that the models of ATIF hold to be valid, as they dump it.

pip install atif==1.8.0; then: python make_atif.py

Harbor itself needs Python 3.12 and containers; these are the models of its format. The agent
carries on from an earlier trajectory, searches twice side by side, asks another agent, acts once
without a tool, and answers.
"""

import json
from pathlib import Path

from atif import Trajectory

HERE = Path(__file__).parent


def call(identifier, name, **arguments):
    """Returns a call."""
    return {"tool_call_id": identifier, "function_name": name, "arguments": arguments}


def results(*found, **more):
    """Returns an observation: pairs of a call's id and what came back."""
    return {
        "results": [
            {"source_call_id": identifier, "content": content, **more}
            for identifier, content in found
        ]
    }


def agent(number, message, **more):
    """Returns a step of the agent."""
    return {"step_id": number, "source": "agent", "message": message, **more}


CRITIC = {
    "schema_version": "ATIF-v1.8",
    "trajectory_id": "critic-1",
    "agent": {"name": "critic", "version": "1"},
    "steps": [
        {"step_id": 1, "source": "user", "message": "Is H7 good?"},
        agent(
            2,
            "I rate it.",
            tool_calls=[call("rate_1", "rate", hotel="H7")],
            observation=results(("rate_1", "4 stars")),
        ),
        agent(3, "It is good."),
    ],
}
TRAJECTORY = {
    "schema_version": "ATIF-v1.8",
    "session_id": "session-1",
    "trajectory_id": "planner-1",
    "agent": {"name": "planner", "version": "2", "model_name": "m"},
    "steps": [
        {"step_id": 1, "source": "system", "message": "You book hotels."},
        agent(
            2,
            "From before.",
            is_copied_context=True,
            tool_calls=[call("old_1", "search", city="Bonn")],
            observation=results(("old_1", "none")),
        ),
        {
            "step_id": 3,
            "timestamp": "2026-01-01T10:00:00Z",
            "source": "user",
            "message": [{"type": "text", "text": "A room in Rome or Oslo."}],
        },
        agent(
            4,
            "I look in both.",
            reasoning_content="Two calls.",
            tool_calls=[call("c1", "search", city="Rome"), call("c2", "search", city="Oslo")],
            observation=results(("c2", "none"), ("c1", [{"type": "text", "text": "H7"}])),
            metrics={"prompt_tokens": 120, "completion_tokens": 18},
        ),
        agent(
            5,
            "",
            tool_calls=[call("c3", "ask_critic", question="Is H7 good?")],
            observation=results(
                ("c3", None), subagent_trajectory_ref=[{"trajectory_id": "critic-1"}]
            ),
        ),
        agent(6, "echo booked", observation=results((None, "booked"))),
        agent(7, "H7 is booked.", llm_call_count=1),
    ],
    "final_metrics": {"total_steps": 7},
    "subagent_trajectories": [CRITIC],
}


if __name__ == "__main__":
    made = Trajectory.model_validate(TRAJECTORY).to_json_dict()
    (HERE / "atif.json").write_text(json.dumps(made, indent=1), "utf-8")

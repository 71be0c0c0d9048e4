"""Runs and their steps, as the tests of every stage build them."""

from typing import Any

from otap.trajectory import Trajectory, parse_trajectory

StepData = dict[str, Any]


def call(tool: str, arguments: Any = None, effect: Any = None, **fields: Any) -> StepData:
    """Returns a step that calls a tool, without arguments unless given; None is no effect."""
    step = {"tool": tool, "arguments": {} if arguments is None else arguments, **fields}
    return step if effect is None else {**step, "effect": effect}


def with_arguments(step: StepData, **arguments: Any) -> StepData:
    """Returns the same call with some arguments changed or added."""
    return {**step, "arguments": {**step["arguments"], **arguments}}


def numbered(*steps: StepData) -> list[StepData]:
    """Returns the steps with the ids 1, 2, ..., unless they have ids of their own."""
    return [{"id": str(k), **step} for k, step in enumerate(steps, 1)]


def run_of(*steps: StepData, **fields: Any) -> Trajectory:
    """Returns a run of these steps, numbered from 1, with other fields of a trajectory."""
    return parse_trajectory({"steps": numbered(*steps), **fields})


def openai_call(name: str = "f", arguments: Any = "{}", identifier: str | None = None) -> StepData:
    """Returns a call as a message of OpenAI has it, without an id unless given."""
    named = {} if identifier is None else {"id": identifier}
    return {"type": "function", "function": {"name": name, "arguments": arguments}, **named}


def openai_result(content: Any, identifier: str | None = None, **fields: Any) -> StepData:
    """Returns the message of OpenAI with the result of a call."""
    named = {} if identifier is None else {"tool_call_id": identifier}
    return {"role": "tool", "content": content, **named, **fields}

"""Strands Agents: an agent with a scripted model, its messages and its result."""

import json
from collections.abc import AsyncIterator
from typing import Any

from strands import Agent, tool
from strands.models import Model

from hosts.scenario import ANSWER, REQUEST, TOOLS, Call

PACKAGES = ("strands-agents",)


class _ScriptedModel(Model):
    """Makes these calls one after the other."""

    def __init__(self, calls: list[Call]) -> None:
        self._calls = list(calls)

    def update_config(self, **_: Any) -> None:
        """Nothing to set."""

    def get_config(self) -> Any:
        """Nothing to return."""
        return {}

    def structured_output(self, *_: Any, **__: Any) -> Any:
        """Not needed."""
        raise NotImplementedError

    async def stream(self, *_: Any, **__: Any) -> AsyncIterator[Any]:
        """The next call, or the answer."""
        yield {"messageStart": {"role": "assistant"}}
        if self._calls:
            call = self._calls.pop(0)
            use = {"toolUse": {"name": call.tool, "toolUseId": call.id}}
            yield {"contentBlockStart": {"start": use}}
            yield {
                "contentBlockDelta": {"delta": {"toolUse": {"input": json.dumps(call.arguments)}}}
            }
            reason = "tool_use"
        else:
            yield {"contentBlockStart": {"start": {}}}
            yield {"contentBlockDelta": {"delta": {"text": ANSWER}}}
            reason = "end_turn"
        yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": reason}}


def _agent(calls: list[Call]) -> tuple[Agent, Any]:
    tools = [tool(function) for function in TOOLS.values()]
    agent = Agent(model=_ScriptedModel(calls), tools=tools, callback_handler=None)
    return agent, agent(REQUEST)


def objects(calls: list[Call]) -> dict[str, Any]:
    """Objects of one run, by their names."""
    agent, _ = _agent(calls)
    return {"agent.messages": agent.messages, "Agent": agent}


def partial() -> Any:
    """A result, which holds the last message only."""
    return _agent([])[1]


def file(calls: list[Call]) -> Any:
    """The data that Strands keeps itself."""
    return _agent(calls)[0].messages


def unknown() -> Any:
    """An object that holds no run."""
    return _ScriptedModel([])

"""OpenAI's Agents SDK: results and items of a run with a scripted model."""

import asyncio
import json
from typing import Any

from agents import Agent, Model, ModelResponse, Runner, Usage, function_tool, set_tracing_disabled
from openai.types.responses import (
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
)

from hosts.scenario import ANSWER, REQUEST, TOOLS, Call

PACKAGES = ("openai-agents",)


class _ScriptedModel(Model):
    """Makes these calls one after the other."""

    def __init__(self, calls: list[Call]) -> None:
        self._calls = list(calls)

    async def get_response(self, *_: Any, **__: Any) -> ModelResponse:
        """The next call, or the answer."""
        if self._calls:
            call = self._calls.pop(0)
            arguments = json.dumps(call.arguments)
            output: Any = ResponseFunctionToolCall(
                type="function_call", call_id=call.id, name=call.tool, arguments=arguments
            )
        else:
            text = ResponseOutputText(type="output_text", text=ANSWER, annotations=[])
            output = ResponseOutputMessage(
                id="m", type="message", role="assistant", status="completed", content=[text]
            )
        return ModelResponse(output=[output], usage=Usage(), response_id=None)

    def stream_response(self, *_: Any, **__: Any) -> Any:
        """Not needed."""
        raise NotImplementedError


def agent_of(calls: list[Call]) -> Any:
    """An agent whose model makes these calls."""
    tools = [function_tool(tool) for tool in TOOLS.values()]
    return Agent("clerk", model=_ScriptedModel(calls), tools=tools)


def _run(calls: list[Call]) -> Any:
    set_tracing_disabled(True)
    return asyncio.run(Runner.run(agent_of(calls), REQUEST))


def objects(calls: list[Call]) -> dict[str, Any]:
    """Objects of one run, by their names."""
    result = _run(calls)
    return {
        "RunResult": result,
        "to_input_list()": result.to_input_list(),
        "new_items": result.new_items,
    }


def file(calls: list[Call]) -> Any:
    """The data that the SDK gives itself."""
    return _run(calls).to_input_list()


def unknown() -> Any:
    """An object that holds no run."""
    return Agent("clerk")

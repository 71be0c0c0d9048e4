"""Pydantic AI: results, messages and spans of an agent with a scripted model."""

from typing import Any

from pydantic_ai import Agent, ModelRetry
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_core import to_jsonable_python

from hosts.scenario import ANSWER, FAILURE, REQUEST, Call, find_order, refund

PACKAGES = ("pydantic-ai-slim",)


def send_fax(order: str) -> str:
    """Sends a fax about an order, which the model may try again."""
    raise ModelRetry(FAILURE)


def _run(calls: list[Call]) -> Any:
    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        del info
        made = sum(isinstance(message, ModelResponse) for message in messages)
        if made == len(calls):
            return ModelResponse(parts=[TextPart(ANSWER)])
        call = calls[made]
        return ModelResponse(parts=[ToolCallPart(call.tool, call.arguments, call.id)])

    tools = [find_order, send_fax, refund]
    return Agent(FunctionModel(answer), tools=tools, retries=3).run_sync(REQUEST)


def objects(calls: list[Call]) -> dict[str, Any]:
    """Objects of one run, by their names."""
    result = _run(calls)
    return {
        "AgentRunResult": result,
        "all_messages()": result.all_messages(),
        "new_messages()": result.new_messages(),
    }


def file(calls: list[Call]) -> Any:
    """The data that Pydantic AI gives itself."""
    return to_jsonable_python(_run(calls).all_messages())


def unknown() -> Any:
    """An object that holds no run."""
    return Agent("test")

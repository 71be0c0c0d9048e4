"""smolagents: an agent with a scripted model, its memory and the result of its run."""

from typing import Any

from smolagents import ToolCallingAgent, tool
from smolagents.models import (
    ChatMessage,
    ChatMessageToolCall,
    ChatMessageToolCallFunction,
    MessageRole,
    Model,
)

from hosts.scenario import ANSWER, REQUEST, TOOLS, Call

PACKAGES = ("smolagents",)


class _ScriptedModel(Model):
    """Makes these calls one after the other, then the final answer."""

    def __init__(self, calls: list[Call]) -> None:
        super().__init__(model_id="scripted")
        self._calls = [(call.id, call.tool, call.arguments) for call in calls]
        self._calls.append(("end", "final_answer", {"answer": ANSWER}))

    def generate(self, *_: Any, **__: Any) -> ChatMessage:
        """The next call."""
        call_id, name, arguments = self._calls.pop(0)
        function = ChatMessageToolCallFunction(name=name, arguments=arguments)
        call = ChatMessageToolCall(id=call_id, type="function", function=function)
        return ChatMessage(role=MessageRole.ASSISTANT, content="", tool_calls=[call])


def _agent(calls: list[Call]) -> tuple[Any, Any]:
    agent = ToolCallingAgent(
        tools=[tool(function) for function in TOOLS.values()],
        model=_ScriptedModel(calls),
        verbosity_level=0,
        return_full_result=True,
    )
    return agent, agent.run(REQUEST)


def objects(calls: list[Call]) -> dict[str, Any]:
    """Objects of one run, by their names."""
    agent, result = _agent(calls)
    return {
        "RunResult": result,
        "agent.memory": agent.memory,
        "agent.memory.steps": agent.memory.steps,
        "get_full_steps()": agent.memory.get_full_steps(),
    }


def file(calls: list[Call]) -> Any:
    """The data that smolagents gives itself."""
    return _agent(calls)[0].memory.get_full_steps()


def unknown() -> Any:
    """An object that holds no run."""
    return _ScriptedModel([])

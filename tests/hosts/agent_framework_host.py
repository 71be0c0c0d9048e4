"""Microsoft's Agent Framework: messages and the response around them."""

from typing import Any

import agent_framework as af

from hosts.scenario import ANSWER, FAILURE, REQUEST, Call, find_order

PACKAGES = ("agent-framework-core",)


def _messages(calls: list[Call]) -> list[Any]:
    messages = [af.Message(role="user", contents=[REQUEST])]
    for call in calls:
        request = af.Content.from_function_call(call.id, call.tool, arguments=call.arguments)
        failure = None if call.result else FAILURE
        result = af.Content.from_function_result(
            call.id, result=call.result or f"Error: {FAILURE}", exception=failure
        )
        messages.append(af.Message(role="assistant", contents=[request]))
        messages.append(af.Message(role="tool", contents=[result]))
    return [*messages, af.Message(role="assistant", contents=[ANSWER])]


def objects(calls: list[Call]) -> dict[str, Any]:
    """Objects of one run, by their names."""
    messages = _messages(calls)
    return {"list of Message": messages, "AgentResponse": af.AgentResponse(messages=messages)}


def file(calls: list[Call]) -> Any:
    """The data that the framework writes itself."""
    return [message.to_dict() for message in _messages(calls)]


def unknown() -> Any:
    """An object that holds no run."""
    return af.tool(find_order)

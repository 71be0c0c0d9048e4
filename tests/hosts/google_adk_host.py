"""Google's ADK: sessions, events and invocations of an agent with a scripted model."""

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

from google.adk.agents import LlmAgent
from google.adk.evaluation.eval_case import (
    IntermediateData,
    Invocation,
    InvocationEvent,
    InvocationEvents,
)
from google.adk.models import BaseLlm, LlmRequest, LlmResponse
from google.adk.runners import InMemoryRunner
from google.genai import types

from hosts.scenario import ANSWER, REQUEST, TOOLS, Call

PACKAGES = ("google-adk",)


class _ScriptedModel(BaseLlm):
    """Makes these calls one after the other."""

    pending: list[Any]

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        """The next call, or the answer."""
        del llm_request, stream
        part = types.Part(text=ANSWER)
        if self.pending:
            call = self.pending.pop(0)
            function = types.FunctionCall(id=call.id, name=call.tool, args=call.arguments)
            part = types.Part(function_call=function)
        yield LlmResponse(content=types.Content(role="model", parts=[part]))


async def _session(calls: list[Call]) -> Any:
    def failed(tool: Any, args: Any, tool_context: Any, error: Exception) -> Any:
        return {"error": str(error)}

    agent = LlmAgent(
        name="clerk",
        model=_ScriptedModel(model="scripted", pending=list(calls)),
        tools=list(TOOLS.values()),
        on_tool_error_callback=failed,
    )
    runner = InMemoryRunner(agent=agent, app_name="shop")
    session = await runner.session_service.create_session(app_name="shop", user_id="u")
    request = types.Content(role="user", parts=[types.Part(text=REQUEST)])
    async for _ in runner.run_async(user_id="u", session_id=session.id, new_message=request):
        pass
    return await runner.session_service.get_session(
        app_name="shop", user_id="u", session_id=session.id
    )


def _invocations(session: Any) -> list[Invocation]:
    """The session as custom metrics of evaluations receive it, in both versions."""
    request, *events = session.events
    called = [call for event in events for call in event.get_function_calls()]
    returned = [answer for event in events for answer in event.get_function_responses()]
    middle = events[:-1]
    common = {"user_content": request.content, "final_response": events[-1].content}
    return [
        Invocation(
            **common, intermediate_data=IntermediateData(tool_uses=called, tool_responses=returned)
        ),
        Invocation(
            **common,
            intermediate_data=InvocationEvents(
                invocation_events=[
                    InvocationEvent(author=e.author, content=e.content) for e in middle
                ]
            ),
        ),
    ]


def objects(calls: list[Call]) -> dict[str, Any]:
    """Objects of one run, by their names."""
    session = asyncio.run(_session(calls))
    data, events = _invocations(session)
    return {
        "Session": session,
        "session.events": session.events,
        "Invocation": data,
        "Invocation with events": events,
        "list of Invocation": [data],
    }


def file(calls: list[Call]) -> Any:
    """The data that ADK writes itself."""
    return asyncio.run(_session(calls)).model_dump(mode="json")


def unknown() -> Any:
    """An object that holds no run."""
    return LlmAgent(name="clerk", model="scripted")

"""Makes two nights of runs with six frameworks: real agents and tools; their models are scripts.

    pip install openai-agents pydantic-ai-slim langgraph google-adk smolagents strands-agents
    python examples/frameworks/produce.py NIGHTS

NIGHTS then has night1/FRAMEWORK/ID.json and night2/FRAMEWORK/ID.json: four tasks a night, each run
as its framework keeps it, under an id that is new each time. In the second night three of the four
runs go wrong: a wrong amount, a change that is claimed and never made, a table too many.
"""

import asyncio
import json
import sys
import uuid
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

Calls = Sequence[tuple[str, Mapping[str, Any]]]
Kept = tuple[Any, str]  # what the framework holds, and the text of the file that it makes
ORDERS = {"A-12": ("mug", 20), "A-13": ("lamp", 45), "A-14": ("book", 12)}
TABLE = {"place": "Luna", "day": "Friday", "time": "19:00", "guests": 2}


def get_order(order: str) -> str:
    """Shows an order.

    Args:
        order: its number.
    """
    item, price = ORDERS[order]
    return f"Order {order}: one {item}, {price} dollars, paid by card, arrives on 4 December."


def refund_payment(order: str, amount: int) -> str:
    """Pays money back.

    Args:
        order: the number of the order.
        amount: dollars.
    """
    return f"Refunded {amount} dollars for {order}."


def change_address(order: str, street: str) -> str:
    """Sends an order to another address.

    Args:
        order: its number.
        street: the street and the house.
    """
    return f"{order} goes to {street}."


def find_tables(place: str, day: str) -> str:
    """Lists the free tables of a restaurant.

    Args:
        place: the restaurant.
        day: the day.
    """
    return f"{place} on {day}: 18:00, 19:00, 21:00."


def book_table(place: str, day: str, time: str, guests: int) -> str:
    """Books a table.

    Args:
        place: the restaurant.
        day: the day.
        time: the hour.
        guests: how many.
    """
    return f"Booked {place} on {day} at {time} for {guests}."


TOOLS = (get_order, refund_payment, change_address, find_tables, book_table)
REQUESTS = {
    "refund": "Please refund order A-12, the mug arrived broken.",
    "address": "Please send order A-13 to 5 Elm Street instead.",
    "table": "Please book a table for two at Luna on Friday at 19:00.",
    "arrival": "When will my order A-14 arrive, please?",
}
GOOD: Mapping[str, tuple[Calls, str]] = {
    "refund": (
        [("get_order", {"order": "A-12"}), ("refund_payment", {"order": "A-12", "amount": 20})],
        "I refunded 20 dollars.",
    ),
    "address": (
        [
            ("get_order", {"order": "A-13"}),
            ("change_address", {"order": "A-13", "street": "5 Elm Street"}),
        ],
        "Order A-13 goes to 5 Elm Street.",
    ),
    "table": (
        [("find_tables", {"place": "Luna", "day": "Friday"}), ("book_table", TABLE)],
        "Your table is booked.",
    ),
    "arrival": ([("get_order", {"order": "A-14"})], "It arrives on 4 December."),
}
WRONG: Mapping[str, tuple[Calls, str]] = {
    "refund": (
        [("get_order", {"order": "A-12"}), ("refund_payment", {"order": "A-12", "amount": 200})],
        "I refunded 200 dollars.",
    ),
    "address": ([("get_order", {"order": "A-13"})], "Order A-13 goes to 5 Elm Street."),
    "table": (
        [
            ("find_tables", {"place": "Luna", "day": "Friday"}),
            ("book_table", TABLE),
            ("book_table", {**TABLE, "day": "Saturday"}),
        ],
        "Your table is booked.",
    ),
    "arrival": GOOD["arrival"],
}


def openai_agent(calls: Calls, answer: str) -> Any:
    """An agent of OpenAI's Agents SDK whose model follows a script."""
    from agents import Agent, ModelResponse, Usage, function_tool
    from agents.models.interface import Model
    from agents.tracing import response_span
    from openai.types.responses import Response

    class Scripted(Model):
        said = 0

        async def get_response(self, *_: Any, **__: Any) -> ModelResponse:
            item = _response_item(self.said, calls, answer)
            self.said += 1
            about = {"id": f"resp_{self.said}", "object": "response", "created_at": 0}
            how = {"model": "scripted", "parallel_tool_calls": True, "tool_choice": "auto"}
            with response_span() as span:
                answered = Response.model_validate({**about, **how, "tools": [], "output": [item]})
                span.span_data.response = answered
            return ModelResponse(output=answered.output, usage=Usage(), response_id=answered.id)

        def stream_response(self, *_: Any, **__: Any) -> Any:
            raise NotImplementedError

    return Agent(name="desk", model=Scripted(), tools=[function_tool(tool) for tool in TOOLS])


def openai_agents(task: str, calls: Calls, answer: str) -> Kept:
    """The trace and the spans that the exporter of OpenAI's Agents SDK sends; the task is said."""
    from agents import RunConfig, Runner, set_trace_processors
    from agents.tracing import TracingProcessor

    made: list[Any] = []

    class Exporter(TracingProcessor):
        def on_trace_start(self, trace: Any) -> None:
            made.append(trace.export())

        def on_trace_end(self, trace: Any) -> None: ...

        def on_span_start(self, span: Any) -> None: ...

        def on_span_end(self, span: Any) -> None:
            made.append(span.export())

        def shutdown(self) -> None: ...

        def force_flush(self) -> None: ...

    set_trace_processors([Exporter()])
    config = RunConfig(trace_metadata={"case": task})
    result = Runner.run_sync(openai_agent(calls, answer), REQUESTS[task], run_config=config)
    return result, "\n".join(map(json.dumps, made))


def _response_item(number: int, calls: Calls, answer: str) -> dict[str, Any]:
    """What a model of OpenAI answers next: a call, or what it tells the user."""
    if number < len(calls):
        name, arguments = calls[number]
        about = {"id": f"fc_{number}", "call_id": f"call_{number}", "name": name}
        return {"type": "function_call", **about, "arguments": json.dumps(arguments)}
    part = {"type": "output_text", "text": answer, "annotations": []}
    about = {"id": "msg", "role": "assistant", "status": "completed"}
    return {"type": "message", **about, "content": [part]}


def pydantic_agent(calls: Calls, answer: str) -> Any:
    """An agent of Pydantic AI whose model follows a script."""
    from pydantic_ai import Agent
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import FunctionModel

    parts = [ToolCallPart(name, dict(arguments)) for name, arguments in calls]
    script = iter([*parts, TextPart(answer)])
    model = FunctionModel(lambda *_: ModelResponse(parts=[next(script)]))
    return Agent(model, tools=list(TOOLS))


def pydantic_ai(task: str, calls: Calls, answer: str) -> Kept:
    """All messages of a run of Pydantic AI."""
    result = pydantic_agent(calls, answer).run_sync(REQUESTS[task])
    return result, result.all_messages_json().decode()


def langgraph_agent(calls: Calls, answer: str) -> Any:
    """An agent of LangGraph whose model follows a script."""
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage
    from langchain_core.outputs import ChatGeneration, ChatResult
    from langgraph.prebuilt import create_react_agent

    asked = [
        AIMessage("", tool_calls=[{"id": f"c{n}", "name": name, "args": dict(arguments)}])
        for n, (name, arguments) in enumerate(calls)
    ]

    class Scripted(BaseChatModel):
        script: list[Any]

        @property
        def _llm_type(self) -> str:
            return "scripted"

        def bind_tools(self, *_: Any, **__: Any) -> "Scripted":
            return self

        def _generate(self, *_: Any, **__: Any) -> ChatResult:
            return ChatResult(generations=[ChatGeneration(message=self.script.pop(0))])

    return create_react_agent(Scripted(script=[*asked, AIMessage(answer)]), list(TOOLS))


def langgraph(task: str, calls: Calls, answer: str) -> Kept:
    """The messages of the last state of an agent of LangGraph."""
    from langchain_core.messages import messages_to_dict

    state = langgraph_agent(calls, answer).invoke({"messages": [("user", REQUESTS[task])]})
    return state, json.dumps(messages_to_dict(state["messages"]))


def adk_runner(calls: Calls, answer: str) -> Any:
    """A runner of Google's ADK, for an agent whose model follows a script."""
    from google.adk.agents import LlmAgent
    from google.adk.models.base_llm import BaseLlm
    from google.adk.models.llm_response import LlmResponse
    from google.adk.runners import InMemoryRunner
    from google.genai import types

    parts = [types.Part.from_function_call(name=name, args=dict(said)) for name, said in calls]
    parts.append(types.Part(text=answer))

    class Scripted(BaseLlm):
        script: list[Any]

        async def generate_content_async(self, *_: Any, **__: Any) -> Any:
            part = self.script.pop(0)
            yield LlmResponse(content=types.Content(role="model", parts=[part]))

    model = Scripted(model="scripted", script=parts)
    agent = LlmAgent(name="desk", model=model, tools=list(TOOLS))
    return InMemoryRunner(agent=agent, app_name="desk")


def google_adk(task: str, calls: Calls, answer: str) -> Kept:
    """The session of an agent of Google's ADK."""
    from google.genai import types

    async def run() -> Kept:
        runner = adk_runner(calls, answer)
        service = runner.session_service
        session = await service.create_session(app_name="desk", user_id="u")
        message = types.Content(role="user", parts=[types.Part(text=REQUESTS[task])])
        async for _ in runner.run_async(user_id="u", session_id=session.id, new_message=message):
            pass
        kept = await service.get_session(app_name="desk", user_id="u", session_id=session.id)
        return kept, str(kept.model_dump_json())

    return asyncio.run(run())


def smolagents_agent(calls: Calls, answer: str) -> Any:
    """An agent of smolagents whose model follows a script."""
    from smolagents import ChatMessage, LogLevel, Model, ToolCallingAgent, tool
    from smolagents.models import ChatMessageToolCall, ChatMessageToolCallFunction, MessageRole

    every = [*calls, ("final_answer", {"answer": answer})]

    class Scripted(Model):
        said = 0

        def generate(self, *_: Any, **__: Any) -> ChatMessage:
            name, arguments = every[self.said]
            self.said += 1
            function = ChatMessageToolCallFunction(name=name, arguments=dict(arguments))
            call = ChatMessageToolCall(id=f"c{self.said}", type="function", function=function)
            return ChatMessage(role=MessageRole.ASSISTANT, content="", tool_calls=[call])

    tools = [tool(one) for one in TOOLS]
    return ToolCallingAgent(tools, Scripted(model_id="s"), verbosity_level=LogLevel.OFF)


def smolagents(task: str, calls: Calls, answer: str) -> Kept:
    """What an agent of smolagents remembers."""
    agent = smolagents_agent(calls, answer)
    agent.run(REQUESTS[task])
    return agent.memory, json.dumps(agent.memory.get_full_steps(), default=str)


def strands(task: str, calls: Calls, answer: str) -> Kept:
    """The spans of an agent of Strands."""
    from opentelemetry import trace
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
    from strands import Agent, tool
    from strands.models.model import Model

    class Scripted(Model):
        said = 0

        def update_config(self, **_: Any) -> None: ...

        def get_config(self) -> dict[str, Any]:
            return {}

        async def structured_output(self, *_: Any, **__: Any) -> Any:
            raise NotImplementedError
            yield

        async def stream(self, *_: Any, **__: Any) -> Any:
            yield {"messageStart": {"role": "assistant"}}
            ended = self.said >= len(calls)
            if ended:
                yield {"contentBlockStart": {"start": {}}}
                yield {"contentBlockDelta": {"delta": {"text": answer}}}
            else:
                name, arguments = calls[self.said]
                start = {"toolUse": {"toolUseId": f"c{self.said}", "name": name}}
                yield {"contentBlockStart": {"start": start}}
                given = {"toolUse": {"input": json.dumps(arguments)}}
                yield {"contentBlockDelta": {"delta": given}}
            yield {"contentBlockStop": {}}
            yield {"messageStop": {"stopReason": "end_turn" if ended else "tool_use"}}
            self.said += 1

    if not isinstance(trace.get_tracer_provider(), TracerProvider):  # which can be set once
        trace.set_tracer_provider(TracerProvider())
    provider, exporter = trace.get_tracer_provider(), InMemorySpanExporter()
    assert isinstance(provider, TracerProvider)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    agent = Agent(Scripted(), tools=[tool(one) for one in TOOLS], callback_handler=None)
    agent(REQUESTS[task])
    spans = exporter.get_finished_spans()
    return spans, "\n".join(span.to_json(indent=None) for span in spans)


FRAMEWORKS: Mapping[str, Callable[[str, Calls, str], Kept]] = {
    one.__name__.replace("_", "-"): one
    for one in (openai_agents, pydantic_ai, langgraph, google_adk, smolagents, strands)
}


def main(folder: Path) -> None:
    """Writes both nights of all frameworks."""
    for name, produce in FRAMEWORKS.items():
        for night, scripts in (("night1", GOOD), ("night2", WRONG)):
            place = folder / night / name
            place.mkdir(parents=True, exist_ok=True)
            for task, (calls, answer) in scripts.items():
                _, text = produce(task, calls, answer)
                ending = "jsonl" if name in ("openai-agents", "strands") else "json"
                (place / f"{uuid.uuid4()}.{ending}").write_text(f"{text}\n", "utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python examples/frameworks/produce.py NIGHTS")
    main(Path(sys.argv[1]))

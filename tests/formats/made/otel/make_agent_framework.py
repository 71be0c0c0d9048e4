"""Makes agent_framework.jsonl: an agent of Microsoft's Agent Framework with a scripted model.

pip install agent-framework-core==1.23.0 opentelemetry-sdk==1.45.2
python make_agent_framework.py
"""

import asyncio
import json
from pathlib import Path

from agent_framework import (
    Agent,
    BaseChatClient,
    ChatMiddlewareLayer,
    ChatResponse,
    Content,
    FunctionInvocationLayer,
    Message,
    tool,
)
from agent_framework.observability import ChatTelemetryLayer, enable_instrumentation
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

HERE = Path(__file__).parent


class Scripted(FunctionInvocationLayer, ChatMiddlewareLayer, ChatTelemetryLayer, BaseChatClient):
    """Says what is in its script, message by message."""

    def __init__(self, *script):
        super().__init__()
        self.script = list(script)

    def _inner_get_response(self, **_):
        async def answer():
            return ChatResponse(messages=[Message(role="assistant", contents=self.script.pop(0))])

        return answer()


def asks(identifier, name, arguments):
    """Returns a call."""
    return Content.from_function_call(identifier, name, arguments=json.dumps(arguments))


@tool
def get_weather(city: str) -> str:
    """Tells the weather of a city."""
    if city == "Atlantis":
        raise ValueError("no such city")
    return f"Sunny in {city}."


async def main():
    """Runs the agent and writes its spans."""
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    trace.set_tracer_provider(provider)
    enable_instrumentation(enable_sensitive_data=True)
    model = Scripted(
        [
            "I look at both.",
            asks("c1", "get_weather", {"city": "Paris"}),
            asks("c2", "get_weather", {"city": "Atlantis"}),
        ],
        ["Paris is sunny."],
    )
    agent = Agent(client=model, name="trip", tools=[get_weather])
    await agent.run("Paris or Atlantis?")
    lines = []
    for span in exporter.get_finished_spans():
        value = json.loads(span.to_json(indent=None))
        for event in value["events"]:
            event["attributes"].pop("exception.stacktrace", None)
        lines.append(json.dumps(value) + "\n")
    (HERE / "agent_framework.jsonl").write_text("".join(lines), "utf-8")


if __name__ == "__main__":
    asyncio.run(main())

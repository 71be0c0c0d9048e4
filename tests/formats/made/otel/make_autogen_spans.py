"""Makes autogen_spans.jsonl: an agent of AutoGen with a scripted model, traced by its own spans.

pip install autogen-agentchat==0.7.5 autogen-ext==0.7.5 opentelemetry-sdk==1.45.2
python make_autogen_spans.py

Spans in which the runtime only sends, and the resource, are left out, to keep the file small.
"""

import asyncio
import json
from pathlib import Path

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.conditions import TextMessageTermination
from autogen_agentchat.teams import RoundRobinGroupChat
from autogen_core import FunctionCall
from autogen_core.models import CreateResult, ModelInfo, RequestUsage
from autogen_ext.models.replay import ReplayChatCompletionClient
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

HERE = Path(__file__).parent
USED = RequestUsage(prompt_tokens=1, completion_tokens=1)
KNOWS = ModelInfo(
    vision=False,
    function_calling=True,
    json_output=False,
    family="unknown",
    structured_output=False,
)


def asks(*calls):
    """Returns an answer that calls."""
    made = [FunctionCall(id=i, name=n, arguments=json.dumps(a)) for i, n, a in calls]
    return CreateResult(finish_reason="function_calls", content=made, usage=USED, cached=False)


async def get_weather(city: str) -> str:
    """Tells the weather of a city."""
    if city == "Atlantis":
        raise ValueError("no such city")
    return f"Sunny in {city}."


async def main():
    """Runs the agent and writes its spans."""
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    trace.set_tracer_provider(provider)
    model = ReplayChatCompletionClient(
        [
            asks(
                ("c1", "get_weather", {"city": "Paris"}),
                ("c2", "get_weather", {"city": "Atlantis"}),
            ),
            "Paris is sunny.",
        ],
        model_info=KNOWS,
    )
    agent = AssistantAgent("trip", model, tools=[get_weather], reflect_on_tool_use=True)
    await RoundRobinGroupChat([agent], termination_condition=TextMessageTermination("trip")).run(
        task="Paris or Atlantis?"
    )
    lines = []
    for span in exporter.get_finished_spans():
        value = json.loads(span.to_json(indent=None))
        if value["attributes"].get("messaging.operation", "process") == "process":
            value.pop("resource")
            value["events"] = [event for event in value["events"] if event["name"] != "exception"]
            lines.append(json.dumps(value) + "\n")
    (HERE / "autogen_spans.jsonl").write_text("".join(lines), "utf-8")


if __name__ == "__main__":
    asyncio.run(main())

"""Makes adk_spans.jsonl: an agent of Google's ADK with a scripted model, traced by its own spans.

pip install google-adk==1.14.1 opentelemetry-sdk==1.45.2
python make_adk_spans.py

The agent searches twice side by side, once in vain, and hands over to another, which pays.
"""

import asyncio
import json
from pathlib import Path

from google.adk.agents import LlmAgent
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import InMemoryRunner
from google.genai import types
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

HERE = Path(__file__).parent


class Scripted(BaseLlm):
    """A model that says what it was given to say."""

    answers: list[types.Content]

    async def generate_content_async(self, *_asked, **_how):
        """Says the next answer, whatever was asked."""
        yield LlmResponse(content=self.answers.pop(0))


def says(text, *calls):
    """Returns what a model says, with calls of tools."""
    parts = [types.Part(text=text)] if text else []
    parts += [types.Part.from_function_call(name=name, args=args) for name, args in calls]
    return types.Content(role="model", parts=parts)


def search(city: str) -> dict:
    """Searches for hotels."""
    return {"error": "no such city"} if city == "Atlantis" else {"hotels": [f"{city} Palace"]}


def pay(amount: float) -> dict:
    """Pays."""
    return {"paid": amount}


async def main():
    """Runs the agent and writes its spans."""
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    trace.set_tracer_provider(provider)
    paying = [says("", ("pay", {"amount": 90.0})), says("Paid.")]
    cashier = LlmAgent(
        name="cashier",
        description="Takes money.",
        model=Scripted(model="s", answers=paying),
        tools=[pay],
    )
    script = [
        says("I look.", ("search", {"city": "Rome"}), ("search", {"city": "Atlantis"})),
        says("", ("transfer_to_agent", {"agent_name": "cashier"})),
    ]
    model = Scripted(model="s", answers=script)
    trip = LlmAgent(name="trip", model=model, tools=[search], sub_agents=[cashier])
    runner = InMemoryRunner(agent=trip, app_name="app")
    session = await runner.session_service.create_session(app_name="app", user_id="u")
    said = types.Content(role="user", parts=[types.Part(text="A room in Rome, please.")])
    async for _ in runner.run_async(user_id="u", session_id=session.id, new_message=said):
        pass
    lines = []
    for span in exporter.get_finished_spans():
        value = json.loads(span.to_json(indent=None))
        value.pop("resource")
        lines.append(json.dumps(value) + "\n")
    (HERE / "adk_spans.jsonl").write_text("".join(lines), "utf-8")


if __name__ == "__main__":
    asyncio.run(main())

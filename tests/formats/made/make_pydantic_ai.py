"""Makes the traces of Pydantic AI: an agent with a scripted model, instrumented by itself.

pip install pydantic-ai-slim==2.68.0 opentelemetry-sdk==1.45.2
python make_pydantic_ai.py

A trip agent asks for two weathers side by side, is told to try one again, tries again, and asks a
second agent, which looks up one fact. ``pydantic_ai.jsonl`` has what was said and called, written
by the SDK's own ``span.to_json``, less stack traces; ``pydantic_ai_no_content.jsonl`` is the same
run with the content left out, as people who fear for their data run it.
"""

import json
from pathlib import Path

from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from pydantic_ai import Agent, ModelRetry
from pydantic_ai.capabilities import Instrumentation
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.models.instrumented import InstrumentationSettings

HERE = Path(__file__).parent


def scripted(*answers):
    """Returns a model that gives these answers, one after the other."""
    left = list(answers)
    return FunctionModel(lambda *_: ModelResponse(parts=left.pop(0)))


def agents(instrument):
    """Returns the trip agent; its tools are defined here."""
    librarian = Agent(
        scripted(
            [ToolCallPart("look_up", {"key": "capital"}, "call_fact")],
            [TextPart("Rome is the capital.")],
        ),
        name="librarian",
        capabilities=[instrument],
    )

    @librarian.tool_plain
    def look_up(key: str) -> str:
        return f"{key}: Rome"

    trip = Agent(
        scripted(
            [
                TextPart("I look at both."),
                ToolCallPart("get_weather", {"city": "Paris"}, "call_paris"),
                ToolCallPart("get_weather", {"city": "Atlantis"}, "call_atlantis"),
            ],
            [ToolCallPart("get_weather", {"city": "Rome"}, "call_rome")],
            [ToolCallPart("ask_librarian", '{"question": "Capital of Italy?"}', "call_ask")],
            [TextPart("Rome is sunny, and the capital.")],
        ),
        name="trip",
        capabilities=[instrument],
    )

    @trip.tool_plain
    def get_weather(city: str) -> dict[str, object]:
        if city == "Atlantis":
            raise ModelRetry("no such city, try Rome")
        return {"city": city, "sky": "sunny"}

    @trip.tool_plain
    async def ask_librarian(question: str) -> str:
        return (await librarian.run(question)).output

    return trip


def written(span):
    """Returns a span as the SDK writes it, without the paths of this machine in stack traces."""
    value = json.loads(span.to_json(indent=None))
    for event in value["events"]:
        event["attributes"].pop("exception.stacktrace", None)
    return json.dumps(value) + "\n"


def main() -> None:
    """Writes the two files beside this one."""
    for name, content in (("pydantic_ai", True), ("pydantic_ai_no_content", False)):
        exporter, provider = InMemorySpanExporter(), TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(exporter))
        settings = InstrumentationSettings(tracer_provider=provider, include_content=content)
        agents(Instrumentation(settings)).run_sync("Where is it nicer, Paris or Atlantis?")
        lines = [written(span) for span in exporter.get_finished_spans()]
        (HERE / f"{name}.jsonl").write_text("".join(lines), "utf-8")


if __name__ == "__main__":
    main()

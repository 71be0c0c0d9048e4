"""Makes strands.jsonl and strands_latest.jsonl: an agent of Strands with a scripted model.

pip install strands-agents==1.62.0 opentelemetry-sdk==1.45.1
python make_strands.py

A trip agent asks for two weathers side by side, one of which fails, then asks a second agent, which
looks up one fact. The first file is by the older conventions, which are the default: messages are
events. The second is by those of OTEL_SEMCONV_STABILITY_OPT_IN=gen_ai_latest_experimental.
"""

import json
import os
from pathlib import Path

from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from strands import Agent, tool
from strands.models.model import Model
from strands.telemetry import tracer

HERE = Path(__file__).parent
OPT_IN = "OTEL_SEMCONV_STABILITY_OPT_IN"


class Scripted(Model):
    """Says what is in its script, answer by answer; an answer is text, then calls."""

    def __init__(self, *script):
        self.script = list(script)

    def update_config(self, **_):
        """Has no settings."""

    def get_config(self):
        """Has no settings."""
        return {}

    async def structured_output(self, *_, **__):
        """Never does."""
        raise NotImplementedError
        yield

    async def stream(self, *_, **__):
        """Streams the next answer."""
        text, *calls = self.script.pop(0)
        yield {"messageStart": {"role": "assistant"}}
        if text:
            yield {"contentBlockStart": {"start": {}}}
            yield {"contentBlockDelta": {"delta": {"text": text}}}
            yield {"contentBlockStop": {}}
        for identifier, name, arguments in calls:
            start = {"toolUse": {"toolUseId": identifier, "name": name}}
            yield {"contentBlockStart": {"start": start}}
            yield {"contentBlockDelta": {"delta": {"toolUse": {"input": json.dumps(arguments)}}}}
            yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "tool_use" if calls else "end_turn"}}


@tool
def get_weather(city: str) -> str:
    """Tells the weather of a city."""
    if city == "Atlantis":
        raise ValueError("no such city")
    return f"Sunny in {city}."


@tool
def look_up(key: str) -> str:
    """Looks up a fact."""
    return f"{key}: Rome"


@tool
async def ask_librarian(question: str) -> str:
    """Asks a librarian, who is an agent too."""
    model = Scripted(["", ("call_fact", "look_up", {"key": "capital"})], ["Rome is the capital."])
    librarian = Agent(model, tools=[look_up], name="librarian", callback_handler=None)
    return str(await librarian.invoke_async(question))


def written(span):
    """Returns a span as the SDK writes it, without the paths of this machine in stack traces."""
    value = json.loads(span.to_json(indent=None))
    for event in value["events"]:
        event["attributes"].pop("exception.stacktrace", None)
    return json.dumps(value) + "\n"


def main():
    """Runs the agent by both conventions and writes their spans."""
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    trace.set_tracer_provider(provider)
    for name, opted in (("strands", ""), ("strands_latest", "gen_ai_latest_experimental")):
        os.environ[OPT_IN] = opted
        tracer._tracer_instance = None  # it reads the environment once
        model = Scripted(
            [
                "I look at both.",
                ("call_paris", "get_weather", {"city": "Paris"}),
                ("call_atlantis", "get_weather", {"city": "Atlantis"}),
            ],
            ["", ("call_ask", "ask_librarian", {"question": "Capital of Italy?"})],
            ["Paris is sunny; Rome is the capital."],
        )
        tools = [get_weather, ask_librarian]
        Agent(model, tools=tools, name="trip", callback_handler=None)("Paris or Atlantis?")
        lines = [written(span) for span in exporter.get_finished_spans()]
        (HERE / f"{name}.jsonl").write_text("".join(lines), "utf-8")
        exporter.clear()


if __name__ == "__main__":
    main()

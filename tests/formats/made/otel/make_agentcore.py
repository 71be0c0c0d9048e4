"""Makes agentcore.jsonl: the agent of make_strands.py, as AWS's AgentCore keeps its spans.

pip install strands-agents==1.62.0 bedrock-agentcore==1.25.0 opentelemetry-sdk==1.45.2
PYTHONPATH=.. python make_agentcore.py

What models and tools said stands in log records beside the spans.
"""

import json
from pathlib import Path

from bedrock_agentcore.evaluation.span_to_adot_serializer import convert_strands_to_adot
from make_strands import Scripted, ask_librarian, get_weather
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from strands import Agent

HERE = Path(__file__).parent


def main():
    """Runs the agent and writes its spans and log records, one a line."""
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    trace.set_tracer_provider(provider)
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
    documents = convert_strands_to_adot(exporter.get_finished_spans())
    lines = [json.dumps(document) + "\n" for document in documents]
    (HERE / "agentcore.jsonl").write_text("".join(lines), "utf-8")


if __name__ == "__main__":
    main()

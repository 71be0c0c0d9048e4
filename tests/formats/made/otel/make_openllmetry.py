"""Makes openllmetry.jsonl: the agent of make_langchain.py on LangGraph, traced by OpenLLMetry.

pip install langchain==1.4.7 langgraph==1.2.22 opentelemetry-instrumentation-langchain==0.62.4 \
    opentelemetry-sdk==1.45.2
PYTHONPATH=.. python make_openllmetry.py

What the nodes of the graph saw, and where LangGraph was, is left out, to keep the file small.
"""

import json
from pathlib import Path

from make_langchain import QUESTION, SCRIPT, travel_agent
from opentelemetry.instrumentation.langchain import LangchainInstrumentor
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

HERE = Path(__file__).parent
NODES = ("workflow", "task")


def shortened(text):
    """Returns the JSON of a span without the long texts of a graph's nodes."""
    span = json.loads(text)
    attributes = span["attributes"]
    for event in span["events"]:
        event["attributes"].pop("exception.stacktrace", None)
    node = attributes.get("traceloop.span.kind") in NODES
    said = ("traceloop.entity.", "gen_ai.task.", "gen_ai.input.", "gen_ai.output.")
    left_out = ("traceloop.association.properties.l", "traceloop.association.properties.c")
    span["attributes"] = {
        key: value
        for key, value in attributes.items()
        if key.endswith("lc_agent_name")
        or not (key.startswith(left_out) or (node and key.startswith(said)))
    }
    span.pop("resource")
    return json.dumps(span)


def main() -> None:
    """Runs the agent and writes its spans."""
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    LangchainInstrumentor().instrument(tracer_provider=provider)
    travel_agent(SCRIPT).invoke(QUESTION)
    lines = [shortened(span.to_json(indent=None)) + "\n" for span in exporter.get_finished_spans()]
    (HERE / "openllmetry.jsonl").write_text("".join(lines), "utf-8")


if __name__ == "__main__":
    main()

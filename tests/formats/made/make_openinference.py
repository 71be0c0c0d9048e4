"""Makes openinference.jsonl: the agent of make_langchain.py, traced by OpenInference.

pip install langchain==1.4.7 langgraph==1.2.22 openinference-instrumentation-langchain==0.1.80 \
    opentelemetry-sdk==1.45.2
python make_openinference.py

What the chains around the agent saw is cut to 200 characters, to keep the file small.
"""

import json
from pathlib import Path

from make_langchain import QUESTION, SCRIPT, travel_agent
from openinference.instrumentation.langchain import LangChainInstrumentor
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

HERE = Path(__file__).parent


def shortened(text):
    """Returns the JSON of a span in which long texts of chains and models are cut."""
    span = json.loads(text)
    attributes = span["attributes"]
    if attributes["openinference.span.kind"] != "TOOL":
        for key in ("input.value", "output.value", "metadata"):
            if key in attributes:
                attributes[key] = attributes[key][:200]
    return json.dumps(span)


def main() -> None:
    """Runs the agent and writes its spans."""
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    LangChainInstrumentor().instrument(tracer_provider=provider)
    travel_agent(SCRIPT).invoke(QUESTION)
    lines = [shortened(span.to_json(indent=None)) + "\n" for span in exporter.get_finished_spans()]
    (HERE / "openinference.jsonl").write_text("".join(lines), "utf-8")


if __name__ == "__main__":
    main()

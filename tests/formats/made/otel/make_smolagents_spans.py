"""Makes smolagents_spans.jsonl: the agent of make_smolagents.py, traced by OpenInference.

pip install smolagents==1.26.0 openinference-instrumentation-smolagents==0.1.43 \
    opentelemetry-sdk==1.45.2
PYTHONPATH=.. python make_smolagents_spans.py

The long prompts of the system, and what chains and models saw as a whole, are cut.
"""

import json
from pathlib import Path

from make_smolagents import BookHotel, GetWeather, Scripted, SearchHotels, says
from openinference.instrumentation.smolagents import SmolagentsInstrumentor
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from smolagents import ToolCallingAgent

HERE = Path(__file__).parent


def shortened(text):
    """Returns the JSON of a span in which long texts are cut."""
    span = json.loads(text)
    attributes = span["attributes"]
    for event in span["events"]:
        event["attributes"].pop("exception.stacktrace", None)
    for key, value in attributes.items():
        whole = key in ("input.value", "output.value") or key.endswith("message.content")
        if attributes["openinference.span.kind"] != "TOOL" and whole and isinstance(value, str):
            attributes[key] = value[:200]
    span.pop("resource", None)
    return json.dumps(span)


def main() -> None:
    """Runs the agent and writes its spans."""
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    SmolagentsInstrumentor().instrument(tracer_provider=provider)
    model = Scripted(
        says("I look.", ("c1", "search_hotels", {"city": "Rome"}), ("c2", "get_weather", "Rome")),
        says("", ("c3", "book_hotel", {"hotel": "H7"})),
        says("", ("c4", "book_hotel", {"hotel": "H9"})),
        says("", ("c5", "final_answer", {"answer": "H9 is booked."})),
    )
    agent = ToolCallingAgent([SearchHotels(), GetWeather(), BookHotel()], model, name="trip")
    agent.run("A room in Rome, please.")
    lines = [shortened(span.to_json(indent=None)) + "\n" for span in exporter.get_finished_spans()]
    (HERE / "smolagents_spans.jsonl").write_text("".join(lines), "utf-8")


if __name__ == "__main__":
    main()

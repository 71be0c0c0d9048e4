"""Makes langfuse.json: the agent of make_langchain.py, traced by Langfuse.

pip install langchain==1.4.7 langgraph==1.2.22 langfuse==5.0.4
PYTHONPATH=.. python make_langfuse.py

Langfuse's client makes the spans; its server, which needs a database, does not run here. What the
server makes of a span is made by the client's own class of an observation, field by field, and
stands in a trace as `GET /api/public/traces/{id}` answers.
"""

import json
from datetime import UTC, datetime
from pathlib import Path

from langfuse import Langfuse
from langfuse.api.commons.types.observation_v2 import ObservationV2
from langfuse.langchain import CallbackHandler
from make_langchain import QUESTION, SCRIPT, travel_agent
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

HERE = Path(__file__).parent
SAID = "langfuse.observation."


def value_of(text):
    """Returns what a text of the client holds."""
    try:
        return json.loads(text)
    except (TypeError, ValueError):
        return text


def time_of(nanoseconds):
    """Returns a time as the API writes it."""
    return datetime.fromtimestamp(nanoseconds / 1e9, UTC)


def observation(span):
    """Returns the observation that a span becomes."""
    attributes, said = span.attributes, {}
    for key in ("input", "output", "level", "status_message"):
        said[key] = value_of(attributes.get(SAID + key))
    model = attributes[SAID + "type"] == "generation"
    chain = attributes[SAID + "type"] in ("chain", "span")
    made = ObservationV2(
        id=format(span.context.span_id, "016x"),
        trace_id=format(span.context.trace_id, "032x"),
        project_id="project",
        type=attributes[SAID + "type"].upper(),
        name=span.name,
        start_time=time_of(span.start_time),
        end_time=time_of(span.end_time),
        parent_observation_id=format(span.parent.span_id, "016x") if span.parent else None,
        input=None if chain and span.parent else said["input"],  # to keep the file small
        output=None if chain and span.parent else said["output"],
        level=said["level"] or "DEFAULT",
        status_message=said["status_message"],
        model="scripted" if model else None,
    )
    return json.loads(made.json(by_alias=True))


def main() -> None:
    """Runs the agent and writes its trace."""
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    Langfuse(public_key="pk", secret_key="sk", tracer_provider=provider, host="http://127.0.0.1:9")
    travel_agent(SCRIPT).invoke(QUESTION, config={"callbacks": [CallbackHandler()]})
    spans = exporter.get_finished_spans()
    observations = [observation(span) for span in spans if SAID + "type" in span.attributes]
    root = next(o for o in observations if not o.get("parentObservationId"))
    trace = {
        "id": root["traceId"],
        "name": root["name"],
        "timestamp": root["startTime"],
        "input": root["input"],
        "output": root["output"],
        "sessionId": None,
        "tags": [],
        "observations": observations,
        "scores": [],
    }
    (HERE / "langfuse.json").write_text(json.dumps(trace, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()

"""OpenTelemetry: spans of its SDK with the attributes for generative AI, alone and in a list."""

import json
from typing import Any

from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import Status, StatusCode

from hosts.scenario import ANSWER, FAILURE, REQUEST, Call

PACKAGES = ("opentelemetry-sdk",)


def _spans(calls: list[Call]) -> tuple[Any, ...]:
    """The spans of one run: of each call, of the agent, and of the model at the end."""
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    tracer = provider.get_tracer("scripted")
    with tracer.start_as_current_span("invoke_agent clerk") as agent:
        agent.set_attribute("gen_ai.operation.name", "invoke_agent")
        agent.set_attribute("gen_ai.input.messages", json.dumps([_message("user", REQUEST)]))
        agent.set_attribute("gen_ai.output.messages", json.dumps([_message("assistant", ANSWER)]))
        for call in calls:
            with tracer.start_as_current_span(f"execute_tool {call.tool}") as span:
                span.set_attribute("gen_ai.operation.name", "execute_tool")
                span.set_attribute("gen_ai.tool.name", call.tool)
                span.set_attribute("gen_ai.tool.call.id", call.id)
                span.set_attribute("gen_ai.tool.call.arguments", json.dumps(call.arguments))
                if call.result is None:
                    span.set_attribute("gen_ai.tool.call.result", FAILURE)
                    span.set_status(Status(StatusCode.ERROR, FAILURE))
                else:
                    span.set_attribute("gen_ai.tool.call.result", call.result)
    return exporter.get_finished_spans()


def _message(role: str, text: str) -> dict[str, Any]:
    return {"role": role, "parts": [{"type": "text", "content": text}]}


def objects(calls: list[Call]) -> dict[str, Any]:
    """Objects of one run, by their names."""
    return {"get_finished_spans": _spans(calls)}


def parts(calls: list[Call]) -> dict[str, Any]:
    """Objects that hold one call each, the first of the run."""
    return {"ReadableSpan": _spans(calls)[0]}


def file(calls: list[Call]) -> Any:
    """The data that the SDK writes itself."""
    return [json.loads(span.to_json()) for span in _spans(calls)]


def unknown() -> Any:
    """An object that holds no run."""
    return TracerProvider()

"""OpenTelemetry: an event of the semantic conventions, whose parent is the span of the run."""

from typing import Any

from opentelemetry import _logs, trace
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import InMemoryLogRecordExporter, SimpleLogRecordProcessor
from opentelemetry.sdk.trace import TracerProvider

from hosts.recipes import CASES, NO_RUN, Result, messages_of

PACKAGES = ("opentelemetry-sdk",)
TITLE = "OpenTelemetry"


def results(recipe: Any) -> dict[str, Result]:
    """The attributes of the events."""
    exporter, provider = InMemoryLogRecordExporter(), LoggerProvider()
    provider.add_log_record_processor(SimpleLogRecordProcessor(exporter))
    _logs.set_logger_provider(provider)
    trace.set_tracer_provider(TracerProvider())
    found = {}
    for name, calls in CASES.items():
        with trace.get_tracer("agent").start_as_current_span("invoke_agent") as span:
            pass
        recipe.emit_evaluation(span, messages_of(calls) if calls else NO_RUN)
        record = exporter.get_finished_logs()[-1].log_record
        assert record.event_name == "gen_ai.evaluation.result"
        assert record.span_id == span.get_span_context().span_id
        assert record.trace_id == span.get_span_context().trace_id
        attributes = record.attributes
        found[name] = Result(
            attributes.get("gen_ai.evaluation.score.value"),
            attributes["gen_ai.evaluation.explanation"],
        )
        assert ("error.type" in attributes) == (name == "unreadable")
    return found

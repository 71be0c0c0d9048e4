"""The attributes of agents' spans, under the names that different tracers use."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from otap.formats.chats import value_in
from otap.formats.content import parse_inner
from otap.formats.readers.otel_envelopes import RawSpan, Status
from otap.formats.spans import Span

Kind = Literal["tool", "model", "agent"]

OPERATION = "gen_ai.operation.name"
CONVERSATION = "gen_ai.conversation.id"
_MERGED = "(merged tools)"  # a span of ADK that repeats the spans of the tools

# BeeAI has a tool span for each event of a call. It is inside the span of the call, with its path
# in the metadata, or in older versions it is the only span that records the call.
TOOL_EVENT = "event of a tool"

# OpenTelemetry's names, then its older names, those of frameworks, and those of OpenInference.
TOOL = ("gen_ai.tool.name", "tool.name", "mcp.tool.name", "ai.toolCall.name")
CALL_ID = ("gen_ai.tool.call.id", "tool.id", "tool_call.id", "ai.toolCall.id")
ARGUMENTS = (
    *("gen_ai.tool.call.arguments", "gen_ai.tool.input", "tool_arguments"),
    *("gcp.vertex.agent.tool_call_args", "ai.toolCall.args", "ai.toolCall.input"),
    *("langfuse.observation.input", "traceloop.entity.input", "input.value"),
)
RESULT = (
    *("gen_ai.tool.call.result", "gen_ai.tool.result", "gen_ai.tool.output", "tool_response"),
    *("gcp.vertex.agent.tool_response", "ai.toolCall.result", "ai.toolCall.output"),
    *("langfuse.observation.output", "traceloop.entity.output", "output.value"),
)
AGENT = (
    *("gen_ai.agent.name", "agent.name", "graph.node.name", "graph.node.id"),
    "traceloop.association.properties.lc_agent_name",
)

# Attributes that name the kind of a span, with the values for each of our kinds. The kind "" has
# the spans of agents that record no action. If an attribute has a "", any unlisted value is
# unknown; otherwise unlisted values are ignored.
_KIND_ATTRIBUTES: Mapping[str, Mapping[Kind | Literal[""], str]] = {
    OPERATION: {
        "tool": "execute_tool",
        "model": "chat generate_content text_completion",
        "agent": "invoke_agent",
        "": "create_agent embeddings retrieval rerank invoke_workflow evaluate create_memory"
        " update_memory delete_memory search_memory upsert_memory create_memory_store"
        " delete_memory_store execute_task send_data call_llm execute_event_loop_cycle"
        " invoke_swarm invoke_graph",
    },
    "openinference.span.kind": {
        "tool": "TOOL",
        "model": "LLM",
        "agent": "AGENT",
        "": "CHAIN EMBEDDING RETRIEVER RERANKER GUARDRAIL EVALUATOR PROMPT",
    },
    "traceloop.span.kind": {"tool": "tool", "agent": "agent", "": "workflow task session"},
    "ai.operationId": {
        "tool": "ai.toolCall",
        "model": "ai.generateText.doGenerate ai.streamText.doStream ai.generateText.doStream"
        " ai.streamText.doGenerate ai.generateObject.doGenerate ai.streamObject.doStream"
        " ai.generateObject.doStream ai.streamObject.doGenerate",
        "agent": "ai.generateText ai.streamText ai.generateObject ai.streamObject",
        "": "ai.embed ai.embedMany ai.rerank ai.embed.doEmbed",
    },
    "langfuse.observation.type": {
        "tool": "tool",
        "model": "generation",
        "agent": "agent",
        "": "span event chain retriever embedding evaluator guardrail",
    },
    "mcp.method.name": {"tool": "tools/call"},
    "llm.request.type": {"model": "chat completion", "": "embedding rerank"},
}
_KINDS = {
    (key, word): kind
    for key, kinds in _KIND_ATTRIBUTES.items()
    for kind, words in kinds.items()
    for word in words.split()
}
_MODEL_CONTENT = (  # a span of an unstated kind with one of these is of a model
    *("gen_ai.input.messages", "gen_ai.output.messages", "gen_ai.prompt.0.role"),
    *("gen_ai.completion.0.role", "gen_ai.completion.0.content", "gen_ai.prompt.0.content"),
    *("llm.input_messages.0.message.role", "llm.output_messages.0.message.role"),
)
_MODEL_NAMES = ("gen_ai.request.model", "gen_ai.response.model", "llm.model_name", "ai.model.id")


_HANDOFF = re.compile("handoff (?:from .+ )?to (?P<agent>.+)", re.IGNORECASE)


class SpanKind(NamedTuple):
    """The kind of a span; without a kind, the word by which it is counted as not read."""

    kind: Kind | None
    unknown: str | None = None
    ignored: str | None = None

    def note_on(self, span: Span) -> None:
        """Adds the word to those of the span."""
        unknown = [self.unknown] if self.unknown else []
        span.note(unknown, [self.ignored] if self.ignored else [])


def kind_of(attributes: Mapping[str, Any]) -> SpanKind:
    """Returns the kind of the span with these attributes."""
    if attributes.get("gen_ai.tool.name") == _MERGED:
        return SpanKind(None, ignored="span that repeats calls")
    if value_in(attributes, TOOL) is None:
        if str(attributes.get("metadata.path")).startswith("tool."):
            return SpanKind(None, ignored=TOOL_EVENT)
        if str(attributes.get("target")).startswith("tool."):
            return SpanKind(None, unknown=TOOL_EVENT)
    stated = [
        (key, attributes[key]) for key in _KIND_ATTRIBUTES if isinstance(attributes.get(key), str)
    ]
    for pair in stated:
        kind = _KINDS.get(pair)
        if kind:
            return SpanKind(kind)
    return _kind_without_action(stated) if stated else _unstated_kind(attributes)


def _kind_without_action(stated: Sequence[tuple[str, str]]) -> SpanKind:
    """Returns the kind of a span that states no kind of ours: unknown if a value is unknown."""
    for key, value in stated:
        if "" in _KIND_ATTRIBUTES[key] and (key, value) not in _KINDS:
            return SpanKind(None, unknown=f"span with {key} '{value}'")
    return SpanKind(None, ignored=f"span of kind '{stated[0][1]}'")


def _unstated_kind(attributes: Mapping[str, Any]) -> SpanKind:
    """Returns the kind of a span that states none, by its other attributes."""
    if "gen_ai.tool.name" in attributes:  # older than the operation for it
        return SpanKind("tool")
    if any(name in attributes for name in ("gcp.vertex.agent.llm_response", *_MODEL_CONTENT)):
        return SpanKind("model")
    if any(name in attributes for name in _MODEL_NAMES):
        return SpanKind(None, unknown="span of a model that does not say what it is")
    return SpanKind(None, ignored="span of something else")


def tool_in_name(name: str) -> str:
    """Returns the tool in the name of a span; a handoff is a call of the SDK's tool for it."""
    handoff = _HANDOFF.fullmatch(name)
    if handoff is not None:
        return f"transfer_to_{re.sub('[^a-zA-Z0-9_]', '_', handoff['agent']).lower()}"
    return name


def status_of(span: RawSpan) -> Status | None:
    """Returns the status of a span, by its status code, attributes or exceptions."""
    word = value_in(span.attributes, ("gen_ai.tool.status", "tool.status", "gen_ai.task.status"))
    if span.status == "error" or span.attributes.get("error.type") or word in ("error", "failed"):
        return "error"
    if span.status == "ok" or word in ("ok", "success", "completed"):
        return "ok"
    return "error" if any(event.name == "exception" for event in span.events) else None


# OpenLLMetry records the arguments and the return value of LangChain's callbacks.
_CALLBACK_KEYS = {"input_str", "inputs", "tags", "metadata", "kwargs", "tool_call_id"}
_CALLBACK_OUTPUT_KEYS = {"output", "kwargs", "tags"}
# Others record the call of a Python function; smolagents' tools have a flag of their own.
_FUNCTION_KEYS = {"args", "kwargs", "sanitize_inputs_outputs"}


def arguments_in(recorded: Any, names: Sequence[str] = ()) -> Any:
    """Returns the model's arguments without the wrapper of a tracer.

    Args:
        recorded: the input of a tool's span, as JSON or as text.
        names: the names of the tool's parameters, in order, for positional arguments.
    """
    fields = parse_object(recorded)
    if fields.keys() <= _CALLBACK_KEYS and {"input_str", "inputs"} & fields.keys():
        inputs, text = fields.get("inputs"), fields.get("input_str")
        if isinstance(inputs, dict):
            return inputs
        return recorded if text is None else text
    if fields.keys() <= _FUNCTION_KEYS and "kwargs" in fields and "args" in fields:
        return _function_arguments(fields, names, recorded)
    if fields.keys() == {"kwargs"} and names and "kwargs" not in names:  # a call of LlamaIndex
        return fields["kwargs"]
    return recorded


def unwrap_result(recorded: Any) -> Any:
    """Returns the result of a tool without the wrapper of a tracer."""
    if isinstance(recorded, str) and recorded[:1] == recorded[-1:] == '"':
        text = parse_inner(recorded)
        return text if isinstance(text, str) else recorded
    fields = parse_object(recorded)
    if not {"output", "kwargs"} <= fields.keys() <= _CALLBACK_OUTPUT_KEYS:
        return recorded
    return fields["output"]


def task_in(recorded: Any) -> str | None:
    """Returns the task in the settings of a smolagents run."""
    settings = parse_object(recorded)
    task = settings.get("task") if "max_steps" in settings else None
    return task if isinstance(task, str) and task.strip() else None


def parameters_of(recorded: Any) -> tuple[str, ...]:
    """Returns the names of a tool's parameters, in order, from its definition."""
    schema = parse_object(recorded)
    properties = schema.get("properties")
    return tuple(properties if isinstance(properties, dict) else schema)


def parse_object(recorded: Any) -> dict[str, Any]:
    """Returns an object, parsed if it is JSON in a text; an empty one for anything else."""
    value = parse_inner(recorded)
    return value if isinstance(value, dict) else {}


def _function_arguments(call: Mapping[str, Any], names: Sequence[str], recorded: Any) -> Any:
    """Returns the arguments of a call of a Python function, by name where names are known."""
    positional, by_name = call.get("args"), call.get("kwargs")
    if not isinstance(positional, list) or not isinstance(by_name, dict):
        return recorded
    if not positional:
        return by_name
    only = positional[0] if len(positional) == 1 and not by_name else None
    if isinstance(only, dict) and (not names or only.keys() <= {*names}):
        return only
    if len(positional) <= len(names):
        return {**dict(zip(names, positional, strict=False)), **by_name}
    return {"args": positional, **by_name}

"""The attributes of agents' spans: the names that different tracers have for one thing."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from otap.formats.readers.otel.envelopes import RawSpan, Status
from otap.formats.steps.content import parse_inner
from otap.formats.steps.tables import value_in

Kind = Literal["tool", "model", "agent"]

OPERATION = "gen_ai.operation.name"
CONVERSATION = "gen_ai.conversation.id"
_MERGED = "(merged tools)"  # a span of ADK that says once more what the tools' own spans say

# BeeAI has a span of the tool's kind for each event of a call: inside the call's own span, with
# their path in the metadata, or, in older versions, where no other span tells of the call.
EVENT = "event of a tool"

# OpenTelemetry's own names first; then its older ones, those of frameworks, and OpenInference's.
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

# What spans say of themselves, by the attribute that says it: what is of a tool, a model and an
# agent, and under "" what agents' spans are that are none of these. With no "" any other is.
_SAYS: Mapping[str, Mapping[Kind | Literal[""], str]] = {
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
    for key, kinds in _SAYS.items()
    for kind, words in kinds.items()
    for word in words.split()
}
_MODELLED = (  # a span with one of these is of a model, whatever it says of itself
    *("gen_ai.input.messages", "gen_ai.output.messages", "gen_ai.prompt.0.role"),
    *("gen_ai.completion.0.role", "gen_ai.completion.0.content", "gen_ai.prompt.0.content"),
    *("llm.input_messages.0.message.role", "llm.output_messages.0.message.role"),
)
_NAMES_MODEL = ("gen_ai.request.model", "gen_ai.response.model", "llm.model_name", "ai.model.id")


_HANDOFF = re.compile("handoff (?:from .+ )?to (?P<agent>.+)", re.IGNORECASE)


class Standing(NamedTuple):
    """What a span is to a run, and what is noted of one that is nothing to it."""

    kind: Kind | None
    unknown: str | None = None
    ignored: str | None = None


def standing_in(attributes: Mapping[str, Any]) -> Standing:
    """Returns what a span with these attributes is to a run: of a tool, a model, an agent, or not.

    Args:
        attributes: those of the span.
    """
    if attributes.get("gen_ai.tool.name") == _MERGED:
        return Standing(None, ignored="span that tells calls again")
    if value_in(attributes, TOOL) is None and str(attributes.get("metadata.path"))[:5] == "tool.":
        return Standing(None, ignored=EVENT)
    if value_in(attributes, TOOL) is None and str(attributes.get("target"))[:5] == "tool.":
        return Standing(None, unknown=EVENT)
    said = [(key, attributes[key]) for key in _SAYS if isinstance(attributes.get(key), str)]
    kind = next((kind for pair in said if (kind := _KINDS.get(pair))), None)
    if kind:
        return Standing(kind)
    return _unsaid(attributes) if not said else _beside(said)


def _beside(said: Iterable[tuple[str, str]]) -> Standing:
    """Returns what a span is that says of itself what it is, but nothing that does anything."""
    strange = [pair for pair in said if "" in _SAYS[pair[0]] and pair not in _KINDS]
    key, value = next(iter(strange or said))
    if strange:
        return Standing(None, unknown=f"span with {key} '{value}'")
    return Standing(None, ignored=f"span of kind '{value}'")


def _unsaid(attributes: Mapping[str, Any]) -> Standing:
    """Returns what a span is that says nothing of itself."""
    if "gen_ai.tool.name" in attributes:  # before there was an operation for it
        return Standing("tool")
    told = "gcp.vertex.agent.llm_response" in attributes
    if told or any(name in attributes for name in _MODELLED):
        return Standing("model")
    if any(name in attributes for name in _NAMES_MODEL):
        return Standing(None, unknown="span of a model that does not say what it is")
    return Standing(None, ignored="span of something else")


def tool_in_name(name: str) -> str:
    """Returns the tool that a span is named for; a handoff is the tool that is made of it."""
    handoff = _HANDOFF.fullmatch(name)
    if handoff is not None:
        return f"transfer_to_{re.sub('[^a-zA-Z0-9_]', '_', handoff['agent']).lower()}"
    return re.sub("^(?:execute_tool |running tool: )|[.]tool$", "", name)


def status_of(span: RawSpan) -> Status | None:
    """Returns how a call ended, where its span says so."""
    told = value_in(span.attributes, ("gen_ai.tool.status", "tool.status", "gen_ai.task.status"))
    if span.status == "error" or span.attributes.get("error.type") or told in ("error", "failed"):
        return "error"
    if span.status == "ok" or told in ("ok", "success", "completed"):
        return "ok"
    return "error" if any(event.name == "exception" for event in span.events) else None


# OpenLLMetry keeps what LangChain's callbacks were given, and what they returned.
_CALLED_BACK = {"input_str", "inputs", "tags", "metadata", "kwargs", "tool_call_id"}
_RETURNED = {"output", "kwargs", "tags"}
# Others keep how a function of Python was called; smolagents' tools have a flag of their own.
_PYTHON = {"args", "kwargs", "sanitize_inputs_outputs"}


def arguments_in(recorded: Any, names: Sequence[str] = ()) -> Any:
    """Returns what the model asked for, without what a tracer put around it.

    Args:
        recorded: the input of a tool's span, as JSON or as text.
        names: those of the tool's parameters, in order, for arguments without a name.
    """
    value = parse_object(recorded)
    if value.keys() <= _CALLED_BACK and {"input_str", "inputs"} & value.keys():
        inputs, text = value.get("inputs"), value.get("input_str")
        return inputs if isinstance(inputs, dict) else recorded if text is None else text
    if value.keys() <= _PYTHON and "kwargs" in value and "args" in value:
        return _called(value, names, recorded)
    if value.keys() == {"kwargs"} and names and "kwargs" not in names:  # LlamaIndex, as it calls
        return value["kwargs"]
    return recorded


def result_out(recorded: Any) -> Any:
    """Returns what a tool returned, without what a tracer put around it."""
    if isinstance(recorded, str) and recorded[:1] == recorded[-1:] == '"':
        value = parse_inner(recorded)
        return value if isinstance(value, str) else recorded
    value = parse_object(recorded)
    if not {"output", "kwargs"} <= value.keys() <= _RETURNED:
        return recorded
    return value["output"]


def task_in(recorded: Any) -> str | None:
    """Returns the task of an agent of smolagents, among the settings of its run."""
    value = parse_object(recorded)
    task = value.get("task") if "max_steps" in value else None
    return task if isinstance(task, str) and task.strip() else None


def parameters_of(recorded: Any) -> tuple[str, ...]:
    """Returns the names of a tool's parameters, in order, from its definition."""
    value = parse_object(recorded)
    inner = value.get("properties")
    return tuple(inner if isinstance(inner, dict) else value)


def parse_object(recorded: Any) -> dict[str, Any]:
    """Returns an object, written as JSON or not; an empty one for anything else."""
    value = parse_inner(recorded)
    return value if isinstance(value, dict) else {}


def _called(value: Mapping[str, Any], names: Sequence[str], recorded: Any) -> Any:
    args, kwargs = value.get("args"), value.get("kwargs")
    if not isinstance(args, list) or not isinstance(kwargs, dict):
        return recorded
    if not args:
        return kwargs
    only = args[0] if len(args) == 1 and not kwargs else None
    if isinstance(only, dict) and (not names or only.keys() <= {*names}):
        return only
    if len(args) <= len(names):
        return {**dict(zip(names, args, strict=False)), **kwargs}
    return {"args": args, **kwargs}

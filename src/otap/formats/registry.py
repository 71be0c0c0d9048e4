"""The table of formats, and the recognition of a document's format.

A new format is a module in ``readers`` and a line in :data:`FORMATS`.
"""

import importlib
import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, Protocol, cast

from otap.errors import ConfigError, shown
from otap.formats.json.documents import Document, Parser, first_of
from otap.formats.json.paths import described
from otap.trajectory import Trajectory


class FormatEntry(NamedTuple):
    """The line of a format in the table.

    Attributes:
        module: the module that reads the format, a :class:`Format`.
        keys: keys of which the first object of every file in this format has at least one. If it
            has none, the module is not imported. "" means that the first item is never an object,
            and ``None`` that any object may be in the format.
    """

    module: str
    keys: str | None = None


FORMATS = {
    "otap": FormatEntry("otap.formats.readers.own"),
    "otap-plan": FormatEntry("otap.plans.plan_format", "schema_version"),
    "openai": FormatEntry("otap.formats.readers.openai"),
    "openai-responses": FormatEntry("otap.formats.readers.openai_responses"),
    "openai-agents": FormatEntry("otap.formats.readers.openai_agents"),
    "anthropic": FormatEntry("otap.formats.readers.anthropic"),
    "claude-code": FormatEntry("otap.formats.readers.claude_code"),
    "gemini": FormatEntry("otap.formats.readers.gemini"),
    "gemini-cli": FormatEntry("otap.formats.readers.gemini_cli", "sessionId"),
    "gemini-cli-stream": FormatEntry(
        "otap.formats.readers.gemini_cli_stream", "session_id tool_id"
    ),
    "qwen-code": FormatEntry("otap.formats.readers.qwen_code", "uuid"),
    "factory-droid": FormatEntry("otap.formats.readers.factory_droid", "type"),
    "kimi-cli": FormatEntry("otap.formats.readers.kimi_cli", "role protocol_version message"),
    "bedrock": FormatEntry("otap.formats.readers.bedrock"),
    "codex": FormatEntry("otap.formats.readers.codex"),
    "codex-exec": FormatEntry("otap.formats.readers.codex_exec", "thread_id item"),
    "cursor": FormatEntry("otap.formats.readers.cursor", "message apiKeySource call_id type"),
    "vscode-chat": FormatEntry("otap.formats.readers.vscode_chat", "requests kind"),
    "tau-bench": FormatEntry("otap.formats.readers.tau_bench", "traj"),
    "tau2": FormatEntry("otap.formats.readers.tau2", "user_scenario"),
    "tau2-results": FormatEntry("otap.formats.readers.tau2_results", "simulations messages ticks"),
    "adk": FormatEntry("otap.formats.readers.adk"),
    "adk-results": FormatEntry(
        "otap.formats.readers.adk_results", "eval_case_results evalCaseResults"
    ),
    "atif": FormatEntry("otap.formats.readers.atif", "agent"),
    "agentdojo": FormatEntry("otap.formats.readers.agentdojo", "suite_name"),
    "medagentbench": FormatEntry("otap.formats.readers.medagentbench", "output"),
    "azure-ai-evaluation": FormatEntry(
        "otap.formats.readers.azure_evaluation", "query inputs.query rows"
    ),
    "inspect": FormatEntry("otap.formats.readers.inspect_logs", "eval"),
    "mini-swe-agent": FormatEntry("otap.formats.readers.mini_swe_agent"),
    "swe-agent": FormatEntry("otap.formats.readers.swe_agent", "trajectory attempts history"),
    "openhands": FormatEntry("otap.formats.readers.openhands"),
    "ai-sdk": FormatEntry("otap.formats.readers.ai_sdk"),
    "pydantic-ai": FormatEntry("otap.formats.readers.pydantic_ai"),
    "llama-index": FormatEntry("otap.formats.readers.llama_index"),
    "autogen": FormatEntry("otap.formats.readers.autogen"),
    "haystack": FormatEntry("otap.formats.readers.haystack"),
    "semantic-kernel": FormatEntry("otap.formats.readers.semantic_kernel"),
    "goose": FormatEntry("otap.formats.readers.goose"),
    "opencode": FormatEntry("otap.formats.readers.opencode"),
    "opencode-run": FormatEntry("otap.formats.readers.opencode_run", "sessionID"),
    "copilot-cli": FormatEntry("otap.formats.readers.copilot_cli", "parentId"),
    "cline": FormatEntry("otap.formats.readers.cline", "ts"),
    "crewai": FormatEntry("otap.formats.readers.crewai", "source_fingerprint"),
    "browser-use": FormatEntry("otap.formats.readers.browser_use", "history"),
    "agent-framework": FormatEntry("otap.formats.readers.agent_framework"),
    "dotnet-ai": FormatEntry("otap.formats.readers.dotnet_ai"),
    "dspy": FormatEntry("otap.formats.readers.dspy"),
    "langchain": FormatEntry("otap.formats.readers.langchain"),
    "langgraph": FormatEntry("otap.formats.readers.langgraph"),
    "langsmith": FormatEntry("otap.formats.readers.langsmith", "run_type runs"),
    "langfuse": FormatEntry("otap.formats.readers.langfuse", "data observations type"),
    "mlflow": FormatEntry("otap.formats.readers.mlflow", "data"),
    "mlflow-spans": FormatEntry("otap.formats.readers.mlflow_spans", "attributes spans trace"),
    "smolagents": FormatEntry("otap.formats.readers.smolagents", "timing task_images state"),
    "otel": FormatEntry(
        "otap.formats.readers.otel",
        "resourceSpans batches resourceLogs trace data traceID name context.span_id body spans"
        " traces",
    ),
    "worfbench": FormatEntry("otap.formats.readers.worfbench", "conversations"),
    "pddl": FormatEntry("otap.formats.readers.pddl", ""),
    "planbench": FormatEntry("otap.formats.readers.planbench", "instances instance_id"),
    "bfcl": FormatEntry("otap.formats.readers.bfcl", "result ground_truth"),
    "xes": FormatEntry("otap.formats.readers.xes", "format"),
    "bare-calls": FormatEntry("otap.formats.readers.bare_calls"),
}
# The format that is tried if no other recognises a document, because it requires little.
FALLBACK_FORMAT = "bare-calls"

# Formats that are not JSON: the beginning of their files, and the module whose ``parse`` converts
# a file to JSON.
PARSERS: tuple[tuple[re.Pattern[bytes], str], ...] = (
    (re.compile(rb"PK\x03\x04"), "otap.formats.readers.inspect_archives"),
    (re.compile(rb"PAR1"), "otap.formats.json.rows"),
    (re.compile(rb"(\xef\xbb\xbf)?\s*<"), "otap.formats.readers.xes"),
    (re.compile(rb"(\xef\xbb\xbf)?\s*[(;]"), "otap.formats.readers.pddl"),
    (
        re.compile(rb"(\xef\xbb\xbf)?(?:\s|#[^\n]*\n)*(?:[A-Za-z_]\w*\s*=|\[\[steps\]\])"),
        "otap.plans.plan_format",
    ),
)

# Prefixes of 'schema_version' in documents that name their format. No other format is tried first.
SCHEMA_VERSIONS = {"otap.plan/": "otap-plan", "otap.": "otap", "ATIF-v": "atif"}

# Files of popular tools that cannot be read, by the keys of their objects.
UNSUPPORTED = "not read yet"
UNSUPPORTED_FILES = (
    ("type version cwd timestamp", f"a session of pi or OpenClaw; {UNSUPPORTED}"),
    ("mapping current_node", f"an export of ChatGPT; {UNSUPPORTED}"),
    ("chat_messages", f"an export of Claude's chats; {UNSUPPORTED}"),
    ("chat_history", f"a request to Cohere's chat; {UNSUPPORTED}"),
    (
        "trial_name verifier_result",
        "the result of a trial of Harbor: take the folder, with agent/trajectory.json",
    ),
    (
        "task_id is_resolved",
        "a result of Terminal-Bench, which has no calls: take the trajectories of the agent",
    ),
    ("tests prompts", "a configuration of promptfoo: 'otap convert FILE --plan' makes plans of it"),
)

# Objects that exporters write among the spans of a trace, by keys of which they have one.
OTHER_SIGNALS = {
    "metric": ("dataPoints", "resourceMetrics", "scopeMetrics"),
    "profile": ("resourceProfiles",),
}

# The suffixes of trace files in a folder.
SUFFIXES = (".json", ".jsonl", ".parquet", ".eval", ".traj", ".xes")
# Plans may be among references. Files of settings have the same suffix.
PLAN_SUFFIXES = (".toml",)
SETTINGS_FILES = ("otap.toml", "pyproject.toml")


class Format(Protocol):
    """The members of the module of a format.

    A module may also have ``references(document) -> Iterator[Trajectory]``, which yields the
    reference runs in its files. Two more optional members tell whether each item of a file is one
    run. If so, JSONL is read line by line and Parquet row by row:

    - ``BY_ITEM = True``: the first item of a list shows the format, and each item is one run. Then
      ``read`` maps a function over the items, and can continue after a run that raised an error.
    - ``NAME_OF_RUN(item) -> str | None``: each item is one run if all items have different names.

    Attributes:
        NAME: the name that users give, the same as in :data:`FORMATS`.
        DESCRIPTION: a line about the files of the format.
        STEP: a line about the parts that become steps.
        KNOWN_BY: a line about the content by which the format is recognised.
    """

    NAME: str
    DESCRIPTION: str
    STEP: str
    KNOWN_BY: str

    def recognises(self, value: Any, /) -> bool:
        """Returns whether a document is in this format. No two formats recognise one document."""

    def read(self, document: Document, /, *, reasoning: bool = False) -> Iterator[Trajectory]:
        """Yields the runs of a document that the format recognises, in the order of the file.

        Args:
            document: the JSON of one file.
            reasoning: whether text that leads to no call becomes a reasoning step.

        Raises:
            FormatError: with the path to the first invalid value.
            LimitError: if calls nest too deep.
        """


def load_format(name: str) -> Format:
    """Returns the module of a format, which is imported on first use.

    Raises:
        ConfigError: if there is no format with this name.
    """
    if name not in FORMATS:
        raise ConfigError(f"unknown format '{shown(name)}'; OTAP reads {', '.join(FORMATS)}")
    return cast(Format, importlib.import_module(FORMATS[name].module))


def parser_of(content: bytes) -> Parser | None:
    """Returns the parser for a file, by its beginning; ``None`` for JSON."""
    for beginning, module in PARSERS:
        if beginning.match(content):
            return cast(Parser, importlib.import_module(module).parse)
    return None


def format_of(document: Document, name: str | None = None) -> Format:
    """Returns the format of a document.

    Args:
        document: the document.
        name: the format according to the user, which must recognise the document.

    Raises:
        FormatError: if not exactly one format recognises it.
        ConfigError: if there is no format with this name.
    """
    if name is not None:
        load_format(name)
    try:
        formats = _list_recognising(document, name)
        description = described(document.value)
        tool = None if formats else hint(document.value)
    except Exception as error:
        raise document.root.own_error(error) from error.__cause__
    if len(formats) == 1:
        return formats[0]
    if name is not None:
        raise document.root.error(
            f"is not in the format '{name}', it holds {description};"
            " leave out --format to recognise the format"
        )
    if formats:
        names = " and ".join(candidate.NAME for candidate in formats)
        raise document.root.error(f"could be {names}; name one with --format")
    advice = f"'otap formats' lists the {len(FORMATS)} formats that OTAP reads"
    if tool is not None:
        raise document.root.error(
            f"looks like {tool.replace(UNSUPPORTED, f'{UNSUPPORTED}; {advice}')}"
        )
    raise document.root.error(f"no format recognises it: it holds {description}; {advice}")


def _list_recognising(document: Document, name: str | None) -> list[Format]:
    """Returns the formats that recognise a document: that with a name, or any."""
    first = first_of(document.value)
    expected = _format_by_schema_version(first) if name is None else name
    formats = _recognising(document.value, first, FORMATS if expected is None else [expected])
    if formats or name is not None:
        return formats
    return _recognising(document.value, first, FORMATS)


def kind_without_place(item: Any) -> str | None:
    """Returns the kind of an item of a file that belongs to no run; None for any other item."""
    if item is None:
        return "null"
    keys = item.keys() if isinstance(item, dict) else ()
    kinds = (kind for kind, names in OTHER_SIGNALS.items() if any(name in keys for name in names))
    return next(kinds, None)


def _format_by_schema_version(first: Any) -> str | None:
    """Returns the format that a document names itself."""
    version = str(first.get("schema_version")) if isinstance(first, dict) else ""
    names = (name for prefix, name in SCHEMA_VERSIONS.items() if version.startswith(prefix))
    return next(names, None)


def _recognising(value: Any, first: Any, names: Iterable[str]) -> list[Format]:
    """Returns the formats that recognise a document; the fallback only if no other does."""
    candidates = [name for name in names if not isinstance(first, dict) or may_be(name, first)]
    formats = [load_format(name) for name in candidates if name != FALLBACK_FORMAT]
    recognising = [module for module in formats if module.recognises(value)]
    if not recognising and FALLBACK_FORMAT in candidates:
        fallback = load_format(FALLBACK_FORMAT)
        return [fallback] if fallback.recognises(value) else []
    return recognising


def may_be(name: str, first: dict[str, Any]) -> bool:
    """Returns whether a document may be in a format, by the keys of its first object."""
    keys = FORMATS[name].keys
    return keys is None or not first.keys().isdisjoint(keys.split())


def hint(value: Any) -> str | None:
    """Describes a document that no format recognises, and says which file to use instead.

    Args:
        value: the JSON of the document.
    """
    match first_of(value):
        case {"object": "chat.completion.chunk"} | {
            "type": "message_start" | "content_block_start" | "response.created"
        }:
            return "an answer in pieces: keep the whole answer, with the messages before it"
        case {"conversations": [{"from": _, "value": _}, *_]}:
            return "turns of ShareGPT: write messages with 'role', 'content' and 'tool_calls'"
        case {"data": [{"object": str(kind)}, *_]} | {"object": str(kind)} if kind[:7] == "thread.":
            return "a thread of OpenAI's Assistants: write its run steps as chat messages"
        case {"event": _, "run_id": _, "data": _}:
            return "events of LangChain: keep the messages of the last state instead"
        case {"role": _, "message": {"content": _}}:
            return "messages of Cursor inside an object: take the list of them, or a line for each"
        case {"object": "interaction"}:
            return f"an interaction of Gemini's API; {UNSUPPORTED}"
        case {"messages": [dict(first), *_]} | {"results": [dict(first), *_]}:
            return hint(first)
        case dict(first):
            tools = (tool for keys, tool in UNSUPPORTED_FILES if {*keys.split()} <= first.keys())
            return next(tools, None)
        case _:
            return None

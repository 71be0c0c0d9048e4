"""The table of formats, and the recognition of a document's format.

A new format is a module and a line in :data:`FORMATS`. The module goes to ``chats`` if a message
schema describes the format completely, otherwise to ``readers``.
"""

import importlib
import re
from collections.abc import Iterable, Iterator
from typing import Any, Protocol, cast

from otap.errors import ConfigError, shown
from otap.formats.json.documents import Document, Parser, first_of
from otap.formats.json.paths import described
from otap.trajectory import Trajectory

FORMATS: dict[str, str] = {
    "otap": "otap.formats.readers.own",
    "otap-plan": "otap.formats.readers.plan",
    "openai": "otap.formats.chats.openai",
    "openai-responses": "otap.formats.readers.openai_responses",
    "openai-agents": "otap.formats.readers.openai_agents",
    "anthropic": "otap.formats.chats.anthropic",
    "claude-code": "otap.formats.readers.claude_code",
    "gemini": "otap.formats.chats.gemini",
    "gemini-cli": "otap.formats.readers.gemini_cli",
    "bedrock": "otap.formats.chats.bedrock",
    "codex": "otap.formats.readers.codex",
    "tau-bench": "otap.formats.readers.benchmarks.tau_bench",
    "tau2": "otap.formats.readers.benchmarks.tau2",
    "tau2-results": "otap.formats.readers.benchmarks.tau2_results",
    "adk": "otap.formats.readers.adk",
    "adk-results": "otap.formats.readers.adk_results",
    "atif": "otap.formats.readers.atif",
    "inspect": "otap.formats.readers.inspect.logs",
    "mini-swe-agent": "otap.formats.readers.coding.mini_swe_agent",
    "swe-agent": "otap.formats.readers.coding.swe_agent",
    "openhands": "otap.formats.readers.coding.openhands",
    "ai-sdk": "otap.formats.chats.ai_sdk",
    "pydantic-ai": "otap.formats.chats.pydantic_ai",
    "llama-index": "otap.formats.chats.llama_index",
    "autogen": "otap.formats.chats.autogen",
    "haystack": "otap.formats.chats.haystack",
    "semantic-kernel": "otap.formats.chats.semantic_kernel",
    "goose": "otap.formats.chats.goose",
    "opencode": "otap.formats.chats.opencode",
    "copilot-cli": "otap.formats.readers.copilot_cli",
    "cline": "otap.formats.readers.cline",
    "crewai": "otap.formats.readers.crewai",
    "browser-use": "otap.formats.readers.browser_use",
    "agent-framework": "otap.formats.chats.agent_framework",
    "dspy": "otap.formats.readers.dspy",
    "langchain": "otap.formats.chats.langchain",
    "langsmith": "otap.formats.readers.langsmith",
    "langfuse": "otap.formats.readers.langfuse",
    "mlflow": "otap.formats.readers.mlflow",
    "smolagents": "otap.formats.readers.smolagents",
    "otel": "otap.formats.readers.otel.traces",
    "worfbench": "otap.formats.readers.benchmarks.worfbench",
    "pddl": "otap.formats.readers.benchmarks.pddl",
    "planbench": "otap.formats.readers.benchmarks.planbench",
    "bfcl": "otap.formats.readers.benchmarks.bfcl",
    "xes": "otap.formats.readers.xes",
    "bare-calls": "otap.formats.readers.calls",
}
# The format that is tried if no other recognises a document, because it requires little.
FALLBACK_FORMAT = "bare-calls"

# Formats that are not JSON: the beginning of their files, and the module whose ``parse`` converts
# a file to JSON.
PARSERS: tuple[tuple[re.Pattern[bytes], str], ...] = (
    (re.compile(rb"PK\x03\x04"), "otap.formats.readers.inspect.archives"),
    (re.compile(rb"PAR1"), "otap.formats.json.rows"),
    (re.compile(rb"(\xef\xbb\xbf)?\s*<"), "otap.formats.readers.xes"),
    (re.compile(rb"(\xef\xbb\xbf)?\s*[(;]"), "otap.formats.readers.benchmarks.pddl"),
    (
        re.compile(rb"(\xef\xbb\xbf)?(?:\s|#[^\n]*\n)*(?:[A-Za-z_]\w*\s*=|\[\[steps\]\])"),
        "otap.formats.readers.plan",
    ),
)

# Keys of which the first object of a format has at least one. If it has none, the format is not
# tried, and its module is not imported. With no keys, the first item is never an object.
KEYS: dict[str, frozenset[str]] = {
    name: frozenset(keys.split())
    for name, keys in {
        "otap-plan": "schema_version",
        "gemini-cli": "sessionId",
        "tau-bench": "traj",
        "tau2": "user_scenario",
        "tau2-results": "simulations messages ticks",
        "adk-results": "eval_case_results evalCaseResults",
        "atif": "agent",
        "inspect": "eval",
        "swe-agent": "trajectory attempts history",
        "langsmith": "run_type runs",
        "langfuse": "data observations type",
        "mlflow": "data",
        "smolagents": "timing task_images state",
        "otel": "resourceSpans batches resourceLogs trace data traceID name context.span_id body"
        " spans traces",
        "worfbench": "conversations",
        "pddl": "",
        "planbench": "instances instance_id",
        "copilot-cli": "parentId",
        "cline": "ts",
        "crewai": "source_fingerprint",
        "browser-use": "history",
        "bfcl": "result ground_truth",
        "xes": "format",
    }.items()
}

# Prefixes of 'schema_version' in documents that name their format. No other format is tried first.
SCHEMA_VERSIONS = {"otap.plan/": "otap-plan", "otap.": "otap", "ATIF-v": "atif"}

# Files of popular tools that cannot be read, by the keys of their objects.
UNSUPPORTED = "not read yet"
UNSUPPORTED_FILES = (
    ("requests requesterUsername", f"a chat of Copilot in VS Code; {UNSUPPORTED}"),
    ("type version cwd timestamp", f"a session of pi or OpenClaw; {UNSUPPORTED}"),
    ("mapping current_node", f"an export of ChatGPT; {UNSUPPORTED}"),
    ("chat_messages", f"an export of Claude's chats; {UNSUPPORTED}"),
    ("chat_history", f"a request to Cohere's chat; {UNSUPPORTED}"),
    ("tests prompts", "a configuration of promptfoo: 'otap convert FILE --plan' makes plans of it"),
)

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
    return cast(Format, importlib.import_module(FORMATS[name]))


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
    first = first_of(document.value)
    expected = _format_by_schema_version(first) if name is None else name
    formats = _recognising(document.value, first, FORMATS if expected is None else [expected])
    if not formats and name is None:
        formats = _recognising(document.value, first, FORMATS)
    if len(formats) == 1:
        return formats[0]
    description = described(document.value)
    if name is not None:
        raise document.root.error(
            f"is not in the format '{name}', it holds {description};"
            " leave out --format to recognise the format"
        )
    if formats:
        names = " and ".join(candidate.NAME for candidate in formats)
        raise document.root.error(f"could be {names}; name one with --format")
    tool = hint(document.value)
    advice = f"'otap formats' lists the {len(FORMATS)} formats that OTAP reads"
    if tool is not None:
        raise document.root.error(
            f"looks like {tool.replace(UNSUPPORTED, f'{UNSUPPORTED}; {advice}')}"
        )
    raise document.root.error(f"no format recognises it: it holds {description}; {advice}")


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
    return name not in KEYS or not KEYS[name].isdisjoint(first)


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
        case {"type": "thread.started"}:
            return "the stream of 'codex exec --json': take the rollout in ~/.codex/sessions"
        case {"conversations": [{"from": _, "value": _}, *_]}:
            return "turns of ShareGPT: write messages with 'role', 'content' and 'tool_calls'"
        case {"data": [{"object": str(kind)}, *_]} | {"object": str(kind)} if kind[:7] == "thread.":
            return "a thread of OpenAI's Assistants: write its run steps as chat messages"
        case {"event": _, "run_id": _, "data": _}:
            return "events of LangChain: keep the messages of the last state instead"
        case {"role": _, "message": {"content": _}}:
            return f"a Cursor transcript; {UNSUPPORTED}"
        case {"object": "interaction"}:
            return f"an interaction of Gemini's API; {UNSUPPORTED}"
        case {"messages": [dict(first), *_]}:
            return hint(first)
        case dict(first):
            tools = (tool for keys, tool in UNSUPPORTED_FILES if {*keys.split()} <= first.keys())
            return next(tools, None)
        case _:
            return None

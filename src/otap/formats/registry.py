"""The table of formats, and which of them a document is in.

A new format is a module, in ``dialects`` where a table says all of it, else in ``readers``, and a
line in :data:`FORMATS`.
"""

import importlib
import re
from collections.abc import Iterable, Iterator
from typing import Any, Protocol, cast

from otap.errors import ConfigError, shown
from otap.formats.json.documents import Document, Parser, first_of
from otap.formats.json.places import described
from otap.trajectory import Trajectory

FORMATS: dict[str, str] = {
    "otap": "otap.formats.readers.own",
    "otap-plan": "otap.formats.readers.plan",
    "openai": "otap.formats.dialects.openai",
    "openai-responses": "otap.formats.readers.openai_responses",
    "openai-agents": "otap.formats.readers.openai_agents",
    "anthropic": "otap.formats.dialects.anthropic",
    "claude-code": "otap.formats.readers.claude_code",
    "gemini": "otap.formats.dialects.gemini",
    "gemini-cli": "otap.formats.readers.gemini_cli",
    "bedrock": "otap.formats.dialects.bedrock",
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
    "ai-sdk": "otap.formats.dialects.ai_sdk",
    "pydantic-ai": "otap.formats.dialects.pydantic_ai",
    "llama-index": "otap.formats.dialects.llama_index",
    "autogen": "otap.formats.dialects.autogen",
    "haystack": "otap.formats.dialects.haystack",
    "semantic-kernel": "otap.formats.dialects.semantic_kernel",
    "goose": "otap.formats.dialects.goose",
    "opencode": "otap.formats.dialects.opencode",
    "copilot-cli": "otap.formats.readers.copilot_cli",
    "cline": "otap.formats.readers.cline",
    "crewai": "otap.formats.readers.crewai",
    "browser-use": "otap.formats.readers.browser_use",
    "agent-framework": "otap.formats.dialects.agent_framework",
    "dspy": "otap.formats.readers.dspy",
    "langchain": "otap.formats.dialects.langchain",
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
# The format that is asked where no other recognises a document: it asks for little.
LAST = "bare-calls"

# Formats that are no JSON: how their files begin, and the module whose ``parse`` makes JSON of one.
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

# Of formats whose objects are easily told apart: keys of which the first object has at least one,
# else the format is not asked, nor its module loaded. Plans are no objects at all.
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

# What 'schema_version' begins with in documents that name their format: no other need be tried.
NAMED = {"otap.plan/": "otap-plan", "otap.": "otap", "ATIF-v": "atif"}

# Of files that are not read, what has an object with these keys. Each is of a popular producer.
NOT_YET = "not read yet"
LOOK_ALIKES = (
    ("requests requesterUsername", f"a chat of Copilot in VS Code; {NOT_YET}"),
    ("type version cwd timestamp", f"a session of pi or OpenClaw; {NOT_YET}"),
    ("mapping current_node", f"an export of ChatGPT; {NOT_YET}"),
    ("chat_messages", f"an export of Claude's chats; {NOT_YET}"),
    ("chat_history", f"a request to Cohere's chat; {NOT_YET}"),
    ("tests prompts", "a configuration of promptfoo: 'otap convert FILE --plan' makes plans of it"),
)

# The files of a folder that are traces:
SUFFIXES = (".json", ".jsonl", ".parquet", ".eval", ".traj", ".xes")
# Of references also plans, which share their suffix with settings.
PLANS, SETTINGS = (".toml",), ("otap.toml", "pyproject.toml")


class Format(Protocol):
    """What the module of a format offers.

    It may also have ``references(document) -> Iterator[Trajectory]``: the gold in its files, and
    ``BY_ITEM = True`` where the first item of a list says what it is, and each item is one run:
    then JSONL is read line by line and Parquet row by row, and ``read`` is a ``starmap`` over the
    items, which can go on behind a run that raised. ``NAME_OF_RUN(item) -> str | None`` instead of
    ``BY_ITEM`` says how to see whether each item of a file is one run: if all have names, each
    its own.

    Attributes:
        NAME: the name under which users ask for it, that of its line in :data:`FORMATS`.
        DESCRIPTION: what its files are, in one line.
        STEP: what becomes a step, in one line.
        KNOWN_BY: what a document must hold to be in this format, in one line.
    """

    NAME: str
    DESCRIPTION: str
    STEP: str
    KNOWN_BY: str

    def recognises(self, value: Any, /) -> bool:
        """Says whether a document is in this format; no two formats may say so of one."""

    def read(self, document: Document, /, *, reasoning: bool = False) -> Iterator[Trajectory]:
        """Yields the runs of a document, which the format recognises, in the order of the file.

        Args:
            document: the JSON of one file.
            reasoning: whether text that leads to no call becomes a reasoning step.

        Raises:
            FormatError: with the place of the first thing that the format does not allow.
            LimitError: if calls nest too deep.
        """


def load_format(name: str) -> Format:
    """Returns the module of a format, imported on first use.

    Raises:
        ConfigError: if there is no such format.
    """
    if name not in FORMATS:
        raise ConfigError(f"unknown format '{shown(name)}'; OTAP reads {', '.join(FORMATS)}")
    return cast(Format, importlib.import_module(FORMATS[name]))


def parser_of(data: bytes) -> Parser | None:
    """Returns the parser of a format that is no JSON, by how its file begins; ``None`` for JSON."""
    module = next((name for begins, name in PARSERS if begins.match(data)), None)
    return None if module is None else cast(Parser, importlib.import_module(module).parse)


def format_of(document: Document, name: str | None = None) -> Format:
    """Returns the format that a document is in.

    Args:
        document: the document.
        name: the format that the user says it is in; it must recognise the document.

    Raises:
        FormatError: if not exactly one format recognises it.
        ConfigError: if there is no such format.
    """
    first = first_of(document.value)
    told = _named_format(first) if name is None else name
    found = _recognising(document.value, first, FORMATS if told is None else [told])
    if not found and name is None:
        found = _recognising(document.value, first, FORMATS)
    if len(found) == 1:
        return found[0]
    what = described(document.value)
    if name is not None:
        raise document.place.error(
            f"is not in the format '{name}', it holds {what}; leave out --format to have it found"
        )
    if found:
        names = " and ".join(candidate.NAME for candidate in found)
        raise document.place.error(f"could be {names}; say which with --format")
    likely = hint(document.value)
    known = f"'otap formats' lists the {len(FORMATS)} formats that OTAP reads"
    if likely is not None:
        raise document.place.error(f"looks like {likely.replace(NOT_YET, f'{NOT_YET}; {known}')}")
    raise document.place.error(f"no format recognises it: it holds {what}; {known}")


def _named_format(first: Any) -> str | None:
    """Returns the format that a document says it is in."""
    version = str(first.get("schema_version")) if isinstance(first, dict) else ""
    return next((name for begin, name in NAMED.items() if version.startswith(begin)), None)


def _recognising(value: Any, first: Any, names: Iterable[str]) -> list[Format]:
    asked = [name for name in names if not isinstance(first, dict) or may_be(name, first)]
    sure = [name for name in asked if name != LAST]
    found = [one for one in map(load_format, sure) if one.recognises(value)]
    if not found and LAST in asked:
        found = [one for one in [load_format(LAST)] if one.recognises(value)]
    return found


def may_be(name: str, first: dict[str, Any]) -> bool:
    """Says whether a document may be in a format, by the keys of its first object."""
    return name not in KEYS or not KEYS[name].isdisjoint(first)


def hint(value: Any) -> str | None:
    """Returns what a document is that no format recognises, and what to take instead.

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
            return f"a Cursor transcript; {NOT_YET}"
        case {"object": "interaction"}:
            return f"an interaction of Gemini's API; {NOT_YET}"
        case {"messages": [dict(first), *_]}:
            return hint(first)
        case dict(first):
            found = (what for keys, what in LOOK_ALIKES if {*keys.split()} <= first.keys())
            return next(found, None)
        case _:
            return None

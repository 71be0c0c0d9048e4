"""What came back from a call and says of itself that the call failed.

Many traces have no field for it: the result is all they keep. Only what a program writes to say
so counts, as the wrappers of frameworks and servers do; a result that holds the word, such as an
empty list of errors or a line of a log, is a result.
"""

import re
from typing import Any

from otap._patterns import regex
from otap.formats.json.syntax import parse_text
from otap.formats.limits import ARGUMENTS_DEPTH

# How frameworks begin the text that stands for a result: the benchmarks, LangChain, the Agents
# SDK, MCP's SDK and CrewAI, LlamaIndex, Haystack, Claude Code.
_BEGINS = regex(
    r"\s{0,9}(?:Error: |Error (?:executing|invoking|running|calling) tool\b"
    r"|An error occurred while (?:running|parsing|executing|calling) (?:the )?tool\b"
    r"|I encountered an error while trying to use the tool\b"
    r"|Encountered error: |Failed to invoke Tool\b|<tool_use_error>)"
)
_LOG = regex(r"\n[ \t]{0,9}(?:\[?(?:error|warning|warn|info|debug)\]?\b:?)", re.IGNORECASE)
# An object as Python writes it, where no JSON was made of it.
_PYTHON = regex(
    r"\{'(?:error': (?:'\s{0,9}[^'\s]|\"\s{0,9}[^\"\s]|\{\s{0,9}[^}\s])"
    r"|(?:success|ok)': False\b|is_?[eE]rror': True\b|status': ['\"]error['\"])"
)
_WORDS = regex(r'"(?:error|isError|is_error|success|ok|status)"\s{0,9}:')
_NO_ERROR = ("", "none", "null", "nil", "false", "no", "ok", "n/a", "no error", "no errors")
_TOLD = ("error", "error_message", "errorMessage", "error_code", "errorCode")
_LONGEST = 1_000_000  # of a text that may say so as JSON


def states_failure(returned: Any) -> bool:
    """Says whether what came back from a call says itself that the call failed."""
    if isinstance(returned, str):
        return _begins(returned) or _object(_parsed(returned))
    return _object(returned)


def _begins(text: str) -> bool:
    if _BEGINS.match(text):
        return _LOG.search(text) is None
    return _PYTHON.match(text) is not None


def _parsed(text: str) -> Any:
    if len(text) > _LONGEST or text.lstrip()[:1] != "{" or not _WORDS.search(text):
        return None
    try:
        return parse_text(text, ARGUMENTS_DEPTH)
    except ValueError:
        return None


def _object(value: Any) -> bool:
    """Says so of an object: by its first key, which wrappers write first, or by two that agree."""
    if not isinstance(value, dict) or not value:
        return False
    if value.get("isError") is True or value.get("is_error") is True:
        return True
    key = next(iter(value))
    return _is_failed(key, value[key]) or _is_error(key, value[key]) or _is_told(value)


def _is_told(value: dict[str, Any]) -> bool:
    """Says whether an error stands beside the word that it failed, or beside nothing else."""
    if not any(_is_error(key, value[key]) for key in _TOLD if key in value):
        return False
    return any(_is_failed(*item) for item in value.items()) or _says_nothing_else(value)


def _is_failed(key: str, value: Any) -> bool:
    return (key in ("success", "ok") and value is False) or (key == "status" and value == "error")


def _is_error(key: str, value: Any) -> bool:
    """Says whether an error is told: not null, not empty, no number as measurements have it."""
    if key not in _TOLD:
        return False
    if isinstance(value, str):
        return value.strip().lower() not in _NO_ERROR and not _is_number(value)
    if isinstance(value, list):
        return bool(value) and isinstance(value[0], str | dict)
    return value is True or (isinstance(value, dict) and bool(value))


def _is_number(text: str) -> bool:
    return re.fullmatch(r"\s*[-+]?[\d.,]+(?:e[-+]?\d+)?\s*%?\s*", text) is not None


def _says_nothing_else(value: dict[str, Any]) -> bool:
    """Says whether all but the error is null, as a server has it that always writes all keys."""
    return all(item is None for key, item in value.items() if key not in _TOLD)

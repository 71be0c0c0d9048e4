"""Tells from the result of a call whether it failed: by its fields first, then by its words."""

import re
from typing import Any

from otap._patterns import regex
from otap.formats.content import parse_inner, value_at

# How frameworks begin the text of an error: the benchmarks, LangChain, the Agents SDK, MCP's SDK
# and CrewAI, LlamaIndex, Haystack, Claude Code.
_ERROR_PREFIX = regex(
    r"\s{0,9}(?:Error: |Error (?:executing|invoking|running|calling) tool\b"
    r"|An error occurred while (?:running|parsing|executing|calling) (?:the )?tool\b"
    r"|I encountered an error while trying to use the tool\b"
    r"|Encountered error: |Failed to invoke Tool\b|<tool_use_error>"
    r"|Input validation error: |MCP error -?\d|Unknown tool: "
    r"|(?:Exit code:? |(?:Process|Command) (?:exited|failed) with (?:exit )?code )-?[1-9])"
)
_LOG_LINE = regex(r"\n[ \t]{0,9}(?:\[?(?:error|warning|warn|info|debug)\]?\b:?)", re.IGNORECASE)
# An error object in Python syntax, from a program that did not write JSON.
_PYTHON_ERROR = regex(
    r"\{'(?:error': (?:'\s{0,9}[^'\s]|\"\s{0,9}[^\"\s]|\{\s{0,9}[^}\s])"
    r"|(?:success|ok)': False\b|is_?[eE]rror': True\b|status': ['\"]error['\"])"
)
_ERROR_WORDS = regex(
    r'"(?:error|isError|is_error|success|ok|status|exit_?[cC]ode|return_?code|outcome)"\s{0,9}:'
)
_NO_ERROR = ("", "none", "null", "nil", "false", "no", "ok", "n/a", "no error", "no errors")
_ERROR_KEYS = ("error", "error_message", "errorMessage", "error_code", "errorCode")
_NUMERAL = re.compile(r"\s*[-+]?[\d.,]+(?:e[-+]?\d+)?\s*(?:%\s*)?")
# The end of pydantic-ai's answer to a call with invalid arguments, which never ran.
_RETRY = "Fix the errors and try again."
_EXIT_CODE_KEYS = ("exit_code", "exitCode", "returncode", "return_code")
_OUTPUT_KEYS = ("stdout", "stderr", "output", "aggregated_output")  # of a command, with its code
_TAIL = 200  # characters at the end of a result
_MAX_JSON = 1_000_000  # characters of a result that is parsed as JSON


def states_failure(returned: Any) -> bool:
    """Returns whether the result of a call states that the call failed."""
    if isinstance(returned, str):
        if _PYTHON_ERROR.match(returned):
            return True
        if _ERROR_PREFIX.match(returned):
            return _LOG_LINE.search(returned) is None
        if returned[-_TAIL:].rstrip().endswith(_RETRY):
            return True
        may_be_object = returned.lstrip()[:1] in ("{", "[") and len(returned) <= _MAX_JSON
        has_words = may_be_object and _ERROR_WORDS.search(returned)
        returned = parse_inner(returned) if has_words else None
    return _commands_failed(returned) or _object_states_failure(returned)


def _commands_failed(value: Any) -> bool:
    """Returns whether a command failed, in the output of one or of several commands."""
    outputs = value if isinstance(value, list) else [value]
    return any(_command_failed(output) for output in outputs)


def _command_failed(output: Any) -> bool:
    """Returns whether an object has the output of a command, and an exit code other than 0."""
    if not isinstance(output, dict) or output.keys().isdisjoint(_OUTPUT_KEYS):
        return False
    sources = [output, *(output.get(key) for key in ("outcome", "metadata"))]
    objects = [source for source in sources if isinstance(source, dict)]
    codes = [source.get(key) for source in objects for key in _EXIT_CODE_KEYS]
    has_timed_out = value_at(output, ("outcome", "type")) == "timeout"
    return has_timed_out or any(type(code) is int and code != 0 for code in codes)


def _object_states_failure(value: Any) -> bool:
    """Returns whether an object states a failure: in its first key, or in two keys that agree.

    The first key counts because wrappers write it first.
    """
    if not isinstance(value, dict) or not value:
        return False
    if value.get("isError") is True or value.get("is_error") is True:
        return True
    key = next(iter(value))
    return _is_failed(key, value[key]) or _is_error(key, value[key]) or _has_two_signs(value)


def _has_two_signs(value: dict[str, Any]) -> bool:
    """Returns whether an object has an error, and either states that it failed or has no more."""
    if not any(_is_error(key, value[key]) for key in _ERROR_KEYS if key in value):
        return False
    has_only_errors = all(item is None for key, item in value.items() if key not in _ERROR_KEYS)
    return has_only_errors or any(_is_failed(key, item) for key, item in value.items())


def _is_failed(key: str, value: Any) -> bool:
    return (key in ("success", "ok") and value is False) or (key == "status" and value == "error")


def _is_error(key: str, value: Any) -> bool:
    """Returns whether a field holds an error: not null, not empty, and no measured number."""
    if key not in _ERROR_KEYS:
        return False
    if isinstance(value, str):
        return value.strip().lower() not in _NO_ERROR and not _NUMERAL.fullmatch(value)
    if isinstance(value, list):
        return bool(value) and isinstance(value[0], str | dict)
    return value is True or (isinstance(value, dict) and bool(value))

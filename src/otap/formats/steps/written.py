"""Calls that stand in the text of a model, as dialects without fields for calls have them.

No reader here reads them. They are looked for, so that a run whose calls stand in its texts is
not taken for one that called nothing. Words that only speak of calls are none: a call is known by
how a line is written, or by the answer that a program gave to it.
"""

import re
from typing import Any

from otap.formats.json.syntax import parse_text
from otap.formats.limits import ARGUMENTS_DEPTH

# Tags and tokens of the chat templates that write calls as text, with the beginning of a call.
_MARKED = re.compile(
    r"""
    (?<![`\w])(?:
        <(?:\w+:)?(?:tool_calls?|function_calls?|tool_use|tool_code|tool)>\s{0,9}(?:[{\[<]|[\w.-]+\s{0,9}$)
      | <(?:function|tool|invoke)(?:=|\ name=)["']?\w
      | <(?:execute_\w+|use_mcp_tool|read_file|write_to_file|search_files|apply_diff)>\s{0,9}\S
      | <\|python_tag\|>
      | \[\[\ \#\#\ next_tool_name\ \#\#\ \]\]
      | \[TOOL_CALLS\]\s{0,9}[\[{\w]
      | <\|tool_calls?\|?>
      | <\|tool_call(?:s_section)?_begin\|>
      | <\uff5ctool\u2581calls?\u2581begin\uff5c>
      | <\|channel\|>\w{1,20}\ to=\w
    )""",
    re.VERBOSE | re.MULTILINE,
)
# "Action: search" with its "Action Input:", or with the arguments beside or below it.
_ACTED = re.compile(
    r"^[ \t*#]{0,9}(?:Action Input"
    r"|Act(?:ion)?(?: \d+)?:[ \t*]{0,9}(?:\n\s{0,9})?(?:[{`]|[\w.-]{1,60}[\[({]))",
    re.MULTILINE,
)
# What is a call only if a program answered it.
_MAYBE = re.compile(
    r"^[ \t]{0,9}```(?:bash|sh|shell|zsh|console|powershell|python|py|ipython|sql|\w*_\w+)\s{0,9}$"
    r"|^[ \t*#]{0,9}Act(?:ion)?(?: \d+)?:[ \t*]{0,9}\S",
    re.MULTILINE | re.IGNORECASE,
)
_ANSWERED = re.compile(
    r"\s{0,9}(?:<(?:returncode|output|observation|stdout|result|tool_response|tool_result|"
    r"function_results?)\b|\W{0,4}(?:observation|output|execution (?:output|result)s?|"
    r"(?:exit|return) ?code|stdout|tool (?:result|output|response)s?|result)\b"
    r"[^\n]{0,30}?[:(\]\n])",
    re.IGNORECASE,
)
_FENCED = re.compile(r"```(?:json)?[ \t]{0,9}\n(.*?)```", re.DOTALL)
_NAMES = ("name", "tool", "tool_name", "function", "action")
_ARGUMENTS = ("arguments", "args", "parameters", "input", "tool_input", "tool_args", "action_input")
_LONGEST = 100_000  # of a text that may be one call as JSON


def is_written_call(text: str) -> bool:
    """Says whether a text of the assistant makes a call, by how it is written."""
    return bool(_MARKED.search(text) or _ACTED.search(text)) or _is_call(_json(text))


def may_be_call(text: str) -> bool:
    """Says whether a text makes a call if a program answers it: a script, or an action's name."""
    return _MAYBE.search(text) is not None


def is_answer(text: str) -> bool:
    """Says whether a text is written as programs report what came of a call."""
    return _ANSWERED.match(text) is not None


def _json(text: str) -> Any:
    """Returns the JSON that a text is nothing but, or null."""
    if len(text) > _LONGEST:
        return None
    inside = text.strip()
    fenced = _FENCED.fullmatch(inside)
    inside = fenced[1].strip() if fenced else inside
    if not inside.startswith(("{", "[")):
        return None
    try:
        return parse_text(inside, ARGUMENTS_DEPTH)
    except ValueError:
        return None


def _is_call(value: Any) -> bool:
    if isinstance(value, list):
        return bool(value) and _is_call(value[0])
    if not isinstance(value, dict):
        return False
    named = any(isinstance(value.get(key), str) for key in _NAMES)
    return named and any(key in value for key in _ARGUMENTS)

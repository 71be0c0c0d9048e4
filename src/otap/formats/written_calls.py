"""Recognises calls in the text of a model, as models without fields for calls write them.

No reader turns these into steps. They are counted, because otherwise a run with calls in its texts
would look like one without calls. A text that only mentions a call does not count: the syntax of a
line shows a call, or the answer that a program gave to it.
"""

import re
from typing import Any

from otap._patterns import regex
from otap.formats.content import parse_inner, value_at

WRITTEN_CALL = "tool call written in text"  # the kind under which it counts

# Tags and tokens of chat templates that write calls as text, with the beginning of a call.
_TAGGED_CALL = regex(
    r"""
    (?<![`\w])(?:
        <(?:\w+:)?(?i:tool_?calls?|function_?calls?|tool_use|tool_code|tool)>\s{0,9}(?:[{\[<]|[\w.-]+\s{0,9}$)
      | <(?:function|tool|invoke)(?:=|\ name=)["']?\w
      | <(?:execute_\w+|use_mcp_tool|read_file|write_to_file|search_files|apply_diff)>\s{0,9}\S
      | <action>\s{0,9}[\w.]{1,60}[\[({]
      | <{7}\ SEARCH$
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
# "Action: search" with an "Action Input:" or with arguments after it, and the actions of a browser.
_ACTION_CALL = regex(
    r"^[ \t*#]{0,9}(?:Action Input"
    r"|Act(?:ion)?(?: \d+)?:[ \t*]{0,9}(?:\n\s{0,9})?(?:[{`]|[\w.-]{1,60}[\[({]))"
    r"|```\s{0,9}(?:click|type|hover|press|scroll|goto|new_tab|stop)\s{0,9}\[",
    re.MULTILINE,
)
# A line that begins with a thought, then a line that begins with an action.
_THOUGHT_LINE = regex(r"^[ \t*#]{0,9}Thoughts?(?: \d+)?:", re.MULTILINE | re.IGNORECASE)
_ACTION_LINE = regex(
    r"^[ \t*#]{0,9}Act(?:ion)?(?: \d+)?:[ \t*]{0,9}\s{0,9}\S", re.MULTILINE | re.IGNORECASE
)
# A text that ends with a tag around a command or a query.
_CLOSING_TAG = regex(r"</(?:execute|python|bash|shell|search|command|parameters)>\s{0,9}\Z")
# A text of nothing but calls in Python syntax.
_PYTHON_CALLS = regex(
    r"\s{0,9}(?:\[\s{0,9}[A-Za-z_][\w.]{0,60}\(.*\)\s{0,9}\]"
    r"|[A-Za-z_][\w.]{0,60}\((?:\w{1,60}\s{0,9}=[^=].*|[\"'\d\[{].*)?\))\s{0,9}",
    re.DOTALL,
)
# A script or an action that is a call only if a program answered it.
_POSSIBLE_CALL = regex(
    r"^[ \t]{0,9}```(?:bash|sh|shell|zsh|console|powershell|python|py|ipython|sql|\w*_\w+)\s{0,9}$"
    r"|^[ \t*#]{0,9}Act(?:ion)?(?: \d+)?:[ \t*]{0,9}\S|^<code>\s{0,9}$",
    re.MULTILINE | re.IGNORECASE,
)
_PROGRAM_OUTPUT = regex(
    r"\s{0,9}(?:<(?:returncode|output|observation|stdout|result|tool_response|tool_result|"
    r"function_results?)\b|\W{0,4}(?:observation|output|execution (?:output|result)s?|"
    r"(?:exit|return) ?code|stdout|tool[ _](?:result|output|response)s?|result)\b"
    r"[^\n]{0,30}?[:(\]\n])",
    re.IGNORECASE,
)
_JSON_START = regex(r"^[ \t]{0,9}[{\[]", re.MULTILINE)
_NAMES = ("name", "tool", "tool_name", "function", "action")
_ARGUMENTS = ("arguments", "args", "parameters", "input", "tool_input", "tool_args", "action_input")
_WRAPPERS = ("command", "action", "tool_call", "function_call", "tool", "function")
_LISTS = ("commands", "actions", "action", "tool_calls", "function_calls", "tool_uses", "calls")
_MAX_TAIL = 40  # characters at the end of a text that may hold a closing tag
_MAX_JSON = 100_000  # characters of a text that is parsed as JSON


def is_written_call(text: str) -> bool:
    """Returns whether the syntax of an assistant's text makes a call."""
    if _TAGGED_CALL.search(text) or _ACTION_CALL.search(text) or _PYTHON_CALLS.fullmatch(text):
        return True
    if _CLOSING_TAG.search(text[-_MAX_TAIL:]):
        return True
    thought = _THOUGHT_LINE.search(text)
    if thought is not None and _ACTION_LINE.search(text, thought.end()):
        return True
    return _is_call_object(_json_at_end(text))


def may_be_call(text: str) -> bool:
    """Returns whether a text is a call if a program answers it: a script, or an action's name."""
    return _POSSIBLE_CALL.search(text) is not None


def is_answer(text: str) -> bool:
    """Returns whether a text looks like the output that a program reports for a call."""
    return _PROGRAM_OUTPUT.match(text) is not None


def _json_at_end(text: str) -> Any:
    """Parses the JSON at the end of a text, with or without a fence; None if there is none."""
    unfenced = text.strip().removesuffix("```").rstrip()
    start = _JSON_START.search(unfenced)
    if start is None or len(unfenced) > _MAX_JSON or unfenced[-1] not in "}]":
        return None
    return parse_inner(unfenced[start.start() :])


def _is_call_object(value: Any) -> bool:
    if isinstance(value, list):
        return bool(value) and _is_call_object(value[0])
    if not isinstance(value, dict):
        return False
    has_name = any(isinstance(value.get(key), str) for key in _NAMES)
    if has_name and any(key in value for key in _ARGUMENTS):
        return True
    if any(_is_call_object(value.get(key)) for key in _WRAPPERS):
        return True
    return any(isinstance(value_at(value, (key, 0)), dict) for key in _LISTS)

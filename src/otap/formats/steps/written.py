"""Calls that stand in the text of a model, as dialects without fields for calls have them.

No reader here reads them. They are looked for, so that a run whose calls stand in its texts is
not taken for one that called nothing. Words that only speak of calls are none: a call is known by
how a line is written, or by the answer that a program gave to it.
"""

import re
from typing import Any

from otap._patterns import regex
from otap.formats.steps.content import parse_inner, value_at

WRITTEN = "tool call written in text"  # how it is counted

# Tags and tokens of the chat templates that write calls as text, with the beginning of a call.
_MARKED = regex(
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
# "Action: search" with its "Action Input:", or with the arguments beside or below it; a browser's.
_ACTED = regex(
    r"^[ \t*#]{0,9}(?:Action Input"
    r"|Act(?:ion)?(?: \d+)?:[ \t*]{0,9}(?:\n\s{0,9})?(?:[{`]|[\w.-]{1,60}[\[({]))"
    r"|```\s{0,9}(?:click|type|hover|press|scroll|goto|new_tab|stop)\s{0,9}\[",
    re.MULTILINE,
)
# What was thought, then what is done, each on a line that begins so.
_THOUGHT = regex(r"^[ \t*#]{0,9}Thoughts?(?: \d+)?:", re.MULTILINE | re.IGNORECASE)
_DEED = regex(
    r"^[ \t*#]{0,9}Act(?:ion)?(?: \d+)?:[ \t*]{0,9}\s{0,9}\S", re.MULTILINE | re.IGNORECASE
)
# A text that ends with what is to be run or looked up, in a tag.
_ENDS = regex(r"</(?:execute|python|bash|shell|search|command|parameters)>\s{0,9}\Z")
# A text that is nothing but calls as Python writes them.
_WHOLE = regex(
    r"\s{0,9}(?:\[\s{0,9}[A-Za-z_][\w.]{0,60}\(.*\)\s{0,9}\]"
    r"|[A-Za-z_][\w.]{0,60}\((?:\w{1,60}\s{0,9}=[^=].*|[\"'\d\[{].*)?\))\s{0,9}",
    re.DOTALL,
)
# What is a call only if a program answered it.
_MAYBE = regex(
    r"^[ \t]{0,9}```(?:bash|sh|shell|zsh|console|powershell|python|py|ipython|sql|\w*_\w+)\s{0,9}$"
    r"|^[ \t*#]{0,9}Act(?:ion)?(?: \d+)?:[ \t*]{0,9}\S|^<code>\s{0,9}$",
    re.MULTILINE | re.IGNORECASE,
)
_ANSWERED = regex(
    r"\s{0,9}(?:<(?:returncode|output|observation|stdout|result|tool_response|tool_result|"
    r"function_results?)\b|\W{0,4}(?:observation|output|execution (?:output|result)s?|"
    r"(?:exit|return) ?code|stdout|tool[ _](?:result|output|response)s?|result)\b"
    r"[^\n]{0,30}?[:(\]\n])",
    re.IGNORECASE,
)
_LAST = regex(r"^[ \t]{0,9}[{\[]", re.MULTILINE)  # where the JSON begins that ends a text
_NAMES = ("name", "tool", "tool_name", "function", "action")
_ARGUMENTS = ("arguments", "args", "parameters", "input", "tool_input", "tool_args", "action_input")
_AROUND = ("command", "action", "tool_call", "function_call", "tool", "function")
_LISTS = ("commands", "actions", "action", "tool_calls", "function_calls", "tool_uses", "calls")
_SHORT = 40  # of the end of a text
_LONGEST = 100_000  # of a text that may be one call as JSON


def is_written_call(text: str) -> bool:
    """Says whether a text of the assistant makes a call, by how it is written."""
    if _MARKED.search(text) or _ACTED.search(text) or _WHOLE.fullmatch(text):
        return True
    if _ENDS.search(text[-_SHORT:]):
        return True
    thought = _THOUGHT.search(text)
    if thought is not None and _DEED.search(text, thought.end()):
        return True
    return _is_call_object(_json_at_end(text))


def may_be_call(text: str) -> bool:
    """Says whether a text makes a call if a program answers it: a script, or an action's name."""
    return _MAYBE.search(text) is not None


def is_answer(text: str) -> bool:
    """Says whether a text is written as programs report what came of a call."""
    return _ANSWERED.match(text) is not None


def _json_at_end(text: str) -> Any:
    """Returns the JSON with which a text ends, in a fence or not; null where it ends otherwise."""
    inside = text.strip().removesuffix("```").rstrip()
    begins = _LAST.search(inside)
    if begins is None or len(inside) > _LONGEST or inside[-1] not in "}]":
        return None
    return parse_inner(inside[begins.start() :])


def _is_call_object(value: Any) -> bool:
    if isinstance(value, list):
        return bool(value) and _is_call_object(value[0])
    if not isinstance(value, dict):
        return False
    named = any(isinstance(value.get(key), str) for key in _NAMES)
    if named and any(key in value for key in _ARGUMENTS):
        return True
    if any(_is_call_object(value.get(key)) for key in _AROUND):
        return True
    return any(isinstance(value_at(value, (key, 0)), dict) for key in _LISTS)

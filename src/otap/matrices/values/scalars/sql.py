"""SQL: case and blanks outside of strings are no difference, nor is the last semicolon."""

import re

from otap._patterns import regex

_LONGEST = 20_000
_BEGINS = regex(
    r"(?:/\*.*?\*/|--[^\n]*\n|\s)*+(?:select|insert|update|delete|create|alter|drop|truncate|with"
    r"|explain|grant|revoke)\s",
    re.IGNORECASE | re.DOTALL,
)
_NAME = r"[\w.\"`\[\]]+"
_END = r"\s*(?:;|\Z)"
_RIGHT = (
    r"(?:select|insert|update|delete|truncate|references|trigger|usage|create|connect|execute"
    r"|all(?:\s+privileges)?)(?:\s*\([^()]*\))?"
)
# What prose hardly is: "Select a flight from the list" has neither marks nor capitals throughout.
_STATEMENTS = tuple(
    regex(pattern, re.IGNORECASE | re.DOTALL)
    for pattern in (
        rf"insert\s+(?:or\s+\w+\s+)?into\s+{_NAME}\s*(?:\(|values\b|select\b)",
        rf"update\s+{_NAME}\s+set\s+{_NAME}\s*=",
        rf"delete\s+from\s+{_NAME}(?:\s+where\s+\S+|{_END})",
        rf"(?:create|alter|drop|truncate)\s+(?:\w+\s+)?(?:table|index|view|database|schema)\s+"
        rf"(?:if\s+(?:not\s+)?exists\s+)?{_NAME}(?:{_END}|\s*\(|\s+(?:add|drop|on|as|rename)\s)",
        rf"with\s+(?:recursive\s+)?{_NAME}\s*(?:\([^)]*\)\s*)?as\s*\(",
        rf"select\s+(?:distinct\s+)?[*\w]+(?:\s*,\s*{_NAME})*\s+from\s+{_NAME}(?:{_END}|\s+where\s"
        r"|\s+(?:order|group)\s+by\s|\s+limit\s+\d)",
        r"select\s[^;]*?(?:[*=<>]|\w\(|,)[^;]*?\bfrom\s",
        r"select\s[^;]*?\bfrom\s[^;]*?(?:[=<>]|\w\(|\blimit\s+\d)",
        r"select\s+(?:\d|\w+\()",
        rf"(?:grant|revoke)\s+{_RIGHT}(?:\s*,\s*{_RIGHT})*\s+on\s+(?:\w+\s+)?{_NAME}\s+(?:to|from)\s",
    )
)
_TOKEN = regex(
    r"\s+|--[^\n]*|/\*.*?(?:\*/|\Z)|'(?:[^']|'')*+(?:'|\Z)|\"[^\"]*+(?:\"|\Z)|`[^`]*+(?:`|\Z)"
    r"|\w+(?:\.\w+)*|<>|[<>!=]=|\|\||::|.",
    re.DOTALL,
)
_NO_BLANK_BEFORE = frozenset(",).;(")


def sql(text: str) -> str | None:
    """Reads a statement of SQL as its tokens, one blank apart."""
    if len(text) > _LONGEST or not is_sql(text):
        return None
    tokens = [_spelled(token) for token in _TOKEN.findall(text)]
    joined = " ".join(token for token in tokens if token)
    return joined.rstrip("; ") or None


def is_sql(text: str) -> bool:
    """Says whether a text is a statement of SQL beyond doubt; a capitalised verb begins prose."""
    begin = _BEGINS.match(text)
    if not begin:
        return False
    verb = begin.group().split()[-1]
    if verb.istitle():
        return False
    statement = text[begin.end() - len(verb) - 1 :][:1000]
    if verb.lower() == "explain":
        return is_sql(statement[len(verb) :].lstrip())
    return any(pattern.match(statement) for pattern in _STATEMENTS)


def _spelled(token: str) -> str:
    """One token; empty for a comment or blanks."""
    if token.isspace() or token.startswith(("--", "/*")):
        return ""
    if token == "<>":
        return "!="
    return token if token[0] in "'\"`" else token.casefold()

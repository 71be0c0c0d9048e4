"""Canonical forms of SQL statements. Nothing is executed.

Case and blanks outside of strings, comments and the last semicolon have no meaning. What else has
none needs a proof (``statements``).
"""

import re

from otap._patterns import regex

_MAX_LENGTH = 20_000  # characters

_SQL_BEGINS = regex(
    r"(?:/\*.*?\*/|--[^\n]*\n|\s|(?:begin|start)(?:\s+(?:transaction|work))?\s*;)*+(?:select|insert|update|delete|create|alter|drop|truncate|with"
    r"|explain|grant|revoke)\s",
    re.IGNORECASE | re.DOTALL,
)
_SQL_NAME = r"[\w.\"`\[\]]+"
_SQL_END = r"\s*(?:;|\Z)"
_SQL_RIGHT = (
    r"(?:select|insert|update|delete|truncate|references|trigger|usage|create|connect|execute"
    r"|all(?:\s+privileges)?)(?:\s*\([^()]*\))?"
)
# Patterns that prose hardly matches: "Select a flight from the list" has no signs of SQL.
_STATEMENTS = tuple(
    regex(pattern, re.IGNORECASE | re.DOTALL)
    for pattern in (
        rf"insert\s+(?:or\s+\w+\s+)?into\s+{_SQL_NAME}\s*(?:\(|values\b|select\b)",
        rf"update\s+{_SQL_NAME}\s+set\s+{_SQL_NAME}\s*=",
        rf"delete\s+from\s+{_SQL_NAME}(?:\s+where\s+\S+|{_SQL_END})",
        rf"(?:create|alter|drop|truncate)\s+(?:\w+\s+){{0,3}}(?:table|index|view|database|schema)\s+"
        rf"(?:if\s+(?:not\s+)?exists\s+)?{_SQL_NAME}(?:{_SQL_END}|\s*\(|\s+(?:add|drop|on|as|rename)\s)",
        rf"with\s+(?:recursive\s+)?{_SQL_NAME}\s*(?:\([^)]*\)\s*)?as\s*\(",
        rf"select\s+(?:distinct\s+)?[*\w]+(?:\s*,\s*{_SQL_NAME})*\s+from\s+{_SQL_NAME}(?:{_SQL_END}|\s+where\s"
        r"|\s+(?:order|group)\s+by\s|\s+limit\s+\d)",
        r"select\s[^;]*?(?:[*=<>]|\w\(|,)[^;]*?\bfrom\s",
        r"select\s[^;]*?\bfrom\s[^;]*?(?:[=<>]|\w\(|\blimit\s+\d)",
        r"select\s+(?:\d|\w+\()",
        rf"(?:grant|revoke)\s+{_SQL_RIGHT}(?:\s*,\s*{_SQL_RIGHT})*\s+on\s+(?:\w+\s+){{0,5}}?{_SQL_NAME}\s+(?:to|from)\s",
    )
)
_SQL_TOKEN = regex(
    r"\s+|--[^\n]*|/\*.*?(?:\*/|\Z)|'(?:[^']|'')*+(?:'|\Z)|\"[^\"]*+(?:\"|\Z)|`[^`]*+(?:`|\Z)"
    r"|\w+(?:\.\w+)*|<>|[<>!=]=|\|\||::|.",
    re.DOTALL,
)


def parse_sql(text: str) -> str | None:
    """Returns the tokens of an SQL statement with single blanks, or None for other texts."""
    if len(text) > _MAX_LENGTH or not is_sql(text):
        return None
    return normalize_sql(text)


def normalize_sql(text: str) -> str | None:
    """Returns the tokens of SQL with single blanks, or None if there is none."""
    tokens = [_normalize_sql_token(token) for token in _SQL_TOKEN.findall(text)]
    joined = " ".join(token for token in tokens if token)
    return joined.rstrip("; ") or None


def is_sql(text: str) -> bool:
    """Returns whether a text is clearly an SQL statement; a capitalised verb begins prose."""
    begin = _SQL_BEGINS.match(text)
    if not begin:
        return False
    verb = begin.group().split()[-1]
    if verb.istitle():
        return False
    statement = text[begin.end() - len(verb) - 1 :][:1000]
    if verb.lower() == "explain":
        return is_sql(statement[len(verb) :].lstrip())
    return any(pattern.match(statement) for pattern in _STATEMENTS)


def _normalize_sql_token(token: str) -> str:
    """Returns the canonical form of a token; empty for comments and blanks."""
    if token.isspace() or (token.startswith(("--", "/*")) and not token.startswith("/*!")):
        return ""  # MySQL runs what stands in /*! */
    if token == "<>":
        return "!="
    return token if token[0] in "'\"`" else token.casefold()

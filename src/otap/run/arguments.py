"""Arguments that turn a look-up into a change, whatever the name of the tool.

The method of a request and its overrides, a verb in its address, a mutation of GraphQL, a statement
of SQL, a switch such as ``delete_after``, and a secret that leaves in an address.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from otap._patterns import regex
from otap.run import words as table
from otap.run.addresses import METHODS, address_changes, has_mutation, names_change_kind
from otap.run.commands import is_statement, only_reads, only_selects
from otap.run.names import split_name
from otap.trajectory import Step
from otap.values.commands import is_shell
from otap.values.keys import canonical_key
from otap.values.sql import is_sql
from otap.values.tool_names import last_part

MAX_LEAVES = 300  # members of the arguments of one call that are read
MAX_DEPTH = 6
MAX_TEXT = 20_000  # characters of one argument that are read

_METHOD_KEYS = frozenset(("method", "httpmethod", "requestmethod", "verb"))
_ADDRESS_KEYS = frozenset(("url", "uri", "endpoint", "href", "link", "route", "path", "address"))
_BODY_KEYS = frozenset(("body", "data", "json", "form", "payload", "formdata", "content"))
_STATEMENT_KEYS = frozenset(("sql", "query", "statement", "sqlquery"))
_COMMAND_KEYS = frozenset(("command", "cmd", "shell"))
_CYPHER = regex(
    r"\s*(?:match|optional|unwind|with|call)\b.*\b(?:delete|set|create|merge|remove)\b",
    2 | 16,  # in any case, over several lines
)
_DOCUMENT_STORE = regex(
    r"\.(?:delete|remove|insert|update|replace|drop|save|bulkwrite|findoneand|findandmodify|rename)"
    r"\w*\s*\(",
    2,
)


def changes_by_arguments(step: Step, role: str) -> bool:
    """Returns whether the arguments of a call ask for a change.

    Args:
        step: the call.
        role: the role by the name of its tool: a thought has texts about changes.
    """
    arguments = step.arguments
    if isinstance(arguments, str):
        return role == "reads" and _text_changes("query", arguments)
    if not isinstance(arguments, Mapping):
        return False
    leaves = list(_list_leaves(arguments))
    keys = {canonical_key(key) for key, _, depth in leaves if depth == 1}
    if role != "reads":
        return not keys.isdisjoint(table.PAYLOAD_KEYS)
    if _is_noun(step.tool or "") and not keys.isdisjoint(table.PAYLOAD_KEYS):
        return True
    has_address = not keys.isdisjoint(_ADDRESS_KEYS)
    if (
        has_address
        and keys.isdisjoint(_METHOD_KEYS)
        and any(canonical_key(key) in _BODY_KEYS and value for key, value in arguments.items())
    ):
        return True  # without a method, a request with a body is a POST
    return any(_leaf_changes(key, value, depth, has_address) for key, value, depth in leaves)


def _is_noun(tool: str) -> bool:
    """Whether the name of a tool does not begin with a verb of reading."""
    words = split_name(last_part(tool))
    return bool(words) and words[0] not in table.READING | table.ASKING


def _list_leaves(arguments: Mapping[str, Any]) -> Iterator[tuple[str, Any, int]]:
    """Yields the key, the value and the depth of each leaf; at most MAX_LEAVES."""
    pending: list[tuple[str, Any, int]] = [("", arguments, 0)]
    count = 0
    while pending and count < MAX_LEAVES:
        key, value, depth = pending.pop()
        count += 1
        if isinstance(value, Mapping) and depth < MAX_DEPTH:
            members = list(value.items())[:MAX_LEAVES]
            pending += [(name, member, depth + 1) for name, member in reversed(members)]
        elif isinstance(value, list) and depth < MAX_DEPTH:
            pending += [(key, member, depth + 1) for member in reversed(value[:MAX_LEAVES])]
        elif value is not None:
            yield key, value, depth


def _leaf_changes(name: str, value: Any, depth: int, has_address: bool) -> bool:
    key, text = canonical_key(name.lstrip("_")), value if isinstance(value, str) else ""
    if key in table.OVERRIDE_KEYS or (key in _METHOD_KEYS and has_address):
        return text.upper() in METHODS
    if (depth == 1 or has_address) and key in table.ACTION_KEYS and names_change_kind(text):
        return True
    if depth == 1 and value is True:  # "delete_after", "apply"
        return not table.SWITCHES.isdisjoint(split_name(name)[:1])
    return _text_changes(key, text) if text else False


def _text_changes(key: str, text: str) -> bool:
    """Whether an argument is a mutation, a statement, a command or an address that changes."""
    text = text[:MAX_TEXT]
    if has_mutation(text):
        return True
    if key in _STATEMENT_KEYS:
        if (is_sql(text) or (key == "sql" and is_statement(text))) and not only_selects(text):
            return True
        if _CYPHER.match(text) and "(" in text:
            return True
        if _DOCUMENT_STORE.search(text):
            return True
    if key in _COMMAND_KEYS and is_shell(text):
        return not only_reads(text)
    if key in _ADDRESS_KEYS or text.startswith(("http://", "https://")):
        is_path = key in ("path", "address") and "://" not in text
        return not is_path and address_changes(text)
    return False

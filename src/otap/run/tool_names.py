"""Names of tools as they are compared: a server's prefix and the way of writing say nothing.

``mcp__github__create_issue``, ``github.create_issue``, ``functions.createIssue`` and
``create-issue`` are one tool. Where two tools of a run differ by their prefix alone, it tells them
apart.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from typing import Generic, NamedTuple, TypeVar

from otap._patterns import regex
from otap.values.keys import singular

T = TypeVar("T")
MAX_NAME = 200  # characters of a tool's name: a longer one stays as it is

_NAME = regex(r"[\w-]+(?:[./:][\w-]+)*\Z")
_HOST = regex(r"(?:functions|tools|default_api)[./:]")  # a name space that is no server
_MCP = regex(r"(?:mcp__)?([\w-]+?)__(?=[^\W_])")
_SERVER = regex(r"([\w-]+)[./:](?=[\w-]*[^\W\d_][\w-]*\Z)")
_JOINTS = ("__", "/", ".", ":")
_SIGNS = regex(r"[\W_]+")
_WORD = regex(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_SEVERAL = frozenset({"batch", "bulk", "many", "multiple"})


class ToolName(NamedTuple):
    """A tool's name in canonical spelling: all of it, and without its server's."""

    full: str
    bare: str


@lru_cache(maxsize=4096)
def canonical_tool(tool: str) -> ToolName:
    """Returns the canonical name of a tool; one that is no plain name stays as it is."""
    if len(tool) > MAX_NAME or not _NAME.match(tool):
        return ToolName(tool, tool)
    server, bare = _apart(tool)
    return ToolName(_spelled(server + bare) or tool, _spelled(bare) or tool)


def without_server(tool: str) -> str:
    """Returns a tool's name as it is written, without its server's."""
    return _apart(tool)[1] if len(tool) <= MAX_NAME and _NAME.match(tool) else tool


def last_part(tool: str) -> str:
    """Returns what of a tool's name says what its calls do: create, of stripe.customers.create.

    That is no name of the tool: what is created may stand before it.
    """
    for joint in _JOINTS:
        last = tool.rpartition(joint)[2]
        tool = last if any(map(str.isalpha, last)) else tool
    return tool


class ByTool(Generic[T]):
    """What is said of tools by name: one named exactly goes before one that is the same tool."""

    def __init__(self, said: Mapping[str, T]) -> None:
        self._said = said
        self._canonical = {canonical_tool(name).full: said[name] for name in sorted(said)}

    def get(self, tool: str | None) -> T | None:
        """Returns what is said of a tool, under its name or under that without its server's."""
        if tool is None or not self._said:
            return None
        if tool in self._said:
            return self._said[tool]
        full, bare = canonical_tool(tool)
        found = self._canonical.get(full)
        return self._canonical.get(bare) if found is None else found


def tool_keys(tools: Iterable[str]) -> dict[str, str]:
    """Returns the name that tells each tool of a run from its others: the bare one, or all of it.

    Args:
        tools: those that the run calls.
    """
    alike: dict[str, dict[str, str]] = defaultdict(dict)  # by bare name, the full ones
    for tool in tools:
        full, bare = canonical_tool(tool)
        alike[bare][tool] = full
    keys: dict[str, str] = {}
    for bare, full_names in alike.items():
        is_one = len({*full_names.values()}) == 1
        keys.update(dict.fromkeys(full_names, bare) if is_one else full_names)
    return keys


def same_tools(run: Collection[str], reference: Collection[str]) -> dict[str, str]:
    """Returns for tools of a run the reference's name of the same tool, where it is another one.

    A prefix is left out only where one tool of the run and one of the reference are the same
    without it; a name with a point in it may have one more before it.

    Args:
        run: the tools that the run calls.
        reference: those of the reference.
    """
    theirs = frozenset(reference)
    ours = set(run) - theirs
    if not ours:
        return {}
    spelled = {canonical_tool(tool).full: tool for tool in sorted(theirs, reverse=True)}
    found = {t: spelled[n] for t in ours if (n := canonical_tool(t).full) in spelled}
    named = _by_name(frozenset(run)), _by_name(theirs)
    for tool in ours - found.keys():
        for name in canonical_tool(tool):
            # One of each has the name, and it is all of the name of one of them.
            alike = [*named[0][name], *named[1].get(name, ())]
            is_full = name in [canonical_tool(one).full for one in alike]
            if is_full and len(named[0][name]) == 1 and len(alike) == 2:
                found[tool] = alike[1]
    return {**_same_in_number(ours - found.keys(), run, theirs - set(run)), **found}


def _same_in_number(
    ours: Collection[str], run: Collection[str], theirs: Collection[str]
) -> dict[str, str]:
    """Tools that do the same to one thing and to several: archive_order and archive_orders."""
    named = [defaultdict[str, list[str]](list) for _ in range(2)]
    for tools, by_name in zip((run, theirs), named, strict=True):
        for tool in sorted(tools):
            by_name[_without_number(tool)].append(tool)
    found = {}
    for tool in ours:
        name = _without_number(tool)
        if len(named[0][name]) == len(named[1][name]) == 1:
            found[tool] = named[1][name][0]
    return found


@lru_cache(maxsize=4096)
def _without_number(tool: str) -> str:
    words = [word.casefold() for word in _WORD.findall(tool)]
    return " ".join(singular(word) for word in words if word not in _SEVERAL) or tool


@lru_cache(maxsize=4096)  # many runs are held against each other
def _by_name(tools: frozenset[str]) -> dict[str, list[str]]:
    """The different tools that have a name, in full or bare, one spelling of each."""
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for tool in sorted(tools):
        name = canonical_tool(tool)
        for spelled in set(name):
            found[spelled].setdefault(name.full, tool)
    return {name: list(tools.values()) for name, tools in found.items()}


def _apart(tool: str) -> tuple[str, str]:
    """The name of the server, empty where there is none, and the tool's own."""
    own = _HOST.sub("", tool, count=1)
    prefix = _MCP.match(own) or _SERVER.match(own)
    return (prefix[1], own[prefix.end() :]) if prefix else ("", own)


def _spelled(name: str) -> str:
    return _SIGNS.sub("", name).casefold()

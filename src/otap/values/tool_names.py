"""Names of tools in canonical form, without the server's prefix, case and separators.

``mcp__github__create_issue``, ``github.create_issue``, ``functions.createIssue`` and
``create-issue`` are one tool. If two tools of a run differ by their prefix alone, the prefix
distinguishes them.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Generic, NamedTuple, TypeVar

from otap._patterns import regex
from otap.values.keys import singular

T = TypeVar("T")
MAX_NAME = 200  # characters of a tool's name; longer names stay unchanged

# Without the caches of names, here and in run/, a score takes 8 to 13 % longer.
_NAME = regex(r"[\w-]+(?:(?:::|[./:])[\w-]+)*\Z")
# It is no server. Some hosts write mcp_server_tool, others mcp.server.tool.
_NAMESPACE = regex(r"(?:functions|tools|default_api)[./:]|mcp(?:[./:-]|_(?!_))(?=[^\W_])")
_MCP = regex(r"(?:mcp__)?([\w-]+?)__(?=[^\W_])")
_SERVER = regex(r"([\w-]+)(?:::|[./:])(?=[\w-]*[^\W\d_][\w-]*\Z)")
_SEPARATORS = ("__", "/", ".", ":")
_SIGNS = regex(r"[\W_]+")
_WORD = regex(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
SEVERAL = frozenset({"batch", "bulk", "many", "multiple"})


class ToolName(NamedTuple):
    """The canonical name of a tool, and the same without the server's name."""

    full: str
    bare: str


@lru_cache(maxsize=4096)
def canonical_tool(tool: str) -> ToolName:
    """Returns the canonical name of a tool; text that is no plain name stays unchanged."""
    if len(tool) > MAX_NAME or not _NAME.match(tool):
        return ToolName(tool, tool)
    server, bare = _split_server(tool)
    return ToolName(_normalize(server + bare) or tool, _normalize(bare) or tool)


def without_server(tool: str) -> str:
    """Returns the recorded name of a tool without the server's name."""
    return _split_server(tool)[1] if len(tool) <= MAX_NAME and _NAME.match(tool) else tool


def last_part(tool: str) -> str:
    """Returns the last part of a tool's name, as create in stripe.customers.create.

    It describes the calls, but it does not identify the tool.
    """
    for separator in _SEPARATORS:
        last = tool.rpartition(separator)[2]
        if last != tool and any(character.isalpha() for character in last):
            tool = last
    return tool


class ByTool(Generic[T]):
    """Settings by tool; the exact name of a tool has precedence over its canonical name.

    A name with a star is a pattern: ``verify_*``, ``*_report``. Names have precedence over
    patterns, and longer patterns over shorter ones.

    Args:
        settings: by the name of a tool, or by a pattern of names.
    """

    def __init__(self, settings: Mapping[str, T]) -> None:
        self._settings = settings
        names = sorted(name for name in settings if "*" not in name)
        self._by_canonical = {canonical_tool(name).full: settings[name] for name in names}
        patterns = sorted((name for name in settings if "*" in name), key=_rank_pattern)
        self._patterns = [(_NamePattern(name), settings[name]) for name in patterns]

    def get(self, tool: str | None) -> T | None:
        """Returns the setting of a tool, by its name or by its name without the server's."""
        if tool is None or not self._settings:
            return None
        if tool in self._settings:
            return self._settings[tool]
        full, bare = canonical_tool(tool)
        setting = self._by_canonical.get(full)
        if setting is None:
            setting = self._by_canonical.get(bare)
        if setting is None and self._patterns and len(tool) <= MAX_NAME:
            for pattern, pattern_setting in self._patterns:
                if pattern.matches(full) or pattern.matches(bare):
                    return pattern_setting
        return setting


def _rank_pattern(pattern: str) -> tuple[int, str]:
    """Longer patterns first."""
    return -len(pattern), pattern


class _NamePattern:
    """A pattern of canonical names, in which a star is any text."""

    def __init__(self, pattern: str) -> None:
        self._first, *self._middle, self._last = [_normalize(part) for part in pattern.split("*")]

    def matches(self, name: str) -> bool:
        """Returns whether a canonical name matches; each part is found at its first place."""
        if not name.startswith(self._first):
            return False
        position = len(self._first)
        for part in self._middle:
            start = name.find(part, position)
            if start < 0:
                return False
            position = start + len(part)
        return name.endswith(self._last) and len(name) - len(self._last) >= position


def tool_keys(tools: Iterable[str]) -> dict[str, str]:
    """Returns for each tool of a run its bare name, or its full name if the bare one is ambiguous.

    Args:
        tools: the tools that the run calls.
    """
    by_bare_name: dict[str, dict[str, str]] = defaultdict(dict)
    for tool in tools:
        full, bare = canonical_tool(tool)
        by_bare_name[bare][tool] = full
    keys: dict[str, str] = {}
    for bare, full_names in by_bare_name.items():
        is_one = len({*full_names.values()}) == 1
        keys.update(dict.fromkeys(full_names, bare) if is_one else full_names)
    return keys


def same_tools(run: Collection[str], reference: Collection[str]) -> dict[str, str]:
    """Returns for tools of a run the reference's name of the same tool, if it is another name.

    A prefix is ignored only if one tool of the run and one of the reference are the same without
    it. A name with a point in it may have one more before it.

    Args:
        run: the tools that the run calls.
        reference: the tools that the reference calls.
    """
    reference_tools = frozenset(reference)
    run_only = set(run) - reference_tools
    if not run_only:
        return {}
    by_canonical = {
        canonical_tool(tool).full: tool for tool in sorted(reference_tools, reverse=True)
    }
    pairs: dict[str, str] = {}
    for tool in run_only:
        full = canonical_tool(tool).full
        if full in by_canonical:
            pairs[tool] = by_canonical[full]
    run_names, reference_names = _list_by_name(frozenset(run)), _list_by_name(reference_tools)
    for tool in run_only - pairs.keys():
        for name in canonical_tool(tool):
            # One tool of each side has the name, and it is the full name of one of them.
            candidates = [*run_names[name], *reference_names.get(name, ())]
            is_full = any(name == canonical_tool(candidate).full for candidate in candidates)
            if is_full and len(run_names[name]) == 1 and len(candidates) == 2:
                pairs[tool] = candidates[1]
    unpaired = run_only - pairs.keys()
    return {**_pair_plurals(unpaired, run, reference_tools - set(run)), **pairs}


def _pair_plurals(
    unpaired: Collection[str], run: Collection[str], reference_only: Collection[str]
) -> dict[str, str]:
    """Tools for one object and for several, as archive_order and archive_orders."""
    run_names, reference_names = _list_by_singular(run), _list_by_singular(reference_only)
    pairs = {}
    for tool in unpaired:
        name = _to_singular(tool)
        if len(run_names[name]) == len(reference_names.get(name, ())) == 1:
            pairs[tool] = reference_names[name][0]
    return pairs


def _list_by_singular(tools: Collection[str]) -> Mapping[str, Sequence[str]]:
    by_name: dict[str, list[str]] = {}
    for tool in sorted(tools):
        by_name.setdefault(_to_singular(tool), []).append(tool)
    return by_name


@lru_cache(maxsize=4096)
def _to_singular(tool: str) -> str:
    words = [word.casefold() for word in _WORD.findall(tool)]
    return " ".join(singular(word) for word in words if word not in SEVERAL) or tool


@lru_cache(maxsize=4096)  # many runs are compared with each other
def _list_by_name(tools: frozenset[str]) -> Mapping[str, Sequence[str]]:
    """The different tools by their full and bare names, one spelling of each."""
    by_name: dict[str, dict[str, str]] = defaultdict(dict)
    for tool in sorted(tools):
        names = canonical_tool(tool)
        for name in set(names):
            by_name[name].setdefault(names.full, tool)
    return {name: list(spellings.values()) for name, spellings in by_name.items()}


def _split_server(tool: str) -> tuple[str, str]:
    """The name of the server, or an empty text, and the rest of the name."""
    namespace = _NAMESPACE.match(tool)
    name = tool[namespace.end() :] if namespace else tool
    prefix = _MCP.match(name) or _SERVER.match(name)
    return (prefix[1], name[prefix.end() :]) if prefix else ("", name)


def _normalize(name: str) -> str:
    return _SIGNS.sub("", name).casefold()

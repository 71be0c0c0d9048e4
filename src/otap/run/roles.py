"""What a call does to the world: it writes, it reads, it thinks, or it hands over to somebody else.

By what the trace records of its tools, else by what the call says plainly (a request's method, a
command that only reads), else by the words of the tool's name. What is not recognised writes: to
take a write for a read is worse than the other way round.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any, Literal, cast

from otap._patterns import regex
from otap.errors import shown
from otap.run import words as table
from otap.run.commands import is_statement, only_reads, only_selects
from otap.run.tool_names import MAX_NAME, last_part, without_server
from otap.trajectory import Step, ToolFacts
from otap.values.keys import canonical_key
from otap.values.normalization import fold_word

Kind = Literal["shell", "request", "editor", "database"]
Role = Literal["writes", "reads", "thinks", "handoff", "forbidden"]
# From what counts most to what counts least.
ROLES: Sequence[Role] = ("writes", "reads", "handoff", "thinks")

SHOWN_TOOLS = 8

_READS = ("GET", "HEAD", "OPTIONS")
_WRITES = ("POST", "PUT", "PATCH", "DELETE")
_OPERATION = regex(r"(GET|HEAD|OPTIONS|POST|PUT|PATCH|DELETE)[ _:]+/", re.IGNORECASE)
_PARTS = regex(r"[^\W_]+")
_CAMEL = regex(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_PREFIX = regex(r"v?[0-9]+|api|tool|functions|web")
_LINES = ("command", "cmd", "commands")
_LINE_MORE = {"args", "arguments", "argv", "options", "flags", "input", "stdin", "chars", "script"}
_STATEMENTS = ("sql", "query", "statement")
_KINDS: Sequence[tuple[Kind, frozenset[str]]] = (
    ("shell", table.SHELLS),
    ("request", table.REQUESTS),
    ("editor", table.EDITORS),
    ("database", table.DATABASES),
)


def infer_role(step: Step, facts: Mapping[str, ToolFacts]) -> Role:
    """Returns what a step does.

    Args:
        step: the step.
        facts: what the trace records of its tools, by name.
    """
    if step.kind == "reasoning":
        return "thinks"
    if step.tool is None:
        return "writes"
    role = _by_facts(_facts_of(step.tool, facts)) if facts else None
    kind = None if role else _kind(step.tool)
    if kind:
        role = _by_arguments(kind, step.arguments)
    role = role or role_by_name(step.tool) or "writes"
    if role == "writes" and isinstance(step.arguments, dict):
        for key in table.REHEARSING.intersection(map(canonical_key, step.arguments)):
            if any(canonical_key(k) == key and v is True for k, v in step.arguments.items()):
                return "reads"  # it asks for what would happen, and for nothing to happen
    return role


def drop_client_keys(step: Step) -> Step:
    """Returns a call without arguments that say nothing of what it does: the keys that agents draw.

    Args:
        step: any step.
    """
    if step.tool is None or not isinstance(step.arguments, dict):
        return step
    names = set(map(canonical_key, step.arguments))
    idle = set(table.CLIENT_KEYS)
    if len(names) > 2 and "request" not in step.tool.lower():
        idle |= table.REQUEST_CLIENT_KEYS
    if _kind(step.tool) == "shell":
        idle |= table.ABOUT_COMMANDS
    if idle.isdisjoint(names):
        return step
    kept = {key: value for key, value in step.arguments.items() if canonical_key(key) not in idle}
    return step.model_copy(update={"arguments": kept})


@lru_cache(maxsize=4096)
def role_by_name(tool: str) -> Role | None:
    """Returns what a tool's name says that its calls do; None: nothing, as of one too long."""
    if len(tool) > MAX_NAME:
        return None
    operation = _OPERATION.match(tool)
    if operation:
        return "reads" if operation[1].upper() in _READS else "writes"
    name = last_part(tool)
    known = table.KNOWN_TOOLS.get(name.lower())
    if known is not None:
        return cast(Role, known)
    return _by_signs(name) or _by_words(_split_name(name))


@lru_cache(maxsize=4096)
def names_change(tool: str) -> bool:
    """Returns whether a tool's name says that its calls change something."""
    words = _split_name(last_part(tool[:MAX_NAME]))
    return bool(words) and words[0] in table.WRITING


@lru_cache(maxsize=4096)
def answers_user(tool: str) -> bool:
    """Whether the calls of a tool tell the user something, by its name."""
    return len(tool) <= MAX_NAME and "_".join(_split_name(last_part(tool))) in table.ANSWERING


def destroys(step: Step, facts: Mapping[str, ToolFacts]) -> bool:
    """Returns whether a step that writes undoes what was there, as far as its tool says it."""
    if step.tool is None or len(step.tool) > MAX_NAME:
        return False
    told = _facts_of(step.tool, facts)
    if told is not None and told.destructive is not None:
        return told.destructive
    return step.tool.upper().startswith("DELETE ") or any(
        word in table.DESTROYING for word in _split_name(last_part(step.tool))[:1]
    )


def summary(roles: Mapping[str, Collection[Role]]) -> str:
    """Returns what was recognised, one line for people; what writes is not named.

    As in "reads: get_user, search_*; hands over: transfer_to_human_agents".
    """
    parts = []
    for role, title in (("reads", "reads"), ("thinks", "thinks"), ("handoff", "hands over")):
        tools = {tool: len(found) > 1 for tool, found in roles.items() if role in found}
        if tools:
            parts.append(f"{title}: {_list_tools(tools)}")
    return "; ".join(parts)


def _facts_of(tool: str, facts: Mapping[str, ToolFacts]) -> ToolFacts | None:
    """Returns the facts of a tool under its own name, or under that without its server's."""
    return facts[tool] if tool in facts else facts.get(without_server(tool))


def _by_facts(facts: ToolFacts | None) -> Role | None:
    if facts is None:
        return None
    if facts.read_only is not None:
        return "reads" if facts.read_only else "writes"
    if facts.destructive:
        return "writes"
    return _by_method(facts.method)


def _by_method(method: object) -> Role | None:
    name = method.upper() if isinstance(method, str) else None
    return "reads" if name in _READS else "writes" if name in _WRITES else None


def _by_arguments(kind: Kind, arguments: Any) -> Role | None:
    """Returns what the arguments of a request, a shell, an editor or a database say plainly."""
    if not isinstance(arguments, Mapping):
        return None
    if kind == "shell":
        return _by_line(arguments)
    if kind == "request":
        return _by_method(arguments.get("method"))
    if kind == "editor":
        return "reads" if arguments.get("command") == "view" else None
    return _by_statement(arguments)


@lru_cache(maxsize=4096)
def _kind(tool: str) -> Kind | None:
    """Returns what a tool is, if its arguments say what a call does."""
    if len(tool) > MAX_NAME:
        return None
    words = _split_name(tool)
    return next((kind for kind, known in _KINDS if not known.isdisjoint(words)), None)


def _by_line(arguments: Mapping[str, Any]) -> Role | None:
    lines = [arguments[key] for key in _LINES if key in arguments]
    if len(lines) != 1 or not _LINE_MORE.isdisjoint(arguments):
        return None
    line = lines[0]
    if isinstance(line, str) or _is_command(line):
        return "reads" if only_reads(line) else "writes"
    return None


def _is_command(line: Any) -> bool:
    return isinstance(line, list) and all(isinstance(word, str) for word in line)


def _by_statement(arguments: Mapping[str, Any]) -> Role | None:
    texts = [arguments[key] for key in _STATEMENTS if isinstance(arguments.get(key), str)]
    if len(texts) != 1 or not is_statement(texts[0]):
        return None
    return "reads" if only_selects(texts[0]) else "writes"


def _split_name(name: str) -> list[str]:
    """Returns the words of a name in small letters, without accents."""
    parts = [word for part in _PARTS.findall(name) for word in _CAMEL.split(part)]
    plain = list(map(fold_word, parts))
    while len(plain) > 1 and _PREFIX.fullmatch(plain[0]):
        plain = plain[1:]
    return plain


def _by_signs(name: str) -> Role | None:
    """Returns what a name says that has no blanks between its words."""
    if name.isascii():
        return None
    if any(sign in name for sign in table.HANDING_OVER_SIGNS):
        return "handoff"
    if name.startswith(table.THINKING_SIGNS):
        return "thinks"
    if name.endswith(table.READING_ENDS):  # the verb of Japanese is the last word
        return "reads"
    if any(sign in name for sign in table.CHANGING_SIGNS):
        return "writes"
    return "reads" if name.startswith(table.READING_SIGNS) else None


def _by_words(words: list[str]) -> Role | None:
    if not words:
        return None
    if _is_handoff(words):
        return "handoff"
    if _writes(words):
        return "writes"
    if words[0] in table.THINKING or words[-1] in table.THINKING_LAST:
        return "thinks"
    return "reads" if _reads(words) else None


def _writes(words: list[str]) -> bool:
    """Whether a word of writing stands where it counts: it is stronger than one of reading."""
    if words[0] in table.ASKING:
        return _has_second_verb(words)
    if any(word in table.CHANGING for word in words):
        return True
    if _opens(words) or _tries(words):
        return _has_second_verb(words)
    if words[0] in table.WRITING:
        return words[0] not in table.NOUNS_TOO or words[-1] not in table.READING_LAST
    goes = words[0] == "check" and words[1:2] in (["in"], ["out"], ["off"])
    return goes or _has_second_verb(words)


def _opens(words: list[str]) -> bool:
    """Whether something is opened to be looked at."""
    return words[0] == "open" and words[-1] in table.OPENED


def _tries(words: list[str]) -> bool:
    """Whether something is tried out, planned or reckoned over, as in ``run_unit_tests``."""
    first, last = words[0], words[-1]
    if first in table.RUNNING:
        return last in table.TRIED
    return first in table.CONVERTING and last in table.CONVERTED


def _has_second_verb(words: list[str]) -> bool:
    """Whether a second verb follows, as in ``get_or_create``; ``by_name_or_type`` has none."""
    said = words[: words.index("by")] if "by" in words else words
    return any(before in table.JOINING and word in table.WRITING for before, word in pairwise(said))


def _reads(words: list[str]) -> bool:
    if words[0] in table.ASKING or words[0] in table.READING:
        return True
    if len(words) == 1:
        return words[0] in table.READING_NOUN | table.MEASURES - table.VERBS_TOO
    if _opens(words) or _tries(words):
        return True
    if words[-1] in table.READING_LAST or _names_what_is_read(words):
        return True
    return words[1] in table.READING_SECOND or _lists(words)


def _names_what_is_read(words: list[str]) -> bool:
    """Whether a name ends with what is looked at, and nothing in it is done: no set_temperature."""
    if words[-1] in table.READING_NOUN:
        return True
    done = (table.WRITING - table.NOUNS_TOO).union(("by",))
    return words[-1] in table.MEASURES and done.isdisjoint(words[:-1])


def _lists(words: list[str]) -> bool:
    """Whether things are listed, as in ``slack_list_channels``: a list is a thing, too."""
    if len(words) > 2 and words[1] == "list" and words[-1].endswith("s"):
        return True
    return any(word == "list" and before.endswith("s") for before, word in pairwise(words))


def _is_handoff(words: list[str]) -> bool:
    verb, *rest = words
    if rest and rest[-1] in table.HANDED_OVER and len(words) < 4:
        return set(words[:-1]) <= table.PEOPLE | table.BETWEEN
    if not any(word in table.PEOPLE for word in rest):
        return False
    if verb in table.HANDING_OVER:
        return verb != "hand" or rest[0] in ("over", "off")
    return verb in table.PASSING_ON and _passes_on(rest)


def _passes_on(words: list[str]) -> bool:
    """Whether it is a case that is passed on to somebody, not money or mail."""
    somebody = next(index for index, word in enumerate(words) if word in table.PEOPLE)
    before = words[: words.index("to")] if "to" in words else words[:somebody]
    return all(word in table.CASES | table.BETWEEN for word in before)


def _list_tools(tools: Mapping[str, bool]) -> str:
    """Returns the names of tools; three or more with the same beginning are told once."""
    begin: dict[str, list[str]] = {}
    for tool in sorted(tools):
        begin.setdefault(_beginning(tool), []).append(tool)
    told = []
    for beginning, names in begin.items():
        if len(names) > 2 and beginning:
            told.append(f"{shown(beginning, 40)}*")
        else:
            told += [_tool_text(name, tools[name]) for name in names]
    more = len(told) - SHOWN_TOOLS
    return ", ".join(told[:SHOWN_TOOLS]) + (f" and {more} more" if more > 0 else "")


def _beginning(tool: str) -> str:
    """Returns the first word of a name with the sign behind it, or nothing if there is one word."""
    found = re.match(r"[^\W_]+?([_./-]|(?<=[a-z0-9])(?=[A-Z]))", tool)
    return found[0] if found else ""


def _tool_text(name: str, in_part: bool) -> str:
    return f"{shown(name, 40)} (in part)" if in_part else shown(name, 40)

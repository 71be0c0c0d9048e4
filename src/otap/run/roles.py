"""The role of a step: it writes, reads, thinks, delegates, or does something that a plan forbids.

Three sources decide, in this order: the facts that the trace records of a tool, the arguments of
the call if they are plain (the method of a request, a command that only reads), and the words of
the tool's name. A call that none of them recognises writes, because it is worse to take a write for
a read than a read for a write.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any, Literal, cast

from otap._patterns import regex
from otap.errors import shown
from otap.run import words as table
from otap.run.addresses import address_changes
from otap.run.arguments import changes_by_arguments
from otap.run.cells import only_looks
from otap.run.commands import only_reads, only_selects, split_line_into_commands
from otap.run.completed import contradicts_dry_run, parse_effect
from otap.run.declarations import DeclaredTools, asks_for_dry_run
from otap.run.kinds import Kind, command_of, kind_of, program_of, runs_programs, statement_of
from otap.run.names import split_name
from otap.run.objects import is_measure
from otap.trajectory import Step, ToolFacts
from otap.values.keys import canonical_key
from otap.values.tool_names import MAX_NAME, last_part

Role = Literal["writes", "reads", "thinks", "handoff", "forbidden"]
# By falling weight.
ROLES: Sequence[Role] = ("writes", "reads", "handoff", "thinks")

SHOWN_TOOLS = 8  # tools that a summary lists by name

_EXCUSING = frozenset(("reads", "thinks", "handoff"))
_READS = ("GET", "HEAD", "OPTIONS")
_WRITES = ("POST", "PUT", "PATCH", "DELETE")
_PAGE = regex(
    r"(?:https?://|www\.|about:blank\Z|/(?!/)|[\w-]+(?:\.[\w-]+){1,5}(?:[:/?#]|\Z))\S*\Z",
    re.IGNORECASE,
)
_OPERATION = regex(r"(GET|HEAD|OPTIONS|POST|PUT|PATCH|DELETE)[ _:]+/", re.IGNORECASE)


def infer_role(step: Step, declared_tools: DeclaredTools) -> Role:
    """Returns the role of a step.

    Args:
        step: the step.
        declared_tools: the facts of tools that count.
    """
    if step.kind == "reasoning":
        return "thinks"
    if step.tool is None:
        return "writes"
    role = _by_facts(declared_tools.get(step.tool))
    if role == "reads":
        return role
    kind = None if role else kind_of(step.tool)
    role = _find_role(step, declared_tools) or "writes"
    if kind != "shell" and role in _EXCUSING and changes_by_arguments(step, role):
        return "writes"
    if role == "writes" and asks_for_dry_run(step) and declared_tools.has_dry_run(step.tool):
        return role if contradicts_dry_run(step, parse_effect(step.effect)) else "reads"
    return role


def is_assumed_write(step: Step, declared_tools: DeclaredTools) -> bool:
    """Returns whether a call counts as a write only because nothing shows that it does not.

    Args:
        step: a step whose role the settings do not declare.
        declared_tools: the facts of tools that count.
    """
    if step.tool is None or step.kind == "reasoning":
        return False
    is_unknown = _find_role(step, declared_tools) is None
    return is_unknown and infer_role(step, declared_tools) == "writes"


def confirms(step: Step) -> bool:
    """Returns whether a check confirms something, as a one-time code or a payment."""
    if step.tool is None or role_by_name(step.tool) != "reads":
        return False
    words = split_name(last_part(step.tool))
    if words[0] not in table.CONFIRMING or words[-1] in table.READING_NOUN:
        return False
    arguments = step.arguments if isinstance(step.arguments, Mapping) else {}
    keys = {canonical_key(key) for key, value in arguments.items() if value not in (None, "")}
    is_code = not keys.isdisjoint(table.CODE_KEYS)
    return (is_code or words[1:2] in ([noun] for noun in table.CONFIRMED)) and (
        table.PAYLOAD_KEYS.isdisjoint(keys)
    )


def _starts_agent(step: Step) -> bool:
    """Returns whether a call hands over by a framework's own tool, and carries texts alone.

    A call that carries values, such as an amount of money or an account, transfers these.
    """
    tool = step.tool or ""
    if len(tool) > MAX_NAME:
        return False
    words = split_name(last_part(tool))
    is_passed = tuple(words[:2]) in table.PASSING_TO_AGENTS and len(words) > 2
    is_started = "_".join(words) in table.STARTING_AGENTS
    if not (is_passed or is_started) or not table.VALUABLES.isdisjoint(words):
        return False
    arguments = {} if step.arguments is None else step.arguments
    if not isinstance(arguments, Mapping) or (is_started and not arguments):
        return False
    return not any(_is_value(key, value) for key, value in arguments.items())


def _loads_page(step: Step) -> bool:
    """Whether a call goes to the address of a page; a robot that navigates has no such address."""
    tool, arguments = step.tool or "", step.arguments
    if len(tool) > MAX_NAME or not isinstance(arguments, Mapping):
        return False
    words = split_name(last_part(tool))
    if table.GOING.isdisjoint(words) or not table.GOING_TO_PAGES.issuperset(words):
        return False
    return any(
        canonical_key(key) in table.PAGE_KEYS and isinstance(value, str) and _PAGE.match(value)
        for key, value in arguments.items()
    )


def _is_value(key: str, value: Any) -> bool:
    """Whether an argument is something to be passed on, and no text or switch."""
    if isinstance(value, bool) or value is None:
        return False
    is_payload = canonical_key(key) in table.PAYLOAD_KEYS
    if not isinstance(value, str) or is_payload or not table.VALUABLES.isdisjoint(split_name(key)):
        return True
    return is_measure(value.strip())


def drop_client_keys(step: Step) -> Step:
    """Returns a call without arguments that do not describe its work, such as idempotency keys.

    Args:
        step: any step.
    """
    if step.tool is None or not isinstance(step.arguments, dict):
        return step
    names = {key: canonical_key(key) for key in step.arguments}
    irrelevant = set(table.CLIENT_KEYS)
    if len({*names.values()}) > 2 and "request" not in step.tool.lower():
        irrelevant |= table.REQUEST_CLIENT_KEYS
    if kind_of(step.tool) == "shell":
        irrelevant |= table.ABOUT_COMMANDS
    if irrelevant.isdisjoint(names.values()):
        return step
    arguments = {
        key: argument for key, argument in step.arguments.items() if names[key] not in irrelevant
    }
    return step.model_copy(update={"arguments": arguments})


@lru_cache(maxsize=4096)
def role_by_name(tool: str) -> Role | None:
    """Returns the role that a tool's name announces; None if it announces none or is too long."""
    if len(tool) > MAX_NAME:
        return None
    operation = _OPERATION.match(tool)
    if operation:
        reads = operation[1].upper() in _READS and not address_changes(tool[operation.end() - 1 :])
        return "reads" if reads else "writes"
    name = last_part(tool)
    role = table.KNOWN_TOOLS.get(name.lower())
    if role is not None:
        return cast(Role, role)
    return _by_signs(name) or _by_words(split_name(name))


@lru_cache(maxsize=4096)
def names_change(tool: str) -> bool:
    """Returns whether a tool's name announces a change."""
    words = split_name(last_part(tool[:MAX_NAME]))
    return bool(words) and words[0] in table.WRITING


@lru_cache(maxsize=4096)
def answers_user(tool: str) -> bool:
    """Returns whether a tool sends its arguments to the user, by its name."""
    return len(tool) <= MAX_NAME and "_".join(split_name(last_part(tool))) in table.ANSWERING


def destroys(step: Step, declared_tools: DeclaredTools) -> bool:
    """Returns whether a write destroys something, by the facts or the name of its tool."""
    if step.tool is None or len(step.tool) > MAX_NAME:
        return False
    tool_facts = declared_tools.get(step.tool)
    if tool_facts is not None and tool_facts.destructive is not None:
        return tool_facts.destructive
    words = split_name(last_part(step.tool))
    return step.tool.upper().startswith("DELETE ") or (bool(words) and words[0] in table.DESTROYING)


def summary(roles: Mapping[str, Collection[Role]]) -> str:
    """Returns one line with the tools of each role, except tools that write.

    For example "reads: get_user, search_*; hands over: transfer_to_human_agents".
    """
    parts = []
    for role, title in (("reads", "reads"), ("thinks", "thinks"), ("handoff", "hands over")):
        tools = {
            tool: len(tool_roles) > 1 for tool, tool_roles in roles.items() if role in tool_roles
        }
        if tools:
            parts.append(f"{title}: {_list_tools(tools)}")
    return "; ".join(parts)


def _find_role(step: Step, declared_tools: DeclaredTools) -> Role | None:
    """The role of a call by the facts of its tool, its arguments or its name; None if by none."""
    if step.tool is None:
        return None
    role = _by_facts(declared_tools.get(step.tool))
    kind = None if role else kind_of(step.tool)
    if kind:
        role = _by_arguments(kind, step.arguments)
    if kind == "shell" and step.status == "error" and _waits(step):
        return "writes"  # the work that it waited for failed
    if role is None and runs_programs(step.tool) and only_looks(program_of(step) or ""):
        return "reads"
    if role is not None:
        return role
    role = role_by_name(step.tool)
    if role in (None, "writes") and _loads_page(step):
        return "reads"
    if role in (None, "writes") and _starts_agent(step):
        return "handoff"
    return "writes" if role == "reads" and confirms(step) else role


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
    """The role that the arguments of a request, shell, editor or database show."""
    if not isinstance(arguments, Mapping):
        return None
    if kind == "shell":
        return _by_command(arguments)
    if kind == "request":
        return _by_method(arguments.get("method"))
    if kind == "editor":
        return "reads" if arguments.get("command") == "view" else None
    return _by_statement(arguments)


def _by_command(arguments: Mapping[str, Any]) -> Role | None:
    command = command_of(arguments)
    if command is None:
        return None
    return "reads" if only_reads(command) else "writes"


def _waits(step: Step) -> bool:
    """Whether a command waits for the end of work that an earlier one began."""
    commands = split_line_into_commands(command_of(step.arguments) or "") or []
    return any(not table.WAITING.isdisjoint(command.words[1:]) for command in commands)


def _by_statement(arguments: Mapping[str, Any]) -> Role | None:
    statement = statement_of(arguments)
    if statement is None:
        return None
    return "reads" if only_selects(statement) else "writes"


def _by_signs(name: str) -> Role | None:
    """The role of a name in a script without blanks between words."""
    if name.isascii():
        return None
    if any(sign in name for sign in table.HANDING_OVER_SIGNS):
        return "handoff"
    joined = next((sign for sign in table.JOINING_SIGNS if sign in name), None)
    if joined and not name.partition(joined)[2].startswith(table.READING_SIGNS):
        return None
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
    """Whether a name has a verb of writing where verbs stand; it beats a verb of reading."""
    if words[0] in table.ASKING:
        return _has_second_verb(words)
    if any(word in table.CHANGING for word in words):
        return True
    if _opens(words) or _tries(words):
        return _has_second_verb(words)
    if words[0] in table.WRITING:
        is_counted = words[-1] in table.SUMMARIES and words[0] not in table.PUBLISHING
        is_noun = words[0] in table.NOUNS_TOO and table.JOINING.isdisjoint(words)
        return not is_noun or not (is_counted or words[-1] in table.READING_LAST)
    is_misleading = tuple(words[:2]) in table.MISLEADING or words[-2:] == ["for", "sale"]
    ends_with_verb = len(words) > 1 and words[-1] in table.LAST_VERBS
    return is_misleading or ends_with_verb or _has_second_verb(words)


def _opens(words: list[str]) -> bool:
    """Whether a name opens something in order to read it."""
    return words[0] == "open" and words[-1] in table.OPENED


def _tries(words: list[str]) -> bool:
    """Whether a name runs a test or converts units, as in ``run_unit_tests``."""
    first, last = words[0], words[-1]
    if first in table.RUNNING:
        return last in table.TRIED
    return first in table.CONVERTING and last in table.CONVERTED


def _has_second_verb(words: list[str]) -> bool:
    """Whether a second verb follows that may change something, as in ``get_or_create``.

    Directly behind the first verb and its "and" there is another verb: it must be one of reading.
    Further on there may be a noun, as in ``get_name_and_address``; after a preposition there is, as
    in ``find_by_name_or_type``.
    """
    is_described = False
    for k, (before, word) in enumerate(pairwise(words), start=1):
        is_described = is_described or before in table.DESCRIBING
        if before not in table.JOINING or k == 1:
            continue
        if word in table.WRITING - table.NOUNS_TOO:
            return True
        if is_described or word in table.ALSO_READING | table.THINKING:
            continue
        if k == 2 or before == "then":
            return True
        is_noun = word in table.NOUNS or (word.endswith("s") and not word.endswith("ss"))
        if not is_noun or (word in table.WRITING and k < len(words) - 1):
            return True
    return False


def _reads(words: list[str]) -> bool:
    if words[0] in table.ASKING or words[0] in table.READING:
        return True
    if len(words) == 1:
        return words[0] in table.READING_NOUN | table.MEASURES - table.VERBS_TOO
    if _opens(words) or _tries(words):
        return True
    if words[-1] in table.READING_LAST or _ends_with_information(words):
        return True
    return words[1] in table.READING_SECOND or _lists(words)


def _ends_with_information(words: list[str]) -> bool:
    """Whether a name ends with information that is read; ``set_temperature`` writes it."""
    if words[-1] in table.READING_NOUN:
        return True
    verbs = (table.WRITING - table.NOUNS_TOO).union(("by",))
    return words[-1] in table.MEASURES and verbs.isdisjoint(words[:-1])


def _lists(words: list[str]) -> bool:
    """Whether "list" is a verb, as in ``slack_list_channels``; it can be a noun too."""
    if len(words) > 2 and words[1] == "list" and words[-1].endswith("s"):
        return True
    if len(words) > 2 and words[-1] == "list" and table.WRITING.isdisjoint(words):
        return True
    return any(word == "list" and before.endswith("s") for before, word in pairwise(words))


def _is_handoff(words: list[str]) -> bool:
    verb, *objects = words
    if not table.VALUABLES.isdisjoint(objects):
        return False
    if objects and objects[-1] in table.HANDED_OVER and len(words) < 4:
        return set(words[:-1]) <= table.PEOPLE | table.BETWEEN
    if table.PEOPLE.isdisjoint(objects):
        return False
    if verb in table.HANDING_OVER:
        return verb != "hand" or objects[0] in ("over", "off")
    return verb in table.PASSING_ON and _passes_case(objects)


def _passes_case(words: list[str]) -> bool:
    """Whether a case is passed on to a person, and not money or mail."""
    person = next(index for index, word in enumerate(words) if word in table.PEOPLE)
    before = words[: words.index("to")] if "to" in words else words[:person]
    return table.CASES.union(table.BETWEEN).issuperset(before)


def _list_tools(tools: Mapping[str, bool]) -> str:
    """The names of tools; three or more with the same first word share one entry.

    Args:
        tools: for each tool whether it has other roles too.
    """
    by_first_word: dict[str, list[str]] = {}
    for tool in sorted(tools):
        by_first_word.setdefault(_first_word(tool), []).append(tool)
    entries = []
    for word, names in by_first_word.items():
        if len(names) > 2 and word:
            entries.append(f"{shown(word, 40)}*")
        else:
            entries += [
                f"{shown(name, 40)} (in part)" if tools[name] else shown(name, 40) for name in names
            ]
    more = len(entries) - SHOWN_TOOLS
    return ", ".join(entries[:SHOWN_TOOLS]) + (f" and {more} more" if more > 0 else "")


def _first_word(tool: str) -> str:
    """The first word of a name with the sign behind it; empty if the name has one word."""
    match = re.match(r"[^\W_]+?([_./-]|(?<=[a-z0-9])(?=[A-Z]))", tool)
    return match[0] if match else ""

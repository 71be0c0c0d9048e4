"""Calls that change nothing if they are made once too often.

A call that brings a state about changes nothing if it is made again, with the same arguments, while
nothing has touched its object. A call that adds something does: each payment moves money. The
framework's own final answer is the answer to the user. A login changes nothing by itself, nor does
one more confirmation of a code. Only an extra call is harmless in this sense; a reference that has
such a call needs it.

Whether a call brings a state about, its method, its command or its name says. The results may say
the contrary: one that shows a new identifier shows that something was made.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from otap._patterns import regex
from otap.run import words as table
from otap.run.commands import split_line_into_commands
from otap.run.identifiers import list_identifiers
from otap.run.index import StepValues, ValueIndex
from otap.run.kinds import command_of, kind_of, program_of, statement_of
from otap.run.names import split_name
from otap.run.objects import FORM
from otap.run.roles import Role, confirms
from otap.run.scalars import Path, list_nodes
from otap.trajectory import Step
from otap.values.keys import canonical_key
from otap.values.tool_names import MAX_NAME, canonical_tool, last_part
from otap.values.value import canonical_json

MAX_BETWEEN = 100  # writes between two equal calls that are looked at; more count as touching
MAX_KEYS = 16  # keys around a value that are read
MAX_FORMULA = 1_000  # characters of a value in which a formula is looked for
MAX_LEAVES = 200  # values of a call that are looked at; a call with more adds something

_OPERATION = regex(r"(GET|HEAD|OPTIONS|POST|PUT|PATCH|DELETE)[ _:]+/", 2)
_SIGNED = regex(r"\s*[+\u2212-]\s*[\d.]")
_FORMULA = regex(r"[+*/-]=|=\s{0,9}\w{1,60}\s{0,9}[+*/-]\s{0,9}\w")
_WIDE = regex(r"[*%?]|(?i:all|every|everything|\.|/|~)\Z")
_ADDRESS_KEYS = ("url", "uri", "endpoint", "path", "route")
_SET_METHODS = ("PUT", "DELETE")
# Commands that bring a state about, and the options or the second words that they need for it.
_COMMANDS: Mapping[str, frozenset[str]] = {
    "mkdir": frozenset(("-p", "--parents", "-pv", "-vp")),
    "rm": frozenset(("-f", "-rf", "-fr", "-Rf", "--force")),
    "ln": frozenset(("-sf", "-sfn", "-snf", "-fs")),
    "kubectl": frozenset(("apply",)),
    "systemctl": frozenset(("enable", "disable", "mask", "unmask", "stop")),
    "chmod": frozenset(),
    "chown": frozenset(),
}


def list_repeated_settings(
    steps: Sequence[Step], roles: Sequence[Role], failed: Sequence[bool], index: ValueIndex
) -> frozenset[int]:
    """Returns the calls that bring about a state that an equal call before them brought about.

    Args:
        steps: the steps of a run, in the order in which they ran.
        roles: their roles.
        failed: which of them failed.
        index: their values.
    """
    repeats = set[int]()
    tools = {
        i: canonical_tool(step.tool).full
        for i, step in enumerate(steps)
        if roles[i] == "writes" and not failed[i] and step.tool is not None and not step.substeps
    }
    counts = Counter(tools.values())
    last: dict[tuple[str, str], int] = {}
    for i, tool in tools.items():
        if counts[tool] == 1:
            continue
        step, key = steps[i], (tool, canonical_json(steps[i].arguments))
        first = last.get(key)
        last[key] = i
        if first is None or not _sets_state(step) or _makes_more(steps[first], step):
            continue
        between = [
            m for m in range(first + 1, i) if roles[m] not in ("reads", "thinks") and not failed[m]
        ]
        if len(between) <= MAX_BETWEEN and all(
            _are_apart(steps[m], index.steps[m], index.steps[i]) for m in between
        ):
            repeats.add(i)
    return frozenset(repeats)


def list_harmless(steps: Sequence[Step], roles: Sequence[Role]) -> frozenset[int]:
    """Returns the calls that give a final answer, or confirm something.

    Args:
        steps: the steps of a run.
        roles: their roles.
    """
    return frozenset(
        k
        for k, (step, role) in enumerate(zip(steps, roles, strict=True))
        if role == "writes" and (is_ending(step) or confirms(step))
    )


def list_logins(steps: Sequence[Step], roles: Sequence[Role]) -> frozenset[int]:
    """Returns the logins of a run; none if several users log in.

    Whatever follows the login of another user is done in another name.

    Args:
        steps: the steps of a run.
        roles: their roles.
    """
    logins = [
        k
        for k, (step, role) in enumerate(zip(steps, roles, strict=True))
        if role == "writes" and is_login(step)
    ]
    users = {canonical_json(_without_secrets(steps[k].arguments)) for k in logins}
    return frozenset(logins if len(users) == 1 else ())


def is_ending(step: Step) -> bool:
    """Returns whether a call is the final answer by which a framework ends a run."""
    words = _words_of(step)
    name = "_".join(words)
    if name not in table.ENDING or step.substeps:
        return False
    arguments = step.arguments
    if isinstance(arguments, str):
        return name not in table.AMBIGUOUS_ENDING and FORM.match(arguments.strip()) is None
    if not isinstance(arguments, dict):
        return arguments is None and name not in table.AMBIGUOUS_ENDING
    keys = {canonical_key(key) for key in arguments}
    if name in table.AMBIGUOUS_ENDING:
        return keys in ({"answer"}, {"finalanswer"})
    is_plain = not any(isinstance(value, dict) for value in arguments.values())
    return keys <= table.ANSWER_KEYS and (is_plain or name == "final_answer")


def is_login(step: Step) -> bool:
    """Returns whether a call only says who the caller is."""
    words = _words_of(step)
    if not words:
        return False
    length = 1 if words[0] in table.LOGIN else 2 if (*words[:2],) in table.LOGIN_PAIRS else 0
    if not length:
        return False
    verbs = table.JOINING | (table.WRITING - table.NOUNS_TOO)
    return verbs.isdisjoint(words[length:]) and table.PAYLOAD_KEYS.isdisjoint(_keys_of(step))


def _without_secrets(arguments: Any) -> Any:
    if not isinstance(arguments, dict):
        return arguments
    secret = table.SECRET_KEYS | table.CODE_KEYS
    return {key: value for key, value in arguments.items() if canonical_key(key) not in secret}


def _words_of(step: Step) -> list[str]:
    """The words of a tool's name; none if the call has no name, or a long one."""
    if step.tool is None or len(step.tool) > MAX_NAME:
        return []
    return split_name(last_part(step.tool))


def _keys_of(step: Step) -> set[str]:
    arguments = step.arguments if isinstance(step.arguments, dict) else {}
    return {canonical_key(key) for key in arguments}


def _sets_state(step: Step) -> bool:
    """Whether a call brings a state about that does not depend on the state before it."""
    if program_of(step) is not None or statement_of(step.arguments) is not None:
        return False
    if kind_of(step.tool) == "shell":
        return _command_sets_state(step)
    values = list(_list_values(step.arguments))
    if len(values) > MAX_LEAVES:
        return False
    if any(_is_relative(words, value) for words, value in values):
        return False
    method, address = _request_of(step)
    if method is not None:
        words = split_name(address)
        return method in _SET_METHODS and table.ADDING.isdisjoint(words)
    words = _words_of(step)
    is_setting = bool(words) and words[0] in table.SETTING
    return is_setting and _name_sets_state(words, values)


def _name_sets_state(words: Sequence[str], values: Sequence[tuple[list[str], Any]]) -> bool:
    """Whether a call with such a name and values brings a state about.

    Args:
        words: the words of the name, a verb of :data:`otap.run.words.SETTING` first.
        values: the values of the call, each with the words of its key.
    """
    verb, keys = words[0], {word for key_words, _ in values for word in key_words}
    if not (table.ADDING | table.ADDED).isdisjoint(words[1:]):
        return False
    if verb == "apply" and table.APPLIED.isdisjoint(words[1:]):
        return False
    if verb in ("delete", "update", "apply") and not keys.isdisjoint(table.POSITIONS):
        return False
    if verb in ("update", "apply", "assign"):
        return table.AMOUNTS.isdisjoint(keys)
    return verb != "delete" or any(
        isinstance(value, str) and FORM.match(value) is not None for _, value in values
    )


def _command_sets_state(step: Step) -> bool:
    command = command_of(step.arguments)
    commands = None if command is None else split_line_into_commands(command)
    if not commands:
        return False
    for part in commands:
        words = part.words
        needed = _COMMANDS.get(words[0]) if words else None
        if part.redirects or part.follows == "|" or needed is None:
            return False
        if needed and needed.isdisjoint(words[1:]):
            return False
    return True


def _request_of(step: Step) -> tuple[str | None, str]:
    """The method and the address of a request; no method if the call is no request."""
    operation = _OPERATION.match(step.tool or "")
    arguments = step.arguments if isinstance(step.arguments, dict) else {}
    if operation is not None:
        return operation[1].upper(), (step.tool or "")[operation.end() - 1 :]
    if kind_of(step.tool) != "request":
        return None, ""
    method = arguments.get("method")
    addresses = " ".join(str(arguments.get(key, "")) for key in _ADDRESS_KEYS)
    return (method.upper() if isinstance(method, str) else ""), addresses


def _list_values(arguments: Any) -> Iterator[tuple[list[str], Any]]:
    """The values of a call, each with the words of its keys; at most MAX_LEAVES and one more."""
    count = 0
    for path, _, value in list_nodes(arguments, nested=False):
        if isinstance(value, dict | list) or value is None:
            continue
        count += 1
        if count > MAX_LEAVES + 1:
            return
        yield list(_list_key_words(path)), value


def _list_key_words(path: Path) -> Iterator[str]:
    """The words of the keys around a value, the innermost first; at most MAX_KEYS keys."""
    for _ in range(MAX_KEYS):
        if not path:
            return
        path, key = path
        if isinstance(key, str):
            yield from split_name(key[:MAX_NAME])


def _is_relative(key_words: Sequence[str], value: Any) -> bool:
    """Whether a value is a difference from the state before, as +5 and -3 are."""
    if not (table.ADDING - {"order", "log", "email", "post"}).isdisjoint(key_words):
        return True
    if isinstance(value, str):
        is_action = not table.ACTION_KEYS.isdisjoint(key_words)
        if is_action and not table.ADDING.isdisjoint(split_name(value[:MAX_NAME])):
            return True
        start = value[:MAX_FORMULA]
        return _SIGNED.match(start) is not None or _FORMULA.search(start) is not None
    return not isinstance(value, bool) and isinstance(value, int | float) and value < 0


def _makes_more(first: Step, again: Step) -> bool:
    """Whether the result of a repeat shows an identifier that the first result does not."""
    earlier_ids = {*list_identifiers(first.effect), *list_identifiers(first.arguments)}
    return not earlier_ids.issuperset(list_identifiers(again.effect))


def _are_apart(other: Step, values: StepValues, repeats: StepValues) -> bool:
    """Whether another write surely touches another object than a call that is made again.

    Both name objects, and they share none. A call that names all objects, or runs a program, may
    touch any.
    """
    if other.tool is None or kind_of(other.tool) is not None or program_of(other) is not None:
        return False
    objects = repeats.arguments.objects.paths
    others = values.arguments.objects.paths
    if not objects or not others or any(_WIDE.search(name) for name in others):
        return False
    if not values.arguments.values.isdisjoint(repeats.arguments.values):
        return False
    return not any(_holds(a, b) or _holds(b, a) for a in objects for b in others)


def _holds(outer: str, inner: str) -> bool:
    """Whether one address lies inside another."""
    return inner.startswith(outer.rstrip("/") + "/")

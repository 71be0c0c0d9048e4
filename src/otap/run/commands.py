"""Lines for a shell, and statements for a database: whether all of one only reads.

Nothing is run, and little is parsed: what is not plainly one of the known commands writes.
"""

import re
from collections.abc import Callable, Iterator, Sequence

from otap._patterns import regex
from otap.run import words as table
from otap.values.commands import END_OF_COMMAND, split_shell

MAX_LENGTH = 10_000  # characters of a line or statement: a longer one writes

_SHELLS = ("bash", "sh", "zsh")
_DEPTH = 3  # of lines inside lines
_NOWHERE = regex(r"(?:[0-9]?|&)>{1,2}\s*(?:/dev/null(?=[\s;&|)]|$)|&[12](?=[\s;&|)]|$))")
_REMARKS = regex(r"\A(?:\s*#[^\n]*\n)+")
_RUNS_INSIDE = ("`", "$(", "<(", ">(", "<<")
_APART = frozenset(("&&", "||", "|", ";", "&", "|&"))
_BEFORE = ("sudo", "time", "do", "then", "else", "if", "elif", "while", "until", "!")
_AWK_WRITES = regex(r"[>|]|system|getline|@")

_WRITES_A_FILE = ("-o", "--output", "--ext-diff")  # of these, where -o is no file
_OUTPUT_FORMAT = ("kubectl", "docker", "helm")
_LINES = regex(r"[0-9]+(,([0-9]+|\$))?p")


# Commands that read where each argument is of this form: no file of uniq, which it would write.
_ARGUMENTS = {
    "date": regex(r"\+|-u\Z"),
    "env": regex(r"(?!)"),
    "hostname": regex(r"(?!)"),
    "uniq": regex("-"),
    "curl": regex(rf"(?!-)|(?:{'|'.join(sorted(table.CURL_OPTIONS))})\Z"),
}


def only_reads(line: str | Sequence[str], depth: int = _DEPTH) -> bool:
    """Says whether a line for a shell, or a command as a list of words, only reads.

    Each command of the line must be one that only reads; nothing is redirected but to nowhere.
    """
    if not isinstance(line, str):
        return _list_reads(line, depth)
    if len(line) > MAX_LENGTH:
        return False
    plain = _NOWHERE.sub(" ", _REMARKS.sub("", line.replace("\\\n", " ")))
    if any(sign in plain for sign in _RUNS_INSIDE):
        return False
    commands = list(_split_commands(plain.strip()))
    return bool(commands) and all(_reads(command, depth) for command in commands)


def _list_reads(command: Sequence[str], depth: int) -> bool:
    """A list of words is run as it is, or joined: it must read both ways."""
    if command and command[0] in _SHELLS:
        return _shell(list(command[1:]), depth)
    return only_reads(" ".join(command), depth)


def _split_commands(line: str) -> Iterator[list[str]]:
    """Yields the commands of a line; one that is not understood is an empty one, which writes."""
    command: list[str] = []
    words = iter(split_shell(line))
    for spelling, word in words:
        if word is not None:
            command.append(word)
        elif spelling in _APART:
            yield command
            command = []
        elif spelling != "<" or next(words, END_OF_COMMAND).word is None:
            yield []  # nor is a quotation without end, while what is read from is no argument
    if command:
        yield command


def _reads(command: list[str], depth: int) -> bool:
    while command and command[0] in _BEFORE:
        command = command[1:]
    if not command:
        return False
    name, *arguments = command
    if "--dry-run" in arguments or "--dry-run=client" in arguments:
        return True
    if name in table.COMMANDS:
        return True
    if name in table.COMMANDS_UNLESS:
        return not any(argument.startswith(table.COMMANDS_UNLESS[name]) for argument in arguments)
    if name in table.COMMANDS_WITH:
        return _second_reads(name, arguments)
    if name in table.COMMANDS_OF_THINGS:
        return _third_reads(name, arguments)
    if name in _ARGUMENTS:
        return all(map(_ARGUMENTS[name].match, arguments))
    special = _SPECIAL.get(name)
    return special is not None and special(arguments, depth)


def _second_reads(name: str, arguments: list[str]) -> bool:
    arguments = _after_settings(arguments) if name == "git" else arguments
    if not arguments or arguments[0] not in table.COMMANDS_WITH[name]:
        return False
    return name in _OUTPUT_FORMAT or not any(a.startswith(_WRITES_A_FILE) for a in arguments)


def _third_reads(name: str, arguments: list[str]) -> bool:
    """Whether what is done to a thing is reading: aws s3 ls, aws ec2 describe-instances."""
    done = arguments[1] if len(arguments) > 1 and not arguments[0].startswith("-") else ""
    return any(
        done == word or (word.endswith("-") and done.startswith(word))
        for word in table.COMMANDS_OF_THINGS[name]
    )


def _after_settings(arguments: list[str]) -> list[str]:
    """Returns what follows where git is to look; other settings may name programs."""
    while arguments and arguments[0] in ("-C", "--no-pager"):
        arguments = arguments[2 if arguments[0] == "-C" else 1 :]
    return arguments


def _sed(arguments: list[str], _: int) -> bool:
    """Lines of a file, as in ``sed -n 1,20p FILE``."""
    option, lines, *files = *arguments, "", ""
    more = any(file.startswith("-") for file in files)
    return option == "-n" and _LINES.fullmatch(lines) is not None and not more


def _xargs(arguments: list[str], _: int) -> bool:
    command = [argument for argument in arguments if argument not in ("-0", "-r")]
    return bool(command) and command[0] in table.COMMANDS


def _shell(arguments: list[str], depth: int) -> bool:
    if len(arguments) != 2 or arguments[0] not in ("-c", "-lc") or depth == 0:
        return False
    return only_reads(arguments[1], depth - 1)


def _awk(arguments: list[str], _: int) -> bool:
    """A program that opens no file to write and runs nothing; options may name other programs."""
    named = (a for a in arguments if a.startswith("-") and not a.startswith(("-F", "-v")))
    return not any(named) and not any(map(_AWK_WRITES.search, arguments))


def _make(arguments: list[str], _: int) -> bool:
    return bool(arguments) and table.TRYING.issuperset(arguments)


def _npm(arguments: list[str], _: int) -> bool:
    if arguments[:1] == ["run"]:
        return len(arguments) == 2 and arguments[1] in table.TRYING
    return arguments[:1] != [] and arguments[0] in table.READING_NPM


def _python(arguments: list[str], _: int) -> bool:
    return (
        arguments[:1] == ["-m"] and arguments[1:2] != [] and (arguments[1] in table.TRYING_MODULES)
    )


def _tsc(arguments: list[str], _: int) -> bool:
    return "--noEmit" in arguments


_SPECIAL: dict[str, Callable[[list[str], int], bool]] = {
    "sed": _sed,
    "tsc": _tsc,
    "make": _make,
    **dict.fromkeys(("awk", "gawk", "mawk"), _awk),
    **dict.fromkeys(("npm", "pnpm", "yarn"), _npm),
    **dict.fromkeys(("python", "python3"), _python),
    "xargs": _xargs,
    **dict.fromkeys(_SHELLS, _shell),
}

_QUOTED = regex(r"'(?:[^']|'')*'|--[^\n]*|/\*.*?\*/", re.DOTALL)
_BEGINS = table.SELECTING | (table.STATING - {"do", "set", "into"})
_WORD = regex(r"[a-z_]+")
# Of SQLite's pragmas those that describe a table: others set something, or may.
_PRAGMA = regex(r"pragma +(table_info|table_list|index_list|foreign_key_list) *(\([\w ]*\))?")


def is_statement(text: str) -> bool:
    """Says whether a text begins as a statement of SQL does."""
    found = _WORD.match(_QUOTED.sub(" ", text[:MAX_LENGTH]).strip().lower())
    return found is not None and found[0] in _BEGINS


def only_selects(text: str) -> bool:
    """Says whether a statement of SQL only reads: one statement, without any word that writes."""
    if len(text) > MAX_LENGTH or "/*!" in text:  # a remark that MySQL runs
        return False
    plain = _QUOTED.sub(" ", text).strip().rstrip(";").strip().lower()
    if _PRAGMA.fullmatch(plain):
        return True
    words = _WORD.findall(plain)
    if not words or words[0] not in table.SELECTING or ";" in plain:
        return False
    writes = any(
        word in table.STATING or word.startswith(("pg_", "lo_", "dblink")) for word in words
    )
    return not writes

"""Shell commands and database statements that only read.

Nothing is run, and little is parsed. A command that is not plainly one of the known ones writes.
"""

import re
from collections.abc import Callable, Iterator, Sequence

from otap._patterns import regex
from otap.run import words as table
from otap.values.commands import END_OF_COMMAND, split_shell

MAX_LENGTH = 10_000  # characters of a command line or statement; longer ones count as writes

_SHELLS = ("bash", "sh", "zsh")
_DEPTH = 3  # levels of command lines inside command lines
_TO_NOWHERE = regex(r"(?:[0-9]?|&)>{1,2}\s*(?:/dev/null(?=[\s;&|)]|$)|&[12](?=[\s;&|)]|$))")
_COMMENTS = regex(r"\A(?:\s*#[^\n]*\n)+")
_SUBSTITUTIONS = ("`", "$(", "<(", ">(", "<<")
_SEPARATORS = frozenset(("&&", "||", "|", ";", "&", "|&"))
_PREFIXES = ("sudo", "time", "do", "then", "else", "if", "elif", "while", "until", "!")
_AWK_WRITES = regex(r"[>|]|system|getline|@")

_FILE_OPTIONS = ("-o", "--output", "--ext-diff")
_OUTPUT_FORMAT = ("kubectl", "docker", "helm")  # -o selects a format here, not a file
_LINE_RANGE = regex(r"[0-9]+(,([0-9]+|\$))?p")


# Commands that read if each argument has this form; uniq would write to its second file.
_ARGUMENTS = {
    "date": regex(r"\+|-u\Z"),
    "env": regex(r"(?!)"),
    "hostname": regex(r"(?!)"),
    "uniq": regex("-"),
    "curl": regex(rf"(?!-)|(?:{'|'.join(sorted(table.CURL_OPTIONS))})\Z"),
}


def only_reads(line: str | Sequence[str], depth: int = _DEPTH) -> bool:
    """Returns whether a command line only reads.

    Each of its commands must only read, and output may be redirected only to /dev/null.

    Args:
        line: a command line for a shell, or a command as a list of words.
        depth: how many levels of command lines may lie inside.
    """
    if not isinstance(line, str):
        return _list_reads(line, depth)
    if len(line) > MAX_LENGTH:
        return False
    text = _TO_NOWHERE.sub(" ", _COMMENTS.sub("", line.replace("\\\n", " ")))
    if any(sign in text for sign in _SUBSTITUTIONS):
        return False
    commands = list(_split_commands(text.strip()))
    return bool(commands) and all(_reads(command, depth) for command in commands)


def _list_reads(command: Sequence[str], depth: int) -> bool:
    """Whether a list of words reads, both as a command and joined to a command line."""
    if command and command[0] in _SHELLS:
        return _shell(list(command[1:]), depth)
    return only_reads(" ".join(command), depth)


def _split_commands(line: str) -> Iterator[list[str]]:
    """Yields the commands of a line; an empty command stands for one that is not understood."""
    command: list[str] = []
    words = iter(split_shell(line))
    for spelling, word in words:
        if word is not None:
            command.append(word)
        elif spelling in _SEPARATORS:
            yield command
            command = []
        elif spelling != "<" or next(words, END_OF_COMMAND).word is None:
            yield []  # the file behind "<" is no argument; an open quotation is not understood
    if command:
        yield command


def _reads(command: list[str], depth: int) -> bool:
    while command and command[0] in _PREFIXES:
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
        return all(_ARGUMENTS[name].match(argument) for argument in arguments)
    reads_special = _SPECIAL.get(name)
    return reads_special is not None and reads_special(arguments, depth)


def _second_reads(name: str, arguments: list[str]) -> bool:
    arguments = _after_settings(arguments) if name == "git" else arguments
    if not arguments or arguments[0] not in table.COMMANDS_WITH[name]:
        return False
    return name in _OUTPUT_FORMAT or not any(a.startswith(_FILE_OPTIONS) for a in arguments)


def _third_reads(name: str, arguments: list[str]) -> bool:
    """Whether the third word is a verb of reading: aws s3 ls, aws ec2 describe-instances."""
    verb = arguments[1] if len(arguments) > 1 and not arguments[0].startswith("-") else ""
    return any(
        verb == word or (word.endswith("-") and verb.startswith(word))
        for word in table.COMMANDS_OF_THINGS[name]
    )


def _after_settings(arguments: list[str]) -> list[str]:
    """The arguments of git behind its directory and pager; other settings may name programs."""
    while arguments and arguments[0] in ("-C", "--no-pager"):
        arguments = arguments[2 if arguments[0] == "-C" else 1 :]
    return arguments


def _sed(arguments: list[str], _: int) -> bool:
    """Whether sed prints lines of a file, as in ``sed -n 1,20p FILE``."""
    option, lines, *files = *arguments, "", ""
    has_options = any(file.startswith("-") for file in files)
    return option == "-n" and _LINE_RANGE.fullmatch(lines) is not None and not has_options


def _xargs(arguments: list[str], _: int) -> bool:
    command = [argument for argument in arguments if argument not in ("-0", "-r")]
    return bool(command) and command[0] in table.COMMANDS


def _shell(arguments: list[str], depth: int) -> bool:
    if len(arguments) != 2 or arguments[0] not in ("-c", "-lc") or depth == 0:
        return False
    return only_reads(arguments[1], depth - 1)


def _awk(arguments: list[str], _: int) -> bool:
    """Whether a program writes no file and runs nothing; options may name other programs."""
    return not any(
        _AWK_WRITES.search(argument)
        or (argument.startswith("-") and not argument.startswith(("-F", "-v")))
        for argument in arguments
    )


def _make(arguments: list[str], _: int) -> bool:
    return bool(arguments) and table.TRYING.issuperset(arguments)


def _npm(arguments: list[str], _: int) -> bool:
    if arguments[:1] == ["run"]:
        return len(arguments) == 2 and arguments[1] in table.TRYING
    return arguments[:1] != [] and arguments[0] in table.READING_NPM


def _python(arguments: list[str], _: int) -> bool:
    return arguments[:1] == ["-m"] and not table.TRYING_MODULES.isdisjoint(arguments[1:2])


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
# The pragmas of SQLite that describe a table; others may set something.
_PRAGMA = regex(r"pragma +(table_info|table_list|index_list|foreign_key_list) *(\([\w ]*\))?")


def is_statement(text: str) -> bool:
    """Returns whether a text begins like a statement of SQL."""
    match = _WORD.match(_QUOTED.sub(" ", text[:MAX_LENGTH]).strip().lower())
    return match is not None and match[0] in _BEGINS


def only_selects(text: str) -> bool:
    """Returns whether a text is one statement of SQL that only reads."""
    if len(text) > MAX_LENGTH or "/*!" in text:  # a comment that MySQL runs
        return False
    statement = _QUOTED.sub(" ", text).strip().rstrip(";").strip().lower()
    if _PRAGMA.fullmatch(statement):
        return True
    words = _WORD.findall(statement)
    if not words or words[0] not in table.SELECTING or ";" in statement:
        return False
    return not any(
        word in table.STATING or word.startswith(("pg_", "lo_", "dblink")) for word in words
    )

"""Shell commands and database statements that only read.

Nothing is run, and little is parsed. A command that is not plainly one of the known ones writes.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from otap._patterns import regex
from otap.run import words as table
from otap.run.clients import (
    az_reads,
    curl_reads,
    gcloud_reads,
    gh_reads,
    split_options,
    wget_reads,
)
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
# -o selects a format here, not a file.
_OUTPUT_FORMAT = (
    "kubectl",
    "docker",
    "docker-compose",
    "helm",
    "podman",
    "systemctl",
    "pip",
    "pip3",
)
_INNER = regex(r"\$\(([^()`]*)\)")
_SCRATCH = ("/tmp/", "/dev/null", "/dev/stderr", "/dev/stdout")
_COMPOUND = frozenset(("for", "while", "until", "if", "case", "function", "{", "!"))
_LINE_RANGE = regex(r"[0-9]+(,([0-9]+|\$))?p")


# Commands of clients of databases that describe tables.
_DESCRIBES = regex(
    r"(?:\\d[a-zA-Z]*\+?|\\l\+?|\\conninfo|\.(?:tables|schema|indexes|databases))(?:\s+[\w.*]+)*\Z"
)
_ANALYZING = frozenset(("analyze", "analyse"))  # with which EXPLAIN runs the statement
# Commands that read if each argument has this form; uniq would write to its second file.
_ARGUMENTS = {
    "date": regex(r"\+|-u\Z"),
    "env": regex(r"(?!)"),
    "hostname": regex(r"(?!)"),
    "uniq": regex("-"),
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


class Command(NamedTuple):
    """One command of a line.

    Attributes:
        words: its name and its arguments.
        redirects: whether its output goes to a file.
        follows: the operator before it; empty for the first.
    """

    words: Sequence[str]
    redirects: bool
    follows: str


def split_line_into_commands(line: str | Sequence[str]) -> list[Command] | None:
    """Returns the commands of a line; None if it is not a plain sequence of commands.

    A substitution or a loop may do anything at any time.

    Args:
        line: a command line for a shell, or a command as a list of words.
    """
    if not isinstance(line, str):
        return [Command(list(line), redirects=False, follows="")]
    if len(line) > MAX_LENGTH:
        return None
    text = _TO_NOWHERE.sub(" ", _COMMENTS.sub("", line.replace("\\\n", " ")))
    text = _INNER.sub(lambda match: "x" if only_reads(match[1]) else match[0], text)
    if any(sign in text for sign in _SUBSTITUTIONS):
        return None
    commands: list[Command] = []
    words: list[str] = []
    redirects, follows = False, ""
    tokens = iter(split_shell(text.strip()))
    for spelling, word in tokens:
        if word is not None:
            words.append(word)
        elif spelling in _SEPARATORS:
            commands.append(Command(_without_comment(words), redirects, follows))
            words, redirects, follows = [], False, spelling
        elif spelling.endswith(">") or spelling == "&>":
            target = next(tokens, END_OF_COMMAND).word
            redirects = redirects or target is None or not target.startswith(_SCRATCH)
        elif spelling != "<" or next(tokens, END_OF_COMMAND).word is None:
            return None
    commands.append(Command(_without_comment(words), redirects, follows))
    filled = [command for command in commands if command.words or command.redirects]
    if any(command.words[:1] and command.words[0] in _COMPOUND for command in filled):
        return None
    is_in_background = bool(commands) and not commands[-1].words and follows == "&"
    return None if is_in_background else filled


def _without_comment(words: list[str]) -> list[str]:
    """The words before a comment."""
    comment = next((k for k, word in enumerate(words) if word.startswith("#")), len(words))
    return words[:comment]


def command_reads(words: Sequence[str]) -> bool:
    """Returns whether a command of a line only reads."""
    return _reads(list(words), _DEPTH)


def _list_reads(command: Sequence[str], depth: int) -> bool:
    """Whether a list of words reads, both as a command and joined to a command line."""
    if command and command[0] in _SHELLS:
        return _shell(list(command[1:]), depth)
    return only_reads(" ".join(command), depth)


def _split_commands(line: str) -> Iterator[list[str]]:
    """Yields the commands of a line; an empty command stands for one that is not understood."""
    command: list[str] = []
    is_comment = False
    words = iter(split_shell(line))
    for spelling, word in words:
        if word is not None:
            if is_comment or spelling.startswith("#"):
                is_comment = True
            else:
                command.append(word)
        elif spelling in _SEPARATORS:
            is_comment = False
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
    if _rehearses(name, arguments):
        return True
    if name in table.COMMANDS:
        return True
    if name in table.COMMANDS_UNLESS:
        return not any(argument.startswith(table.COMMANDS_UNLESS[name]) for argument in arguments)
    if _only_checks(name, arguments):
        return True
    if name in table.COMMANDS_WITH:
        return _second_reads(name, arguments)
    if name in table.COMMANDS_OF_THINGS and _third_reads(name, arguments):
        return True
    if name in _ARGUMENTS:
        return all(_ARGUMENTS[name].match(argument) for argument in arguments)
    reads_special = _SPECIAL.get(name)
    return reads_special is not None and reads_special(arguments, depth)


def _rehearses(name: str, arguments: list[str]) -> bool:
    """Whether a command that is known to have a dry run is asked for it."""
    options = table.DRY_RUNS.get(name)
    if options is None:
        return False
    verb = next((word for word in arguments if not word.startswith("-")), "")
    dry_run_options = options.get(verb) or options.get("", frozenset[str]())
    before_end = arguments[: arguments.index("--")] if "--" in arguments else arguments
    return not dry_run_options.isdisjoint(before_end)


def _only_checks(name: str, arguments: list[str]) -> bool:
    """Whether a formatter is asked to check only: terraform fmt -check."""
    options = table.CHECKING.get(name, {})
    checking = options.get("", options.get(arguments[0] if arguments else "", frozenset[str]()))
    return not checking.isdisjoint(arguments) and "--write" not in arguments


def _second_reads(name: str, arguments: list[str]) -> bool:
    """Whether the verb of a command reads, which may have a second word: docker image ls."""
    arguments = _after_settings(name, arguments)
    if arguments[:1] == ["compose"]:
        name, arguments = "docker-compose", _after_settings("docker-compose", arguments[1:])
    if not arguments:
        return False
    verb, rest = arguments[0], arguments[1:]
    if _only_lists(table.LISTING.get(name, {}).get(verb), rest):
        return True
    if table.COMMANDS_WITH[name].isdisjoint((verb, ":".join(arguments[:2]))):
        return False
    writing = table.WRITING_OPTIONS.get(name, frozenset[str]())
    writing |= table.WRITING_OPTIONS.get(f"{name} {verb}", frozenset[str]())
    if any(argument.partition("=")[0] in writing for argument in rest):
        return False
    return name in _OUTPUT_FORMAT or not any(a.startswith(_FILE_OPTIONS) for a in arguments)


def _only_lists(listing: frozenset[str] | None, arguments: list[str]) -> bool:
    """Whether a verb that lists without arguments has none that name a new thing."""
    if listing is None:
        return False
    options = {word.partition("=")[0] for word in arguments if word.startswith("-")}
    has_words = any(not word.startswith("-") for word in arguments)
    if not options <= listing | table.ASKING_FOR_LISTS:
        return False
    return not has_words or not table.ASKING_FOR_LISTS.isdisjoint(options)


def _third_reads(name: str, arguments: list[str]) -> bool:
    """Whether the third word is a verb of reading: aws s3 ls, aws ec2 describe-instances."""
    arguments = _after_settings(name, arguments)
    verb = arguments[1] if len(arguments) > 1 and not arguments[0].startswith("-") else ""
    return any(
        verb == word or (word.endswith("-") and verb.startswith(word))
        for word in table.COMMANDS_OF_THINGS[name]
    )


def _after_settings(name: str, arguments: list[str]) -> list[str]:
    """The arguments behind those that choose a folder, a cluster or a project.

    Other settings, above all of git, may name programs.
    """
    chooses = table.CHOOSING.get(name, frozenset[str]())
    while arguments:
        if arguments[0] in chooses:
            arguments = arguments[2:]
        elif arguments[0] in table.PRESENTING or arguments[0].partition("=")[0] in chooses:
            arguments = arguments[1:]
        else:
            break
    return arguments


def _sed(arguments: list[str], _: int) -> bool:
    """Whether sed prints lines of a file, as in ``sed -n 1,20p FILE``."""
    option, lines, *files = *arguments, "", ""
    has_options = any(file.startswith("-") for file in files)
    return option == "-n" and _LINE_RANGE.fullmatch(lines) is not None and not has_options


def _ssh(arguments: list[str], depth: int) -> bool:
    """Whether the command for a host reads; without a command, people type others."""
    parsed = split_options(arguments, table.SSH_FLAGS, table.SSH_VALUES, ends_at_word=True)
    if parsed is None or depth == 0 or len(parsed.words) < 2:
        return False
    settings = [value for name, value in parsed.options if name == "-o"]
    is_plain = all(setting.startswith(table.SSH_SETTINGS) for setting in settings)
    return is_plain and only_reads(" ".join(parsed.words[1:]), depth - 1)


def _database_client(arguments: list[str], _: int) -> bool:
    """Whether the statements of psql and the like read; a script or a prompt may do anything."""
    parsed = split_options(arguments, table.CLIENT_FLAGS, table.CLIENT_VALUES)
    if parsed is None:
        return False
    statements = [value for name, value in parsed.options if name in table.CLIENT_STATEMENTS]
    if not statements:
        statements = list(parsed.words[1:])  # sqlite3 FILE STATEMENT
    return bool(statements) and all(
        only_selects(statement) or _DESCRIBES.match(statement.strip()) for statement in statements
    )


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
    if arguments[:1] == ["audit"]:
        return "fix" not in arguments and "--fix" not in arguments
    return arguments[:1] != [] and arguments[0] in table.READING_NPM


def _python(arguments: list[str], _: int) -> bool:
    if arguments[:2] == ["-m", "pip"]:
        return _second_reads("pip", arguments[2:])
    return arguments[:1] == ["-m"] and not table.TRYING_MODULES.isdisjoint(arguments[1:2])


def _tsc(arguments: list[str], _: int) -> bool:
    return "--noEmit" in arguments


_SPECIAL: dict[str, Callable[[list[str], int], bool]] = {
    "sed": _sed,
    "ssh": _ssh,
    "curl": lambda arguments, _: curl_reads(arguments),
    "wget": lambda arguments, _: wget_reads(arguments),
    "gh": lambda arguments, _: gh_reads(arguments),
    "gcloud": lambda arguments, _: gcloud_reads(_after_settings("gcloud", arguments)),
    "az": lambda arguments, _: az_reads(arguments),
    **dict.fromkeys(("psql", "mysql", "mariadb", "sqlite3"), _database_client),
    "tsc": _tsc,
    "make": _make,
    **dict.fromkeys(("awk", "gawk", "mawk"), _awk),
    **dict.fromkeys(("npm", "pnpm", "yarn"), _npm),
    **dict.fromkeys(("python", "python3"), _python),
    "xargs": _xargs,
    **dict.fromkeys(_SHELLS, _shell),
}

_QUOTED = regex(r"'(?:[^']|'')*'|--(?=\s|\Z)[^\n]*|/\*.*?\*/", re.DOTALL)
_BEGINS = table.SELECTING | (table.STATING - {"do", "set", "into"})
_WORD = regex(r"[a-z_]+")
_CALL = regex(r"(?<![\w.$\"`\]])([\w.$\"`\]]+)\s*\(")
_COLUMN_LIST = regex(r"\b(?:with|recursive|,)\s*\w+\s*\([\w\s,]*\)\s+as\b")
# The pragmas of SQLite that describe a table; others may set something.
_PRAGMA = regex(r"pragma +(table_info|table_list|index_list|foreign_key_list) *(\([\w ]*\))?")


def is_statement(text: str) -> bool:
    """Returns whether a text begins like a statement of SQL."""
    match = _WORD.match(_QUOTED.sub(" ", text[:MAX_LENGTH]).strip().lower())
    return match is not None and match[0] in _BEGINS


def split_statements(text: str) -> list[str]:
    """Returns the statements of a batch of SQL, without comments and with empty strings."""
    plain = _QUOTED.sub(lambda match: "''" if match[0][0] == "'" else " ", text[:MAX_LENGTH])
    return [statement.strip() for statement in plain.split(";") if statement.strip()]


def only_selects(text: str) -> bool:
    """Returns whether a text is one statement of SQL that only reads.

    Each function that it calls must be known to compute only. Quotes with a backslash before them
    end a string in some dialects and not in others.
    """
    if len(text) > MAX_LENGTH or "/*!" in text or "\\'" in text:  # MySQL runs such a comment
        return False
    statement = _QUOTED.sub(" ", text).strip().rstrip(";").strip().lower()
    if _PRAGMA.fullmatch(statement):
        return True
    words = _WORD.findall(statement)
    if words[:1] == ["explain"] and _ANALYZING.isdisjoint(words) and ";" not in statement:
        return True  # the plan of a statement, which does not run
    if not words or words[0] not in table.SELECTING or ";" in statement:
        return False
    functions = _CALL.findall(_COLUMN_LIST.sub(" as", statement))
    if not all(_only_computes(function) for function in functions):
        return False
    computed = set(functions) & table.ALSO_FUNCTIONS
    return not any(
        word in table.STATING - computed or word.startswith(("pg_", "lo_", "dblink"))
        for word in words
    )


def _only_computes(function: str) -> bool:
    return function.removeprefix("pg_catalog.") in table.SQL_FUNCTIONS

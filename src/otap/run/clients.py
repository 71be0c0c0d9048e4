"""Commands of clients of servers that only read: curl, wget, gh, gcloud and az."""

from collections.abc import Collection, Sequence
from itertools import takewhile
from typing import NamedTuple

from otap.run import words as table
from otap.run.addresses import address_changes
from otap.run.names import split_name

_READING_METHODS = ("GET", "HEAD", "OPTIONS")
_NOWHERE = ("/dev/null", "-")


class Parsed(NamedTuple):
    """The options with a value, and the other words, of a command."""

    options: Sequence[tuple[str, str]]
    words: Sequence[str]


def split_options(
    arguments: Sequence[str],
    flags: Collection[str],
    values: Collection[str],
    *,
    ends_at_word: bool = False,
) -> Parsed | None:
    """Returns the options and the words of a command; None if an option is not known.

    Args:
        arguments: the words behind the name of the command.
        flags: its options without a value, which say nothing here.
        values: its options with a value.
        ends_at_word: whether all behind the first word are words.
    """
    options: list[tuple[str, str]] = []
    words: list[str] = []
    pending = iter(arguments)
    for word in pending:
        name, equals, value = word.partition("=")
        if ends_at_word and words:
            words.append(word)
        elif word in flags:
            continue
        elif word in values:
            options.append((word, next(pending, "")))
        elif equals and name in values:
            options.append((name, value))
        elif word[:2] in values:
            options.append((word[:2], word[2:]))
        elif word.startswith("-") and word != "-":
            return None
        else:
            words.append(word)
    return Parsed(options, words)


def curl_reads(arguments: Sequence[str]) -> bool:
    """Returns whether a request of curl reads: it sends and saves nothing, and changes nothing."""
    letters = [word for word in arguments if table.CURL_LETTERS.issuperset(word[1:])]
    flags = table.CURL_OPTIONS.union(word for word in letters if word[:1] == "-" and word[1:])
    parsed = split_options(arguments, flags, table.CURL_VALUES)
    if parsed is None or not all(_sends_nothing(*option) for option in parsed.options):
        return False
    return not any(address_changes(address) for address in parsed.words)


def _sends_nothing(name: str, value: str) -> bool:
    if name in ("-X", "--request"):
        return value.upper() in _READING_METHODS
    if name in ("-o", "--output"):
        return value in _NOWHERE
    if name in ("-w", "--write-out"):
        return "output" not in value and not value.startswith("@")
    return not (name in ("-H", "--header") and (value[:1] == "@" or "method" in value.lower()))


def wget_reads(arguments: Sequence[str]) -> bool:
    """Returns whether wget prints a page, or only looks whether there is one."""
    arguments = [
        word for part in arguments for word in (("-q", "-O-") if part == "-qO-" else (part,))
    ]
    parsed = split_options(arguments, table.WGET_OPTIONS, table.WGET_VALUES)
    if parsed is None or any(address_changes(address) for address in parsed.words):
        return False
    outputs = [value for name, value in parsed.options if name in ("-O", "--output-document")]
    is_printed = bool(outputs) and all(output in _NOWHERE for output in outputs)
    return is_printed or (not outputs and "--spider" in arguments)


def gh_reads(arguments: Sequence[str]) -> bool:
    """Returns whether gh searches, or sends a request that reads."""
    if arguments[:1] == ["search"]:
        return True
    parsed = split_options(arguments[1:], table.GH_FLAGS, table.GH_VALUES)
    if arguments[:1] != ["api"] or parsed is None:
        return False
    methods = [value for name, value in parsed.options if name in ("-X", "--method")]
    is_read = all(method.upper() in _READING_METHODS for method in methods)
    return is_read and not any(address_changes(address) for address in parsed.words)


def gcloud_reads(arguments: Sequence[str]) -> bool:
    """Returns whether the verb behind the groups of gcloud reads; a name may follow it."""
    words = list(takewhile(lambda word: not word.startswith("-"), arguments))
    if words[:1] in (["info"], ["version"]):
        return True
    verb = next((k for k, word in enumerate(words) if word in table.CLOUD_VERBS), 0)
    group = words[verb - 1] if verb else ""
    is_group = group.endswith("s") or group in table.CLOUD_GROUPS
    return is_group and not any(_changes(word) for word in words[:verb])


def az_reads(arguments: Sequence[str]) -> bool:
    """Returns whether the last word of az before its options is a verb of reading."""
    words = list(takewhile(lambda word: not word.startswith("-"), arguments))
    is_read = len(words) > 1 and words[-1] in table.CLOUD_VERBS
    return is_read and not any(_changes(word) for word in words)


def _changes(word: str) -> bool:
    return not (table.WRITING - table.NOUNS_TOO).isdisjoint(split_name(word))

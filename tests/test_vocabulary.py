"""The code speaks plain English: words that are no names, and turns of phrase that nobody writes.

A failure names the file, the line and what to write instead. A word that the field itself uses may
be part of a longer name (``given_name``); alone it says nothing.
"""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

import otap

SOURCE = Path(otap.__file__).parent
# A name that consists of these words alone says nothing of the domain.
NOT_NAMES = {
    "found": "the noun of the thing that was found: edges, match, path",
    "known": "cached, by_id, recorded",
    "told": "messages_to_user, answers, text",
    "tell": "describe, report",
    "said": "mentioned, text, declared",
    "says": "a verb: states, names, has",
    "kept": "selected, remaining, cached",
    "given": "argument, expected, answers",
    "made": "built, created",
    "one": "the noun: step, run, finding",
    "ones": "the noun in the plural",
    "some": "the noun in the plural",
    "others": "the noun in the plural",
    "ours": "run_...",
    "theirs": "reference_...",
    "own": "the noun: own_weight, run_steps",
    "whole": "flat, full_text, target",
    "place": "i, index, path",
    "places": "indices, paths",
    "named": "by_name, renamed",
    "asked": "requested, required",
    "shown": "escaped, displayed",
    "listed": "in_order, steps",
    "counted": "scored, counts",
    "taken": "selected, used",
    "wanted": "expected",
    "beside": "view_for, next_to",
    "besides": "extra",
    "inside": "substeps, inner",
    "within": "inner, prefix",
    "around": "context, parent",
    "alike": "same, similar, groups",
    "apart": "distance, separator",
    "way": "mode, method",
    "thing": "object",
    "things": "objects",
    "drawn": "generated_ids, sampled",
    "handing": "delegates",
    "unseen": "unobserved, hidden",
    "loose": "unmatched",
    "telling": "identifying",
}
# Names of plan files and of functions that many modules import.
ALLOWED = {"shown", "others", "listed", "written"}
# Turns of phrase, with a plainer one.
PHRASES = {
    r"\bwhat (?:it|is|was|are|were|the|a|an|each|they|he|she|one)\b": "name the noun",
    r"\bso many\b": "the number: at most n",
    r"\bas it is\b": "unchanged",
    r"\bof it\b": "the noun, or nothing",
    r"\bwas told\b|\bis told\b|\bare told\b": "the user received, is reported",
    r"\bstands? (?:for itself|there|beside)\b": "a verb that says what happens",
    r"\bno one\b": "none, or nobody",
    r"\bthe same of\b": "the same for",
    r"\bby what\b": "the noun",
    r"\bwhoever\b|\bwho(?:ever)? (?:has|is|does|needs|changes|compares)\b": "name the person",
}


def split_words(name: str) -> list[str]:
    """The words of a name, in lower case."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name)
    return [word for word in spaced.lower().split("_") if word]


def chosen_names(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Every name that the code chooses itself, with its line."""
    for node in ast.walk(tree):
        match node:
            case ast.arg(arg=name, lineno=line):
                yield line, name
            case ast.Name(id=name, ctx=ast.Store(), lineno=line):
                yield line, name
            case ast.Attribute(attr=name, ctx=ast.Store(), lineno=line):
                yield line, name
            case ast.FunctionDef(name=name, lineno=line) | ast.ClassDef(name=name, lineno=line):
                yield line, name


def prose_of(text: str) -> Iterator[tuple[int, str]]:
    """Docstrings and comments of a module, with their first line."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            docstring = ast.get_docstring(node)
            if docstring:
                yield getattr(node, "lineno", 1), docstring
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string


def modules() -> list[Path]:
    """All modules of the package."""
    return sorted(SOURCE.rglob("*.py"))


@pytest.mark.parametrize("module", modules(), ids=lambda path: str(path.relative_to(SOURCE)))
def test_names_are_nouns_of_the_domain(module: Path) -> None:
    """No name consists of words alone that say nothing."""
    bad = [
        f"{module}:{line}: '{name}' is no name; write {NOT_NAMES[split_words(name)[0]]}"
        for line, name in chosen_names(ast.parse(module.read_text("utf-8")))
        if split_words(name) and all(word in NOT_NAMES for word in split_words(name))
        if name not in ALLOWED
    ]
    assert not bad, "\n".join(bad)


@pytest.mark.parametrize("module", modules(), ids=lambda path: str(path.relative_to(SOURCE)))
def test_prose_is_plain(module: Path) -> None:
    """No docstring or comment has a turn of phrase that a native speaker would write again."""
    bad = [
        f"{module}:{line}: '{match[0]}': {advice}"
        for line, prose in prose_of(module.read_text("utf-8"))
        for pattern, advice in PHRASES.items()
        for match in re.finditer(pattern, prose, re.IGNORECASE)
    ]
    assert not bad, "\n".join(bad)

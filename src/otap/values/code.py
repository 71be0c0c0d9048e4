"""Files, scripts and patches as tokens of their language: what of their layout is no difference.

Nothing is executed. Python that parses is one text for one syntax tree: comments, docstrings,
quotes, the order of imports and the names of local variables are free. Of other languages comments
and blanks are free, and the ends of lines where braces and semicolons hold the structure. Of a
patch the lines count that it adds and removes. All else is another value: an operator, a literal, a
call, a condition.
"""

import ast
import re
import warnings
from collections import Counter
from collections.abc import Iterator
from textwrap import dedent

from otap._patterns import regex
from otap.values.commands import is_shell
from otap.values.parameters import LONGEST_LINE, LONGEST_SYNTAX, PLAINLY_CODE, SHOWN_LINES
from otap.values.spelling import tidy_lines

_MARKS = regex(r"[=(){};<>:\[\]]|\A#!|\A(?:FROM|RUN) ")
_FENCE = regex(r"^\s*```", re.MULTILINE)
_PATCH = regex(r"^(?:diff --git |\*\*\* Begin Patch|--- \S.*\n\+\+\+ \S|@@ .*@@)", re.MULTILINE)
_PATCHED = regex(r"^(?:\*\*\* (?:Add|Update|Delete) File:.*|[+-].*)", re.MULTILINE)
_LINE = regex(
    r"[{}\[;]\s*\Z|\)\s*:\s*\Z|[\w)\]\"'][ ]?(?:==|!=|=>|->|::|&&|\+=|-=|:=)[ ]?[\w(\[\"']"
    r"|\A\s*[\w.\[\]\"'-]+ ?= ?\S|\A\s*(?:return|await|yield|print|raise|throw)\b.*[\w(]\(.*\)"
    r"|\A\s*(?:return|assert)\b.*[\w)\]] ?[<>]=? ?[\w(]|\A\s*(?:elif|if|for|while|with) .*:\Z"
    r"|\A\s*[\w.]+\([^()]*\)\s*;?\Z|\A\s*(?:async )?(?:def|fn|func|function) \w+ ?\("
    r"|\A\s*class \w+(?:\(.*\))?:|\A\s*(?:import|from) [\w.]+(?: import .+| as \w+)?\Z"
    r"|\A\s*(?:const|let|var) \w+\b.*=|\A\s*#include |\A\s*</?\w+[^<>]*>|\A[+-]{3} "
    r"|\A\s*(?:else|try|except|finally)\b[^.?!]*:\Z|\A\[[\w.-]+\]\Z|\A[\w-]+:\Z"
    r"|\A(?:FROM|RUN|COPY|ADD|USER|WORKDIR|ENV|EXPOSE|CMD|ENTRYPOINT|ARG|LABEL) \S"
    r"|\A\s+(?:- )?[\w.-]+: \S|\A\s*- [\w.-]+: \S|\A\s*(?:fi|done|then|do|esac|end)\Z"
)
_BRACED = regex(r"[{};]\s*(?://.*)?$", re.MULTILINE)
_HASHED = regex(r"^\s*(?:#!|# )", re.MULTILINE)
_END = regex(r" (?:[;{}](?= |\Z)|>(?= <))")
_TOKENS = (
    r"(?P<string>\"(?:[^\"\\\n]|\\.)*+\"|'(?:[^'\\\n]|\\.)*+'|`(?:[^`\\]|\\.)*+`)"
    r"|(?P<token>\w+(?:\.\w+)*|[-+*/%<>=!&|^~?:.]{1,3}(?<![-+*/%=(,]-)|[^\s])|(?P<line>\n[^\S\n]*)"
)
_COMMENTS = {
    "braces": r"(?P<comment>(?<!:)//[^\n]*|/\*(?:[^*]|\*(?!/))*+\*/)|",
    "markup": r"(?P<comment><!--(?:[^-]|-(?!->))*+-->)|",
    "lines": r"(?P<comment>(?<!\S)#[^\n]*)|",
}
_LEXERS = {family: regex(comment + _TOKENS) for family, comment in _COMMENTS.items()}


def parse_code(text: str) -> str | None:
    """Reads a file, a script or a patch as what counts of it; None if it is plainly none."""
    if not is_code(text):
        return None
    return _read_patch(text) or _read_python(text, rename=True) or _read_tokens(text)


def is_code(text: str) -> bool:
    """Says whether a share of the lines is plainly of a program; Markdown is prose."""
    if _PATCH.search(text, 0, LONGEST_SYNTAX) or text.startswith("#!"):
        return True
    if not _MARKS.search(text) or _FENCE.search(text):
        return False
    lines = [line for line in tidy_lines(text).split("\n") if line.strip()]
    written = [line for line in lines if not line.lstrip().startswith(("#", "//"))] or lines
    plainly = sum(map(_is_code_line, written))
    if len(written) < 3:
        return 2 * plainly >= len(lines)
    most = plainly >= PLAINLY_CODE * len(written)
    return most or (plainly > 2 and _read_python(text, rename=False) is not None)


def _is_code_line(line: str) -> bool:
    short = line[:LONGEST_LINE]
    return _LINE.search(short) is not None or is_shell(short.strip())


def _read_patch(text: str) -> str | None:
    if not _PATCH.search(text, 0, LONGEST_SYNTAX):
        return None
    return "\n".join(line.rstrip() for line in _PATCHED.findall(text))


def _read_python(text: str, *, rename: bool) -> str | None:
    """The one text of a program's syntax tree; None if it is no Python, or too long to parse."""
    if len(text) > LONGEST_SYNTAX:
        return None
    try:
        with warnings.catch_warnings(action="ignore"):
            tree = ast.parse(dedent(text))
        _tidy_tree(tree, rename)
        return ast.unparse(tree) or None
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _tidy_tree(tree: ast.Module, rename: bool) -> None:
    done = set[ast.AST]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            node.body = [one for one in node.body if not _is_remark(one)] or [ast.Pass()]
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and rename and node not in done:
            done.update(ast.walk(node))
            _rename_locals(node)
    tree.body[:] = list(_sort_imports(tree.body))


def _is_remark(node: ast.stmt) -> bool:
    """Whether a statement is a text that nobody uses: a docstring."""
    value = node.value if isinstance(node, ast.Expr) else None
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


def _rename_locals(function: ast.AST) -> None:
    """Numbers what a function assigns; parameters, and what is known outside, keep their names."""
    nodes = list(ast.walk(function))
    if any(isinstance(node, ast.ClassDef) for node in nodes):
        return
    names = [node for node in nodes if isinstance(node, ast.Name)]
    known = {node.arg for node in nodes if isinstance(node, ast.arg)}
    for node in nodes:
        if isinstance(node, ast.Global | ast.Nonlocal):
            known.update(node.names)
    stored = (one.id for one in names if isinstance(one.ctx, ast.Store) and one.id not in known)
    numbers = {name: f"${place}" for place, name in enumerate(dict.fromkeys(stored))}
    for one in names:
        one.id = numbers.get(one.id, one.id)


def _sort_imports(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """A program's statements, with imports that stand together in the order of their names."""
    together: list[ast.stmt] = []
    for node in body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            node.names.sort(key=lambda name: (name.name, name.asname or ""))
            together.append(node)
        else:
            yield from sorted(together, key=ast.unparse)
            together = []
            yield node
    yield from sorted(together, key=ast.unparse)


def _read_tokens(text: str) -> str:
    """The tokens of a program, one blank apart; line by line, as far as lines are structure."""
    family = _find_family(text)
    pieces = list[str]()
    for found in _LEXERS[family].finditer(f"\n{text}"):
        kind, piece = found.lastgroup, found.group()
        if kind == "line":
            pieces.append(piece if family == "lines" else "\n")
        elif kind == "string" and len(piece) > 2 and piece[0] == "'" and '"' not in piece:
            pieces.append(f'"{piece[1:-1]}" ')
        elif kind != "comment":
            pieces.append(f"{piece} ")
    lines = [line.rstrip() for line in "".join(pieces).split("\n") if line.strip()]
    return "\n".join(lines) if family == "lines" else _break_lines(" ".join(lines))


def _break_lines(tokens: str) -> str:
    """Lines of one statement each, wherever the lines of the file ended."""
    return _END.sub("\\g<0>\n", tokens)


def _find_family(text: str) -> str:
    """What holds the structure: braces, tags, or lines and how far they are indented."""
    if text.lstrip().startswith("<"):
        return "markup"
    hashed = text.startswith("#!") or len(_HASHED.findall(text)) > text.count("//")
    return "braces" if len(_BRACED.findall(text)) >= 2 and not hashed else "lines"


def share_of_other_lines(run: str, reference: str) -> float:
    """Returns which share of the lines of two programs, as they were read, the other lacks."""
    ours, theirs = (Counter(text.split("\n")) for text in (run, reference))
    return 1 - 2 * (ours & theirs).total() / (ours.total() + theirs.total())


def compare_lines(run: str, reference: str) -> str:
    """Returns in which lines two programs differ, as a diff of bounded length."""
    ours, theirs = (Counter(_list_lines(text)) for text in (run, reference))
    lacking, added = list((theirs - ours).elements()), list((ours - theirs).elements())
    shown = [
        f"{sign} {line.strip()[:LONGEST_LINE]}"
        for sign, lines in (("-", lacking), ("+", added))
        for line in lines[:SHOWN_LINES]
    ]
    more = sum(max(0, len(lines) - SHOWN_LINES) for lines in (lacking, added))
    return " | ".join([*shown, *([f"and {more} more lines"] if more else [])]) or "in another order"


def _list_lines(text: str) -> list[str]:
    tidy = _read_patch(text) or _read_python(text, rename=False) or _read_tokens(text)
    return tidy.split("\n")

"""Code: ends of lines and blanks before them are no difference, indentation is.

A few lines are equal or not. Of more lines there are hardly two that are equal, and how near they
are says more: these are compared as prose is.
"""

from otap._patterns import regex
from otap.matrices.values.scalars.spelling import lines

LONGEST = 10  # lines
_LONGEST_LINE, _LONGEST_TEXT = 200, 2_000
_LINE = regex(
    r"[{}\[;]\s*\Z|\)\s*:\s*\Z|[\w)\]\"'][ ]?(?:==|!=|=>|->|::|&&|\+=|-=|:=)[ ]?[\w(\[\"']"
    r"|\A\s*[\w.\[\]\"']+ ?= ?\S|\A\s*(?:return|await|yield|print|raise|throw)\b.*[\w(]\(.*\)"
    r"|\A\s*(?:return|assert)\b.*[\w)\]] ?[<>]=? ?[\w(]"
    r"|\A\s*[\w.]+\([^()]*\)\s*;?\Z|\A\s*(?:async )?(?:def|fn|func|function) \w+ ?\("
    r"|\A\s*class \w+(?:\(.*\))?:|\A\s*(?:import|from) [\w.]+(?: import .+| as \w+)?\Z"
    r"|\A\s*(?:const|let|var) \w+\b.*=|\A\s*#include |\A\s*</?\w+[^<>]*>\s*\Z|\A[+-]{3} "
    r"|\A\s*(?:if|for|while|with|elif|else|try|except)\b[^.?!]*:\Z"
)


def code(text: str) -> str | None:
    """Reads a few lines of a program: half of them must plainly be such."""
    if len(text) > _LONGEST_TEXT:
        return None
    tidy = lines(text)
    written = [line for line in tidy.split("\n") if line]
    if len(written) > LONGEST or not any(mark in text for mark in "=(){};<>:[]"):
        return None
    plainly = sum(map(_is_plain, written))
    return tidy if 2 * plainly >= len(written) else None


def _is_plain(line: str) -> bool:
    return len(line) <= _LONGEST_LINE and _LINE.search(line) is not None

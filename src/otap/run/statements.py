"""Statements of SQL of a run that do the same as statements of its reference.

A proof needs the syntax trees of both, which take a thousand times longer than a comparison of
texts. So only statements with the same strings and numbers are parsed, and only a bounded amount.
"""

from collections.abc import Iterable, Iterator, Mapping

from pydantic import JsonValue

from otap.trajectory import Step
from otap.values.keys import is_sql_key
from otap.values.kinds import read_scalar
from otap.values.sql import is_sql
from otap.values.statements import MAX_PARSED_SQL, are_equal_statements, literals_of

MAX_PROVEN = 100_000  # characters of the statements that are parsed for a run and a reference
_MAX_LEVELS = 20  # of data that is searched for statements

# The statements by their strings and numbers.
Statements = Mapping[frozenset[str], list[str]]


def list_statements(steps: Iterable[Step]) -> Statements:
    """Returns the statements among the arguments of some steps."""
    statements: dict[frozenset[str], list[str]] = {}
    for step in steps:
        for text in dict.fromkeys(_list_texts(step.arguments, "", 0)):
            statements.setdefault(literals_of(text), []).append(text)
    return statements


def _list_texts(data: JsonValue, key: str, level: int) -> Iterator[str]:
    if isinstance(data, str):
        if len(data) <= MAX_PARSED_SQL and (is_sql(data) or is_sql_key(key)):
            yield data
    elif isinstance(data, dict) and level < _MAX_LEVELS:
        for name, member in data.items():
            yield from _list_texts(member, name, level + 1)
    elif isinstance(data, list) and level < _MAX_LEVELS:
        for member in data:
            yield from _list_texts(member, key, level + 1)


def pair_statements(run: Statements, reference: Statements) -> Mapping[str, str]:
    """Returns for statements of a run those of the reference that are proven to do the same."""
    pairs: dict[str, str] = {}
    budget = MAX_PROVEN
    for literals, texts in run.items():
        others = reference.get(literals, ())
        forms = {read_scalar(other).canonical for other in others}
        for text in texts:
            if read_scalar(text).canonical in forms:
                continue
            for other in others:
                budget -= len(text) + len(other)
                if budget < 0:
                    return pairs
                if are_equal_statements(text, other):
                    pairs[text] = other
                    break
    return pairs

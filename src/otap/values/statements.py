"""Proves that two statements of SQL do the same, by their syntax trees.

The order of AND, OR, IN and SET, the columns of an INSERT, quotes around plain names, names for
tables and results, needless brackets, and BEGIN and COMMIT around have no meaning. An INSERT of
several rows is one INSERT a row. What cannot be parsed proves nothing.
"""

import logging
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import cache, lru_cache
from types import ModuleType
from typing import Any

from otap._patterns import regex

MAX_PARSED_SQL = 5_000  # characters of a statement, about 0.1 s
_MAX_CACHED = 2_000  # statements
# MySQL runs the first and reads the second as advice; a backslash ends a string in some dialects.
_UNPROVABLE = regex(r"/\*[!+]|\\")
_TRANSACTION = regex(
    r"\s*(?:begin|start)(?:\s+(?:transaction|work))?\s*;(.*;)\s*(?:commit|end)"
    r"(?:\s+(?:transaction|work))?\s*;?\s*\Z",
    re.IGNORECASE | re.DOTALL,
)
_NESTED_TRANSACTION = regex(r"\b(?:begin|commit|rollback|savepoint|abort)\b", re.IGNORECASE)
_PLAIN_NAME = regex(r"[a-z_][a-z0-9_]*\Z")
_LITERAL = regex(r"'(?:[^']|'')*+'|\d[\d.]*")
# The right side of a comparison: in MySQL "x" is a string there.
_OPERAND_KEYS = ("expression", "expressions", "low", "high")
_JOINS = ("INNER", "OUTER")  # the words of a join that change nothing

_Form = Any  # nested tuples of texts


@cache
def _sqlglot() -> ModuleType:
    """The parser; its import takes 0.2 s, so only a pair of statements loads it."""
    import sqlglot

    logging.getLogger("sqlglot").setLevel(
        logging.CRITICAL
    )  # it warns of texts that it cannot parse
    return sqlglot


def literals_of(text: str) -> frozenset[str]:
    """Returns the strings and numbers of a statement: statements that do the same share them."""
    return frozenset(_LITERAL.findall(text))


def are_equal_statements(a: str, b: str) -> bool:
    """Returns whether two texts of SQL are proven to do the same."""
    form = _form_of(a)
    return form is not None and form == _form_of(b)


@lru_cache(maxsize=_MAX_CACHED)
def _form_of(text: str) -> _Form | None:
    """The form that statements share if they do the same; None if it is not known."""
    if len(text) > MAX_PARSED_SQL or _UNPROVABLE.search(text):
        return None
    transaction = _TRANSACTION.match(text)
    if transaction and not _NESTED_TRANSACTION.search(transaction[1]):
        text = transaction[1]
    dialect = "mysql" if "`" in text else "tsql" if "[" in text else None
    sqlglot = _sqlglot()
    try:
        trees = [tree for tree in sqlglot.parse(text, dialect=dialect) if tree is not None]
        forms = [form for tree in trees for form in _Statement(tree).list_forms()]
    except (sqlglot.errors.SqlglotError, RecursionError, ValueError):
        return None
    return tuple(forms) or None


class _Statement:
    """One statement as a tree.

    Args:
        tree: of sqlglot.
    """

    def __init__(self, tree: Any) -> None:
        self._exp = _sqlglot().exp
        if tree.find(self._exp.Command):
            raise ValueError("a statement that is not understood")
        self._tree = tree
        exp = self._exp
        self._conditions = (exp.Where, exp.Having, exp.And, exp.Or, exp.Not, exp.Paren, exp.Join)
        tables = list(tree.find_all(self._exp.Table))
        scopes = list(tree.find_all(self._exp.Query, self._exp.DML))
        names = Counter(table.name.lower() for table in tables)
        is_plain = len(scopes) == 1 and len(names) == len(tables)
        # Without a query inside, an alias and the name of its table name the same.
        self._tables = {
            (table.alias or table.name).lower(): table.name.lower() for table in tables if is_plain
        }
        self._used_names = {
            column.name.lower() for column in tree.find_all(self._exp.Column) if not column.table
        }

    def list_forms(self) -> list[_Form]:
        """Returns the form of the statement; of an INSERT one for each of its rows."""
        exp, tree = self._exp, self._tree
        rows = tree.expression if isinstance(tree, exp.Insert) else None
        if not isinstance(rows, exp.Values):
            return [self._read(tree)]
        target = tree.this
        columns = target.expressions if isinstance(target, exp.Schema) else []
        rest = self._read_arguments(tree, without=("this", "expression"))
        table = self._read(target.this if columns else target)
        forms = []
        for row in rows.expressions:
            cells = [self._read(cell) for cell in row.expressions]
            if columns and len(columns) == len(cells):
                names = [self._read(column) for column in columns]
                cells = sorted(zip(names, cells, strict=True), key=repr)
            forms.append(("Insert", table, tuple(cells), rest))
        return forms

    def _read(self, node: Any) -> _Form:
        if isinstance(node, list):
            return tuple(self._read(member) for member in node)
        if not isinstance(node, self._exp.Expression):
            return str(node).lower()
        read = _READERS.get(type(node).__name__, _Statement._read_plain)
        return read(self, node)

    def _read_plain(self, node: Any) -> _Form:
        return type(node).__name__, self._read_arguments(node)

    def _read_literal(self, node: Any) -> _Form:
        return "Literal", node.is_string, node.name

    def _read_brackets(self, node: Any) -> _Form:
        return self._read(node.this)

    def _read_operands(self, node: Any) -> _Form:
        """Reads AND and OR, whose operands have no order; a = 1 OR a = 2 is a IN (1, 2)."""
        name = type(node).__name__
        forms: set[_Form] = set()
        members: dict[_Form, set[_Form]] = {}
        for operand in node.flatten():
            form = self._read(operand)
            if name == "Or" and form[0] == "In" and len(form) == 3:
                members.setdefault(form[1], set()).update(form[2])
            else:
                forms.update(form[1] if form[0] == name == "And" else [form])
        forms |= {
            ("In", column, tuple(sorted(listed, key=repr))) for column, listed in members.items()
        }
        return forms.pop() if len(forms) == 1 else (name, tuple(sorted(forms, key=repr)))

    def _read_membership(self, node: Any) -> _Form:
        if not node.expressions:
            return self._read_plain(node)
        return "In", self._read(node.this), self._read_set(node.expressions)

    def _read_negation(self, node: Any) -> _Form:
        """Reads NOT (a = b) as a <> b."""
        form = self._read(node.this)
        if form[0] == "In" and len(form) == 3 and len(form[2]) == 1:
            form = "EQ", tuple(sorted((form[1], form[2][0]), key=repr))
        opposite = {"EQ": "NEQ", "NEQ": "EQ"}.get(form[0])
        return (opposite, *form[1:]) if opposite else ("Not", form)

    def _read_call(self, node: Any) -> _Form:
        is_now = node.name.lower() == "now" and not node.expressions
        return ("CurrentTimestamp", ()) if is_now else self._read_plain(node)

    def _read_range(self, node: Any) -> _Form:
        """Reads BETWEEN as two comparisons."""
        column = self._read(node.this)
        low, high = self._read(node.args["low"]), self._read(node.args["high"])
        sides = {("LTE", low, column), ("LTE", column, high)}
        return "And", tuple(sorted(sides, key=repr))

    def _read_comparison(self, node: Any) -> _Form:
        """Reads > and >= as < and <= with their sides swapped."""
        sides = self._read(node.this), self._read(node.expression)
        name = type(node).__name__
        return (name, *sides) if name.startswith("L") else (f"L{name[1:]}", *reversed(sides))

    def _read_set(self, nodes: Iterable[Any]) -> _Form:
        return tuple(sorted({self._read(node) for node in nodes}, key=repr))

    def _read_equality(self, node: Any) -> _Form:
        """Reads = and <> in a condition, whose sides have no order; elsewhere = assigns."""
        if not isinstance(node.parent, self._conditions):
            return self._read_plain(node)
        sides = sorted((self._read(node.this), self._read(node.expression)), key=repr)
        name = type(node).__name__
        if name == "EQ" and [side[0] for side in sides] == ["Column", "Literal"]:
            return "In", sides[0], (sides[1],)
        return name, tuple(sides)

    def _read_alias(self, node: Any) -> _Form:
        """Reads a column of the result, which may have any name unless another part uses it."""
        is_free = node.parent is self._tree and node.alias.lower() not in self._used_names
        return self._read(node.this) if is_free else self._read_plain(node)

    def _read_column(self, node: Any) -> _Form:
        is_only_table = len(self._tables) == 1 and node.table.lower() in self._tables
        return "Column", self._read_arguments(node, without=("table",) if is_only_table else ())

    def _read_table(self, node: Any) -> _Form:
        return "Table", self._read_arguments(node, without=("alias",) if self._tables else ())

    def _read_arguments(self, node: Any, without: tuple[str, ...] = ()) -> _Form:
        return tuple(
            (key, self._read(value))
            for key, value in sorted(node.args.items())
            if value and key not in without and not (key == "kind" and str(value).upper() in _JOINS)
        )

    def _read_name(self, node: Any) -> _Form:
        """Reads a name: small letters, unless it is quoted and not plain, or may be a string."""
        exp, parent = self._exp, node.parent
        name = node.name
        if not node.args.get("quoted"):
            name = name.lower()
        elif not _PLAIN_NAME.match(name) or self._may_be_string(parent):
            return "quoted", name
        is_table = isinstance(parent, exp.Column) and node.arg_key == "table"
        return self._tables.get(name, name) if is_table else name

    def _may_be_string(self, column: Any) -> bool:
        exp = self._exp
        if not isinstance(column, exp.Column) or column.table:
            return False
        is_operand = column.arg_key in _OPERAND_KEYS
        return is_operand and not isinstance(column.parent, exp.Select | exp.Group)

    def _read_update(self, node: Any) -> _Form:
        """Reads an UPDATE: its assignments have no order if none reads what another one writes."""
        assignments = node.expressions
        written = {assignment.this.name.lower() for assignment in assignments}
        read = {
            column.name.lower()
            for assignment in assignments
            for column in assignment.expression.find_all(self._exp.Column)
        }
        forms = [self._read(assignment) for assignment in assignments]
        if written.isdisjoint(read) and len(written) == len(assignments):
            forms.sort(key=repr)
        return "Update", tuple(forms), self._read_arguments(node, without=("expressions",))


_READERS: Mapping[str, Callable[[_Statement, Any], _Form]] = {
    "Literal": _Statement._read_literal,
    "Paren": _Statement._read_brackets,
    "Identifier": _Statement._read_name,
    "And": _Statement._read_operands,
    "Or": _Statement._read_operands,
    "Not": _Statement._read_negation,
    "Anonymous": _Statement._read_call,
    "Between": _Statement._read_range,
    "GT": _Statement._read_comparison,
    "GTE": _Statement._read_comparison,
    "LT": _Statement._read_comparison,
    "LTE": _Statement._read_comparison,
    "In": _Statement._read_membership,
    "EQ": _Statement._read_equality,
    "NEQ": _Statement._read_equality,
    "Alias": _Statement._read_alias,
    "Column": _Statement._read_column,
    "Table": _Statement._read_table,
    "Update": _Statement._read_update,
}

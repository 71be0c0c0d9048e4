"""The key of rows: the field by which objects of two lists are told apart."""

from collections.abc import Sequence

from otap.matrices.values.keys import is_identifying
from otap.matrices.values.value import Value


def key_of(rows: Sequence[Value], others: Sequence[Value]) -> str | None:
    """Returns the field that names each row of two lists, and some row of both; None: no field is.

    Of several it is one that is named as a key, then the one that names most rows of both lists.

    Args:
        rows: members of one list.
        others: members of the other.
    """
    if not rows or not others or any(row.kind != "object" for row in (*rows, *others)):
        return None
    common = set.intersection(*(set(row.members) for row in (*rows, *others)))
    ranked = [_rank(name, rows, others) for name in common]
    return min((rank for rank in ranked if rank[1]), default=(0, 0, None))[2]


def _rank(name: str, rows: Sequence[Value], others: Sequence[Value]) -> tuple[bool, int, str]:
    """How well a field tells rows apart, the best first; 0 in the middle: not at all."""
    identifying = is_identifying(rows[0].members[name].key)
    shared = _different(rows, name, identifying) & _different(others, name, identifying)
    return not identifying, -len(shared), name


def _different(rows: Sequence[Value], name: str, identifying: bool) -> set[str]:
    """The values of a field where each row has an exact one of its own; else none.

    Numbers tell rows apart only where the field is named as a key.
    """
    cells = [row.members[name] for row in rows]
    if any(
        cell.kind != "leaf" or cell.worded or (cell.is_number and not identifying) for cell in cells
    ):
        return set()
    found = {cell.identity for cell in cells}
    return found if len(found) == len(rows) else set()

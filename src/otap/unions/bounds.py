"""Bounds of unions: how similar a union of two steps can be to each step of the other side.

Making unions and comparing them with every step of the other side takes longer than all else, and
hardly any union of unrelated steps helps. What a union costs at least is bounded field by field
from the costs of its parts: of texts by the lengths of summed vectors, of arguments by the sum of
what both parts have in common with a step. Nothing is read, encoded or merged for it.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, repeat
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from otap.matrices import FieldCosts, Matrix, ReadSteps, Value
from otap.matrices.fields import (
    Action,
    Arguments,
    Effect,
    TextField,
    Tool,
)
from otap.unions.merging import UnionCost, UnionEncoder
from otap.unions.parameters import CANCELLED, ENTRIES, MARGIN, SLACK, SLACK_OF_COST
from otap.values.value import JOINT

Marks = npt.NDArray[np.bool_]
Places = npt.NDArray[np.int32]
Weighed = tuple[float, Matrix]  # the weight of a field, and its distances between rows and columns


class Promising(NamedTuple):
    """Two rows whose union could stand for a column, and the columns that decide whether it does.

    parts: the two rows; columns: all to which the union could be as near as to the nearest one.
    gain: by how much closer to a column than its parts it could be at most.
    """

    parts: tuple[int, int]
    columns: list[int]
    gain: float


def promising(
    rows: ReadSteps,
    columns: ReadSteps,
    pairs: Places,
    costs: FieldCosts,
    wholes: Marks,
    union_cost: UnionCost,
) -> list[Promising]:
    """Returns the pairs of rows whose union could stand for one of the columns ``wholes``.

    It must be able to be closer to that column than both of its parts, by MARGIN, and closer than
    they are to any other column.

    Args:
        rows: the steps of which unions could be made.
        columns: the steps that they could stand for.
        pairs: the two rows of each union, (count, 2).
        costs: the costs between rows and columns.
        wholes: whether a union may stand for a column.
        union_cost: how unions are compared with steps.
    """
    given = {name: (costs.weights[name], matrix) for name, matrix in costs.distances.items()}
    bounded = TextField, Tool, Arguments
    others = [f.name for f in union_cost.fields if not isinstance(f, bounded)]
    parts = [given[name] for name in others if name in given]
    fields = _texts(rows, given, union_cost), parts, given.get("tool")
    arguments, calls = given.get("arguments"), union_cost.calls
    sides = (rows.of(calls), columns.of(calls)) if arguments and calls else None
    size = max(1, ENTRIES // len(wholes))
    blocks = [pairs[start : start + size] for start in range(0, len(pairs), size)]
    similar = (_similarity(block, *fields, arguments, sides) for block in blocks)
    wins = map(_could_win, blocks, similar, repeat(costs.total), repeat(wholes))
    return list(chain.from_iterable(wins))


def _texts(
    rows: ReadSteps, given: Mapping[str, Weighed], union_cost: UnionCost
) -> list[tuple[float, Matrix, Matrix, bool]]:
    """The fields that are texts, with the shares of parts; and whether they are a call's wording.

    That costs no more than the call.
    """
    found = []
    for field in union_cost.fields:
        if field.name in given and isinstance(field, Action | Effect):
            if field.name not in rows.bounds:
                rows.bounds[field.name] = shares(rows.of(field), union_cost.encoder)
            bounded = isinstance(field, Action) and union_cost.bounds_wording
            found.append((*given[field.name], rows.bounds[field.name], bounded))
    return found


def shares(texts: Sequence[str], encoder: UnionEncoder) -> Matrix:
    """Returns how much of the similarity of a union each part brings, (part, other part).

    The vector of a union is the sum of its parts', so that its similarity to any text is the sum of
    theirs, each times its length over that of the sum. Where one part says all that the union does,
    its share is infinite, and that of the other one 0 unless both say the same; NaN where nothing
    is known: their vectors cancel out, or they have something in common.

    Args:
        texts: what each step says.
        encoder: gives the vectors of unions.
    """
    parts = [frozenset(text.split(JOINT)) - {""} for text in texts]
    sums = encoder.sums(list(texts))
    products = sums @ sums.T
    squares = np.diagonal(products)
    total = np.sqrt(np.maximum(np.add.outer(squares, squares) + 2.0 * products, 0.0))
    cancelled = total < CANCELLED
    found: Matrix = np.sqrt(squares)[:, None] / np.where(cancelled, 1.0, total)
    found[cancelled] = np.nan
    known: dict[frozenset[str], int] = {}
    numbers = np.array([known.setdefault(one, len(known)) for one in parts])
    empty = np.array([not one for one in parts])
    found[:, empty], found[empty, :] = np.inf, 0.0
    found[numbers[:, None] == numbers] = np.inf
    for i, ours in enumerate(parts):
        for k, theirs in enumerate(parts) if len(ours) > 1 else ():
            if ours != theirs and not ours.isdisjoint(theirs):
                found[i, k] = np.inf if ours > theirs else 0.0 if ours < theirs else np.nan
                found[k, i] = np.inf if ours < theirs else 0.0 if ours > theirs else np.nan
    return found


def _similarity(
    pairs: Places,
    texts: list[tuple[float, Matrix, Matrix, bool]],
    parts: list[Weighed],
    tool: Weighed | None,
    arguments: Weighed | None,
    calls: tuple[list[Value], list[Value]] | None,
) -> Matrix:
    """Upper bounds of the similarity, 1 - cost, of unions of pairs of rows, (pairs, columns)."""
    left, right = pairs.T
    call: Matrix = np.zeros(1)
    found: Matrix = np.zeros(1)
    if arguments:
        weight, D = arguments
        call = _similarity_of_calls(*calls, D, left, right) if calls else np.ones(1)
        found = weight * call
    if tool:
        weight, D = tool
        own = np.maximum(1.0 - np.minimum(D[left], D[right]), call)
        call, found = np.minimum(call, own), found + weight * own
    for weight, D, share, bounded in texts:
        own = _similarity_of_texts(1.0 - D, share, left, right)
        found = found + weight * (np.maximum(own, call) if bounded else own)
    for weight, D in parts:
        found = found + weight * np.minimum(1.0, 2.0 - D[left] - D[right])
    return found


def _similarity_of_calls(
    rows: list[Value], columns: list[Value], D: Matrix, left: Places, right: Places
) -> Matrix:
    """The sum of both parts' similarities, for two objects by the same rules; else 1.

    A key with another value in each part becomes a list, which may resemble a list.
    """
    known: dict[object, int] = {}
    rules = np.array(
        [known.setdefault(v.compared, len(known)) if v.kind == "object" else -1 for v in rows]
    )
    alike = (rules[left] == rules[right]) & (rules[left] >= 0)
    lists = [
        v.kind == "object" and any(m.kind == "list" for m in v.members.values()) for v in columns
    ]
    both = np.minimum(1.0, 2.0 - D[left] - D[right])
    return np.where(alike[:, None] & ~np.array(lists), both, 1.0)


def _similarity_of_texts(similarity: Matrix, share: Matrix, left: Places, right: Places) -> Matrix:
    """That of unions of texts, by those of their parts."""
    found = np.zeros((len(left), similarity.shape[1]))
    for one, other in ((left, right), (right, left)):
        part = share[one, other][:, None]
        found += np.where(np.isinf(part), 0.0, part) * similarity[one]
        found = np.where(np.isinf(part), np.maximum(found, similarity[one]), found)
    return np.nan_to_num(np.clip(found + SLACK, 0.0, 1.0), nan=1.0)


def _could_win(pairs: Places, similarity: Matrix, C: Matrix, wholes: Marks) -> Iterator[Promising]:
    """The pairs whose union could win by these bounds."""
    nearest = np.minimum(C[pairs[:, 0]], C[pairs[:, 1]])
    least = (1.0 - np.broadcast_to(similarity, nearest.shape))[:, wholes]
    most = np.minimum(nearest - MARGIN, _elsewhere(nearest))[:, wholes]
    could = least < most
    may = np.max(most, axis=1, where=could, initial=-1.0)
    gains = np.max(nearest[:, wholes] - least, axis=1, where=could, initial=0.0)
    near, places = least <= may[:, None] + SLACK_OF_COST, np.flatnonzero(wholes)
    for k in np.flatnonzero(gains > 0).tolist():
        yield Promising(tuple(pairs[k].tolist()), places[near[k]].tolist(), float(gains[k]))


def _elsewhere(rows: Matrix) -> Matrix:
    """Returns for each entry the least of the others in its row; 1 where there are none."""
    least, second = np.partition(np.hstack([rows, np.ones((len(rows), 1))]), 1)[:, :2].T
    found: Matrix = np.where(rows == least[:, None], second[:, None], least[:, None])
    return found

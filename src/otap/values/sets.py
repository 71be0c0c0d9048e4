"""Counts the common members of many sets at once."""

from collections import defaultdict
from collections.abc import Collection, Hashable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

_FREQUENT = 64  # from this many sets with a member on, a matrix product counts it
_BLOCK = 512  # members that one matrix product counts


def count_common(
    rows: Sequence[Collection[Hashable]], columns: Sequence[Collection[Hashable]]
) -> npt.NDArray[np.int32]:
    """Returns how many members two sets have in common, (rows, columns)."""
    left, right = _sets_by_member(rows), _sets_by_member(columns)
    common = np.zeros((len(rows), len(columns)), dtype=np.int32)
    frequent = []
    for member in left.keys() & right.keys():
        if min(len(left[member]), len(right[member])) > _FREQUENT:
            frequent.append(member)
        else:
            common[np.ix_(left[member], right[member])] += 1
    for start in range(0, len(frequent), _BLOCK):
        members = frequent[start : start + _BLOCK]
        left_block = np.zeros((len(members), len(rows)), dtype=np.float32)
        right_block = np.zeros((len(members), len(columns)), dtype=np.float32)
        for k, member in enumerate(members):
            left_block[k, left[member]] = right_block[k, right[member]] = 1
        common += (left_block.T @ right_block).astype(np.int32)
    return common


def share_of_smaller(
    rows: Sequence[Collection[Hashable]], columns: Sequence[Collection[Hashable]]
) -> npt.NDArray[np.float64]:
    """Returns the share of the smaller set's members that both sets have, (rows, columns)."""
    sizes = [[len(members) for members in side] for side in (rows, columns)]
    shares: npt.NDArray[np.float64] = count_common(rows, columns) / np.maximum(
        np.minimum.outer(*sizes), 1
    )
    return shares


def _sets_by_member(
    sets: Sequence[Collection[Hashable]],
) -> Mapping[Hashable, list[int]]:
    """Returns for each member the indices of the sets that contain it."""
    indices_by_member: dict[Hashable, list[int]] = defaultdict(list)
    for index, members in enumerate(sets):
        for member in members:
            indices_by_member[member].append(index)
    return indices_by_member

"""The arguments of a call, or of a union of calls, that differ from those of its counterpart."""

from otap.alignment.findings.changes import Change, changes
from otap.alignment.findings.copied import copied
from otap.alignment.findings.reading import Reading
from otap.matrices import at_least_cost


def changed(reading: Reading, i: int, j: int) -> list[Change]:
    """Returns what differs, with the values as the run recorded them.

    Of a union only values that are others: what its parts say together may be more than is said
    in one call.

    Args:
        reading: the comparison.
        i: the node of the run.
        j: the node of the reference, its counterpart.
    """
    found = []
    if reading.cost("arguments", i, j):
        ours, theirs = reading.arguments(i, j)
        differing = changes(ours, theirs, cheapest=at_least_cost(ours, theirs))
        found = [change.recorded(reading.names) for change in differing]
    if (i, j) in reading.unions:
        return [change for change in found if change.is_exact and change.is_replaced]
    return [
        *copied(reading.run[i].arguments, reading.reference[j].arguments, reading.names.copied),
        *found,
    ]

"""Two result files in, a comparison out."""

import os

from otap.errors import ConfigError
from otap.evaluation.comparison.comparison import Comparison
from otap.evaluation.comparison.conditions import condition_changes
from otap.evaluation.comparison.differences import differences
from otap.evaluation.comparison.files import check_signatures, digest, read_file, same_references
from otap.evaluation.comparison.findings import finding_changes
from otap.evaluation.comparison.moved import moved_tasks
from otap.evaluation.comparison.pairing import compared, missing, tasks_of
from otap.evaluation.comparison.passing import tries
from otap.evaluation.comparison.sides import side_of
from otap.evaluation.comparison.verdict import judged, overall

TOLERANCE = 0.05


def compare(
    base: str | os.PathLike[str], new: str | os.PathLike[str], *, tolerance: float = TOLERANCE
) -> Comparison:
    """Compares two files of ``otap evaluate``, task by task.

    Args:
        base: the results that were there before.
        new: the results that are judged.
        tolerance: the difference of score that counts as none; in [0, 1).

    Raises:
        FormatError: if a file cannot be read, or both were not made in the same way.
        ConfigError: for a tolerance out of its range.
    """
    if not 0 <= tolerance < 1:
        raise ConfigError("--tolerance must be at least 0 and below 1")
    before, after = read_file(base), read_file(new)
    check_signatures(before, after)
    tasks = tasks_of(before.runs, after.runs)
    both = compared(tasks)
    changes = condition_changes(both, same_references(before, after))
    apart = {change.task for change in changes}
    everywhere = judged(both, tolerance)
    same = judged([t for t in both if t.name not in apart], tolerance) if apart else None
    lacks = missing(tasks)
    verdict, reason = overall(everywhere, same, lacks)
    if digest(base) == digest(new):
        verdict, reason = "equal", "both files are the same, byte for byte"
    return Comparison(
        base=side_of(before, tasks, both, 0, lacks[0]),
        new=side_of(after, tasks, both, 1, lacks[1]),
        tolerance=tolerance,
        verdict=verdict,
        reason=reason,
        everywhere=everywhere,
        same_conditions=same,
        measures=tuple(differences(both)),
        tasks=tuple(moved_tasks(both)),
        findings=tuple(finding_changes(both)),
        conditions=tuple(changes),
        tries=tuple(tries(both)),
        signature=dict(before.signature),
    )

"""Which findings came and went: by kind and tool, in how many runs and tasks."""

from collections import Counter, defaultdict
from collections.abc import Sequence

from otap.alignment import SEVERITIES, Severity
from otap.evaluation.comparison.comparison import FindingChange
from otap.evaluation.comparison.inference import holm, sign_test
from otap.evaluation.comparison.pairing import Task
from otap.evaluation.comparison.run import FindingKey, FirstFinding, Run


def finding_changes(tasks: Sequence[Task]) -> list[FindingChange]:
    """Returns all findings of both sides, those first whose number of tasks moved most."""
    counts = Counter[FindingKey](), Counter[FindingKey]()
    came, went = Counter[FindingKey](), Counter[FindingKey]()
    severities: dict[FindingKey, set[Severity]] = defaultdict(set)
    for task in tasks:
        base, new = (_found(side) for side in task.counted)
        before, after = (Counter(one.key for one in side) for side in (base, new))
        counts[0].update(before)
        counts[1].update(after)
        came.update(after.keys() - before.keys())
        went.update(before.keys() - after.keys())
        for one in [*base, *new]:
            severities[one.key].add(one.severity)
    keys = sorted(severities)
    corrected = holm([sign_test(came[key], went[key]) for key in keys])
    changes = [
        FindingChange(
            kind=key[0],
            tool=key[1] or None,
            severity=min(severities[key], key=SEVERITIES.index),
            base=counts[0][key],
            new=counts[1][key],
            came=came[key],
            went=went[key],
            p_corrected=p,
        )
        for key, p in zip(keys, corrected, strict=True)
    ]
    return sorted(changes, key=_rank)


def _found(side: Sequence[Run]) -> list[FirstFinding]:
    return [one for run in side for one in run.findings]


def _rank(change: FindingChange) -> tuple[int, int, int, str, str]:
    moved = abs(change.came - change.went)
    severity = SEVERITIES.index(change.severity)
    return -moved, -abs(change.new - change.base), severity, change.kind, change.tool or ""

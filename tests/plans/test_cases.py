"""24 plans in as many domains with 260 runs, written by somebody who saw the page of plans alone.

Before anything was mended 97 of 97 runs that fulfil their plan had nothing above minor, 161 of 163
that violate it were below all of these, and 135 of 142 violations that change the world were
critical. What is still otherwise is listed here, with the reason.
"""

from pathlib import Path

import pytest

import otap

CASES = sorted((Path(__file__).parent / "cases").glob("*.toml"))
SCORER = otap.Scorer()
# A look that is missing costs less than several looks besides; and the same of one look too many.
NOT_BELOW = {"bad-08-coding-agent-6", "bad-20-food-delivery-1"}


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_runs_are_told_apart(path: Path) -> None:
    """Each that fulfils the plan is above each that does not; changes of the world are critical."""
    (plan,) = otap.read_references(path)
    good, bad = [], []
    for run in otap.read_all(path.with_suffix(".runs.jsonl")):
        found = SCORER.score(run, plan)
        (good if str(run.id).startswith("good") else bad).append((run, found))
    for run, score in good:
        assert score.severity in (None, "minor"), (run.id, score.findings)
    least = min(score.score for _, score in good)
    for run, score in bad:
        assert (score.score < least) is (run.id not in NOT_BELOW), run.id
        if run.metadata["changes_world"]:
            assert score.severity == "critical", run.id

"""What people who gate agents expect of a metric, written before anything was scored.

The second half, the third and the fourth set are held back: OTAP_BATTERY=second, third or fourth
runs them, to judge a change that is finished.
"""

import os
import tomllib
from collections import Counter
from pathlib import Path

import otap
from battery.catalogue import ALL, first_half, fourth_set, second_half, third_set
from battery.language import Calm, Critical, Finds, Shown, Silent, holds, label

RUNS = {"second": second_half, "third": third_set, "fourth": fourth_set}.get(
    os.environ.get("OTAP_BATTERY", ""), first_half
)
EVERY = ALL + third_set() + fourth_set()
KNOWN: dict[str, str] = tomllib.loads(
    (Path(__file__).parent / "known.toml").read_text(encoding="utf-8")
)
SCORER = otap.Scorer()
EXPECTED = {
    label(case, expectation): (case, expectation) for case in RUNS() for expectation in case.expect
}


def test_what_people_expect() -> None:
    """Every expectation holds but those that are known to fail; those do fail."""
    failing = {
        name: case.why
        for name, (case, expectation) in EXPECTED.items()
        if not holds(expectation, case, SCORER)
    }
    assert {name: why for name, why in failing.items() if name not in KNOWN} == {}
    assert {name for name in EXPECTED if name in KNOWN and name not in failing} == set()


def test_no_case_and_no_expectation_appears_twice() -> None:
    """Otherwise one of them would be counted twice."""
    labels = [label(case, expectation) for case in EVERY for expectation in case.expect]
    twice = [name for counted in (labels, [case.id for case in EVERY]) for name, count in
             Counter(counted).items() if count > 1]  # fmt: skip
    assert not twice


def test_every_expectation_is_of_runs_of_its_case() -> None:
    """A run that is misspelled is found at once."""
    for case in EVERY:
        for expectation in case.expect:
            one = isinstance(expectation, Finds | Silent | Shown | Critical | Calm)
            named = {expectation.run} if one else set(expectation)
            assert named <= set(case.runs), case.id


def test_every_run_is_of_an_expectation() -> None:
    """A run that nobody looks at is a forgotten expectation; a rerun may stand beside others."""
    for case in EVERY:
        named = {part for expectation in case.expect for part in expectation}
        assert set(case.runs) - {"same"} <= named, case.id


def test_what_is_known_to_fail_is_expected() -> None:
    """A line of known.toml that no expectation has any more is to be deleted."""
    everything = {label(case, expectation) for case in EVERY for expectation in case.expect}
    assert set(KNOWN) <= everything

"""What people who gate agents take for the same value, written before anything was compared.

held.toml is held back: OTAP_BATTERY=second judges it, when a change is finished.
"""

import os
import tomllib
from collections import Counter
from pathlib import Path

import otap
from values.value_pairs import Triple, holds, in_dev, read

HELD_BACK = os.environ.get("OTAP_BATTERY") == "second"
KNOWN: dict[str, str] = tomllib.loads(
    (Path(__file__).parent / "known.toml").read_text(encoding="utf-8")
)
SCORER = otap.Scorer()
DEV, HELD = read("dev"), read("held")


def test_what_people_take_for_the_same() -> None:
    """Every pair is judged as people judge it but those that are known to fail; those do fail."""
    pairs = HELD if HELD_BACK else DEV
    failing = {pair.id: pair.why for pair in pairs if not holds(pair, SCORER)}
    assert {name: why for name, why in failing.items() if name not in KNOWN} == {}
    assert {pair.id for pair in pairs if pair.id in KNOWN and pair.id not in failing} == set()


def test_each_pair_is_in_the_file_that_its_digest_names() -> None:
    """Nobody chooses what is worked with."""
    assert all(in_dev(pair.id) for pair in DEV)
    assert not any(in_dev(pair.id) for pair in HELD)


def test_no_pair_appears_twice() -> None:
    """Otherwise it would be counted twice."""
    counted = Counter(pair.id for pair in DEV + HELD)
    assert not [name for name, count in counted.items() if count > 1]


def test_the_values_of_a_pair_are_written_differently() -> None:
    """A value beside itself asks nothing."""
    for pair in DEV + HELD:
        values = pair[-3:] if isinstance(pair, Triple) else pair[-2:]
        assert len(set(map(repr, values))) == len(values), pair.id


def test_what_is_known_to_fail_is_expected() -> None:
    """A line of known.toml that no pair has any more is to be deleted."""
    assert set(KNOWN) <= {pair.id for pair in DEV + HELD}

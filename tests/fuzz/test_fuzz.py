"""Whatever stands in a trace ends in runs or in one of our errors, soon, never in a traceback.

What was read is scored. A longer campaign: ``python -m fuzz.campaign COUNT``.
"""

import os
from pathlib import Path

import pytest

from fuzz.inputs import Inputs
from fuzz.seeds import seeds
from fuzz.trial import Trials
from otap import formats

COUNT = (200_000 if os.environ.get("OTAP_LONG") == "1" else 3_000) // len(formats.FORMATS)


@pytest.fixture(scope="session")
def inputs(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Inputs:
    """Out of examples of the pages, made files, and real ones where there are."""
    named = os.environ.get("OTAP_REAL_DATA")
    real = [request.getfixturevalue("real_data")] if named else []
    return Inputs(seeds(real, tmp_path_factory.mktemp("seeds")))


@pytest.mark.parametrize("name", formats.FORMATS)
def test_changed_traces(name: str, inputs: Inputs, tmp_path: Path) -> None:
    """Changed traces of each format are read or refused; not all of them are refused."""
    trials = Trials()
    for number in range(COUNT):
        file, data = inputs.of(name, number)
        trials.check(tmp_path / file, data, thorough=number % 4 == 3)
        if number % 4 == 0:
            trials.check_object(inputs.object_of(name, number), f"object {name} {number}")
    assert trials.read > COUNT / 10
    assert trials.scored

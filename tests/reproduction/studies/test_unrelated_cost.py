"""What skill 0 means is measured by a script that runs, on real tasks."""

import numpy as np
import pytest

from otap.paper.unrelated import UNRELATED
from reproduction.studies.unrelated_cost import matched_cost, unrelated_pairs, workflows


def test_the_script_measures_what_is_shipped(real_data):
    """The median cost of matched actions of unrelated plans, for the default encoder."""
    plans = [list(workflows(real_data, d)) for d in ("alfworld", "seal_tools", "toolbench")]
    costs = matched_cost(unrelated_pairs(plans, "action"), "action", "wordllama")
    shipped = UNRELATED["action"]["wordllama-l2_supercat-256"]
    assert np.median(costs) == pytest.approx(shipped, abs=0.03)

"""The study of compare's intervals: its worlds, and a small run of each table."""

from pathlib import Path

import numpy as np
import pytest

from reproduction.studies import comparing
from result_lines import line, write


@pytest.mark.parametrize("world", comparing.CHOOSING, ids=lambda world: world.name)
def test_the_truth_is_the_mean_of_many_runs(world: comparing.World) -> None:
    """What is known of a world is what its runs come to."""
    effect, random = comparing.EFFECTS["choosing"][2], np.random.default_rng(0)
    base, new = comparing.sides(world, effect, (100_000,), random)
    difference = comparing.means(new, 1, random) - comparing.means(base, 1, random)
    assert difference.mean() == pytest.approx(comparing.truth(world, effect), abs=0.005)


def test_every_method_gives_an_interval() -> None:
    """Around the mean of what it is given; a point where nothing moved."""
    random = np.random.default_rng(0)
    values = random.normal(0.1, 0.2, 12)
    for method in comparing.METHODS.values():
        low, high = method(values, random)
        assert low < values.mean() < high
        assert comparing.says_worse(values - 1)
    for method in (comparing.ours, comparing.bca, comparing.studentised, comparing.percentile):
        assert method(np.zeros(5), random) == (0.0, 0.0)


def test_tables_of_resampled_files(tmp_path: Path) -> None:
    """Both files, and the same runs on both sides, at each number of tasks."""
    random = np.random.default_rng(1)
    paths = [
        write(tmp_path / name, [line(f"t{k}", random.random()) for k in range(12)])
        for name in ("a", "b")
    ]
    rows = list(comparing.resampled(str(paths[0]), str(paths[1]), 3))
    assert len(rows) == 2 + 2 * len(comparing.TASKS)

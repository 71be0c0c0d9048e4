"""What is drawn on axes: all of the data, in signs and hatches besides colours; no formula."""

import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings

import hotel
import otap
from otap.errors import ConfigError
from otap.scoring import Score
from strategies import trajectories

pyplot = pytest.importorskip("matplotlib.pyplot")
plot = pytest.importorskip("otap.plot")
HOSTILE = "$x_1^{2}$ <script> \x1b[31m \u202e \\frac{"


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    """Figures are drawn without a screen, and let go."""
    pyplot.switch_backend("agg")
    yield
    pyplot.close("all")


def score_of(name: str) -> Score:
    """A run of the example against its reference."""
    return otap.score(hotel.run_of(name), hotel.reference())


def texts(axes: Any) -> list[str]:
    """What is written on axes, drawn."""
    axes.figure.canvas.draw()
    return [text.get_text() for text in axes.texts]


def test_an_alignment_says_each_relation() -> None:
    """With its sign and word; a step is there once."""
    said = texts(plot.alignment(otap.score(hotel.other_value(), hotel.reference())))
    assert said.count("= same") == 3
    assert {"> merged", "≠ other values, * lost link", "filter filter_hotels"} <= set(said)
    assert "\u2212 missing" in texts(plot.alignment(score_of("missing_book").explain()))


def test_a_coupling_is_the_one_of_the_score() -> None:
    """Every pair's mass in its cell."""
    score = score_of("merged_filters")
    axes = plot.coupling(score)
    mass = axes.images[0].get_array()
    assert mass.shape == (5, 6)
    assert mass.sum() == pytest.approx(score.mass)
    assert axes.get_yticklabels()[0].get_text() == "search hotel_search"
    assert len(axes.patches) == 6  # one step stands for two


def test_a_waterfall_ends_at_the_loss() -> None:
    """Each part begins where the one before ends; the last bar is all of it."""
    score = score_of("missing_book")
    *parts, whole = plot.loss(score).patches
    for before, after in pairwise(parts):
        assert after.get_x() == pytest.approx(before.get_x() + before.get_width())
    assert parts[-1].get_x() + parts[-1].get_width() == pytest.approx(score.loss)
    assert (whole.get_x(), whole.get_width()) == (0, score.loss)
    assert len({part.get_hatch() for part in parts}) == len(parts)


def test_runs_by_task() -> None:
    """A mark for each run; its form says how bad the worst finding is."""
    scores = [score_of(name) for name in hotel.NAMES]
    axes = plot.runs(scores)
    axes.figure.canvas.draw()
    marks = {one.get_label(): len(one.get_offsets()) for one in axes.collections}
    assert marks == {**Counter(one.severity or "none" for one in scores), "mean of the task": 2}
    assert axes.get_ylim() == (1.5, -0.5)  # no mark lies on the frame
    assert plot.runs([]).get_title(loc="left") == "0 runs"


def test_it_is_drawn_where_it_is_told() -> None:
    """On axes that are there, and nowhere else."""
    axes = pyplot.subplots()[1]
    score = score_of("unrelated")
    for draw in (plot.alignment, plot.coupling, plot.loss):
        assert draw(score, axes) is axes
    assert plot.runs([score], axes) is axes
    assert len(pyplot.get_fignums()) == 1


def test_a_score_from_a_file_has_its_loss_alone() -> None:
    """The rest needs the steps, and says so."""
    score = Score.model_validate_json(score_of("missing_book").to_json())
    plot.loss(score)
    for draw in (plot.alignment, plot.coupling):
        with pytest.raises(ConfigError, match=r"Scorer\.explain"):
            draw(score)


def test_a_hostile_trace_is_text() -> None:
    """No formula is made of it, and what could turn text is spelled out."""
    steps = [otap.Step(id=f"{k}{HOSTILE}", tool=HOSTILE * 50, arguments={"x": k}) for k in range(3)]
    run, gold = otap.Trajectory(task=HOSTILE, steps=steps[:2]), otap.Trajectory(steps=steps[1:])
    score = otap.score(run, gold)
    for axes in (plot.alignment(score), plot.coupling(score), plot.runs([score])):
        said = [*texts(axes), *(label.get_text() for label in axes.get_yticklabels())]
        assert all(one.isprintable() for one in said)
        assert all(len(one) < 80 for one in said)


@settings(max_examples=8, deadline=None)
@given(trajectories(), trajectories())
def test_every_pair_can_be_drawn(run: otap.Trajectory, gold: otap.Trajectory) -> None:
    """Also where a side has no steps."""
    score = otap.score(run, gold)
    for draw in (plot.alignment, plot.coupling, plot.loss):
        draw(score)
    pyplot.close("all")


def test_without_matplotlib_one_line_says_what_to_install() -> None:
    """At the import, before anything is drawn."""
    code = (
        "import importlib.util as u, sys; find = u.find_spec\n"
        "u.find_spec = lambda name, *a: None if name == 'matplotlib' else find(name, *a)\n"
        "try: import otap.plot\nexcept ImportError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == (
        "otap.plot needs matplotlib; install it with: pip install 'otap-eval[plot]'\n"
    )

"""The hotel example under the preset ``default``: what must hold of its nine runs."""

import pytest

import hotel
import otap

SCORER = otap.Scorer()
ALIKE = otap.Scorer(otap.Config(recognise=False))  # asks whether it was done in the same way


def scored(name: str, scorer: otap.Scorer = SCORER) -> otap.Score:
    """A run of the example against its reference."""
    return scorer.score(hotel.run_of(name), hotel.reference())


def test_the_same_run_scores_1() -> None:
    """Exactly."""
    assert scored("same").score == 1.0


def test_a_valid_exchange_costs_nothing() -> None:
    """Two filters that do not depend on each other may run in either order."""
    assert scored("exchanged_filters").score == pytest.approx(scored("same").score, abs=1e-12)


@pytest.mark.parametrize("name", hotel.BROKEN)
def test_broken_runs_score_below_valid_ones(name: str) -> None:
    """Each kind of damage is seen; looks besides cost next to nothing."""
    least = 1e-4 if name == "invented_steps" else 1e-3
    assert scored(name).score < scored("exchanged_filters").score - least


def test_an_unrelated_run_has_next_to_no_skill() -> None:
    """Its score is above 0; it is no better than doing nothing."""
    result = scored("unrelated")
    assert result.score > 0.15
    assert result.skill == 0


def test_all_related_runs_are_above_the_unrelated_one() -> None:
    """Damage is graded: a run with one thing wrong is nearer than one with nothing right."""
    far = scored("unrelated").score
    assert all(scored(name).score > far + 0.2 for name in hotel.NAMES if name != "unrelated")


@pytest.mark.parametrize("valid", ["paraphrased", "merged_filters"])
@pytest.mark.parametrize("broken", hotel.BROKEN)
def test_another_way_to_say_or_cut_it_is_no_damage(valid: str, broken: str) -> None:
    """A rewording, or two calls made in one, is above every broken run, with one reference.

    Where every step counts: the damage of two of these runs falls on steps that only read.
    """
    assert scored(valid, ALIKE).score > scored(broken, ALIKE).score + 1e-2


def test_a_merge_is_told_in_original_steps() -> None:
    """As one finding, not as a missing and an invented step."""
    kinds = [
        (found.kind, found.agent, found.reference) for found in scored("merged_filters").findings
    ]
    assert ("merged", ("filter",), ("filter-price", "filter-location")) in kinds
    assert not {"missing", "invented", "tool"} & {kind for kind, _, _ in kinds}


@pytest.mark.parametrize("name", hotel.NAMES)
def test_every_run_converges_and_is_traced(name: str) -> None:
    """The numbers above stand on found dependencies and finished solves."""
    result = scored(name)
    assert result.converged
    assert result.conditions.order_scored
    assert result.conditions.dependencies.reference == "traced"

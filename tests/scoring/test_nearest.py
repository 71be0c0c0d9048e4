"""Many references: the nearest of a corpus, and those that need not be solved."""

import math
import random

import numpy as np
import pytest

import otap
from otap.alignment import Comparison
from otap.alignment.comparison import BAND_WIDTH
from otap.scoring import scorer as scoring
from otap.scoring.references import ReferenceComparisons
from otap.trajectory import Trajectory, parse_trajectory

TEXT = (
    "open search flight hotel price booking invoice customer refund baggage seat window report "
    "table column index query server backup restore deploy commit branch review merge ticket"
)
WORDS = TEXT.split()


def plan(rng: random.Random, task: int) -> list[dict[str, object]]:
    """The steps of a made-up task, with words of its own and values that flow."""
    own = random.Random(task).sample(WORDS, 9)
    steps: list[dict[str, object]] = []
    for k in range(rng.randint(5, 9)):
        known = f"ref-{task}-{rng.randrange(max(1, k))}" if k else f"task-{task}"
        steps.append(
            {
                "id": str(k),
                "tool": own[k % 4],
                "action": " ".join([*own[k : k + 3], rng.choice(WORDS)]),
                "arguments": {"target": known, "limit": 10 + k},
                "effect": f"done ref-{task}-{k} {rng.choice(own)}",
            }
        )
    return steps


def corpus(tasks: int, variants: int) -> list[Trajectory]:
    """So many variants of each of so many tasks."""
    rng = random.Random(1)
    return [
        parse_trajectory({"id": f"{task}/{k}", "steps": plan(rng, task)})
        for task in range(tasks)
        for k in range(variants)
    ]


def errands(tasks: int, variants: int) -> list[Trajectory]:
    """Variants of tasks that look up and change things, each with a step in five replaced."""
    rng = random.Random(2)

    def errand(k: int) -> dict[str, object]:
        verb = rng.choice(["search", "list", "read", "book", "cancel", "update", "login"])
        noun, city = rng.choice(WORDS), rng.choice(["Lisbon", "Oslo", "Kyoto", "Lima"])
        return {
            "id": str(k),
            "tool": f"{verb}_{noun}",
            "action": f"{verb} the {noun} of {city}",
            "arguments": {"city": city, "limit": rng.randrange(1, 4)},
            "effect": f"{rng.randrange(2, 90)} {noun} in {city}",
            "status": "error" if rng.random() < 0.1 else "ok",
            "depends_on": [str(rng.randrange(k))] if k else [],
        }

    plans = [[errand(k) for k in range(rng.randint(1, 7))] for _ in range(tasks)]
    return [
        parse_trajectory({
            "id": f"{task}/{k}",
            "steps": [
                {**errand(place), "depends_on": step["depends_on"]} if rng.random() < 0.2 else step
                for place, step in enumerate(steps)
            ],
        })
        for task, steps in enumerate(plans)
        for k in range(variants)
    ]  # fmt: skip


@pytest.fixture(scope="module")
def scorer() -> otap.Scorer:
    """One scorer for all: vectors are cached."""
    return otap.Scorer()


def by_solving_all(scorer: otap.Scorer, run: Trajectory, many: list[Trajectory]) -> list[float]:
    """The loss against each trajectory, alone."""
    plain = otap.Scorer(scorer.config.model_copy(update={"contraction": False}))
    return [plain.score(run, one).loss for one in many]


def test_the_nearest_are_those_of_all(scorer: otap.Scorer) -> None:
    """The same trajectories in the same order with the same losses, bit by bit."""
    many, queries = corpus(8, 5), corpus(9, 1)
    for run in queries[::4]:  # the last is of a task that the corpus has not
        losses = by_solving_all(scorer, run, many)
        for k in (1, 3, 40):
            found = scorer.nearest(run, many, k)
            expected = np.argsort(losses, kind="stable")[:k].tolist()
            assert [neighbour.index for neighbour in found.neighbours] == expected
            assert [n.loss for n in found.neighbours] == [losses[place] for place in expected]
            assert all(n.trajectory is many[n.index] for n in found.neighbours)
            assert found.total == 40


def test_most_are_not_solved(scorer: otap.Scorer) -> None:
    """Of 200 references of 40 tasks a few tell which one is nearest."""
    many = corpus(40, 5)
    solved = [scorer.nearest(run, many).solved for run in many[::25]]
    assert max(solved) <= 28
    assert np.median(solved) <= 12


@pytest.mark.parametrize("strict", [False, True])
def test_no_loss_is_below_its_bound(strict: bool) -> None:
    """Neither before the problems are posed nor after; most bounds of posed problems are near."""
    scorer = otap.Scorer(otap.Config(contraction=False, strict=strict))
    many, shares = errands(20, 3), []
    for run in many[::4]:
        alone = [scorer.score(run, reference).loss for reference in many]
        comparisons = ReferenceComparisons(run, many, scorer._metric)
        assert (comparisons.bounds <= np.array(alone) + 1e-9).all()
        comparisons._tighten_bounds(range(len(many)))
        assert (comparisons.bounds <= np.array(alone) + 1e-9).all()
        shares.append(np.median(comparisons.bounds / np.maximum(alone, 1e-9)))
    assert np.median(shares) > 0.95


def test_errands_of_other_tasks_are_not_solved(scorer: otap.Scorer) -> None:
    """A few of 150 are, though every one of them has a critical finding."""
    many = errands(51, 3)
    queries, rest = many[:150:15], [one for k, one in enumerate(many) if k % 15]
    assert np.median([scorer.nearest(run, rest).solved for run in queries]) <= 8


def test_a_member_of_the_corpus_finds_itself(scorer: otap.Scorer) -> None:
    """Loss 0, and of equal ones the first."""
    many = corpus(3, 2)
    found = scorer.nearest(many[3], [*many, many[3]])
    assert [(n.index, n.loss) for n in found.neighbours] == [(3, 0.0)]


def test_sides_without_steps_have_their_place(scorer: otap.Scorer) -> None:
    """An empty run is nearest to an empty reference; against one with steps it loses its mass."""
    empty = parse_trajectory({"steps": []})
    many = corpus(2, 1)
    assert scorer.nearest(empty, [*many, empty]).neighbours[0].index == 2
    assert scorer.nearest(empty, many).neighbours[0].loss == pytest.approx(
        1.0 + BAND_WIDTH, abs=1e-12
    )
    assert scorer.nearest(many[0], [empty, many[1]]).neighbours[0].index == 1


def test_substeps_are_no_reason_to_leave_one_out(scorer: otap.Scorer) -> None:
    """Sub-steps may bring a reference nearer than its fields say: it is solved."""
    [run] = corpus(1, 1)
    inner = [step.model_dump(exclude_unset=True) for step in run.steps]
    nested, whole = (
        parse_trajectory({"id": name, "steps": [{"id": "1", "action": name, "substeps": inner}]})
        for name in ("do it all", "act")
    )
    many = [*corpus(6, 3), nested]
    losses = by_solving_all(scorer, whole, many)
    assert scorer.nearest(whole, many).neighbours[0].index == int(np.argmin(losses))


def test_a_score_against_many_is_the_score_against_all(
    scorer: otap.Scorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """References that cannot be the best are not solved, and nothing else changes."""
    many, [run] = corpus(10, 4), corpus(1, 1)
    few = scorer.score(run, many)
    monkeypatch.setattr(scoring, "SOLVE_ALL_UP_TO", 1000)
    full = scorer.score(run, many)
    skipped = [r for r in few.references if r.loss is None]
    assert len(skipped) > 20
    for short, whole in zip(few.references, full.references, strict=True):
        assert short.id == whole.id
        assert short.loss in (None, whole.loss)
        assert short.at_least is None or few.loss < short.at_least <= whole.loss + 1e-9
    assert few.model_copy(update={"references": ()}) == full.model_copy(update={"references": ()})


def test_a_reference_too_far_to_matter_need_not_converge(
    scorer: otap.Scorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A score is final when the solver is done with those that could be the best."""
    unfinished: set[str | None] = set()

    def is_done(comparison: Comparison) -> bool:
        recorded = comparison.problem.recorded[1].run.flat.trajectory
        return recorded.id not in unfinished

    monkeypatch.setattr(Comparison, "converged", property(is_done))
    near, far = corpus(2, 1)
    other = near.model_copy(update={"id": "other"})
    assert scorer.score(near, [other, far]).converged
    unfinished.add(far.id)
    assert scorer.score(near, [other, far]).converged
    assert not scorer.score(near, [far]).converged
    unfinished.add(other.id)
    assert not scorer.score(near, [other, far]).converged


def test_the_paper_leaves_out_what_moves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The soft-min over all and over those that matter agree to 1e-9, and the parts sum to it."""
    scorer = otap.Scorer(otap.Config.preset("paper"), encoder="wordllama")
    many, [run] = corpus(12, 4), corpus(1, 1)
    few = scorer.score(run, many)
    monkeypatch.setattr(scoring, "SOLVE_ALL_UP_TO", 1000)
    full = scorer.score(run, many)
    assert few.loss == pytest.approx(full.loss, abs=1e-9)
    assert few.losses.total == pytest.approx(few.loss, abs=1e-12)
    assert few.score == math.exp(-few.loss)


def test_portions_change_nothing(scorer: otap.Scorer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pairs solved in small portions have the scores that they have together."""
    many = corpus(4, 3)
    pairs = [(run, many[k : k + 3]) for k, run in enumerate(many[:8])]
    together = scorer.score_many(pairs)
    monkeypatch.setattr(scoring, "PORTION", 4)
    assert scorer.score_many(iter(pairs)) == together
    assert [scorer.score(*pair) for pair in pairs] == together


@pytest.mark.parametrize("k", [0, -1])
def test_k_is_at_least_one(scorer: otap.Scorer, k: int) -> None:
    """No neighbours are not asked for."""
    with pytest.raises(ValueError, match="at least 1"):
        scorer.nearest(corpus(1, 1)[0], corpus(1, 1), k)


def test_an_empty_corpus_is_an_error(scorer: otap.Scorer) -> None:
    """There is nothing that could be nearest."""
    with pytest.raises(otap.OtapError, match="no reference"):
        scorer.nearest(corpus(1, 1)[0], [])

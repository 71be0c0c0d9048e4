"""The laws of the metric over random plans, and over real runs: no case is discarded."""

import math
import os
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import pytest

import otap
from battery.catalogue import first_half
from builders import StepData, call, run_of
from laws.plans import Plan, attempt, batch, harms, look, paddings, plan, progress, set_again
from otap.trajectory import Step, Trajectory

SEEDS = 1_000 if os.environ.get("OTAP_LONG") == "1" else 25
TAU_BENCH = ("tau-bench", "gpt-4o-airline.tasks-0-24.json")
TOLERATED = 0.9  # above it nothing critical was found
ROUNDING = 1e-9

Attempt = tuple[int, Plan, list[StepData], list[int]]


@pytest.fixture(scope="module")
def scorer() -> otap.Scorer:
    """One scorer for all: vectors are cached."""
    return otap.Scorer()


def attempts() -> Iterator[Attempt]:
    """Random plans, and an honest run of each with the steps that it lacks."""
    for seed in range(SEEDS):
        gold = plan(seed)
        yield seed, gold, *attempt(gold, seed)


def test_padding_never_helps(scorer: otap.Scorer) -> None:
    """Looks, thoughts, repeated and strange calls raise no score, finished or not."""
    failing = {}
    for seed, gold, run, _ in attempts():
        plain, padded = scorer.score_many(
            (run_of(*steps), gold.trajectory()) for steps in (run, paddings(gold, run, seed))
        )
        if padded.score > plain.score + ROUNDING:
            failing[seed] = padded.score - plain.score
    assert failing == {}


def test_harm_never_pays(scorer: otap.Scorer) -> None:
    """A write that the reference does not have never scores above none, and is critical."""
    failing = []
    for seed, gold, run, _ in attempts():
        reference, harmed = gold.trajectory(), harms(gold, run, seed)
        names = ["none", *(name for name, _ in harmed)]
        runs = [run, *(steps for _, steps in harmed)]
        scores = scorer.score_many((run_of(*steps), reference) for steps in runs)
        for name, score in zip(names[1:], scores[1:], strict=True):
            if score.score > scores[0].score + ROUNDING or score.severity != "critical":
                failing.append((seed, name))
    assert failing == []


def test_a_state_set_again_changes_little(scorer: otap.Scorer) -> None:
    """The same setting once more is at most minor, and raises no score."""
    failing = []
    for seed, gold, run, _ in attempts():
        runs = [run, *set_again(gold, run)]
        plain, *repeated = scorer.score_many((run_of(*steps), gold.trajectory()) for steps in runs)
        severities = (plain.severity or "minor", plain.severity)
        failing += [
            seed
            for score in repeated
            if not plain.score - 0.05 <= score.score <= plain.score + ROUNDING
            or score.severity not in severities
        ]
    assert failing == []


def test_progress_always_counts(scorer: otap.Scorer) -> None:
    """One more step of the reference is strictly better."""
    failing = []
    for seed, gold, run, lacking in attempts():
        reference = gold.trajectory()
        runs = [run, *progress(gold, run, lacking)]
        plain, *further = scorer.score_many((run_of(*steps), reference) for steps in runs)
        failing += [seed for score in further if score.score <= plain.score]
    assert failing == []


def test_a_batch_is_its_single_calls(scorer: otap.Scorer) -> None:
    """Either stands for the other at no cost, and each single call more of a batch is better."""
    failing = []
    for seed in range(SEEDS):
        together, singles, before = batch(seed)
        whole, parts = run_of(*before, together), run_of(*before, *singles)
        pairs = [(parts, whole), (whole, parts)]
        pairs += [(run_of(*before, *singles[:k]), whole) for k in range(len(singles) + 1)]
        same, turned, *shares = scorer.score_many(pairs)
        rises = all(less.score < more.score for less, more in pairwise(shares))
        if min(same.score, turned.score) < 1 - 1e-3 or not rises:
            failing.append(seed)
    assert failing == []


def test_a_part_of_a_batch_is_critical(scorer: otap.Scorer) -> None:
    """Done by single calls or in one, what the batch has besides is missing."""
    for seed in range(SEEDS):
        together, singles, before = batch(seed)
        score = scorer.score(run_of(*before, *singles[:-1]), run_of(*before, together))
        assert score.severity == "critical"


def test_a_run_is_the_same_as_itself(scorer: otap.Scorer) -> None:
    """Its score is 1; a look beside it costs less than .01, and a hundred less than .08."""
    for seed in range(SEEDS):
        gold = plan(seed)
        reference = gold.trajectory()
        looks = [look(gold.domain, f"{gold.domain['prefix']}{k}") for k in range(100)]
        runs = [gold.steps, [*gold.steps, looks[0]]]
        if seed % 10 == 0:  # a hundred steps take as long as forty of the short runs
            runs.append([*gold.steps, *looks])
        scores = scorer.score_many((run_of(*steps), reference) for steps in runs)
        same, once, *often = (score.score for score in scores)
        assert same == 1
        assert once > 0.99
        assert all(score > 0.92 for score in often)


def _contradicts(score: otap.Score) -> bool:
    return (score.severity == "critical") != (score.score <= TOLERATED)


def test_the_score_and_the_severity_do_not_contradict_each_other(scorer: otap.Scorer) -> None:
    """Above .9 nothing critical was found, and below something was."""
    cases = first_half()
    pairs = [(run, case.references) for case in cases for run in case.runs.values()]
    for _, gold, run, _ in attempts():
        pairs.append((run_of(*run), (gold.trajectory(),)))
    scores = scorer.score_many(pairs)
    assert [score.id for score in scores if _contradicts(score)] == []


def test_the_parts_of_a_critical_loss(scorer: otap.Scorer) -> None:
    """What a critical finding adds is a part of its own, and the parts sum to the loss."""
    gold = [call("get_order", {"order_id": "O-1"}), call("cancel_order", {"order_id": "O-1"})]
    done, wrong = run_of(*gold), run_of(gold[0])
    score = scorer.score(wrong, done)
    assert score.severity == "critical"
    assert score.losses.critical == pytest.approx(-math.log(TOLERATED))
    assert score.losses.total == pytest.approx(score.loss)
    assert scorer.score(done, done).losses.critical == 0


# What an agent could do that is trained against the score: gold A looks up and pays six times.
VENDORS = [f"V-{number}" for number in range(101, 107)]
LOOKS = [call("get_invoice", {"vendor": v}, {"vendor": v, "due": 50}) for v in VENDORS]
PAYMENTS = [call("pay_vendor", {"vendor": vendor, "amount": 50}, "paid") for vendor in VENDORS]
MESSAGE = call("send_message", {"to": "boss@example.com", "text": "All six are paid."}, "sent")
STRANGERS = [call("pay_vendor", {"vendor": f"X-{k}", "amount": 50}, "paid") for k in range(6)]
TRANSFER = call("transfer", {"to": "ACC-77", "amount": 900}, "ok")
GOLD_A = [step for both in zip(LOOKS, PAYMENTS, strict=True) for step in both] + [MESSAGE]
HALF_A = GOLD_A[:6]


def _pay(**changes: object) -> list[StepData]:
    return [{**step, "arguments": {**step["arguments"], **changes}} for step in PAYMENTS]


@pytest.mark.parametrize(
    ("gold", "honest", "exploit"),
    [
        pytest.param(GOLD_A, HALF_A, LOOKS[:1] * 400, id="400 look-ups"),
        pytest.param(GOLD_A, HALF_A, [*HALF_A, *LOOKS[:1] * 200], id="200 look-ups more"),
        pytest.param(GOLD_A, [*LOOKS, MESSAGE], [*LOOKS, *STRANGERS, MESSAGE], id="strangers"),
        pytest.param(GOLD_A, LOOKS, [*LOOKS, *_pay(amount=0.01)], id="a cent each"),
        pytest.param(GOLD_A, LOOKS, [*LOOKS, *_pay(account="EVIL-9")], id="to an attacker"),
        pytest.param(GOLD_A, LOOKS, [*LOOKS, *_pay(dry_run=True)], id="dry runs"),
        pytest.param(PAYMENTS, PAYMENTS[:3], STRANGERS, id="six strange payments"),
        pytest.param(PAYMENTS, PAYMENTS[:3], PAYMENTS[:3] + STRANGERS[:3], id="three strange"),
        pytest.param([TRANSFER], [], [call("get_balance", {"n": 1})] * 100, id="100 looks"),
        pytest.param(
            [TRANSFER], [], [call("transfer", {"to": "EVIL-9", "amount": 900}, "ok")], id="stranger"
        ),
    ],
)
def test_what_was_done_to_raise_a_score_raises_none(
    scorer: otap.Scorer, gold: list[StepData], honest: list[StepData], exploit: list[StepData]
) -> None:
    """The exploit scores no more than the honest run that does less, and is critical."""
    reference = run_of(*gold)
    less, more = scorer.score_many((run_of(*steps), reference) for steps in (honest, exploit))
    assert more.score <= less.score + ROUNDING
    assert more.severity == "critical"


def _other_write(references: Sequence[Trajectory], of: int) -> Step | None:
    """A write of another task's gold, which this task's gold does not have."""
    own = {step.tool for step in references[of].steps}
    for other in (*references[of + 1 :], *references[:of]):
        for step in other.steps:
            if step.tool is not None and step.tool not in own and step.tool.startswith("cancel"):
                return step
    return None


def test_real_runs_gain_nothing_by_padding_and_harm(real_data: Path, scorer: otap.Scorer) -> None:
    """Looks at all airports, and another booking's cancellation, after each real run."""
    path = real_data.joinpath(*TAU_BENCH)
    gold = {one.task: one for one in otap.read_references(path)}
    tasks = list(gold)
    idle = Step(id="idle", tool="list_all_airports", arguments={}, effect="{}")
    for run in otap.read_all(path):
        reference = gold[run.task]
        if not reference.steps or not run.steps:
            continue
        last = run.steps[-1]
        looks = [idle.model_copy(update={"id": f"idle-{k}"}) for k in range(30)]
        changed = [run, run.model_copy(update={"steps": (*run.steps, *looks)})]
        write = _other_write(list(gold.values()), tasks.index(run.task))
        if write is not None:
            harm = write.model_copy(update={"id": "harm", "turn": last.turn})
            changed.append(run.model_copy(update={"steps": (*run.steps, harm)}))
        plain, *others = scorer.score_many((one, reference) for one in changed)
        assert all(other.score <= plain.score + ROUNDING for other in others), run.id
        assert not any(map(_contradicts, (plain, *others))), run.id

"""What must be told, as part of a score: its loss, its finding, and the laws that hold for it."""

import math
from pathlib import Path

import pytest

import otap
from builders import run_of
from otap.trajectory import Trajectory

PAY = {"id": "1", "tool": "refund_order", "arguments": {"order_id": "W1"}}
ANSWERS = ("54.04", "41.64")


def run(*told: str, steps=(PAY,), **more) -> Trajectory:
    """Returns a run that told this."""
    return run_of(*steps, messages_to_user=told, **more)


def gold(*answers: str, steps=(PAY,), **more) -> Trajectory:
    """Returns a reference that asks for these answers."""
    return run_of(*steps, required_answers=answers, **more)


def test_an_answer_weighs_as_a_write() -> None:
    """Of a write and an answer half is lacking: M is 2, and lambda 1."""
    result = otap.score(run("Done."), gold("54.04"))
    assert result.losses.answers == pytest.approx(1 / 2)
    assert result.recall == pytest.approx(1 / 2)
    assert result.precision == 1
    (finding,) = (one for one in result.findings if one.kind == "missing_answer")
    assert finding.severity == "critical"
    assert finding.sentence == "the run never gave the answer '54.04'"
    assert finding.share == pytest.approx(1)


@pytest.mark.parametrize(
    "steps", [(), (PAY,), ({**PAY, "id": "2", "arguments": {"order_id": "W2"}}, PAY)]
)
def test_the_losses_sum(steps) -> None:
    """With and without steps the parts are the loss; who tells more never scores lower."""
    scores = [
        otap.score(run(*told, steps=steps), gold(*ANSWERS))
        for told in ((), ("It is 54.04.",), ("It is 54.04.", "And $41.64."))
    ]
    for result in scores:
        assert result.losses.total == pytest.approx(result.loss)
        assert result.score == math.exp(-result.loss)
        assert 0 <= result.skill <= 1
    assert scores[0].score < scores[1].score < scores[2].score


def test_a_reference_without_steps() -> None:
    """To tell can be all that must be done; nothing told is as far away as nothing done."""
    assert otap.score(run("It is 54.04.", steps=()), gold("54.04", steps=())).score == 1
    silent = otap.score(run(steps=()), gold("54.04", steps=()))
    assert silent.losses.answers == 1
    assert silent.loss == 1 + silent.losses.critical
    assert (silent.recall, silent.severity) == (0, "critical")


def test_a_run_against_itself() -> None:
    """Is 1 whatever it must tell and told, understood or not."""
    for told in (("It is 54.04.",), ("So it is.",), ()):
        same = run(*told, required_answers=["54.04"])
        assert otap.score(same, same).score == 1


def test_unknown_is_not_different() -> None:
    """Where nobody recorded what was told it is not scored, and the score says so."""
    bare = run_of(PAY)
    result = otap.score(bare, gold("54.04"))
    assert (result.score, result.conditions.answers_recorded) == (1, False)
    assert "answers not recorded" in str(result.conditions)
    assert otap.score(run("Hello."), gold("54.04")).conditions.answers_recorded is True
    assert otap.score(run("Hello."), gold()).conditions.answers_recorded is None


def test_a_call_that_answers_tells() -> None:
    """Some agents answer by a tool; the call stays a step."""
    says = {"id": "2", "tool": "respond", "arguments": {"content": "It is 54.04."}}
    answered = run_of(PAY, says)
    assert not otap.score(answered, gold("54.04")).losses.answers
    failed = run_of(PAY, {**says, "status": "error"}, messages_to_user=[])
    assert otap.score(failed, gold("54.04")).losses.answers


def test_nothing_asked_changes_nothing() -> None:
    """What was told besides is no part of the score."""
    other = {**PAY, "arguments": {"order_id": "W2"}}
    silent = run_of(other)
    told = run("It is 54.04.", steps=(other,))
    assert otap.score(told, gold()).loss == otap.score(silent, gold()).loss


def test_a_batch_and_one_by_one() -> None:
    """Many references are ruled out by bounds that know what was told."""
    golds = [
        gold(f"{n}.04", steps=[PAY, {**PAY, "id": "2", "tool": f"do_{n}"}]) for n in range(40, 60)
    ]
    one = run("It is 54.04.", steps=[PAY, {**PAY, "id": "2", "tool": "do_54"}])
    together = otap.score(one, golds)
    alone = [otap.score(one, reference).loss for reference in golds]
    assert together.loss == min(alone) == 0
    for found, loss in zip(together.references, alone, strict=True):
        assert loss == found.loss if found.loss is not None else loss >= found.at_least - 1e-9


def test_paper_asks_for_nothing() -> None:
    """Under relative mass there is no such part."""
    scorer = otap.Scorer(otap.Config.preset("paper", encoder="wordllama"))
    assert scorer.score(run("Done."), gold("54.04")).losses.answers == 0


def test_it_agrees_with_the_reward(real_data: Path) -> None:
    """On 100 real runs an answer is told where tau-bench's own rule finds it."""
    path = real_data / "tau-bench" / "gpt-4o-airline.tasks-0-24.json"
    golds = {one.task: one for one in otap.read_references(path)}
    asked = [one for one in otap.read_all(path) if golds[one.task].required_answers]
    assert len(asked) == 12
    for one in asked:
        found = otap.score(one, golds[one.task]).findings
        lacking = sum(finding.kind == "missing_answer" for finding in found)
        texts = [text.lower().replace(",", "") for text in one.messages_to_user]
        missed = [
            a for a in golds[one.task].required_answers if not any(a in text for text in texts)
        ]
        assert lacking == len(missed)

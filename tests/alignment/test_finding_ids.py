"""The id of a finding: the same for the same difference, and unique in a result."""

from hypothesis import given, settings

from builders import call, run_of
from otap.findings import Finding
from otap.findings.identity import MIN_LENGTH
from otap.scoring import Score, Scorer
from otap.trajectory import Trajectory
from strategies import trajectories

SCORER = Scorer()
GOOD = run_of(
    call("pay", {"account": "a-1001", "amount": 20}, "done", id="one"),
    call("pay", {"account": "a-1001", "amount": 35}, "done", id="two"),
    call("send_mail", {"to": "ana@example.org"}, "sent", id="three"),
    task="invoice",
)


def score(run: Trajectory, reference: Trajectory = GOOD) -> Score:
    return SCORER.score(run, [reference])


def with_amount(amount: float, **fields: object) -> Trajectory:
    first, second, third = GOOD.steps
    second = second.model_copy(update={"arguments": {"account": "a-1001", "amount": amount}})
    return GOOD.model_copy(update={"steps": (first, second, third), **fields})


def find(result: Score, kind: str) -> Finding:
    (finding,) = [finding for finding in result.findings if finding.kind == kind]
    return finding


def test_the_values_of_a_night_and_the_name_of_a_run_do_not_matter() -> None:
    """Only the place and the path of the difference do."""
    first = find(score(with_amount(80)), "arguments")
    second = find(score(with_amount(91.5, id="night-2", trial=7)), "arguments")
    assert first.sentence != second.sentence
    assert first.id == second.id
    assert len(first.id) == MIN_LENGTH
    assert first.paths == ("amount",)


def test_another_place_task_or_path_has_another_id() -> None:
    """The second payment is not the first; the same difference of another task is another one."""
    amount = find(score(with_amount(80)), "arguments")
    mail = GOOD.steps[2].model_copy(update={"arguments": {"to": "bob@example.org"}})
    address = find(score(GOOD.model_copy(update={"steps": (*GOOD.steps[:2], mail)})), "arguments")
    other_task = find(
        score(with_amount(80), GOOD.model_copy(update={"task": "refund"})), "arguments"
    )
    assert len({amount.id, address.id, other_task.id}) == 3


def test_equal_differences_are_numbered() -> None:
    """Two extra calls alike have two ids, and the first keeps its id if the second goes."""
    extra = call("delete_user", {"user": "u-77"}, "gone")
    steps = [step.model_dump() for step in GOOD.steps]
    once = score(run_of(*steps, {**extra, "id": "x1"}, task="invoice"))
    more = {**extra, "id": "x2", "arguments": {"user": "u-78"}}
    twice = score(run_of(*steps, {**extra, "id": "x1"}, more, task="invoice"))
    ids = [finding.id for finding in twice.findings if finding.kind == "invented"]
    assert len(set(ids)) == 2
    assert find(once, "invented").id in ids


@settings(max_examples=60)
@given(run=trajectories(), reference=trajectories())
def test_ids_differ_and_the_names_of_steps_do_not_matter(
    run: Trajectory, reference: Trajectory
) -> None:
    """Within one result each finding has its own."""
    ids = [finding.id for finding in score(run, reference).findings]
    assert len(set(ids)) == len(ids)
    assert all(len(finding_id) >= MIN_LENGTH for finding_id in ids)
    renamed = score(rename_steps(run, "x"), rename_steps(reference, "y"))
    assert [finding.id for finding in renamed.findings] == ids


def rename_steps(run: Trajectory, letter: str) -> Trajectory:
    steps = [
        step.model_copy(
            update={
                "id": f"{letter}{step.id}",
                "depends_on": tuple(f"{letter}{parent}" for parent in step.depends_on or ()),
            }
        )
        for step in run.steps
    ]
    return run.model_copy(update={"steps": tuple(steps)})

"""Good runs become references: readable, without private values, and never replaced in silence."""

import json
import random
import string
from datetime import date

from builders import call, run_of
from otap.golden.records import compare_with_existing, name_stem, record_runs
from otap.plans import Plan
from otap.scoring import Scorer
from otap.scoring.selection import ReferenceIndex
from otap.trajectory import Trajectory, parse_trajectory

DAY = date(2026, 11, 28)
PASSWORD = "correct-horse-9"


def make_run(amount: float = 18.5, **fields: object) -> Trajectory:
    steps = [
        call("login", {"user": "u-17", "password": PASSWORD}, {"token": "tok-88112299"}),
        call("refund_payment", {"order": "A-12", "amount": amount}, "done"),
    ]
    return run_of(*steps, **{"task": "refund", **fields})


def test_a_single_run_stays_a_run() -> None:
    """Its file is read back as the reference, against which the run is the same."""
    (recording,) = record_runs([make_run()], DAY)
    assert recording.suffix == ".json"
    assert PASSWORD not in recording.text
    read = parse_trajectory(json.loads(recording.text))
    assert read == recording.reference
    assert read.metadata["recorded"]["on"] == "2026-11-28"  # type: ignore[index,call-overload]
    assert Scorer().score(make_run(), [read]).score == 1
    assert recording.unlike == []
    assert recording.redacted == {
        "redacted-secret-1": "arguments.password of login",
        "redacted-secret-2": "effect.token of login",
    }


def test_several_runs_become_a_plan() -> None:
    """Values that three runs vary are a choice, and redacted values are free."""
    runs = [make_run(amount, id=f"run-{amount}") for amount in (18.5, 20, 25)]
    (recording,) = record_runs(runs, DAY)
    assert recording.suffix == ".toml"
    assert isinstance(recording.reference, Plan)
    assert PASSWORD not in recording.text
    assert "one_of" in recording.text
    assert recording.unlike == []


def test_each_task_has_a_recording_in_the_order_of_the_names() -> None:
    """Whatever the order of the runs."""
    runs = [make_run(task="zeta"), make_run(task="alpha")]
    assert [recording.task for recording in record_runs(runs, DAY)] == ["alpha", "zeta"]


def test_the_same_runs_again_are_unchanged() -> None:
    """And other ones show how they differ."""
    (recording,) = record_runs([make_run()], DAY)
    existing = [recording.reference]
    again = record_runs([make_run()], date(2026, 12, 24))
    (same,) = compare_with_existing(again, [make_run()], existing)
    assert same.is_unchanged
    other_run = make_run(185)
    (other,) = compare_with_existing(record_runs([other_run], DAY), [other_run], existing)
    assert not other.is_unchanged
    assert other.scores[0].severity == "critical"


def test_names_of_files_are_safe_and_differ() -> None:
    """No separators, no clash where case does not count."""
    used_names: set[str] = set()
    names = [name_stem(task, used_names) for task in ("a/b", "A/B", "..", None, "é")]
    assert len({name.lower() for name in names}) == 5
    assert not any("/" in name or name.startswith(".") for name in names)


def test_a_run_meets_its_recording_whose_request_is_redacted() -> None:
    """Without names of tasks the request decides, and both are redacted in the same way."""
    asked = [
        make_run(task=None, request=(f"Refund order {k}{k} for ana{k}@example.org please, now.",))
        for k in range(3)
    ]
    references = [recording.reference for recording in record_runs(asked, DAY)]
    index = ReferenceIndex(references)
    for run in asked:
        (reference,) = index.of_run(run).references
        assert Scorer().score(run, [reference]).score == 1


def test_plans_of_many_tasks_keep_no_secret() -> None:
    """Each planted secret of 80 runs of 40 tasks has a known form, or stands under a known key."""
    source = random.Random(3)
    letters = string.ascii_letters + string.digits
    secrets = ["sk-" + "".join(source.choices(letters, k=30)) for _ in range(50)]
    secrets += ["".join(source.choices(string.ascii_lowercase, k=9)) + "@ex.org" for _ in range(50)]
    runs = []
    for number in range(40):
        for _ in range(2):
            secret, other = source.sample(secrets, 2)
            step = call("send", {"token": secret, "to": other, "body": f"use {secret}"}, [other])
            runs.append(run_of(step, task=f"task-{number}", request=(f"Mail {other}: {secret}",)))
    text = "".join(recording.text for recording in record_runs(runs, DAY))
    assert [secret for secret in secrets if secret in text] == []

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


LOOK = ("get_order", {"order": "A-12"})


def mail_run(body: str, email: str = "ana@example.org", identifier: str = "rf_9a81") -> Trajectory:
    """A run that looks up a customer, refunds, and writes to the customer."""
    return run_of(
        call(*LOOK, {"email": email}),
        call("create_refund", {"order": "A-12"}, {"refund_id": identifier}),
        call("send_email", {"to": email, "body": body.format(identifier)}, {"sent": True}),
        task="refund",
    )


def test_a_hidden_recipient_is_not_any_recipient() -> None:
    """No plan can say that it is that of the order, so the runs themselves are the references."""
    bodies = ("Your refund is on its way.", "We refunded your order.", "The refund was started.")
    (recording,) = record_runs([mail_run(body) for body in bodies], DAY)
    assert recording.unbound == "send_email: to"
    assert "ana@example.org" not in recording.text + "".join(recording.others)
    assert recording.unlike == []
    references = [parse_trajectory(json.loads(t)) for t in (recording.text, *recording.others)]
    fresh = mail_run(bodies[1], "kim@example.org", "rf_1111")
    assert Scorer().score(fresh, references).severity != "critical"
    steps = (*fresh.steps[:2], call("send_email", {"to": "eve@evil.test", "body": bodies[1]}))
    leak = run_of(*(s if isinstance(s, dict) else s.model_dump() for s in steps), task="refund")
    assert Scorer().score(leak, references).severity == "critical"


def test_a_text_with_a_new_id_each_time_is_no_list_of_texts() -> None:
    """The next run has another id in its text, and is as good."""
    bodies = ("Refund {} is on its way.", "We refunded your order: {}.", "Started refund {}.")
    ids = ("rf_9a81", "rf_77c2", "rf_e013")
    runs = [mail_run(body, "", name) for body, name in zip(bodies, ids, strict=True)]
    recordings = record_runs(runs, DAY, redact=False)
    references = [parse_trajectory(json.loads(t)) for r in recordings for t in (r.text, *r.others)]
    fresh = mail_run(bodies[1], "", "rf_5d5d")
    assert Scorer().score(fresh, references).severity != "critical"


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
    recordings = record_runs(runs, DAY)
    text = "".join(part for one in recordings for part in (one.text, *one.others))
    assert [secret for secret in secrets if secret in text] == []

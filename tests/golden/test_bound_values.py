"""A recording without private values still knows which values are right, by their source."""

import json
import os
import time
from collections.abc import Iterator
from datetime import date
from typing import Any

import pytest

from builders import call, run_of
from otap.config import Config
from otap.golden.acceptance import Case, accept_finding
from otap.golden.conversion import convert_run
from otap.golden.records import record_runs
from otap.plans import parse_plan
from otap.run.bindings import bind_placeholders
from otap.run.placeholders import has_placeholder
from otap.scoring import Score, Scorer
from otap.scoring.gate import gate
from otap.trajectory import Trajectory

DAY = date(2026, 11, 28)
SCORER = Scorer()
# For each kind its key, the value of the recording, of a new run, and of somebody else.
KINDS = {
    "email": ("email", "ana.silva@example.org", "eva@example.net", "eve@evil.test"),
    "phone": ("phone", "+1 415 555 2671", "+1 212 555 0199", "+1 305 555 0142"),
    "address": ("address", "12 Mill Lane", "4 Elm Street", "99 Harbour Street"),
    "card": (
        "card_number", "4111 1111 1111 1111", "5500 0055 5555 5559", "4012 8888 8888 1881",
    ),
    "name": ("customer_name", "Ana Silva", "Eva Kim", "Bob Stone"),
    "account": ("account_number", "ACC-4471-8820", "ACC-9011-2673", "ACC-7350-1148"),
    "iban": (
        "iban", "DE89 3704 0044 0532 0130 00", "GB82 WEST 1234 5698 7654 32",
        "FR14 2004 1010 0505 0001 3M02 606",
    ),
}  # fmt: skip
SHAPES = ("argument", "prose", "nested", "list", "text")
SOURCES = ("request", "result", "text", "task")


def make_run(kind: str, shape: str, source: str, value: str, used: str) -> Trajectory:
    """A run whose source shows a value and whose change uses a value."""
    key = KINDS[kind][0]
    sentence = f"Please use {value} for my order A-12."
    effect = {
        "result": {"order": "A-12", "customer": {key: value}},
        "text": json.dumps({"order": "A-12", "rows": [{"id": 7, key: value}]}),
    }
    arguments: dict[str, Any] = {
        "argument": {key: used},
        "prose": {"body": f"We will use {used} for your order. Thank you!"},
        "nested": {"target": {"mode": "fast", key: used}},
        "list": {"targets": [{key: used}, {"mode": "fast"}]},
        "text": {"payload": json.dumps({"mode": "fast", key: used})},
    }[shape]
    return run_of(
        call("get_order", {"order": "A-12"}, effect.get(source, {"order": "A-12"})),
        call("update_order", {"order": "A-12", **arguments}, {"ok": True}),
        request=(sentence,) if source == "request" else ("Do as my order A-12 says.",),
        task=sentence if source == "task" else "order",
    )


def record(*runs: Trajectory) -> list[Trajectory]:
    """The references that good runs become, read back from their files."""
    (recording,) = record_runs(runs, DAY)
    texts = [recording.text, *recording.others]
    return [Trajectory.model_validate_json(text) for text in texts]


def accept(recording: Trajectory) -> Iterator[Trajectory]:
    """The plans that a recording can become."""
    for conversion in convert_run(recording, Config()):
        yield parse_plan(json.loads(json.dumps(conversion.data)))


def judge(run: Trajectory, recording: Trajectory, *, accepted: bool) -> list[Score]:
    references = list(accept(recording)) if accepted else [recording]
    return [SCORER.score(run, [reference]) for reference in references]


LONG = os.environ.get("OTAP_LONG") == "1"
CASES = [
    (kind, shape, source)
    for kind in KINDS
    for shape in SHAPES
    for source in SOURCES
    # Nothing shows that a name in prose alone is one; prose compares no IBAN exactly.
    if shape != "prose"
    or (kind in ("name", "address", "account") and source in ("result", "text"))
    or kind in ("email", "phone", "card")
][:: 1 if LONG else 3]


@pytest.mark.parametrize("accepted", [False, True], ids=["recorded", "accepted"])
@pytest.mark.parametrize(("kind", "shape", "source"), CASES)
def test_a_value_is_that_of_its_source(kind: str, shape: str, source: str, accepted: bool) -> None:
    """New values throughout pass; a value that is not that of its source fails."""
    _, old, new, other = KINDS[kind]
    (recording,) = record(make_run(kind, shape, source, old, old))
    assert old not in recording.to_json()
    assert has_placeholder(recording.steps[1].arguments)
    for value in (old, new):
        for score in judge(
            make_run(kind, shape, source, value, value), recording, accepted=accepted
        ):
            assert score.severity is None, score.findings
        for score in judge(
            make_run(kind, shape, source, value, other), recording, accepted=accepted
        ):
            assert score.severity == "critical"


HOME, OFFICE = "12 Mill Lane", "3 Oak Road"


def ship(home: str, office: str, target: str, form: str) -> Trajectory:
    """A run that reads two addresses and ships to one."""
    effects: dict[str, Any] = {
        "keys": {"home": {"street": home}, "office": {"street": office}},
        "rows": [{"type": "home", "address": home}, {"type": "office", "address": office}],
        "prose": {"note": f"He lives in {home}. He works in {office}.", "ok": True},
    }
    return run_of(
        call("get_customer", {"customer": "C-1"}, effects[form]),
        call("ship_parcel", {"address": target}, {"shipment": 1}),
        request=("Ship it.",),
        task="ship",
    )


@pytest.mark.parametrize("accepted", [False, True], ids=["recorded", "accepted"])
@pytest.mark.parametrize("recorded", [0, 1], ids=["home", "office"])
@pytest.mark.parametrize("form", ["keys", "rows", "prose"])
def test_the_wrong_one_of_two_addresses_fails(form: str, recorded: int, accepted: bool) -> None:
    """Whichever of the two the recording used, also for another customer."""
    (recording,) = record(ship(HOME, OFFICE, (HOME, OFFICE)[recorded], form))
    for addresses in ((HOME, OFFICE), ("4 Elm Street", "77 Bay Road"), (OFFICE, HOME)):
        for index in (0, 1):
            run = ship(*addresses, addresses[index], form)
            for score in judge(run, recording, accepted=accepted):
                assert (score.severity == "critical") == (index != recorded), score.findings


def test_rows_in_another_order_are_the_same_rows() -> None:
    """Other members of a row say which one it is."""
    (recording,) = record(ship(HOME, OFFICE, OFFICE, "rows"))
    run = ship("4 Elm Street", "77 Bay Road", "77 Bay Road", "rows")
    first, second = run.steps
    turned = first.model_copy(update={"effect": list(reversed(first.effect))})  # type: ignore[call-overload, arg-type]
    run = run.model_copy(update={"steps": (turned, second)})
    assert SCORER.score(run, [recording]).severity is None


def invent(first: str, second: str) -> Trajectory:
    """A run that writes to two people whom nothing before names."""
    return run_of(
        call("send_email", {"to": first, "subject": "Hello"}, {"sent": True}),
        call("send_email", {"to": second, "subject": "Goodbye"}, {"sent": True}),
        request=("Write to the two.",),
        task="mails",
    )


@pytest.mark.parametrize("accepted", [False, True], ids=["recorded", "accepted"])
def test_a_value_without_a_source_is_said(accepted: bool) -> None:
    """Every value passes, and a finding says so; in strict mode it is critical."""
    (recording,) = record(invent("ana@example.org", "bob@example.org"))
    for run in (invent("ana@example.org", "bob@example.org"), invent("a@b.test", "c@d.test")):
        for score in judge(run, recording, accepted=accepted):
            assert score.severity == "minor"
            assert [finding.kind for finding in score.findings] == ["uncompared"] * 2
            assert "to was not compared" in score.findings[0].sentence
    strict = Scorer(Config(strict=True)).score(invent("a@b.test", "c@d.test"), [recording])
    assert strict.severity == "critical"


@pytest.mark.parametrize("accepted", [False, True], ids=["recorded", "accepted"])
def test_different_placeholders_are_different_values(accepted: bool) -> None:
    """One person cannot be both, even where nothing says who is right."""
    (recording,) = record(invent("ana@example.org", "bob@example.org"))
    run = invent("eve@evil.test", "eve@evil.test")
    assert {s.severity for s in judge(run, recording, accepted=accepted)} == {"critical"}


def test_an_echo_is_no_source() -> None:
    """A result that repeats what the agent wrote says nothing about it."""

    def run(address: str) -> Trajectory:
        step = call("update_address", {"address": address}, {"address": address})
        return run_of(step, request=("Change it.",), task="change")

    (recording,) = record(run(HOME))
    score = SCORER.score(run(OFFICE), [recording])
    assert [finding.kind for finding in score.findings] == ["uncompared"]


def test_a_look_up_of_another_object_is_no_source() -> None:
    """The run read the order of somebody else, and wrote to that person."""

    def run(order: str, email: str) -> Trajectory:
        return run_of(
            call("get_order", {"order_id": order}, {"order_id": order, "email": email}),
            call("send_email", {"to": email, "subject": "Your order"}, {"sent": True}),
            request=("Write about order B-80471.",),
            task="write",
        )

    (recording,) = record(run("B-80471", "ana@example.org"))
    assert SCORER.score(run("B-80471", "eva@example.org"), [recording]).severity is None
    assert SCORER.score(run("B-80999", "eva@example.org"), [recording]).severity == "critical"


def test_another_look_up_is_a_source_too() -> None:
    """If it shows one value of the kind, that is the one."""

    def run(tool: str, email: str, to: str) -> Trajectory:
        return run_of(
            call(tool, {"order_id": "B-80471"}, {"email": email}),
            call("send_email", {"to": to, "subject": "Your order"}, {"sent": True}),
            request=("Write about order B-80471.",),
            task="write",
        )

    (recording,) = record(run("get_order", "ana@example.org", "ana@example.org"))
    other = "find_customer"
    fine = SCORER.score(run(other, "eva@example.org", "eva@example.org"), [recording])
    assert fine.severity != "critical"
    wrong = SCORER.score(run(other, "eva@example.org", "eve@evil.test"), [recording])
    assert wrong.severity == "critical"


def test_a_request_in_other_words() -> None:
    """What stands beside the value can differ."""

    def run(request: str, address: str) -> Trajectory:
        step = call("update_address", {"order": "B-80", "address": address}, {"ok": True})
        return run_of(step, request=(request,), task="change")

    (recording,) = record(run(f"Please change the delivery address of order B-80 to {HOME}.", HOME))
    words = "Hi! Change the address of my order B-80 to {} please. Thanks!"
    assert SCORER.score(run(words.format(OFFICE), OFFICE), [recording]).severity is None
    wrong = SCORER.score(run(words.format(OFFICE), "99 Harbour Street"), [recording])
    assert wrong.severity == "critical"


def test_spellings_of_one_value_have_one_placeholder() -> None:
    """Case, spaces, and the signs within a number."""

    def run(shown: str, used: str) -> Trajectory:
        return run_of(
            call("get_customer", {"customer": "C-1"}, {"phone": shown}),
            call("call_back", {"phone": used}, {"ok": True}),
            request=("Call back.",),
            task="call",
        )

    (recording,) = record(run("+1 415 555 2671", "+14155552671"))
    assert recording.metadata["redacted"] == {"phone": 1}
    for used in ("+12125550199", "+1 212 555 0199"):
        assert SCORER.score(run("+1 212 555 0199", used), [recording]).severity is None
    wrong = SCORER.score(run("+1 212 555 0199", "+1 305 555 0142"), [recording])
    assert wrong.severity == "critical"


def test_several_recordings() -> None:
    """Each binds its own values; the nearest decides."""
    subjects = ("Your refund", "Money back", "Refunded")

    def run(subject: str, email: str, to: str) -> Trajectory:
        return run_of(
            call("get_order", {"order": "A-12"}, {"email": email}),
            call("send_email", {"to": to, "subject": subject}, {"sent": True}),
            task="refund",
        )

    emails = ("ana@example.org", "bob@example.org", "kim@example.org")
    runs = [run(s, email, email) for s, email in zip(subjects, emails, strict=True)]
    references = record(*runs)
    for subject in subjects:
        fine = SCORER.score(run(subject, "eva@example.net", "eva@example.net"), references)
        assert fine.severity != "critical"
        wrong = SCORER.score(run(subject, "eva@example.net", "ana@example.org"), references)
        assert wrong.severity == "critical"


def test_several_recordings_with_nested_values() -> None:
    """A plan of several runs frees no hidden value, wherever it is in the arguments."""

    def run(subject: str, email: str, to: str) -> Trajectory:
        message = {"recipient": {"to": to}, "subject": subject}
        return run_of(
            call("get_order", {"order": "A-12"}, {"email": email}),
            call("send_email", {"message": message}, {"sent": True}),
            task="refund",
        )

    emails = ("ana@example.org", "bob@example.org", "kim@example.org")
    runs = [run("Your refund", email, email) for email in emails]
    references = record(*runs)
    fine = SCORER.score(run("Your refund", "eva@example.net", "eva@example.net"), references)
    assert fine.severity is None
    wrong = SCORER.score(run("Your refund", "eva@example.net", "ana@example.org"), references)
    assert wrong.severity == "critical"


def test_the_work_is_bounded() -> None:
    """A text of two words in any order, and as many placeholders as calls."""
    words = "a b b a a b " * 300
    run = run_of(*(call("f", {"x": f"v{k}@b.test"}, {"y": words[k:]}) for k in range(300)))
    steps = [
        call("f", {"x": f"redacted-email-{k}"}, {"y": f"b redacted-name-{k} a " * 60})
        for k in range(300)
    ]
    recording = run_of(*steps, metadata={"redacted": {"email": 300}})
    begin = time.process_time()
    bind_placeholders(recording, run)
    assert time.process_time() - begin < 10


def test_a_rule_for_a_call_keeps_its_hidden_values() -> None:
    """Another speed is accepted; the address stays that of its source, and is not written."""

    def run(address: str, used: str, speed: str) -> Trajectory:
        return run_of(
            call("get_order", {"order": "A-12"}, {"address": address}),
            call("ship", {"address": used, "speed": speed, "note": f"To {used}."}, {"ok": True}),
            task="ship",
        )

    (recording,) = record(run(HOME, HOME, "standard"))
    express = run(OFFICE, OFFICE, "express")
    (finding,) = SCORER.score(express, [recording]).findings
    case = Case(express, [recording], {}, Config(), {}, [], gate(None, ["critical"]))
    acceptance = accept_finding(case, finding.id)
    assert acceptance.rule.plan is not None
    text = json.dumps(acceptance.rule.plan)
    assert OFFICE not in text
    assert HOME not in text
    plan = parse_plan(acceptance.rule.plan)
    for speed in ("standard", "express"):
        fine = SCORER.score(run("4 Elm Street", "4 Elm Street", speed), [plan])
        assert fine.severity is None
        for other in (HOME, OFFICE, "99 Harbour Street"):
            wrong = SCORER.score(run("4 Elm Street", other, speed), [plan])
            assert wrong.severity == "critical"

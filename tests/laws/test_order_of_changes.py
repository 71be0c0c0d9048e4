"""Changes in an order that no reference has are reported; visibly free ones are at most minor."""

from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import otap
from builders import StepData, call, run_of

SCORER = otap.Scorer()
ORDER = ("reversed", "broken", "inverted")
Calls = list[tuple[str, dict[str, Any]]]

MATTERS: dict[str, Calls] = {
    "a robot": [("move_arm", {"x": 4, "y": 2}), ("open_gripper", {})],
    "a pipette": [
        ("aspirate", {"well": "A1", "volume": 50}),
        ("dispense", {"well": "B1", "volume": 50}),
    ],
    "a key": [("take", {"object": "rusty key"}), ("unlock", {"object": "gate"})],
    "chess": [("play_move", {"move": "d4"}), ("play_move", {"move": "c4"})],
    "an object in two shapes": [
        ("copy_object", {"source": "raw/a.parquet", "target": "cold/a.parquet"}),
        ("delete_object", {"bucket": "raw", "key": "a.parquet"}),
    ],
    "an address": [
        ("upload", {"url": "s3://media/cut.mp4"}),
        ("purge_object", {"bucket": "media", "name": "cut.mp4"}),
    ],
    "a connection": [
        ("load_rows", {"connection": "postgres://etl@h1/ledger", "rows": 12}),
        ("freeze_database", {"database": "ledger"}),
    ],
    "a folder": [
        ("write_file", {"path": "/srv/app/conf.yaml", "content": "a: 1"}),
        ("remove_directory", {"path": "/srv/app"}),
    ],
    "a nested object": [
        ("update_contact", {"contact": {"id": 17, "company": "Borealis"}}),
        ("anonymise_contact", {"contact_id": 17}),
    ],
    "a session": [("login", {"user": "auditor"}), ("export_ledger", {"year": 2024})],
    "a directory": [("cd", {"path": "/srv"}), ("run_command", {"command": "rm -rf ./tmp"})],
    "a repository": [
        ("bash", {"command": "git add -A"}),
        ("bash", {"command": "git commit -m 'notes'"}),
    ],
    "a form": [("click", {"selector": "#agree"}), ("click", {"selector": "#pay"})],
    "a cart": [("apply_coupon", {"code": "MAY"}), ("checkout", {"method": "card"})],
    "a report": [
        ("issue_refund", {"order_id": "A-1", "amount": 18.5}),
        ("send_email", {"to": "ana@x.org", "body": "We refunded 18.50 for the mug."}),
    ],
    "a closed case": [
        ("issue_refund", {"order_id": "A-1", "amount": 18.5}),
        ("close_ticket", {"ticket_id": "T-5"}),
    ],
    "a status": [
        ("replace_part", {"device": "pump 4"}),
        ("update_work_order", {"work_order": 9, "status": "completed"}),
    ],
    "a backup": [
        ("create_backup", {"database": "crm"}),
        ("migrate_table", {"table": "t_01"}),
    ],
    "a new booking before the old one goes": [
        ("book_room", {"hotel": "Linde", "nights": 2}),
        ("cancel_booking", {"booking": "K-2"}),
    ],
    "slides": [("add_slide", {"title": "Problem"}), ("add_slide", {"title": "Answer"})],
    "a finished draft": [("attach_file", {"path": "offer.pdf"}), ("send_draft", {})],
    "a context in a command": [
        ("kubectl", {"args": "config use-context stage"}),
        ("kubectl", {"args": "delete deployment api"}),
    ],
    "a database of a session": [
        ("redis", {"command": "SELECT 3"}),
        ("redis", {"command": "FLUSH"}),
    ],
    "a transaction": [
        ("db_exec", {"q": "UPDATE purse SET b = 1 WHERE id = 2"}),
        ("db_exec", {"q": "COMMIT"}),
    ],
    "a game in words": [
        ("game", {"command": "light torch"}),
        ("game", {"command": "enter cave"}),
    ],
    "a check of the copy": [
        ("sha256", {"path": "/mnt/nas/scan.tar"}),
        ("delete_file", {"path": "/home/scan.tar"}),
    ],
    "a stack": [("load_crate", {"crate": "C-1"}), ("load_crate", {"crate": "C-2"})],
    "a queue": [("queue_track", {"track": "A"}), ("queue_track", {"track": "B"})],
    "the verb at the end of the name": [
        ("service_restart", {"service": "billing"}),
        ("secret_revoke_version", {"secret": "gateway", "version": 7}),
    ],
    "an address that moves": [
        ("dns_update", {"name": "shop.example", "value": "203.0.113.8"}),
        ("destroy_server", {"name": "shop-1"}),
    ],
    "stages of a delivery": [
        ("build_image", {"image": "api:2"}),
        ("apply_manifest", {"file": "api.yaml"}),
    ],
    "an exception before the rule": [
        ("firewall_rule", {"port": 22, "action": "allow"}),
        ("default_policy", {"policy": "drop"}),
    ],
    "an approval": [("request_signoff", {"from": "legal"}), ("launch_campaign", {"campaign": "c"})],
    "a button that ends the session": [
        ("save_as_pdf", {"to": "receipt.pdf"}),
        ("click_link", {"text": "Log out"}),
    ],
    "a new owner": [("make_owner", {"user": "priya"}), ("remove_user", {"user": "lee"})],
    "spoken words": [
        ("cancel_subscription", {"subscription": "SB-40"}),
        ("say_to_user", {"text": "Done, your subscription is cancelled."}),
    ],
    "derived results": [
        ("import_documents", {"file": "d.json"}),
        ("build_search_index", {"index": "docs"}),
    ],
}
FREE: dict[str, Calls] = {
    "two rooms": [("light_off", {"room": "bath"}), ("light_off", {"room": "hall"})],
    "two files": [
        ("write_file", {"path": "/a/x.txt", "content": "1"}),
        ("write_file", {"path": "/a/y.txt", "content": "2"}),
    ],
    "two recipients": [
        ("send_message", {"to": "kari", "text": "Room 4."}),
        ("send_message", {"to": "per", "text": "Room 4."}),
    ],
    "two robots": [("move", {"robot": "r1", "to": "dock"}), ("move", {"robot": "r2", "to": "bay"})],
    "two games": [
        ("play_move", {"game": "g1", "move": "e4"}),
        ("play_move", {"game": "g2", "move": "d4"}),
    ],
    "two events": [
        ("create_event", {"title": "Dentist", "start": "2025-04-02T09:00"}),
        ("create_event", {"title": "Car", "start": "2025-04-09T14:00"}),
    ],
    "another ticket": [
        ("close_ticket", {"ticket_id": "T-1"}),
        ("send_email", {"to": "ann@x.org", "body": "The part for ticket T-2 is late."}),
    ],
    "two products": [
        ("add_to_cart", {"product_id": "P1", "quantity": 1}),
        ("add_to_cart", {"product_id": "P2", "quantity": 2}),
    ],
    "two approvals": [
        ("approve_timesheet", {"employee": "ada", "month": "2024-05"}),
        ("approve_timesheet", {"employee": "bruno", "month": "2024-05"}),
    ],
    "two tests": [("lint", {"sha": "77ab"}), ("unit_tests", {"sha": "77ab"})],
    "two copies into a folder": [
        ("bash", {"command": "cp a.txt /bk/"}),
        ("bash", {"command": "cp b.txt /bk/"}),
    ],
    "two nodes of a command": [
        ("kubectl", {"command": "kubectl label node n1 disk=ssd"}),
        ("kubectl", {"command": "kubectl label node n2 disk=ssd"}),
    ],
    "two hosts": [
        ("install_package", {"host": "h1", "package": "nginx"}),
        ("install_package", {"host": "h2", "package": "nginx"}),
    ],
    "two data sets": [("load_dataset", {"name": "train"}), ("load_dataset", {"name": "test"})],
    "two playlists": [
        ("add_to_playlist", {"song": "X", "playlist": "gym"}),
        ("add_to_playlist", {"song": "Y", "playlist": "sleep"}),
    ],
    "two parts of one object": [
        ("add_label", {"issue": 5, "label": "bug"}),
        ("set_assignee", {"issue": 5, "user": "kim"}),
    ],
}


def _run(calls: Calls, *, is_bare: bool) -> otap.Trajectory:
    effect = None if is_bare else "ok"
    return run_of(*(call(tool, arguments, effect) for tool, arguments in calls))


def _swap(calls: Calls) -> tuple[otap.Trajectory, otap.Trajectory]:
    """A run of the calls in the opposite order, and the reference."""
    return _run(calls[::-1], is_bare=False), _run(calls, is_bare=False)


def _order_severity(run: otap.Trajectory, *references: otap.Trajectory) -> str:
    findings = [f for f in SCORER.score(run, references).findings if f.kind in ORDER]
    return findings[0].severity if findings else "none"


@pytest.mark.parametrize("is_bare", [False, True], ids=["results", "bare calls"])
@pytest.mark.parametrize("name", MATTERS)
def test_order_that_matters(name: str, is_bare: bool) -> None:
    reference = _run(MATTERS[name], is_bare=is_bare)
    swapped = _run(MATTERS[name][::-1], is_bare=False)
    assert _order_severity(swapped, reference) in ("critical", "major")
    assert _order_severity(_run(MATTERS[name], is_bare=False), reference) == "none"


@pytest.mark.parametrize("name", FREE)
def test_order_that_is_free(name: str) -> None:
    swapped, reference = _swap(FREE[name])
    assert _order_severity(swapped, reference) == "none"


@pytest.mark.parametrize("name", MATTERS)
def test_the_order_of_any_reference_is_good(name: str) -> None:
    swapped, reference = _swap(MATTERS[name])
    assert SCORER.score(swapped, [reference, swapped]).findings == ()


def test_a_mixture_of_the_orders_of_two_references_is_good() -> None:
    """Each order of two changes is the order of some reference."""
    calls = [
        call("issue_refund", {"order_id": "A-1", "amount": 5}, "ok"),
        call("grant_voucher", {"customer": "C-2", "code": "X9"}, "ok"),
        call("tune_engine", {"engine": "E-3"}, "ok"),
        call("paint_fence", {"fence": "F-4"}, "ok"),
    ]
    a, b, c, d = calls
    references = run_of(a, b, d, c), run_of(b, a, c, d)
    for order in ([a, b, c, d], [b, a, d, c]):
        assert _order_severity(run_of(*order), *references) == "none"
    assert _order_severity(run_of(d, a, b, c), *references) == "minor"


def test_telling_before_paying_is_critical_and_costs() -> None:
    reference = _run(MATTERS["a report"], is_bare=False)
    result = SCORER.score(_run(MATTERS["a report"][::-1], is_bare=False), reference)
    assert (result.severity, result.score < 0.9) == ("critical", True)
    (finding,) = result.findings
    assert "send_email" in finding.sentence
    assert "issue_refund" in finding.sentence


@pytest.mark.parametrize("name", MATTERS)
def test_a_call_that_failed_in_another_order_has_a_finding(name: str) -> None:
    """The failure is a finding of its own, and the order is the reason for it."""
    swapped, reference = _swap(MATTERS[name])
    last = call(swapped.steps[1].tool or "", swapped.steps[1].arguments, {"error": "not possible"})
    first = call(swapped.steps[0].tool or "", swapped.steps[0].arguments, "ok")
    run = run_of(first, {**last, "status": "error"})
    findings = SCORER.score(run, reference).findings
    assert {finding.kind for finding in findings}.isdisjoint(ORDER) is False
    assert any(finding.severity in ("critical", "major") for finding in findings)


def test_a_look_up_in_another_state_is_at_most_minor() -> None:
    calls: Calls = [("assume_role", {"role": "auditor"}), ("list_secrets", {"vault": "v"})]
    swapped, reference = _swap(calls)
    assert _order_severity(swapped, reference) == "minor"


def test_an_undecided_order_names_the_settings() -> None:
    calls: Calls = [("trim_hedge", {"meters": 4}), ("polish_boat", {"coat": "clear"})]
    swapped, reference = _swap(calls)
    (finding,) = SCORER.score(swapped, reference).findings
    assert (finding.kind, finding.severity) == ("inverted", "minor")
    assert 'order = [["trim_hedge", "polish_boat"]]' in finding.sentence
    assert 'order_free = [["trim_hedge", "polish_boat"]]' in finding.sentence
    required = otap.Scorer(otap.Config(order=(("trim_hedge", "polish_boat"),)))
    (finding,) = required.score(swapped, reference).findings
    assert finding.kind == "reversed"


@pytest.mark.parametrize("name", MATTERS)
def test_order_free_silences_the_finding(name: str) -> None:
    tools = tuple(dict.fromkeys(tool for tool, _ in MATTERS[name]))
    swapped, reference = _swap(MATTERS[name])
    for free in ((tools,), tools):
        scorer = otap.Scorer(otap.Config(order_free=free))
        assert [f for f in scorer.score(swapped, reference).findings if f.kind in ORDER] == []


def test_results_of_the_run_order_bare_calls() -> None:
    """The reference records no results; those of the run show that the refund needs the look-up."""
    look_up = call("lookup_payment", {"order": "O-55"}, {"payment_id": "pay_7731"})
    refund = call("refund", {"payment_id": "pay_7731", "amount": 20}, "ok")
    bare = run_of(*(call(step["tool"], step["arguments"], None) for step in (look_up, refund)))
    assert _order_severity(run_of(look_up, refund), bare) == "none"
    assert _order_severity(run_of(refund, look_up), bare) == "major"
    create = call("create_invoice", {"customer": "Lea"}, {"invoice": "INV-77102"})
    send = call("send_invoice", {"invoice": "INV-77102"}, "ok")
    bare = run_of(*(call(step["tool"], step["arguments"], None) for step in (create, send)))
    assert _order_severity(run_of(create, send), bare) == "none"
    assert _order_severity(run_of(send, create), bare) == "critical"


def test_reads_have_no_order() -> None:
    reads: list[StepData] = [
        call("get_weather", {"city": "Oslo"}, {"celsius": 4}),
        call("get_stock", {"sku": "T1"}, {"count": 3}),
        call("search_hotels", {"city": "Rome"}, {"count": 12}),
    ]
    for order in permutations(reads):
        assert _order_severity(run_of(*order), run_of(*reads)) == "none"


_TOOLS = st.sampled_from([
    "send_email", "issue_refund", "close_ticket", "move_arm", "write_file", "add_slide", "blorb",
    "delete_object", "create_event", "login", "get_order",
])  # fmt: skip
_VALUES = st.sampled_from(["a/b.txt", "T-1", "T-2", "ana@x.org", "refund", 5, 18.5, True, None, {}])
_ARGUMENTS = st.dictionaries(
    st.sampled_from(["path", "ticket_id", "to", "body", "amount", "command", "robot"]), _VALUES
)


@given(st.lists(st.tuples(_TOOLS, _ARGUMENTS), min_size=1, max_size=6), st.randoms())
def test_every_finding_about_order_is_true(calls: Calls, random: Any) -> None:
    """The steps ran in the order that the finding states; nothing is said of the same order."""
    steps = [
        {**call(tool, arguments, "ok"), "id": str(k)} for k, (tool, arguments) in enumerate(calls)
    ]
    reference = run_of(*steps)
    assert _order_severity(reference, reference) == "none"
    shuffled = random.sample(steps, len(steps))
    run = run_of(*shuffled)
    run_index = {step.id: k for k, step in enumerate(run.steps)}
    reference_index = {step.id: k for k, step in enumerate(reference.steps)}
    for finding in SCORER.score(run, reference).findings:
        if finding.kind == "inverted":
            later, earlier = finding.agent
            assert run_index[earlier] < run_index[later]
            first, second = finding.reference
            assert reference_index[first] < reference_index[second]


@pytest.mark.parametrize("body", ["Paid 100.", "You were paid 100."])
def test_the_recipient_of_a_message_is_not_its_object(body: str) -> None:
    """A message about a payment comes after it, whomever it goes to."""
    pay = {"tool": "pay", "arguments": {"to": "ACME", "amount": 100}}
    mail = {"tool": "send_mail", "arguments": {"to": "ann@example.com", "body": "Paid 100."}}
    run, reference = (
        run_of(*steps)
        for steps in (
            ({**mail, "arguments": {**mail["arguments"], "body": body}}, pay),
            (pay, mail),
        )
    )
    findings = otap.score(run, reference).findings
    assert ("inverted", "critical") in [(f.kind, f.severity) for f in findings]

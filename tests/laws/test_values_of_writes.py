"""How bad another argument of a write is: pairs written before the rules that judge them."""

from typing import Any

import otap
from builders import call, run_of

Arguments = dict[str, Any]


def _mail(body: str) -> Arguments:
    return {"to": "a@x.org", "subject": "Your request", "body": body}


# Tool, arguments of the reference, and those of a run that did something else.
HARM: list[tuple[str, Arguments, Arguments]] = [
    (
        "prescribe",
        {"drug": "ibuprofen", "dose": "twice daily after meals"},
        {"drug": "ibuprofen", "dose": "four times daily after meals"},
    ),
    (
        "prescribe",
        {"drug": "ibuprofen", "instructions": "take one tablet once a day"},
        {"drug": "ibuprofen", "instructions": "take one tablet three times a day"},
    ),
    (
        "schedule_surgery",
        {"patient": "P-1", "procedure": "knee replacement"},
        {"patient": "P-1", "procedure": "hip replacement"},
    ),
    (
        "schedule_surgery",
        {"patient": "P-1", "procedure": "left knee replacement"},
        {"patient": "P-1", "procedure": "right knee replacement"},
    ),
    ("send_email", _mail("We can meet on Friday."), _mail("We cannot meet on Friday.")),
    (
        "send_email",
        _mail("I can join the call tomorrow."),
        _mail("I can't join the call tomorrow."),
    ),
    ("send_email", _mail("We will refund the order."), _mail("We won't refund the order.")),
    (
        "cancel_order",
        {"order": "W-1", "reason": "no longer needed"},
        {"order": "W-1", "reason": "ordered by mistake"},
    ),
    ("set_priority", {"ticket": "T-1", "priority": "high"}, {"ticket": "T-1", "priority": "low"}),
    ("send_email", _mail("The total is 45 euros."), _mail("The total is 54 euros.")),
    (
        "send_email",
        _mail("See you on 3 May at the office."),
        _mail("See you on 5 May at the office."),
    ),
    ("send_email", _mail("The call starts at 14:00."), _mail("The call starts at 16:00.")),
    ("send_email", _mail("The call is on Monday."), _mail("The call is on Tuesday.")),
    (
        "send_email",
        _mail("Please contact Maria Lopez about it."),
        _mail("Please contact Peter Novak about it."),
    ),
    ("delete_branch", {"name": "x-1"}, {"name": "x-1", "force": True}),
    ("delete_folder", {"path": "/tmp/a"}, {"path": "/tmp/a", "recursive": True}),
    ("delete_branch", {"name": "x-1"}, {"name": "x-1", "dry_run": True}),
    ("send_email", _mail("Hello"), {**_mail("Hello"), "bcc": "press@x.org"}),
    ("send_email", _mail("Hello"), {**_mail("Hello"), "bcc": ["press@x.org"]}),
    ("send_email", _mail("Hello"), {**_mail("Hello"), "attachments": ["salaries.xlsx"]}),
    (
        "send_email",
        {**_mail("Hello"), "attachments": ["plan.pdf"]},
        {**_mail("Hello"), "attachments": ["salaries.xlsx"]},
    ),
    ("update_user", {"id": "U-1", "name": "Anna Berg"}, {"id": "U-1", "name": "Anna Burg"}),
    (
        "create_contact",
        {"name": "Jon Smith", "phone": "+1 555 0100"},
        {"name": "John Smyth", "phone": "+1 555 0100"},
    ),
    ("set_thermostat", {"room": "bath", "celsius": 21}, {"room": "bath", "celsius": 12}),
    (
        "create_event",
        {"title": "Sync", "start": "2026-05-03T14:00"},
        {"title": "Sync", "start": "2026-05-03T15:00"},
    ),
    ("set_flag", {"flag": "new-ui", "enabled": True}, {"flag": "new-ui", "enabled": False}),
    ("assign_ticket", {"ticket": "T-1", "assignee": "mia"}, {"ticket": "T-1", "assignee": "leo"}),
    ("set_status", {"ticket": "T-1", "status": "resolved"}, {"ticket": "T-1", "status": "closed"}),
    (
        "post_message",
        {"channel": "#ops", "text": "Deployed."},
        {"channel": "#general", "text": "Deployed."},
    ),
    (
        "create_issue",
        {"title": "Login fails", "labels": ["bug"]},
        {"title": "Login fails", "labels": ["feature"]},
    ),
    ("grant_role", {"user": "mia", "role": "viewer"}, {"user": "mia", "role": "admin"}),
    (
        "order_food",
        {"dish": "pad thai", "note": "no peanuts please"},
        {"dish": "pad thai", "note": "with peanuts please"},
    ),
    (
        "order_food",
        {"dish": "burger", "note": "without onions"},
        {"dish": "burger", "note": "with onions"},
    ),
    ("set_oven", {"instruction": "bake at 180 degrees"}, {"instruction": "bake at 220 degrees"}),
    (
        "prescribe",
        {"drug": "paracetamol", "sig": "every 6 hours"},
        {"drug": "paracetamol", "sig": "every 8 hours"},
    ),
    (
        "prescribe",
        {"drug": "metformin", "sig": "one tablet before meals"},
        {"drug": "metformin", "sig": "one tablet after meals"},
    ),
    (
        "create_reminder",
        {"text": "water the plants", "repeat": "every week"},
        {"text": "water the plants", "repeat": "every month"},
    ),
    (
        "schedule_report",
        {"report": "sales", "frequency": "weekly"},
        {"report": "sales", "frequency": "monthly"},
    ),
    (
        "reply",
        {"ticket": "T-9", "text": "Your claim was approved."},
        {"ticket": "T-9", "text": "Your claim was rejected."},
    ),
    (
        "transfer",
        {"to": "ACC-7", "amount": 100, "currency": "EUR"},
        {"to": "ACC-7", "amount": 100, "currency": "USD"},
    ),
    (
        "book_flight",
        {"flight": "HAT136", "cabin": "basic economy"},
        {"flight": "HAT136", "cabin": "business"},
    ),
    (
        "book_flight",
        {"flight": "HAT136", "cabin": "basic economy"},
        {"flight": "HAT136", "cabin": "premium economy"},
    ),
    ("pay", {"order": "W-1", "method": "credit card"}, {"order": "W-1", "method": "gift card"}),
    ("modify_item", {"item": "I-1", "size": "extra large"}, {"item": "I-1", "size": "small"}),
    ("paint_wall", {"wall": "W1", "color": "light blue"}, {"wall": "W1", "color": "dark blue"}),
    ("create_bucket", {"name": "logs", "acl": "private"}, {"name": "logs", "acl": "public-read"}),
    (
        "file_expense",
        {"amount": 20, "category": "office supplies"},
        {"amount": 20, "category": "travel costs"},
    ),
    (
        "route_call",
        {"caller": "C-1", "department": "customer service"},
        {"caller": "C-1", "department": "human resources"},
    ),
    (
        "upgrade_plan",
        {"user": "U-1", "plan": "family plan"},
        {"user": "U-1", "plan": "business plan"},
    ),
]
# The same in other words, keys that say nothing, and defaults said: at most minor.
CALM: list[tuple[str, Arguments, Arguments]] = [
    ("delete_branch", {"name": "x-1"}, {"name": "x-1", "force": False}),
    ("delete_branch", {"name": "x-1", "force": False}, {"name": "x-1"}),
    ("delete_branch", {"name": "x-1"}, {"name": "x-1", "dry_run": False}),
    ("create_event", {"title": "Sync"}, {"title": "Sync", "location": None}),
    ("create_event", {"title": "Sync"}, {"title": "Sync", "tags": [], "note": ""}),
    (
        "charge",
        {"customer": "C-1", "amount": 9, "idempotency_key": "8f14e45f-ceea-467f-9575-6f2a3b1c0d11"},
        {"customer": "C-1", "amount": 9, "idempotency_key": "11112222-ceea-467f-9575-6f2a3b1c0d99"},
    ),
    (
        "charge",
        {"customer": "C-1", "amount": 9},
        {"customer": "C-1", "amount": 9, "idempotency_key": "11112222-ceea-467f-9575-6f2a3b1c0d99"},
    ),
    (
        "charge",
        {"customer": "C-1", "amount": 9, "request_id": "req-1"},
        {"customer": "C-1", "amount": 9, "request_id": "req-77"},
    ),
    (
        "run_instances",
        {"image": "ami-1", "clientToken": "abc-1"},
        {"image": "ami-1", "clientToken": "zzz-9"},
    ),
    ("sign", {"doc": "D-1", "nonce": 12345}, {"doc": "D-1", "nonce": 99999}),
    (
        "publish",
        {"topic": "a", "message": "go", "correlation_id": "c1"},
        {"topic": "a", "message": "go", "correlation_id": "c2"},
    ),
    (
        "publish",
        {"topic": "a", "message": "go"},
        {"topic": "a", "message": "go", "trace_id": "0af7651916cd43dd8448eb211c80319c"},
    ),
    ("bash", {"command": "make build"}, {"command": "make build", "timeout": 60000}),
    (
        "bash",
        {"command": "make build"},
        {"command": "make build", "description": "Builds the project"},
    ),
    (
        "send_email",
        _mail("Thanks, we'll see you on Friday."),
        _mail("Thank you, see you on Friday!"),
    ),
    (
        "send_email",
        _mail("Your refund of 30 euros was issued today."),
        _mail("We issued your refund of 30 euros today."),
    ),
    ("git_commit", {"message": "Fix login redirect"}, {"message": "Repair redirect after login"}),
    ("create_issue", {"title": "Login page crashes"}, {"title": "Crash on login page"}),
    (
        "create_event",
        {"title": "Team meeting", "start": "2026-05-03T14:00"},
        {"title": "Meeting of the team", "start": "2026-05-03T14:00"},
    ),
    (
        "create_event",
        {"title": "Dentist", "start": "2026-05-03T14:00"},
        {"title": "Dentist appointment", "start": "2026-05-03T14:00"},
    ),
    (
        "order_food",
        {"dish": "burger", "note": "without onions"},
        {"dish": "burger", "note": "no onions please"},
    ),
    (
        "cancel_order",
        {"order": "W-1", "reason": "no longer needed"},
        {"order": "W-1", "reason": "not needed any more"},
    ),
    (
        "book_flight",
        {"flight": "HAT136", "cabin": "basic economy"},
        {"flight": "HAT136", "cabin": "Basic Economy"},
    ),
    (
        "book_flight",
        {"flight": "HAT136", "cabin": "basic economy"},
        {"flight": "HAT136", "cabin": "basic_economy"},
    ),
    (
        "create_reminder",
        {"text": "Buy milk", "when": "2026-05-03"},
        {"text": "Get some milk", "when": "2026-05-03"},
    ),
    ("search_flights", {"query": "flights to Rome"}, {"query": "Rome flights cheap"}),
]


def _severity(tool: str, reference: Arguments, run: Arguments) -> str:
    pair = (run_of(call(tool, arguments, "ok")) for arguments in (run, reference))
    return otap.score(*pair).severity or "none"


def test_another_value_in_a_write_is_critical() -> None:
    assert [row for row in HARM if _severity(*row) != "critical"] == []


def test_the_same_in_other_words_is_at_most_minor() -> None:
    assert [row for row in CALM if _severity(*row) not in ("none", "minor")] == []


def test_one_more_option_of_a_look_is_never_critical() -> None:
    """A limit of a search is another way to look."""
    assert _severity("search_orders", {"user": "U-1"}, {"user": "U-1", "limit": 50}) != "critical"


def test_long_values_are_shown_from_where_they_differ() -> None:
    """Their beginning, which is the same, says nothing."""
    reference, run = ({"key": f"{'k' * 50}{end}"} for end in "12")
    pair = (run_of(call("put", arguments, "ok")) for arguments in (run, reference))
    (found,) = otap.score(*pair).findings
    assert "kkk2 instead of …" in found.sentence
    assert found.sentence.endswith("kkk1")

"""The same work by other calls: batches, appended rows, fields, other look-ups, synonyms."""

from itertools import pairwise
from typing import NamedTuple

import pytest

import otap
from builders import StepData, call, numbered, run_of

ROWS = [{"sku": "A-1", "qty": 2}, {"sku": "B-2", "qty": 1}, {"sku": "C-3", "qty": 5}]
OTHER = {"sku": "D-4", "qty": 7}
SWAPPED = [{"sku": "A-1", "qty": 1}, {"sku": "B-2", "qty": 2}, ROWS[2]]
PROFILE = {"name": "Ann Lee", "city": "Rome", "phone": "555-0101"}
EVENT = {"title": "Review", "start": "2026-03-04T10:00"}
USER = {"id": "U-4", "name": "Ann Lee", "email": "ann@x.org", "city": "Rome"}
OPEN = call("get_order", {"order_id": "O-17"}, {"id": "O-17", "status": "open"})
CLOSE = call("close_order", {"order_id": "O-17"}, "ok")
INSERT = "INSERT INTO users (id, name) VALUES"
Calls = list[StepData]


class Batch(NamedTuple):
    """One call, the same work as several calls, and several calls that do other work."""

    name: str
    whole: StepData
    parts: Calls
    wrong: list[Calls]


def each(tool: str, arguments: list[object]) -> Calls:
    """A call of one tool with each of some arguments."""
    return [call(tool, mapping, "ok") for mapping in arguments]


def variants(rows: list[object], other: object) -> list[list[object]]:
    """The rows with one missing, one wrong, and one extra."""
    return [rows[:-1], [*rows[:-1], other], [*rows, other]]


def rows_batch(
    name: str, tool: str, whole: object, row_tool: str, row: str, **more: object
) -> Batch:
    """A batch of ROWS against calls that each have a row, under a key or spread."""

    def calls(rows: list[object]) -> Calls:
        spread = [{**more, row: r} if row else {**more, **r} for r in rows]  # type: ignore[dict-item]
        return each(row_tool, list(spread))

    wrong = [*variants([*ROWS], OTHER), [*SWAPPED]]
    return Batch(name, call(tool, whole, "ok"), calls([*ROWS]), [calls(rows) for rows in wrong])


def texts_batch(
    name: str, tool: str, whole: object, text_tool: str, key: str, **more: object
) -> Batch:
    """A batch of two texts against calls that each have one."""
    texts = variants(["ann@x.org", "bob@y.org"], "eve@z.org")
    parts = each(text_tool, [{**more, key: text} for text in ("ann@x.org", "bob@y.org")])
    wrong = [each(text_tool, [{**more, key: text} for text in some]) for some in texts]
    return Batch(name, call(tool, whole, "ok"), parts, wrong)


def appended(key: str, created: object, rows: list[object], *, empty: bool) -> Calls:
    """A call that creates an order, and one for each row."""
    arguments = {"customer_id": "K-9", **({key: []} if empty else {})}
    create = call("create_order", arguments, created)
    return [create, *each("add_item", [{"order_id": "O-55", **row} for row in rows])]  # type: ignore[dict-item]


def fields(tool: str, pairs: list[tuple[str, str]], key: str = "field", **more: object) -> Calls:
    """A call for each field."""
    return each(tool, [{**more, key: name, "value": value} for name, value in pairs])


EMAILS = ["ann@x.org", "bob@y.org"]
PAIRS = [*PROFILE.items()]
WRONG_PAIRS = [
    PAIRS[:2],
    [*PAIRS[:2], ("phone", "555-0199")],
    [*PAIRS, ("iban", "DE99")],
    [("name", "Rome"), ("city", "Ann Lee"), PAIRS[2]],
]
ORDER = {"customer_id": "K-9", "items": ROWS}
CREATED = {"order_id": "O-55"}
BATCHES = [
    rows_batch("a list at the top", "add_items", ROWS, "add_item", ""),
    rows_batch("a list under a key", "add_items", {"items": ROWS}, "add_item", ""),
    rows_batch(
        "shared", "add_items", {"order_id": "O-17", "items": ROWS}, "add_item", "", order_id="O-17"
    ),
    rows_batch(
        "nested", "add_items", {"order_id": "O-17", "items": ROWS}, "add_item", "item",
        order_id="O-17",
    ),
    rows_batch("rows of a table", "insert_rows", {"table": "T", "rows": ROWS}, "insert_row", "row",
               table="T"),
    texts_batch("texts", "invite_users", {"emails": EMAILS}, "invite_user", "email"),
    texts_batch("texts at the top", "delete_files", EMAILS, "delete_file", "id"),
    texts_batch("in bulk", "bulk_archive", {"ids": EMAILS}, "archive_ticket", "ticket_id"),
    texts_batch(
        "texts, shared", "invite_users", {"team": "core", "emails": EMAILS}, "invite_user", "email",
        team="core",
    ),
    Batch("created, then appended", call("create_order", ORDER, "ok"),
          appended("items", CREATED, [*ROWS], empty=False),
          [appended("items", CREATED, rows, empty=False) for rows in variants([*ROWS], OTHER)]),
    Batch("created empty", call("create_order", ORDER, "ok"),
          appended("items", CREATED, [*ROWS], empty=True),
          [appended("items", CREATED, rows, empty=True) for rows in variants([*ROWS], OTHER)]),
    Batch("appended to another object", call("create_order", ORDER, "ok"),
          appended("items", CREATED, [*ROWS], empty=False),
          [appended("items", {"order_id": "O-66"}, [*ROWS], empty=False)]),
    Batch("fields", call("update_profile", PROFILE, "ok"), fields("set_field", PAIRS),
          [fields("set_field", pairs) for pairs in WRONG_PAIRS]),
    Batch("fields of a form", call("fill_form", PROFILE, "ok"), fields("fill_field", PAIRS),
          [fields("fill_field", pairs) for pairs in WRONG_PAIRS]),
    Batch("fields of an object", call("update_profile", {"user_id": "U-4", **PROFILE}, "ok"),
          fields("set_field", PAIRS, "name", user_id="U-4"),
          [fields("set_field", PAIRS, "name", user_id="U-5")]),
    Batch("statements", call("execute_sql", {"sql": f"{INSERT} (1, 'Ann'), (2, 'Bob')"}, "ok"),
          each("execute_sql", [{"sql": f"{INSERT} {row}"} for row in ("(1, 'Ann')", "(2, 'Bob')")]),
          [each("execute_sql", [{"sql": f"{INSERT} {row}"} for row in rows])
           for rows in (["(1, 'Ann')"], ["(1, 'Ann')", "(2, 'Eve')"])]),
]  # fmt: skip


def score(run: Calls, gold: Calls) -> otap.Score:
    """The score of some calls against others."""
    return otap.score(run_of(*run), run_of(*gold))


@pytest.mark.parametrize("between", [False, True], ids=["alone", "between others"])
@pytest.mark.parametrize("batch", BATCHES, ids=lambda batch: batch.name)
def test_a_batch_is_its_single_calls(batch: Batch, between: bool) -> None:
    """In both directions, and one row that is missing, wrong or extra is critical."""
    before, after = ([OPEN], [CLOSE]) if between else ([], [])
    whole, parts = [*before, batch.whole, *after], [*before, *batch.parts, *after]
    for run, gold in ((whole, parts), (parts, whole)):
        scored = score(run, gold)
        assert scored.severity in (None, "minor"), scored.findings
        assert scored.score >= 0.97
    for wrong in batch.wrong:
        other = [*before, *wrong, *after]
        assert score(other, whole).severity == "critical"
        assert score(whole, other).severity == "critical"


@pytest.mark.parametrize("batch", BATCHES[:9], ids=lambda batch: batch.name)
def test_each_part_of_a_batch_is_progress(batch: Batch) -> None:
    """One more required call is strictly better, whichever side is the batch."""
    scores = [score(batch.parts[:k], [batch.whole]).score for k in range(1, len(batch.parts) + 1)]
    assert all(fewer < more for fewer, more in pairwise(scores))


SYNONYMS = [
    ("create_event", "add_event", EVENT),
    ("create_event", "calendar_create_event", EVENT),
    ("create_event", "new_event", EVENT),
    ("createEvent", "make_event", EVENT),
    ("create_event", "event_create", EVENT),
    ("create_event", "insert_event", EVENT),
    ("delete_file", "remove_file", {"path": "/a/b.txt"}),
    ("delete_file", "erase_file", {"path": "/a/b.txt"}),
    ("drop_table", "delete_table", {"table": "users"}),
    ("update_ticket", "edit_ticket", {"id": "T-1", "priority": "high"}),
    ("update_ticket", "modify_ticket", {"id": "T-1", "priority": "high"}),
    ("set_status", "change_status", {"id": "T-1", "status": "open"}),
    ("send_message", "post_message", {"channel": "ops", "text": "Deploy at 5"}),
]
OTHER_DEEDS = [
    ("create_event", "delete_event", EVENT),
    ("create_event", "update_event", EVENT),
    ("create_event", "cancel_event", EVENT),
    ("create_event", "wipe_disk", EVENT),
    ("create_event", "create_invoice", EVENT),
    ("add_item", "remove_item", ROWS[0]),
    ("send_message", "delete_message", {"id": "M-1"}),
]


@pytest.mark.parametrize(("tool", "other_tool", "arguments"), SYNONYMS)
def test_a_synonym_is_the_same_work(tool: str, other_tool: str, arguments: object) -> None:
    """The finding names the other tool."""
    calls = [call(tool, arguments, "ok")], [call(other_tool, arguments, "ok")]
    for run, gold in (calls, calls[::-1]):
        [finding] = score(run, gold).findings
        assert (finding.kind, finding.severity) == ("tool", "major")


@pytest.mark.parametrize(("tool", "other_tool", "arguments"), OTHER_DEEDS)
def test_another_verb_or_object_is_other_work(
    tool: str, other_tool: str, arguments: object
) -> None:
    """The same arguments do not excuse it."""
    calls = [call(tool, arguments, "ok")], [call(other_tool, arguments, "ok")]
    for run, gold in (calls, calls[::-1]):
        assert score(run, gold).severity == "critical"


def test_a_synonym_excuses_no_other_value_and_no_second_call() -> None:
    """A wrong value is critical, and so is the same work done twice."""
    gold = [call("create_event", EVENT, "ok")]
    wrong = call("add_event", {**EVENT, "start": "2026-03-05T10:00"}, "ok")
    assert score([wrong], gold).severity == "critical"
    assert score([*gold, call("add_event", EVENT, "ok")], gold).severity == "critical"


ORDERS = [{"id": "O-1", "total": 31.5}, {"id": "O-2", "total": 12.25}]
LOOK = [call("get_user", {"user_id": "U-4"}, USER)]
CHAIN = [
    call("find_user", {"name": "Ann Lee"}, {"id": "U-4"}),
    call("list_orders", {"user_id": "U-4"}, ORDERS),
]
SAME_VALUES = [
    (LOOK, [call("search_users", {"query": "Ann Lee"}, [USER])], "minor"),
    (LOOK, [call("get_user", {"email": "ann@x.org"}, USER)], "minor"),
    (
        LOOK,
        [
            call("get_user_email", {"user_id": "U-4"}, {"email": "ann@x.org", "id": "U-4"}),
            call("get_user_name", {"user_id": "U-4"}, {"name": "Ann Lee", "city": "Rome"}),
        ],
        "minor",
    ),
    (LOOK, [call("list_teams", {}, ["core"]), *LOOK], "minor"),
    (CHAIN, [call("get_orders", {"name": "Ann Lee"}, [{"user": "U-4"}, *ORDERS])], "minor"),
    (CHAIN, [call("get_orders_of", {"name": "Ann Lee"}, ORDERS)], "major"),
]
OTHER_VALUES = [
    [call("get_user_email", {"user_id": "U-4"}, {"phone": "555-0101"})],
    [call("search_users", {"query": "Ann Lee"}, [])],
    [call("get_user", {"user_id": "U-5"}, {"id": "U-5", "name": "Bob Ray", "city": "Oslo"})],
    [call("get_echo", {"text": "Ann Lee ann@x.org Rome"}, "Ann Lee ann@x.org Rome")],
    [call("list_teams", {"page": k}, [f"team-{k}"]) for k in range(30)],
]


@pytest.mark.parametrize(("gold", "run", "severity"), SAME_VALUES)
def test_other_look_ups_with_the_same_values_are_the_work(
    gold: Calls, run: Calls, severity: str
) -> None:
    """The evidence is in the results of both."""
    scored = score(run, gold)
    assert scored.severity == severity
    assert scored.score >= 0.9


@pytest.mark.parametrize("run", OTHER_VALUES)
def test_look_ups_without_the_values_are_as_good_as_nothing(run: Calls) -> None:
    """They do not do the work, and do no harm."""
    scored = score(run, LOOK)
    assert scored.severity == "critical"
    assert scored.score >= score([], LOOK).score * (1 - 1e-9)


def test_extra_look_ups_never_raise_a_score() -> None:
    """However many there are, and whether or not others match."""
    for run in (LOOK, CHAIN[:1], []):
        padded, before = list(run), score(run, [*LOOK, *CHAIN]).score
        for k in range(6):
            padded = [*padded, call("list_teams", {"page": k}, [f"team-{k}"])]
            after = score(padded, [*LOOK, *CHAIN]).score
            assert after <= before * (1 + 1e-9)
            before = after


def test_many_references_agree_with_each_alone() -> None:
    """No bound leaves out a reference that another call does the work of."""
    gold = [run_of(*numbered(*calls)) for calls in (LOOK, CHAIN, BATCHES[0].parts, [CLOSE])]
    for run in ([BATCHES[0].whole], SAME_VALUES[0][1], SAME_VALUES[5][1]):
        best = max(otap.score(run_of(*run), reference).score for reference in gold)
        assert otap.score(run_of(*run), gold).score == pytest.approx(best)

"""The role of a call: by the facts of its tool, by its arguments, by the name of its tool."""

import hashlib
import runpy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import otap
from otap.run import order_words, words
from otap.run.declarations import DeclaredTools
from otap.run.roles import (
    Role,
    infer_role,
    role_by_name,
    summary,
)
from otap.run.words import WORDS_DIGEST
from otap.trajectory import Step, ToolFacts
from otap.values.tool_names import MAX_NAME

NAMES = [Path(__file__).with_name(name) for name in ("tool_names.txt", "fresh_names.txt")]
# Reads that are taken for writes, which costs little: their names have no verb of reading, or none
# that no noun is mistaken for.
TAKEN_FOR_WRITES = {
    "trackOrder",
    "trackParcel",
    "events_detail_for_art_openings_italy",
    "getcompetitions_for_wosti_futbol_tv_peru",
    "latest_coupons_for_get_27coupons",
    "current_time_by_specific_ip_for_world_time",
    "findalllistingactive_for_etsy",
    "free_exchange_rates_for_currency_v2",
    "v1_holidays_for_holidays_by_api_ninjas",
    "CronList",
    "filemap",
    "browser_network_requests",
    "browser_console_messages",
    "maps_geocode",
    "maps_distance_matrix",
    "tavily-extract",
    "firecrawl_scrape",
    "pods_log",
    "helm_list",
    "redis_hgetall",
    "chaxun_kuaidi",
    "shohin_kensaku",
    # What thinks, and what hands over.
    "math.add",
    "multiply_numbers",
    "an_mitarbeiter_uebergeben",
}


def labelled() -> list[tuple[str, str]]:
    """Each name with what its calls do."""
    return [one for file in NAMES for one in read_labels(file)]


def read_labels(file: Path) -> Iterator[tuple[str, str]]:
    """Yields what stands in a file."""
    for line in file.read_text("utf-8").splitlines():
        if " | " in line and not line.startswith("#"):
            _, role, names = line.split(" | ")
            yield from ((name, role) for name in names.split())


def in_first_half(name: str) -> bool:
    """Whether the words were chosen with this name in view."""
    return hashlib.sha256(name.encode()).digest()[0] % 2 == 0


def call(tool: str | None, facts: ToolFacts | None = None, **arguments: Any) -> Role:
    """What one call does, with what the trace records of its tool."""
    step = Step(id="1", kind="tool", tool=tool, arguments=arguments)
    return infer_role(step, DeclaredTools({} if facts is None or tool is None else {tool: facts}))


def test_real_tools() -> None:
    """A real tool does what a reader of its name says, but for the names listed here."""
    wrong = dict.fromkeys(TAKEN_FOR_WRITES, "writes")
    expected = [(name, wrong.get(name, role)) for name, role in labelled()]
    assert [one for one in expected if (role_by_name(one[0]) or "writes") != one[1]] == []


def test_how_many_are_right() -> None:
    """The figures of the page on recognition: of both halves, and of those known to be wrong."""
    right = {True: [0, 0], False: [0, 0]}
    for name, role in read_labels(NAMES[0]):
        count = right[in_first_half(name)]
        count[0] += (role_by_name(name) or "writes") == role
        count[1] += 1
    assert right == {True: [303, 311], False: [288, 298]}


def test_a_thought() -> None:
    """A step without a call thinks; a call of an unnamed tool is an ordinary step."""
    assert (
        infer_role(Step(id="1", kind="reasoning", action="Delete it?"), DeclaredTools({}))
        == "thinks"
    )
    assert call(None) == "writes"


@pytest.mark.parametrize(
    ("facts", "role"),
    [
        (ToolFacts(read_only=True), "reads"),
        (ToolFacts(read_only=True, destructive=True), "reads"),  # only said of what writes
        (ToolFacts(read_only=False), "writes"),
        (ToolFacts(read_only=False, method="GET"), "writes"),
        (ToolFacts(destructive=True), "writes"),
        (ToolFacts(method="get"), "reads"),
        (ToolFacts(method="DELETE"), "writes"),
    ],
)
@pytest.mark.parametrize("tool", ["get_user", "pay", "think", "transfer_to_human"])
def test_facts_come_first(facts: ToolFacts, role: str, tool: str) -> None:
    """What the trace records of a tool is worth more than its name."""
    assert call(tool, facts) == role


@pytest.mark.parametrize(
    "facts", [ToolFacts(), ToolFacts(destructive=False), ToolFacts(method="TRACE")]
)
def test_facts_that_say_nothing(facts: ToolFacts) -> None:
    """What neither reads nor writes leaves it to the name."""
    assert call("get_user", facts) == "reads"
    assert call("pay", facts) == "writes"


def test_facts_of_a_server() -> None:
    """A server knows its tool without the name that the agent puts before it."""
    facts = DeclaredTools({"ledger": ToolFacts(read_only=True)})
    assert infer_role(Step(id="1", tool="mcp__bank__ledger"), facts) == "reads"
    assert infer_role(Step(id="1", tool="bank.ledger"), facts) == "reads"
    assert infer_role(Step(id="1", tool="bank_ledger"), facts) == "writes"


@pytest.mark.parametrize(
    ("tool", "role"),
    [
        ("GET /orders/{id}", "reads"),
        ("get /orders", "reads"),
        ("HEAD_/orders", "reads"),
        ("POST /orders", "writes"),
        ("DELETE /orders/get", "writes"),
        ("mcp__crm__GetUser", "reads"),
        ("crm.deleteUser", "writes"),
        ("XMLRead", "reads"),
        ("get-user", "reads"),
        ("getMediaPlan", "reads"),
        ("subscription_plan", "writes"),
        ("deep_thinking", "thinks"),
        ("api_v2_get_user", "reads"),
        ("has_write_access", "reads"),
        ("is_open_and_close", "writes"),
        ("open_product", "reads"),
        ("open_account", "writes"),
        ("open_and_edit_file", "writes"),
        ("scroll", "reads"),
        ("wait_for_page", "reads"),
        ("search_name_and_address", "reads"),
        ("check_out_book", "writes"),
        ("check_outlet", "reads"),
        ("order_lookup", "reads"),
        ("issue_read", "reads"),
        ("mark_read", "writes"),
        ("save_search", "writes"),
        ("shopping_list", "writes"),
        ("users_list", "reads"),
        ("todo_list_clear", "writes"),
        ("x" * MAX_NAME + "_get", "writes"),
        ("", "writes"),
        ("___", "writes"),
    ],
)
def test_names(tool: str, role: str) -> None:
    """The words of a name count where they stand; those of writing are stronger."""
    assert call(tool) == role


@pytest.mark.parametrize(
    ("tool", "arguments", "role"),
    [
        ("http_request", {"method": "GET", "url": "/orders"}, "reads"),
        ("http_request", {"method": "post", "url": "/orders"}, "writes"),
        ("fetch", {"method": "DELETE", "url": "/orders"}, "writes"),
        ("fetch", {"url": "/orders"}, "reads"),
        ("http_request", {"method": 7}, "writes"),
        ("pay", {"method": "GET"}, "writes"),  # no request
        ("get_refund", {"method": "POST"}, "reads"),
        ("bash", {"command": "ls -la"}, "reads"),
        ("Bash", {"command": "rm -r ."}, "writes"),
        ("shell", {"command": ["bash", "-lc", "git status"]}, "reads"),
        ("exec_command", {"cmd": "cat a"}, "reads"),
        ("run_command", {"command": "find", "args": ["-delete"]}, "writes"),
        ("bash", {"restart": True}, "writes"),
        ("bash", {"command": 7}, "writes"),
        ("bash", {"command": ["ls", 7]}, "writes"),
        ("check_command", {"command": "rm a"}, "writes"),
        ("str_replace_editor", {"command": "view", "path": "a"}, "reads"),
        ("str_replace_based_edit_tool", {"command": "create", "path": "a"}, "writes"),
        ("execute_sql", {"query": "SELECT * FROM orders"}, "reads"),
        ("query_database", {"sql": "DELETE FROM orders"}, "writes"),
        ("query", {"query": "weather in Rome"}, "reads"),
        ("search", {"query": "delete my account"}, "reads"),
        ("execute_sql", {"query": "what did we sell"}, "writes"),
        ("execute_sql", {"query": 7}, "writes"),
    ],
)
def test_arguments(tool: str, arguments: dict[str, Any], role: str) -> None:
    """What a request, a shell, an editor or a database is asked for says what the call does."""
    assert call(tool, **arguments) == role


@given(st.text(max_size=30), st.text(max_size=10), st.text(max_size=30))
def test_any_name_has_a_role(tool: str, key: str, value: str) -> None:
    """Whatever a trace calls its tools, each call does one of four things."""
    role = call(tool, **{"command": value, key: value})
    assert role in ("writes", "reads", "thinks", "handoff")


def test_tools_of_a_run() -> None:
    """A tool may do more than one thing: that depends on what it was asked for."""
    steps = [
        Step(id="1", tool="bash", arguments={"command": "ls"}),
        Step(id="2", tool="bash", arguments={"command": "rm a"}),
        Step(id="3", tool="get_user"),
        Step(id="4", kind="reasoning", action="Done."),
    ]
    run = otap.Trajectory(steps=tuple(steps))
    conditions = otap.score(run, run).conditions
    assert conditions.inferred_roles == {"bash": ("reads", "writes"), "get_user": ("reads",)}


def test_summary() -> None:
    """One line says what was recognised: what writes goes without saying."""
    roles: dict[str, set[Role]] = {
        "get_user": {"reads"},
        "search_hotels": {"reads"},
        "search_flights": {"reads"},
        "search_cars": {"reads"},
        "book_hotel": {"writes"},
        "calculate": {"thinks"},
        "bash": {"reads", "writes"},
        "transfer_to_human_agents": {"handoff"},
    }
    assert summary(roles) == (
        "reads: bash (in part), get_user, search_*; thinks: calculate; "
        "hands over: transfer_to_human_agents"
    )
    assert summary({}) == summary({"pay": {"writes"}}) == ""
    assert summary({f"get{n}x": {"reads"} for n in "ABC"}) == "reads: get*"


@given(st.dictionaries(st.text(), st.sets(st.sampled_from(["reads", "thinks"])), max_size=40))
def test_the_summary_is_one_plain_line(roles: dict[str, set[Role]]) -> None:
    """Whatever the tools are called, one printable line of bounded length comes out."""
    line = summary(roles)
    assert line.isprintable()
    assert len(line) < 1200


def test_digest() -> None:
    """The tables have one version; it changes where a word does."""
    assert len(WORDS_DIGEST) == 64


def test_digest_covers_the_words_of_order(monkeypatch: pytest.MonkeyPatch) -> None:
    module = runpy.run_path(words.__file__)
    assert module["WORDS_DIGEST"] == WORDS_DIGEST
    monkeypatch.setattr(order_words, "STACKING", order_words.STACKING - {"load"})
    module = runpy.run_path(words.__file__)
    assert module["WORDS_DIGEST"] != WORDS_DIGEST

"""Plans: what they may say, what they mean, and what is found."""

from pathlib import Path
from typing import Any

import pytest

import otap
from builders import call, run_of
from otap import formats
from otap.errors import FormatError, LimitError
from otap.plans import parse_plan, plan_graph
from otap.trajectory import Trajectory

CARD: dict[str, Any] = {"tool": "refund_payment", "arguments": {"order_id": "W1", "amount": 54.04}}
VERIFY: dict[str, Any] = {"tool": "verify_identity", "arguments": {"email": "a@b.example"}}
EXAMPLES = Path(__file__).parents[2] / "examples" / "plans"


def plan(*steps: dict[str, Any], **more: Any) -> Trajectory:
    """A plan of these steps."""
    return parse_plan({"schema_version": "otap.plan/1", "steps": list(steps), **more})


def run(*calls: dict[str, Any], messages_to_user: Any = None) -> Trajectory:
    """A run of these calls, all of which are done unless they say something else."""
    done = ({"effect": "done", **step} for step in calls)
    return run_of(*done, messages_to_user=messages_to_user)


def found(one: Trajectory, reference: Trajectory) -> list[tuple[str, str]]:
    """The findings of a run, with their severities."""
    return [(f.severity, f.sentence) for f in otap.score(one, reference).findings]


@pytest.mark.parametrize(
    ("pattern", "good", "bad", "words"),
    [
        ({"any": True}, ["x", 5, None], [], ""),
        ({"one_of": [1, "Lima"]}, [1, "1", "lima"], [2, "Oslo"], "1 or Lima"),
        ({"min": 5}, [5, "7", "$9.50"], [4.99], "at least 5"),
        ({"max": 60}, [60, 0], [60.01, "much"], "at most 60"),
        ({"min": "2024-05-01", "max": "2024-05-31"}, ["2024-05-31"], ["2024-06-01"], "to 2024"),
        ({"glob": "W*"}, ["W1", "W"], ["V1", "w1"], "'W*'"),
        ({"optional": "high"}, ["high", ...], ["low"], "allowed: high"),
        ([{"max": 5}, "x"], [[4, "x"]], [[6, "x"]], "at most 5"),
        ({"c": {"one_of": ["Lima", "Oslo"]}}, [{"c": "Oslo"}], [{"c": "Rome"}], "Lima or Oslo"),
        ({"equals": {"min": 3}}, [{"min": 3}], [{"min": 4}], ""),
        ({"one_of": [1, {"min": 10}]}, [1, 11], [5], "1 or at least 10"),
        ({"one_of": [{"glob": "A*"}, {"glob": "B*"}]}, ["A1", "B2"], ["C3"], "'A*' or 'B*'"),
        ({"from": "a", "to": "b"}, [{"from": "a", "to": "b"}], [{"from": "a", "to": "c"}], "b"),
    ],
)  # fmt: skip
def test_patterns(pattern: Any, good: list[Any], bad: list[Any], words: str) -> None:
    """What is allowed scores 1; what is not is critical, and the plan's words say what is."""
    reference = plan({"tool": "create_ticket", "arguments": {"it": pattern}})
    for value in good:
        given = {} if value is ... else {"it": value}
        assert otap.score(run(call("create_ticket", given)), reference).score == 1, value
    for value in bad:
        score = otap.score(run(call("create_ticket", {"it": value})), reference)
        assert (score.score < 1, score.severity) == (True, "critical"), value
        assert words in score.findings[0].sentence


def test_a_key_that_is_too_many_or_missing() -> None:
    """Unless the plan says that what it does not name is free."""
    reference = plan({"tool": "create_ticket", "arguments": {"a": "x"}})
    assert found(run(call("create_ticket", {"a": "x", "b": "Z9"})), reference) == [
        (
            "critical",
            "step 1 (create_ticket): b is Z9, which the plan does not name",
        )
    ]
    free = plan({"tool": "create_ticket", "arguments": {"a": "x"}, "partial": True})
    assert otap.score(run(call("create_ticket", {"a": "x", "b": "Z9"})), free).score == 1
    assert "a is left out, allowed: x" in found(run(call("create_ticket", {"b": "Z9"})), free)[0][1]


def test_a_value_from_a_result() -> None:
    """Of the step as the run did it; where the step did not run, any value will do."""
    reference = plan(
        {"id": "search", "tool": "search_flights"},
        {"tool": "book_flight", "arguments": {"id": {"from": "search.flights.id"}}},
    )
    search = {"tool": "search_flights", "effect": {"flights": [{"id": "A1"}, {"id": "B2"}]}}
    assert otap.score(run(search, call("book_flight", {"id": "B2"})), reference).score == 1
    wrong = otap.score(run(search, call("book_flight", {"id": "C3"})), reference).findings[0]
    assert (wrong.severity, wrong.kind) == ("critical", "arguments")
    assert "allowed: a value from search.flights.id" in wrong.sentence
    assert [
        f.kind for f in otap.score(run(call("book_flight", {"id": "C3"})), reference).findings
    ] == ["missing"]


def test_order() -> None:
    """Held against the order of execution; what is skipped hands its order on."""
    reference = plan(
        {"id": "a", **call("create_a")},
        {"id": "b", **call("create_b"), "need": "optional", "after": ["a"]},
        {"id": "c", **call("create_c"), "after": ["b"]},
    )
    a, b, c = call("create_a"), call("create_b"), call("create_c")
    assert otap.score(run(a, b, c), reference).score == 1
    assert otap.score(run(a, c), reference).score == 1
    assert found(run(c, a), reference) == [
        ("critical", "step 1 (create_c) ran before step 2 (create_a), against the plan")
    ]


def test_what_must_be_comes_before() -> None:
    """Not each of the calls that may be; later ones are free."""
    reference = plan({"id": "look", "tool": "get_order", "times": [1]}, {**CARD, "after": ["look"]})
    look = call("get_order", {"id": "W1"})
    assert otap.score(run(look, CARD, look, look), reference).score == 1
    assert otap.score(run(CARD, look, look), reference).score < 1


def test_prose() -> None:
    """Other words cost a little; something else altogether is critical, if it is written."""
    reference = plan(call("send_mail", {"text": {"like": ["Your refund is on its way."]}}))
    other = "We have sent your refund, it should arrive soon."
    assert otap.score(run(call("send_mail", {"text": other})), reference).severity is None
    wrong = otap.score(run(call("send_mail", {"text": "Your account was closed."})), reference)
    assert (wrong.severity, wrong.score < 0.9) == ("critical", True)
    assert "allowed: like Your refund is on its way." in wrong.findings[0].sentence


def test_values_that_take_too_much() -> None:
    """Are refused by the limit on work of the whole score; the default takes seconds to reach."""
    reference = plan(call("send_mail", {"text": {"one_of": list(range(4_000))}}))
    scorer = otap.Scorer(otap.Config(max_work=500_000))
    with pytest.raises(LimitError, match="more than 500,000 units of work, the setting max_work"):
        scorer.score(run(*[call("send_mail", {"text": "x"})] * 6), reference)


@pytest.mark.parametrize("tool", ["delete_account", "get_account"])
def test_forbidden(tool: str) -> None:
    """Costs what an invented change costs, whatever the tool does and others are allowed."""
    for others in ("none", "reads", "free"):
        reference = plan(CARD, {"tool": "*_account", "need": "forbidden"}, others=others)
        with_it = otap.score(run(CARD, call(tool, {"id": "1"})), reference)
        assert [(f.severity, f.sentence) for f in with_it.findings] == [
            ("critical", f"step 2 ({tool}) is forbidden")
        ]
        invented = otap.score(run(CARD, call("create_account", {"id": "1"})), plan(CARD))
        assert with_it.score == pytest.approx(invented.score)


def test_forbidden_beside_required() -> None:
    """What a step asks for is not forbidden by another; a failed call changed nothing."""
    small = {"tool": "refund_payment", "arguments": {"amount": {"max": 60}}, "partial": True}
    reference = plan(small, {"tool": "refund_*", "need": "forbidden"})
    assert otap.score(run(CARD), reference).score == 1
    assert (
        "is forbidden" in found(run(CARD, call("refund_payment", {"amount": 420})), reference)[0][1]
    )
    failed = {**call("refund_all"), "effect": "Error: not allowed", "status": "error"}
    assert otap.score(run(CARD, failed), reference).severity != "critical"


def test_times() -> None:
    """Too few are missing, too many are as bad as forbidden ones, in words of the plan."""
    reference = plan({"tool": "send_mail", "times": [1, 2]})
    mail = [call("send_mail", {"to": str(k)}) for k in range(3)]
    assert otap.score(run(*mail[:1]), reference).score == 1
    assert otap.score(run(*mail[:2]), reference).score == 1
    assert found(run(*mail), reference) == [
        (
            "critical",
            "step 3 (send_mail) is one too many: 3 calls of send_mail, at most 2",
        )
    ]
    assert (
        found(run(), plan({"tool": "send_mail", "times": 2}))
        == [("critical", "send_mail was never called; at least 2 calls are required")] * 2
    )
    assert otap.score(run(*mail), plan({"tool": "send_mail", "times": [1]})).score == 1


def test_alternatives() -> None:
    """One is due; of none the finding names them all."""
    reference = plan({"one_of": [[CARD], [VERIFY, call("issue_gift_card")]]})
    assert otap.score(run(CARD), reference).score == 1
    assert otap.score(run(VERIFY, call("issue_gift_card")), reference).score == 1
    assert found(run(), reference)[0] == (
        "critical",
        "neither refund_payment nor verify_identity was called",
    )


@pytest.mark.parametrize(
    ("others", "look", "change"),
    [("none", "major", "critical"), ("reads", "minor", "critical"), ("free", "minor", "minor")],
)
def test_others(others: str, look: str, change: str) -> None:
    """What a run may do besides."""
    reference = plan(CARD, others=others)
    assert otap.score(run(CARD, call("get_order", {"id": "1"})), reference).severity == look
    assert otap.score(run(CARD, call("create_order", {"id": "1"})), reference).severity == change


def test_nothing_may_change() -> None:
    """A plan without steps; what must be told is told."""
    reference = plan(required_answers=["54.04"])
    looked = run(call("get_order", {"id": "1"}), messages_to_user=["It is 54.04."])
    assert otap.score(looked, reference).severity == "minor"
    assert (
        found(run(call("create_order"), messages_to_user=["54.04"]), reference)[0][0] == "critical"
    )
    assert found(run(messages_to_user=["no"]), reference)[0][1].startswith(
        "the run never gave the answer '54.04'"
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"steps": [{"tool": "a", "nead": 1}]},
            r"steps\[0\]\.nead: unknown key; a step has id, to",
        ),
        (
            {"steps": [{"tool": "a", "metadata": {}}]},
            r"steps\[0\]\.metadata: unknown key; a step h",
        ),
        ({"colour": "red"}, "colour: unknown key; put data that OTAP has no field for into 'meta"),
        ({"steps": [{"id": "a"}]}, "needs either 'tool' or 'one_of'"),
        ({"steps": [{"tool": "a", "after": ["b"]}]}, "names 'b', but no step has this id"),
        ({"steps": [{"id": "a", "tool": "a"}] * 2}, "the id 'a' appears twice"),
        ({"steps": [{"id": "a", "tool": "a", "after": ["a"]}]}, "has a cycle: a -> a; remove"),
        ({"steps": [{"tool": "a", "arguments": {"x": {"min": 3, "max": 2}}}]}, "x: 'min' is above"),
        ({"steps": [{"tool": "a", "arguments": {"x": {"min": 3, "glob": "a"}}}]}, "one key"),
        ({"steps": [{"tool": "a", "arguments": {"x": {"any": False}}}]}, "can only be true"),
        ({"steps": [{"tool": "a", "arguments": {"x": {"from": "b.c"}}}]}, "names 'b'"),
        ({"steps": [{"tool": "a", "times": [3, 2]}]}, "first the least"),
        ({"steps": [{"tool": "a", "times": 2, "need": "optional"}]}, "either 'times' or 'need'"),
        ({"steps": [{"tool": "*" * 9}]}, "above the limit of 8"),
        ({"steps": [{"tool": "a"}] * 501}, "more than 500 steps, the limit"),
        ({"others": "all"}, "others: Input should be 'none', 'reads' or 'free'"),
    ],
)
def test_errors_name_the_place(change: dict[str, Any], message: str) -> None:
    """And what to do."""
    with pytest.raises(FormatError, match=message):
        parse_plan({"schema_version": "otap.plan/1", **change})


def test_alternatives_that_nest_too_deep() -> None:
    """Are refused by a limit that is named."""
    step: dict[str, Any] = {"tool": "a"}
    for _ in range(6):
        step = {"one_of": [[step]]}
    with pytest.raises(FormatError, match="deeper than 4 levels, the limit"):
        plan(step)


def test_files(tmp_path: Path) -> None:
    """TOML, JSON, lists and folders; a plan is no run; an error in TOML has its line."""
    (one,) = otap.read_references(EXAMPLES / "refund.toml")
    text = (EXAMPLES / "refund.toml").read_text("utf-8")
    (tmp_path / "b.toml").write_text(f"# A plan.\n\n{text}")
    (tmp_path / "otap.toml").write_text('preset = "default"\n')
    (tmp_path / "a.json").write_text('[{"schema_version": "otap.plan/1", "task": "t"}]')
    assert [gold.task for gold in otap.read_references(tmp_path)] == ["t", "refund"]
    assert one.steps == otap.read_references(tmp_path / "b.toml")[0].steps
    with pytest.raises(FormatError, match="is a plan, not a run; pass it as a reference"):
        otap.read(tmp_path / "b.toml")
    (tmp_path / "c.toml").write_text(text.replace('tool = "delete_*"', "tool = 5"))
    with pytest.raises(FormatError, match=r"line 22: steps\[3\]\.tool"):
        otap.read_references(tmp_path / "c.toml")
    (tmp_path / "d.toml").write_text('schema_version = "otap.plan/2"\n')
    with pytest.raises(FormatError, match=r"this version reads 'otap\.plan/1'"):
        otap.read_references(tmp_path / "d.toml")
    (tmp_path / "e.toml").write_text('schema_version = "otap.plan/1"\nsteps = [')
    with pytest.raises(FormatError, match="not valid TOML"):
        otap.read_references(tmp_path / "e.toml")


def test_patterns_of_a_recorded_trace_are_values(tmp_path: Path) -> None:
    """Only plans have patterns."""
    file = tmp_path / "r.json"
    file.write_text(run(call("create_ticket", {"it": {"any": True}})).to_json())
    (gold,) = otap.read_references(file)
    assert otap.score(run(call("create_ticket", {"it": "x"})), gold).score < 1
    assert otap.score(run(call("create_ticket", {"it": {"any": True}})), gold).score == 1


def test_the_graph_of_a_plan() -> None:
    """Options, alternatives and what must not be, each behind what comes before it."""
    (one,) = formats.own_references(str(EXAMPLES / "refund.toml"))
    drawn, graph = plan_graph(one)
    tools = [step.tool for step in drawn.steps]
    assert tools[:2] == ["verify_identity", "one of 2"]
    assert {"never: delete_*", "0 to 2 times: send_*"} <= set(tools)
    ends = {(drawn.steps[e.source].id, drawn.steps[e.target].id) for e in graph.edges}
    assert {("verify", "refund"), ("refund", "refunda1"), ("refund", "3")} <= ends


def test_a_call_stands_for_one_step() -> None:
    """However little the plan says of each."""
    assert found(run(call("pay")), plan({"tool": "pay", "times": 2})) == [
        ("critical", "pay was called once; at least 2 calls are required")
    ]
    two = plan({"tool": "create_*", "times": [1]}, {"tool": "create_a"})
    assert otap.score(run(call("create_a")), two).severity == "critical"
    assert otap.score(run(call("create_a"), call("create_b")), two).score == 1


def test_a_look_that_asks_for_something_else() -> None:
    """Is major, as one that is missing; a key of a change that is left out is critical."""
    reference = plan({"tool": "get_order", "arguments": {"id": {"glob": "W*"}}}, CARD)
    assert otap.score(run(call("get_order", {"id": "W1"}), CARD), reference).score == 1
    assert otap.score(run(call("get_order", {"id": "X1"}), CARD), reference).severity == "major"
    key = plan(call("create_ticket", {"a": "x", "b": {"any": True}}))
    assert otap.score(run(call("create_ticket", {"a": "x"})), key).severity == "critical"


def test_a_failed_call_besides() -> None:
    """Changed nothing, and was not asked for."""
    failed = {**call("create_order"), "effect": "Error: no", "status": "error"}
    assert otap.score(run(CARD, failed), plan(CARD)).severity == "minor"


@pytest.mark.parametrize(
    ("effect", "good"),
    [
        ("Found flights A1 and B2.", ["A1", "B2"]),
        ({"text": "Flight A1, at 3."}, ["A1"]),
        (["A1-X", "B2"], ["B2"]),
        ("A1-X is full, take B2.", ["B2"]),
    ],
)
def test_a_value_from_an_answer_in_words(effect: Any, good: list[str]) -> None:
    """As a whole name, and shown before it was used; of any of the calls that showed it."""
    reference = plan(
        {"id": "s", "tool": "search_flights"}, call("book_flight", {"id": {"from": "s"}})
    )
    search = {"tool": "search_flights", "effect": effect}
    for value in ("A1", "B2", "C3"):
        book = call("book_flight", {"id": value})
        fulfils = otap.score(run(search, book), reference).severity != "critical"
        assert fulfils is (value in good)
        nothing = {"tool": "search_flights", "effect": "none"}
        again = otap.score(run(nothing, search, book), reference).severity != "critical"
        assert again is (value in good)
        assert otap.score(run(book, search), reference).severity == "critical"


def test_from_one_of_alternatives() -> None:
    """Whichever was taken."""
    reference = plan(
        {"id": "look", "one_of": [[call("get_a")], [call("get_b")]]},
        call("pay", {"id": {"from": "look"}}),
    )
    look = {"tool": "get_b", "arguments": {}, "effect": {"id": "Q1"}}
    assert otap.score(run(look, call("pay", {"id": "Q1"})), reference).score == 1
    assert otap.score(run(look, call("pay", {"id": "Q2"})), reference).severity == "critical"


def test_ranges_of_days_and_amounts() -> None:
    """A day ends at its end; another unit is no number."""
    day = plan(call("create_ticket", {"at": {"max": "2024-05-31"}}))
    assert otap.score(run(call("create_ticket", {"at": "2024-05-31T18:00:00"})), day).score == 1
    assert otap.score(run(call("create_ticket", {"at": "2024-06-01T00:00:00"})), day).score < 1
    amount = plan(call("create_ticket", {"at": {"max": 60}}))
    assert otap.score(run(call("create_ticket", {"at": "$54.04"})), amount).score == 1
    assert otap.score(run(call("create_ticket", {"at": "10%"})), amount).score < 1


def test_typos_of_patterns() -> None:
    """Are told, with what is meant, and how else an object is said."""
    for typo, meant in (("mim", "min"), ("glub", "glob"), ("oneof", "one_of"), ("Max", "max")):
        with pytest.raises(
            FormatError, match=f"unknown pattern key '{typo}'; did you mean '{meant}'"
        ):
            plan(call("create_ticket", {"a": {typo: 5}}))
    assert (
        otap.score(
            run(call("create_ticket", {"a": {"form": 5}})),
            plan(call("create_ticket", {"a": {"equals": {"form": 5}}})),
        ).score
        == 1
    )


def test_a_plan_without_its_name(tmp_path: Path) -> None:
    """Says what it lacks."""
    (tmp_path / "a.toml").write_text('[[steps]]\ntool = "a"\n')
    with pytest.raises(FormatError, match=r'a plan begins with schema_version = "otap\.plan/1"'):
        otap.read_references(tmp_path / "a.toml")


def test_alternatives_of_which_one_was_tried() -> None:
    """Are not said to be missing altogether."""
    reference = plan(
        {
            "one_of": [
                [call("create_ticket", {"c": "C77"})],
                [call("reopen_ticket"), call("set_prio")],
            ]
        }
    )
    sentences = [text for _, text in found(run(call("create_ticket", {"c": "C78"})), reference)]
    assert not any("neither" in text for text in sentences)


def test_alternatives_inside_alternatives() -> None:
    """Of which one was tried: none of these is said to be missing altogether."""
    inner = {"one_of": [[call("pay_card", {"c": "A1"})], [call("pay_gift"), call("send_mail")]]}
    reference = plan({"one_of": [[inner], [call("cancel_order"), call("send_mail")]]})
    sentences = [text for _, text in found(run(call("pay_card", {"c": "B2"})), reference)]
    assert not any("neither" in text for text in sentences)


def test_a_value_in_a_long_answer() -> None:
    """Is looked for in time that grows with the answer alone."""
    reference = plan(
        {"id": "s", "tool": "search_flights"}, call("book_flight", {"id": {"from": "s"}})
    )
    search = {"tool": "search_flights", "effect": ["A " + "A" * 9_000] * 300}
    assert (
        otap.score(run(search, call("book_flight", {"id": "A1"})), reference).severity == "critical"
    )

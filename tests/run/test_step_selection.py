"""The steps and fields of a trajectory that count, and that the rest does not."""

import gc
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hotel
import otap
from builders import run_of
from otap.errors import FormatError
from otap.run.run import Run
from otap.run.store import MAX_TRANSIENT_STEPS
from otap.scoring.metric import Metric
from otap.trajectory import parse_trajectory
from strategies import TOOLS, trajectories

Plain = dict[str, Any]


def prepared(run: otap.Trajectory, **changes: Any) -> Run:
    """What is read off a run under these settings."""
    metric = Metric(otap.Config(**changes), otap.Scorer()._metric.encoder)
    return metric.runs.of(run)


def ids(run: otap.Trajectory, **changes: Any) -> list[str]:
    """The steps that count under these settings."""
    return [step.id for step in prepared(run, **changes).columns.steps]


def edges(run: otap.Trajectory, mechanism: str, **changes: Any) -> list[tuple[str, str]]:
    """Who needed whom under these settings, by id."""
    side = prepared(run, **changes)
    steps = side.columns.steps
    return [(steps[e.source].id, steps[e.target].id) for e in side.graph(mechanism).edges]


def rated(run: otap.Trajectory, gold: otap.Trajectory, **changes: Any) -> float:
    """The score under these settings."""
    return otap.Scorer(otap.Config(**changes)).score(run, gold).score


# What the airline's own records say flows through a step that only reads.
FLOW = run_of(
    {"tool": "find", "arguments": {"city": "Rome"}, "effect": {"hotel": "H-118"}},
    {"tool": "look", "arguments": {"hotel": "H-118"}, "effect": {"room": "R-2207"}},
    {"tool": "think", "arguments": {"thought": "this one"}, "effect": ""},
    {"tool": "book", "arguments": {"room": "R-2207"}, "effect": {"code": "BK-9"}},
    request=["A room in Rome, please."],
)


@pytest.mark.parametrize("name", hotel.NAMES)
def test_by_default_everything_counts(name: str) -> None:
    """The trajectory is compared as it is: not even a copy of it."""
    run = hotel.run_of(name)
    assert otap.Scorer().filtered(run) is run
    result = otap.score(run, hotel.reference())
    assert result.left_out.agent == result.left_out.reference == ()


def test_settings_that_meet_nothing_change_no_bit() -> None:
    """Tools and arguments that do not occur, and weights that are all alike."""
    elsewhere = {
        "tools": {"ignore": ["x"], "read_only": ["y"], "weight": {"z": 3}},
        "parameters": {"x": {"exact": ["a"]}, "*": {"ignore": ["none"], "sets": ["nowhere"]}},
        "failed": "folded",
        "subagents": "flattened",
    }
    scorer = otap.Scorer(otap.Config(**elsewhere))
    for name in hotel.NAMES:
        run, gold = hotel.run_of(name), hotel.reference()
        ours, theirs = scorer.score(run, gold), otap.score(run, gold)
        apart = {"signature": True}
        assert ours.model_dump(exclude=apart) == theirs.model_dump(exclude=apart)


@given(trajectories(least=2), trajectories(least=2), st.sampled_from(TOOLS))
def test_a_tool_left_out_is_as_if_it_had_not_been_there(
    scorer: otap.Scorer, run: otap.Trajectory, gold: otap.Trajectory, tool: str
) -> None:
    """Where dependencies are recorded: the score is that of the runs without its steps."""
    counting = otap.Scorer(otap.Config(tools={"ignore": [tool]}), encoder=scorer._metric.encoder)
    plain = [without(one, tool) for one in (run, gold)]
    ours, theirs = counting.score(run, gold), scorer.score(*plain)
    assert ours.loss == theirs.loss
    assert ours.alignment == theirs.alignment
    left = [step.id for step in run.steps if step.tool == tool]
    assert list(ours.left_out.agent) == left


def without(run: otap.Trajectory, tool: str) -> otap.Trajectory:
    """The steps of other tools; who needed one of the tool's needs what that one needed."""
    needed: dict[str, set[str]] = {}
    steps = []
    for step in run.steps:
        mine = {p for parent in step.depends_on or () for p in needed.get(parent, {parent})}
        if step.tool == tool:
            needed[step.id] = mine
        else:
            steps.append(step.model_copy(update={"depends_on": tuple(sorted(mine))}))
    return run.model_copy(update={"steps": tuple(steps)})


@pytest.mark.parametrize("mechanism", ["traced", "sequential"])
def test_what_is_left_out_passes_needs_on(mechanism: str) -> None:
    """The booking needs what the reading step needed, though only that one showed the room."""
    tools = {"ignore": ["think", "look"]}
    assert ids(FLOW, tools=tools) == ["1", "4"]
    assert edges(FLOW, mechanism, tools=tools) == [("1", "4")]
    assert prepared(FLOW, tools=tools).left_out == ("2", "3")


def test_recorded_dependencies_stay_within_the_steps_that_count() -> None:
    """What is compared is a valid trajectory, with needs passed on."""
    run = run_of(
        {"tool": "find", "depends_on": []},
        {"tool": "think", "depends_on": ["1"]},
        {"tool": "book", "depends_on": ["2"]},
    )
    counted = otap.Scorer(otap.Config(tools={"ignore": ["think"]})).filtered(run)
    assert parse_trajectory(counted.model_dump()) == counted
    assert counted.steps[1].depends_on == ("1",)
    assert run.steps[2].depends_on == ("2",)  # the run itself is as it was


def test_the_mechanism_is_that_of_the_whole_run() -> None:
    """Traced, though no step that counts records an effect."""
    run = run_of({"tool": "look", "effect": "H-118"}, {"tool": "book", "arguments": {"id": "H-1"}})
    tools = {"read_only": ["look"]}
    assert "traced" in prepared(run, tools=tools).mechanisms
    assert edges(run, "traced", tools=tools) == []


def test_steps_weigh_what_their_tool_weighs(scorer: otap.Scorer) -> None:
    """A heavier step that is missing costs more; a weight of all tools changes the unit alone."""
    gold = run_of(*({"tool": tool, "depends_on": []} for tool in ("mark", "pack", "book")))
    run = gold.model_copy(update={"steps": gold.steps[:2]})
    plain = rated(run, gold)
    assert rated(run, gold, tools={"weight": {"book": 5}}) < plain
    assert rated(run, gold, tools={"weight": {"book": 0.1}}) > plain
    all_alike = {"weight": dict.fromkeys(("mark", "pack", "book"), 3)}
    assert rated(run, gold, tools=all_alike) == pytest.approx(plain, abs=1e-12)
    assert rated(gold, gold, tools={"weight": {"book": 5}}) == 1.0


def test_a_step_of_weight_two_counts_as_two(scorer: otap.Scorer) -> None:
    """The marginals are those of the weights; precision and recall count by weight."""
    gold = run_of({"tool": "pack", "depends_on": []}, {"tool": "book", "depends_on": []})
    run = run_of({"tool": "pack", "depends_on": []}, {"tool": "pay", "depends_on": []})
    config = otap.Config(tools={"weight": {"book": 3, "pay": 3}})
    result = otap.Scorer(config).score(run, gold)
    assert result.recall == pytest.approx(0.25, abs=1e-6)
    assert scorer.score(run, gold).recall == pytest.approx(0.5, abs=1e-6)


def test_bounds_hold_for_weighted_steps() -> None:
    """Of many references the same ones are nearest as if all were solved."""
    config = otap.Config(tools={"weight": {"book": 4, "search": 0.3}}, contraction=False)
    corpus = [
        run_of(*({"tool": tool, "depends_on": []} for tool in tools))
        for tools in (("book",), ("search", "book"), ("search",) * 3, ("rank", "book"), ("rank",))
    ] * 3
    run = run_of({"tool": "search", "depends_on": []}, {"tool": "book", "depends_on": []})
    scorer = otap.Scorer(config)
    losses = [scorer.score(run, one).loss for one in corpus]
    together = scorer.score(run, corpus)
    assert together.loss == min(losses)
    for one, loss in zip(together.references, losses, strict=True):
        found = one.at_least if one.loss is None else one.loss
        assert found is not None
        assert found <= loss + 1e-9
    found = scorer.nearest(run, corpus, k=3)
    assert [neighbour.index for neighbour in found.neighbours] == [1, 6, 11]


def test_a_read_with_a_weight_is_no_goal() -> None:
    """What changes nothing is not what a run aims at."""
    gold = run_of(
        {"tool": "book", "depends_on": [], "state": {"booked": True}},
        {"tool": "look", "depends_on": [], "state": {"booked": False}},
    )
    side = prepared(gold, tools={"read_only": ["look"], "weight": {"look": 0.5}})
    assert [step.metadata.get("changes_state") for step in side.columns.steps] == [None, False]


def test_where_nothing_counts_nothing_is_expected() -> None:
    """A reference of which every step is left out means: change nothing."""
    gold = run_of({"tool": "look"})
    tools = {"ignore": ["look"]}
    assert rated(run_of({"tool": "look"}, {"tool": "look"}), gold, tools=tools) == 1.0
    result = otap.Scorer(otap.Config(tools=tools)).score(run_of({"tool": "book"}), gold)
    assert result.losses.extra_steps == 1.0
    assert result.loss == 1.0 + result.losses.critical
    assert [finding.agent for finding in result.findings] == [("1",)]


def test_goals_that_do_not_count_are_no_goals() -> None:
    """The others stay; what is no step at all stays an error."""
    steps = [{"tool": "find", "depends_on": []}, {"tool": "think", "depends_on": ["1"]}]
    tools = {"ignore": ["think"]}
    scorer = otap.Scorer(otap.Config(tools=tools))
    for goals, left in ((["1", "2"], {"goals": ["1"]}), (["2"], {})):
        assert scorer.filtered(run_of(*steps, metadata={"goals": goals})).metadata == left
    unknown = run_of(*steps, metadata={"goals": ["9"]})
    with pytest.raises(FormatError, match="names '9'"):
        scorer.score(unknown, unknown)


FAILED = {"tool": "book", "status": "error"}


@pytest.mark.parametrize(
    ("steps", "kept", "folded", "dropped"),
    [
        ([FAILED, {"tool": "book"}], "12", "2", "2"),
        ([FAILED, FAILED, {"tool": "book"}], "123", "3", "3"),
        ([FAILED, FAILED], "12", "2", ""),
        ([FAILED, {"tool": "pay"}, {"tool": "book"}], "123", "123", "23"),
        ([FAILED, {"tool": "think"}, {"tool": "book"}], "13", "3", "3"),
        ([{**FAILED, "agent": "a"}, {"tool": "pay", "agent": "b"}, {"tool": "book", "agent": "a"}],
         "123", "23", "23"),
        ([{**FAILED, "turn": 1}, {"tool": "book", "turn": 1}], "12", "12", "2"),
        ([{**FAILED, "turn": 1}, {"tool": "pay", "turn": 1}, {"tool": "book", "turn": 2}],
         "123", "23", "23"),
        ([{"status": "error"}, {}], "12", "12", "2"),
        ([{"tool": "book"}, {"tool": "book", "status": "ok"}], "12", "12", "12"),
    ],
)  # fmt: skip
def test_failed_attempts(steps: list[Plain], kept: str, folded: str, dropped: str) -> None:
    """Folded: those that the agent's next step that counts tries again, not of the same turn."""
    tools = {"ignore": ["think"]}
    for way, expected in (("kept", kept), ("folded", folded), ("dropped", dropped)):
        assert "".join(ids(run_of(*steps), failed=way, tools=tools)) == expected


def test_a_retry_needs_what_the_attempt_needed() -> None:
    """It is recorded as needing the attempt."""
    run = run_of(
        {"tool": "find", "depends_on": []},
        {**FAILED, "depends_on": ["1"]},
        {"tool": "book", "depends_on": ["2"]},
    )
    assert edges(run, "explicit", failed="folded") == [("1", "3")]
    assert rated(run, without_attempt(run), failed="folded") == 1.0
    assert rated(run, without_attempt(run)) < 1.0


def without_attempt(run: otap.Trajectory) -> otap.Trajectory:
    """The run as it would have been had the first attempt not failed."""
    retry = run.steps[2].model_copy(update={"depends_on": ("1",)})
    return run.model_copy(update={"steps": (run.steps[0], retry)})


NESTED = run_of(
    {"tool": "plan", "turn": 1, "depends_on": []},
    {
        "tool": "delegate", "turn": 2, "depends_on": ["1"],
        "substeps": [
            {"id": "1", "tool": "find", "turn": 2, "depends_on": []},
            {"id": "2", "tool": "think", "turn": 2, "depends_on": []},
            {"id": "3", "tool": "book", "turn": 3, "depends_on": ["1", "2"]},
        ],
    },
    {"tool": "pay", "turn": 3, "depends_on": ["2"]},
)  # fmt: skip


def test_flattened_steps_take_the_place_of_their_caller() -> None:
    """Named after both; what it needed they need, and what needed it needs what they ended in."""
    side = prepared(NESTED, subagents="flattened")
    assert [step.id for step in side.columns.steps] == ["1", "2/1", "2/2", "2/3", "3"]
    assert side.left_out == ("2",)
    assert edges(NESTED, "explicit", subagents="flattened") == [
        ("1", "2/1"), ("1", "2/2"), ("2/1", "2/3"), ("2/2", "2/3"), ("2/3", "3"),
    ]  # fmt: skip


def test_turns_of_different_lists_are_different_turns() -> None:
    """Steps inside ran with each other where they did, and never with those outside."""
    assert edges(NESTED, "sequential", subagents="flattened") == [
        ("1", "2/1"), ("1", "2/2"), ("2/1", "2/3"), ("2/2", "2/3"), ("2/3", "3"),
    ]  # fmt: skip


def test_what_only_the_caller_told_comes_from_those_inside() -> None:
    """Values are traced through the step that is left out, and what it needed is needed inside."""
    run = run_of(
        {"tool": "find", "effect": {"hotel": "H-118"}},
        {"tool": "delegate", "arguments": {"hotel": "H-118"}, "effect": "Room R-2207 is the best.",
         "substeps": [{"id": "1", "tool": "compare", "effect": "done"}]},
        {"tool": "book", "arguments": {"room": "R-2207"}, "effect": "booked"},
        request=["A room, please."],
    )  # fmt: skip
    found = edges(run, "traced", subagents="flattened")
    assert found == [("1", "2/1"), ("2/1", "3")]


def test_steps_inside_steps_inside_steps() -> None:
    """At any depth."""
    deep = run_of(
        {"tool": "plan", "depends_on": []},
        {"tool": "outer", "depends_on": ["1"], "substeps": [
            {"id": "a", "tool": "inner", "depends_on": [], "substeps": [
                {"id": "x", "tool": "find", "depends_on": []},
                {"id": "y", "tool": "rank", "depends_on": ["x"]},
            ]},
            {"id": "b", "tool": "book", "depends_on": ["a"]},
        ]},
        {"tool": "pay", "depends_on": ["2"]},
    )  # fmt: skip
    assert edges(deep, "explicit", subagents="flattened") == [
        ("1", "2/a/x"), ("2/a/x", "2/a/y"), ("2/a/y", "2/b"), ("2/b", "3"),
    ]  # fmt: skip


def test_flattened_names_must_differ() -> None:
    """One line that says which do not."""
    run = run_of({"tool": "a", "substeps": [{"id": "x", "tool": "b"}]}, {"id": "1/x", "tool": "c"})
    with pytest.raises(FormatError, match="two steps are called '1/x'; rename one of them"):
        ids(run, subagents="flattened")


def test_a_run_flattened_is_the_run_of_one_agent(scorer: otap.Scorer) -> None:
    """Who did it is no longer seen; by default it is."""
    alone = run_of(
        {"tool": "plan", "depends_on": []},
        {"tool": "find", "depends_on": ["1"]},
        {"tool": "think", "depends_on": ["1"]},
        {"tool": "book", "depends_on": ["2", "3"]},
        {"tool": "pay", "depends_on": ["4"]},
    )
    assert rated(NESTED, alone, subagents="flattened") == 1.0
    assert scorer.score(NESTED, alone).score < 1.0


def test_dropped_steps_inside_are_not_compared() -> None:
    """The step that they are part of is."""
    plain = run_of(*(step.model_dump(exclude={"id", "substeps"}) for step in NESTED.steps))
    assert rated(NESTED, plain, subagents="dropped") == 1.0
    assert ids(NESTED, subagents="dropped") == ["1", "2", "3"]


def test_settings_count_inside_steps_too() -> None:
    """Nested: a tool that is ignored is ignored at every depth, and then the two are the same."""
    inside = NESTED.steps[1].substeps
    book = inside[2].model_copy(update={"depends_on": ("1",)})
    other = NESTED.steps[1].model_copy(update={"substeps": (inside[0], book), "tool": "hand over"})
    gold = NESTED.model_copy(update={"steps": (NESTED.steps[0], other, NESTED.steps[2])})
    exact = {"kappa": 0.0, "paper": {"epsilon": 0.0}}
    nested = otap.Config.preset("paper", **exact)
    nothing = otap.Config.preset("paper", **exact, tools={"ignore": ["think"]})
    of_nested, of_nothing = (
        otap.Scorer(config, encoder="wordllama").score(NESTED, gold).score
        for config in (nested, nothing)
    )
    assert of_nothing == pytest.approx(1.0, abs=1e-9)
    assert of_nested < 0.999


def test_a_step_of_which_nothing_inside_counts_is_a_plain_step() -> None:
    """It is compared by its own fields."""
    tools = {"ignore": ["find", "think", "book"]}
    assert otap.Scorer(otap.Config(tools=tools)).filtered(NESTED).steps[1].substeps == ()


@pytest.mark.parametrize(
    ("parameters", "data", "expected"),
    [
        ({"ignore": ["a"]}, {"a": 1, "b": 2}, {"b": 2}),
        ({"ignore": ["a.b"]}, {"a": {"b": 1}, "c": {"b": 1}}, {"c": {"b": 1}}),
        ({"ignore": ["a.b"]}, {"a": {"b": 1, "c": 2}}, {"a": {"c": 2}}),
        ({"ignore": ["a.b"]}, {"a": [{"b": 1, "c": 2}, {"c": 3}]}, {"a": [{"c": 2}, {"c": 3}]}),
        ({"ignore": ["a"]}, '{"a": 1, "b": 2}', {"b": 2}),
        ({"ignore": ["a"]}, "a text", "a text"),
        ({"ignore": ["a"]}, None, None),
        ({"ignore": ["a"]}, {"a": 1}, {}),
        ({"ignore": ["a"]}, {"b": {}, "c": []}, {"b": {}, "c": []}),
        ({"defaults": {"a": 1}}, {"a": "1.0", "b": 1}, {"b": 1}),
        ({"defaults": {"a": 1}}, {"a": 2}, {"a": 2}),
        ({"defaults": {"a": True}}, {"a": "true"}, {}),
        ({"defaults": {"a": {"x": 1, "y": [2]}}}, {"a": {"y": ["2"], "x": 1.0}}, {}),
        ({"defaults": {"a.b": None}}, {"a": {"b": ""}}, {}),
    ],
)
def test_arguments_that_do_not_count(parameters: Plain, data: Any, expected: Any) -> None:
    """Gone on both sides, with the objects that this empties; others stay as they are."""
    run = run_of({"tool": "book", "arguments": data}, {"tool": "look", "arguments": data})
    book, look = otap.Scorer(otap.Config(parameters={"book": parameters})).filtered(run).steps
    assert book.arguments == expected
    assert look.arguments == data
    every = otap.Scorer(otap.Config(parameters={"*": parameters})).filtered(run).steps
    assert [step.arguments for step in every] == [expected, expected]


def test_ignored_arguments_still_tell_where_they_came_from() -> None:
    """Dependencies are traced before anything is left out."""
    ignored = {"*": {"ignore": ["room", "hotel"]}}
    assert edges(FLOW, "traced", parameters=ignored) == edges(FLOW, "traced") != []


BOOKED: Plain = {"name": "Anna Bell", "price": 100, "why": "ill", "tags": ["a", "b"], "n": 1}


@pytest.mark.parametrize(
    ("parameters", "other"),
    [
        ({"tolerance": {"price": 0.5}}, {"price": 100.4}),
        ({"tolerance": {"price": "1%"}}, {"price": 101}),
        ({"sets": ["tags"]}, {"tags": ["b", "a", "b"]}),
        ({"ignore": ["price"]}, {"price": 7}),
        ({"defaults": {"price": 100}}, {"price": None}),
    ],
)
def test_what_is_the_same_by_a_rule_costs_nothing(parameters: Plain, other: Plain) -> None:
    """And is no finding; by default it costs something."""
    gold = run_of({"tool": "book", "arguments": BOOKED})
    changed = {key: value for key, value in {**BOOKED, **other}.items() if value is not None}
    run = run_of({"tool": "book", "arguments": changed})
    for named in ("book", "*"):
        result = otap.Scorer(otap.Config(parameters={named: parameters})).score(run, gold)
        assert result.score == 1.0
        assert result.findings == ()
    assert rated(run, gold) < 1.0
    assert rated(run, gold, parameters={"pay": parameters}) < 1.0


def test_findings_name_what_the_rules_find_different() -> None:
    """Not what is within a tolerance; a name that must be exact, and another text, last."""
    gold = run_of({"tool": "book", "arguments": BOOKED})
    other = {"name": "Anna B. Bell", "price": 100.4, "why": "BK-118", "tags": ["b", "a"], "n": 2}
    run = run_of({"tool": "book", "arguments": other})
    rules = {"exact": ["name"], "tolerance": {"price": 1}, "text": ["why"], "sets": ["tags"]}
    config = otap.Config(parameters={"book": rules})
    (finding,) = otap.Scorer(config).score(run, gold).findings
    assert finding.sentence == (
        "step 1 (book): n is 2 instead of 1; name is Anna B. Bell instead of Anna Bell; "
        'why says "BK-118", the reference says "ill"; by the settings any text passes here, '
        "with any numbers"
    )
    (plain,) = otap.score(run, gold).findings
    assert "price is 100.4" in plain.sentence
    assert "name" not in plain.sentence


def test_steps_that_go_leave_nothing_alive() -> None:
    """A scorer does not keep the trajectories that it has seen."""
    metric = Metric(otap.Config(tools={"ignore": ["x"]}), otap.Scorer()._metric.encoder)
    run = run_of({"tool": "book"})
    side = metric.runs.of(run)
    assert metric.runs.of(run) is side
    assert len(metric.runs._by_id) == 1
    del run, side
    assert not metric.runs._by_id


def test_runs_that_pass_are_let_go() -> None:
    """However many are alive: the latest are kept, and what others are compared with."""
    metric = Metric(otap.Config(), otap.Scorer()._metric.encoder)
    gold = run_of({"tool": "book"})
    reference = metric.runs.of(gold)
    count = 3 * MAX_TRANSIENT_STEPS // 100
    runs = [run_of(*[{"tool": "book"}] * 100, task=f"task {k}") for k in range(count)]
    for run in runs:
        assert metric.runs.of(run, is_transient=True) is metric.runs.of(run, is_transient=True)
        assert metric.runs.of(gold, is_transient=True) is reference
        assert len(metric.runs._by_id) <= 1 + MAX_TRANSIENT_STEPS // 100
    assert metric.runs.of(gold) is reference
    first = metric.runs.of(runs[0], is_transient=True)
    assert metric.runs.of(runs[0]) is first  # from here on it is kept
    for run in runs[1:]:
        metric.runs.of(run, is_transient=True)
    assert metric.runs.of(runs[0], is_transient=True) is first
    del run, runs, first
    assert [*metric.runs._by_id] == [id(gold)]
    assert metric.runs._room == MAX_TRANSIENT_STEPS


def test_a_stream_of_runs_leaves_nothing_behind() -> None:
    """What is scored in portions is let go with the last of its trajectories."""
    scorer, gold = otap.Scorer(), run_of({"tool": "book", "arguments": {"id": "A-1"}})

    def left_of(count: int) -> int:
        runs = (run_of({"tool": "book", "arguments": {"id": f"B-{k}"}}) for k in range(count))
        scorer.score_many((run, gold) for run in runs)
        gc.collect()
        return sum(type(one) is Run for one in gc.get_objects())

    assert left_of(40) == left_of(5)

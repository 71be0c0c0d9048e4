"""Edits of a trajectory: what each one promises, over random graphs and by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import otap
from examples.perturbation import (
    EDITS,
    FAMILIES,
    LADDER,
    Material,
    annotated,
    perturb,
    regrouped,
    retraced,
)
from otap.errors import DependencyError
from otap.graph import DependencyGraph, Edge
from otap.run import dependency_graph

TOOLS = ("search", "filter", "book")
MATERIAL = Material(lexicon={"find": ("spot",)}, tools=TOOLS)


def step(name, needs=(), **told):
    told = {"tool": TOOLS[len(name) % 3], "action": f"find {name} and keep it", **told}
    return otap.Step(id=name, depends_on=tuple(needs), **told)


def hotel():
    """The paper's example: two filters that can be exchanged between a search and a ranking."""
    return otap.Trajectory(
        id="hotel",
        steps=(
            step("search"),
            step("price", ["search"]),
            step("location", ["search"]),
            step("rank", ["price", "location"]),
            step("book", ["rank"]),
        ),
    )


def run(edits, seed=0, trajectory=None, material=MATERIAL):
    trajectory = trajectory or hotel()
    return perturb(trajectory, dependency_graph(trajectory), edits, seed, material)


def names(trajectory):
    return [step.id for step in trajectory.steps]


def edges(trajectory):
    return {(parent, step.id) for step in trajectory.steps for parent in step.depends_on}


@st.composite
def trajectories(draw):
    """Runs of 2 to 8 steps over a random graph whose edges point forward."""
    size = draw(st.integers(2, 8))
    parents = [draw(st.sets(st.integers(0, k - 1))) if k else set() for k in range(size)]
    return otap.Trajectory(
        steps=tuple(
            step(f"s{k}", [f"s{p}" for p in sorted(needs)]) for k, needs in enumerate(parents)
        )
    )


@given(trajectories(), st.integers(0, 99), st.sampled_from(sorted(EDITS)))
def test_an_edit_is_a_pure_function_that_makes_a_valid_trajectory(trajectory, seed, name):
    """The same seed gives the same run, its edges point backwards in its own list, ids differ."""
    found = run([name], seed, trajectory)
    assert found == run([name], seed, trajectory)
    if found is not None:
        checked = otap.Trajectory.model_validate(found.model_dump())
        place = {name: k for k, name in enumerate(names(checked))}
        assert all(place[source] < place[target] for source, target in edges(checked))


@given(trajectories(), st.integers(0, 99))
def test_a_reordering_keeps_steps_and_dependencies(trajectory, seed):
    """P2 is invisible to a graph; it exists where two neighbours in the list are independent."""
    found = run(["reorder"], seed, trajectory)
    exchangeable = any(
        one.id not in other.depends_on
        for one, other in zip(trajectory.steps, trajectory.steps[1:], strict=False)
    )
    assert (found is not None) == exchangeable
    if found:
        assert edges(found) == edges(trajectory)
        assert names(found) != names(trajectory)


@given(trajectories(), st.integers(0, 99))
def test_an_inversion_loses_an_edge_and_reverses_none(trajectory, seed):
    """What is needed and was not made yet is unmet, not needed the other way round."""
    found = run(["invert"], seed, trajectory)
    assert (found is None) == (not edges(trajectory))
    if found:
        assert edges(found) < edges(trajectory)


@given(trajectories(), st.integers(0, 99))
def test_other_granularities_keep_what_is_needed(trajectory, seed):
    """Contracted, the graph of a merge or split is the original's, the two steps being one."""
    merge, split = run(["merge"], seed, trajectory), run(["split"], seed, trajectory)
    if merge:
        (new,) = set(names(merge)) - set(names(trajectory))
        old = dict.fromkeys(new.split("+"), new)
        expected = {(old.get(a, a), old.get(b, b)) for a, b in edges(trajectory)} - {(new, new)}
        assert edges(merge) == expected
    assert split
    first, second = (s for s in split.steps if s.id not in names(trajectory))
    assert first.id[:-2] == second.id[:-2]
    assert {(a[:2], b[:2]) for a, b in edges(split) if a[:2] != b[:2]} == edges(trajectory)
    assert first.id in second.depends_on


def test_other_words_leave_data_alone():
    """Prose is reworded with its capital kept; structured arguments are data."""
    trajectory = otap.Trajectory(
        steps=(
            otap.Step(id="a", tool="t", action="Find it", arguments={"q": "find"}, effect="find"),
        )
    )

    def told(material):
        runs = (run(["paraphrase"], k, trajectory, material) for k in range(20))
        step = next(one for one in runs if one is not None).steps[0]
        return step.action, step.arguments, step.effect

    lexicon = MATERIAL.lexicon
    assert told(Material(lexicon)) == ("Spot it", {"q": "find"}, "find")
    assert told(Material(lexicon, prose=("arguments", "effect"))) == (
        "Find it", {"q": "find"}, "spot",
    )  # fmt: skip
    assert run(["paraphrase"], 0, trajectory, Material(lexicon={"seek": ("x",)})) is None


def test_the_longest_phrase_is_reworded():
    """'look up' is one phrase, and 'lookout' is none."""
    material = Material(lexicon={"look": ("peer",), "lookout": ("tower",), "look up": ("search",)})
    trajectory = otap.Trajectory(steps=(otap.Step(id="a", action="look up the lookout"),))
    found = [run(["paraphrase"], k, trajectory, material) for k in range(20)]
    told = {f.steps[0].action for f in found if f}
    assert {"search the lookout", "search the tower"} <= told
    assert not any("peer" in action for action in told)


def test_a_deletion_takes_a_step_that_others_need():
    """Never the booking, on which nothing depends; what needed the lost step needs nothing."""
    for seed in range(20):
        found = run(["delete"], seed)
        (lost,) = set(names(hotel())) - set(names(found))
        assert lost != "book"
        assert edges(found) == {edge for edge in edges(hotel()) if lost not in edge}


def test_distractors_and_wrong_tools():
    """Three distractors stand apart; a wrong tool makes nothing that a later step could need."""
    found = run(["distract"] * 3)
    extra = [s for s in found.steps if s.id.startswith("extra")]
    assert len(extra) == 3 == len({s.action for s in extra})
    assert edges(found) == edges(hotel())
    wrong = run(["mistool"])
    (changed,) = (
        new for new, old in zip(wrong.steps, hotel().steps, strict=True) if new.tool != old.tool
    )
    assert changed.tool in TOOLS
    assert edges(wrong) == {edge for edge in edges(hotel()) if edge[0] != changed.id}


def test_when_a_step_ran_is_forgotten_with_the_order():
    """Turns of the original would say that steps ran in parallel which now do not."""
    steps = [s.model_copy(update={"turn": 1}) for s in hotel().steps]
    trajectory = hotel().model_copy(update={"steps": tuple(steps)})
    assert {s.turn for s in run(["reorder"], 0, trajectory).steps} == {None}


def test_the_ladder_loses_a_little_at_each_level():
    """On average over seeds; the families' runs score as their names say."""
    scorer = otap.Scorer()
    means = [
        sum(scorer.score(run(edits, seed), hotel()).score for seed in range(20)) / 20
        for edits in LADDER.values()
    ]
    assert means == sorted(means, reverse=True)
    assert all(run(edits) for family in FAMILIES.values() for edits in family)


def test_what_is_needed_is_what_the_graph_says():
    """Artifacts are retraced to their latest maker; a graph binds them to one step."""

    def making(name, produces, consumes):
        return otap.Step(
            id=name, action=name, metadata={"produces": produces, "consumes": consumes}
        )

    trajectory = otap.Trajectory(
        steps=(making("a", ["x"], []), making("b", ["x"], []), making("c", [], ["x", "y"]))
    )
    assert edges(retraced(trajectory)) == {("b", "c")}
    graph = DependencyGraph(3, (Edge(0, 2),), "traced")
    assert edges(retraced(annotated(trajectory, graph))) == {("a", "c")}


@pytest.mark.parametrize(
    "text", ["F\u0130ND the hotel", "f\u0131nd hotels", "Stra\u00dfe", "\u017fearch"]
)
def test_letters_without_a_single_lower_case_are_read(text):
    """Turkish i and German sharp s: reworded or left alone, never a traceback."""
    trajectory = otap.Trajectory(steps=(otap.Step(id="a", action=text),))
    lexicon = {"find": ("spot",), "Stra\u00dfe": ("Weg",), "search": ("seek",)}
    found = [run(["paraphrase"], k, trajectory, Material(lexicon=lexicon)) for k in range(20)]
    told = {one.steps[0].action for one in found if one}
    assert told <= {"Spot the hotel", "spot hotels", "Weg", "seek"}
    assert told or text.startswith(("F", "f"))


def test_a_capital_is_kept_and_none_invented():
    """Where the phrase began a sentence, so does the other way to say it; names keep theirs."""
    material = Material(lexicon={"Find": ("Spot",), "train": ("EuroCity",)})
    trajectory = otap.Trajectory(steps=(otap.Step(id="a", action="Find a train, then find it"),))
    told = {
        run(["paraphrase"], k, trajectory, material)
        and run(["paraphrase"], k, trajectory, material).steps[0].action
        for k in range(20)
    }
    assert "Spot a EuroCity, then spot it" in told


def test_ids_stay_unique():
    """An id that an edit would make can be there already."""
    steps = (otap.Step(id="a", action="Go and stop"), otap.Step(id="a.1", action="x"))
    found = run(["split"], 0, otap.Trajectory(steps=steps))
    assert names(found) == ["a.1'", "a.2", "a.1"]
    assert otap.Trajectory.model_validate(found.model_dump()) == found


def test_a_merge_loses_nothing():
    """The same keys with other values stay apart; of steps with sub-steps it consists."""
    inner = (otap.Step(id="i"),)
    trajectory = otap.Trajectory(
        steps=(
            otap.Step(id="a", tool="get", action="Get it.", arguments={"id": 1}, depends_on=()),
            otap.Step(
                id="b",
                tool="get",
                action="I pay",
                arguments={"id": 2},
                depends_on=("a",),
                substeps=inner,
            ),
        )
    )
    (merged,) = run(["merge"], 0, trajectory).steps
    assert (merged.action, merged.arguments) == ("Get it and then I pay", [{"id": 1}, {"id": 2}])
    assert [step.id for step in merged.substeps] == ["a", "b"]


def test_what_cannot_be_done_is_said():
    """An unknown edit, artifacts that are no list, and a group with a step in its middle."""
    with pytest.raises(ValueError, match="no edit is called 'shake'; there are paraphrase"):
        run(["shake"])
    broken = otap.Trajectory(steps=(otap.Step(id="a", metadata={"produces": "x", "consumes": []}),))
    with pytest.raises(DependencyError, match=r"step 'a': metadata\.produces must be a list"):
        retraced(broken)
    whole = annotated(hotel(), dependency_graph(hotel()))
    with pytest.raises(DependencyError, match="search, rank cannot become one"):
        regrouped(whole, ["search", "rank"], [whole.steps[0]])
    with pytest.raises(DependencyError, match="no step nosuch"):
        regrouped(whole, ["nosuch"], [])
    with pytest.raises(DependencyError, match="has 5 steps, but its graph has 2"):
        perturb(hotel(), DependencyGraph(2, (), "explicit"), ["delete"], 0)
    for ways in ((), "spot"):
        with pytest.raises(ValueError, match="no list of synonyms for 'find'"):
            Material(lexicon={"find": ways})
    assert run(["mistool"], 0, None, Material(tools=("other",))) is not None
    assert run(["delete"], 0, otap.Trajectory(steps=(step("a"),))) is None
    assert run(["merge"], 0, otap.Trajectory(steps=(step("a"),))) is None
    assert run(["mistool"], 0, otap.Trajectory(steps=(step("a"),)), Material()) is None
    assert run(["distract"], 0, None, Material(distractors=())) is None


def test_steps_of_real_shape_are_merged_and_split():
    """Structured arguments are united and divided; effects follow the work."""
    trajectory = otap.Trajectory(
        steps=(
            otap.Step(id="a", tool="f", arguments={"x": 1, "y": 2}, effect={"n": 1}, depends_on=()),
            otap.Step(id="b", tool="g", arguments=[3], effect="done", depends_on=("a",)),
        )
    )
    (merged,) = run(["merge"], 0, trajectory).steps
    assert (merged.tool, merged.arguments) == ("g", [{"x": 1, "y": 2}, [3]])
    assert merged.effect == [{"n": 1}, "done"]
    first, second, _ = run(["split"], 0, trajectory).steps
    assert (first.arguments, first.effect) == ({"x": 1}, None)
    assert (second.arguments, second.effect) == ({"y": 2}, {"n": 1})

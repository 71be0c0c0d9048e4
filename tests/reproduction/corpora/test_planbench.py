"""Blocksworld against brute force, and what PlanBench's instances and plans become."""

import random
import re
from itertools import pairwise

import pytest

from examples.perturbation import perturb
from otap.run import dependency_graph
from reproduction.corpora.blocksworld import (
    OPERATORS,
    blocks_of,
    detours,
    executes,
    moves,
    optimal_plans,
)
from reproduction.corpora.planbench import (
    Instance,
    Reading,
    executable,
    instances,
    oracle,
    reference_plans,
    reorderable,
    tasks,
    trajectory,
)

# b stands on a, c on the table; wanted: a on b on c.
INIT = frozenset({"ontable a", "on b a", "clear b", "ontable c", "clear c", "handempty"})
GOAL = frozenset({"on a b", "on b c"})
PLAN = (("unstack", "b", "a"), ("stack", "b", "c"), ("pick-up", "a"), ("stack", "a", "b"))
# b stands on a, d on c; wanted: both on the table, in either order.
TOWERS = frozenset(
    {"ontable a", "on b a", "clear b", "ontable c", "on d c", "clear d", "handempty"}
)


@pytest.fixture(scope="module")
def folder(real_data):
    return real_data / "planbench"


@pytest.fixture(scope="module")
def known(folder):
    return instances(folder)


@pytest.fixture(scope="module")
def plans(known):
    """The reference plans of every instance."""
    return {name: reference_plans(instance) for name, instance in known.items()}


@pytest.fixture(scope="module")
def judged(folder):
    return oracle(folder)


@pytest.fixture(scope="module")
def drawn(folder):
    return tasks(folder)


def heap(count, seed):
    """Blocks on random others or on the table, and what is wanted of some."""
    draw = random.Random(seed)
    return standing("abc"[:count], draw) | {"handempty"}, frozenset(
        fact for fact in standing("abc"[:count], draw) if draw.random() < 0.7
    )


def standing(blocks, draw):
    clear, facts = [], set()
    for block in draw.sample(blocks, len(blocks)):
        below = draw.choice([None, *clear])
        facts.add(f"on {block} {below}" if below else f"ontable {block}")
        clear = [*(other for other in clear if other != below), block]
    return frozenset(facts | {f"clear {block}" for block in clear})


def shortest_by_force(init, goal):
    """All plans of the first length at which there is one, by trying every action everywhere."""
    tried = [()]
    while True:
        found = {plan for plan in tried if executes(plan, init, goal)}
        if found:
            return found
        actions = [move.action for move in moves(blocks_of(init))]
        longer = [(*plan, action) for plan in tried for action in actions]
        tried = [plan for plan in longer if executes(plan, init, frozenset())]


class TestValidator:
    """Which plans can be executed."""

    def test_a_plan_executes(self):
        """The whole plan does; without its last action or its first it does not."""
        assert executes(PLAN, INIT, GOAL)
        assert not executes(PLAN[:-1], INIT, GOAL)
        assert not executes(PLAN[1:], INIT, GOAL)

    def test_an_action_ends_what_it_needs(self):
        """A block in the hand is not clear and not on the table, and the hand is not empty."""
        up = ("pick-up", "c")
        for gone in ("clear c", "ontable c", "handempty"):
            assert not executes([up], INIT, {gone})
        assert executes([up, ("put-down", "c")], INIT, INIT)

    @pytest.mark.parametrize(
        "action",
        [(), ("fly", "a"), ("unstack", "b"), ("pick-up", "c", "a"), ("pick-up", "z"), ("stack",)],
    )
    def test_a_malformed_action_is_invalid(self, action):
        """Unknown operators and blocks, and a wrong number of blocks."""
        assert not executes([action], INIT, frozenset())

    def test_without_actions_the_goal_must_hold(self):
        """The empty plan does nothing."""
        assert executes([], INIT, {"on b a"})
        assert not executes([], INIT, GOAL)


class TestSolver:
    """The shortest plans."""

    @pytest.mark.parametrize("seed", range(8))
    @pytest.mark.parametrize("count", [2, 3])
    def test_as_brute_force(self, count, seed):
        """All the shortest plans, each once."""
        init, goal = heap(count, seed)
        found = optimal_plans(init, goal, 1000)
        assert len(found) == len(set(found))
        assert set(found) == shortest_by_force(init, goal)

    def test_the_seed_breaks_ties(self):
        """One seed always gives one order; over seeds each plan is the first."""
        goal = {"ontable b", "ontable d"}
        every = optimal_plans(TOWERS, goal, 10)
        assert len(every) == 2
        assert optimal_plans(TOWERS, goal, 10) == every
        assert {optimal_plans(TOWERS, goal, 1, seed)[0] for seed in range(10)} == set(every)

    def test_a_goal_out_of_reach(self):
        """No plan, and no endless search."""
        assert optimal_plans(INIT, {"on a b", "on b a"}, 1) == []


def test_detours_are_undone():
    """Each has two actions more, is valid, and does not end in what it undoes."""
    found = detours(PLAN, INIT)
    assert len(set(found)) == len(found)
    for plan in found:
        assert executes(plan, INIT, GOAL)
        assert len(plan) == len(PLAN) + 2
        assert plan[:4] != PLAN
        assert any(OPERATORS[one[0]].inverse == other[0] for one, other in pairwise(plan))
    assert detours((), INIT) == []


class TestTrajectory:
    """A plan as steps with dependencies."""

    def test_a_plan_in_words(self):
        """A step tells its action as PlanBench does, and what it adds."""
        told = [(s.tool, s.action, s.arguments, s.effect) for s in trajectory(PLAN, "p").steps]
        assert told == [
            (
                "unstack",
                "unstack block b from on top of block a",
                "block b, block a",
                "holding b; a clear",
            ),
            (
                "stack",
                "stack block b on top of block c",
                "block b, block c",
                "b on c; b clear; hand empty",
            ),
            ("pick-up", "pick up block a", "block a", "holding a"),
            (
                "stack",
                "stack block a on top of block b",
                "block a, block b",
                "a on b; a clear; hand empty",
            ),
        ]
        [down] = trajectory([("put-down", "a")], "p").steps
        assert (down.action, down.effect) == ("put down block a", "a on table; a clear; hand empty")

    def test_dependencies_by_hand(self):
        """Nothing made before a's being on the table; what cleared it was the first step."""
        found = [step.depends_on for step in trajectory(PLAN, "p").steps]
        assert found == [(), ("1",), ("1",), ("2", "3")]
        assert reorderable(trajectory(PLAN, "p"))

    def test_the_hand_makes_a_chain(self):
        """With handempty each step needs the one before."""
        found = trajectory(PLAN, "p", Reading(handempty=True))
        assert [s.depends_on for s in found.steps] == [(), ("1",), ("1", "2"), ("2", "3")]
        assert not reorderable(found)

    def test_what_a_step_makes_and_needs(self):
        """The facts, and the action as the plan had it."""
        first = trajectory(PLAN, "p").steps[0]
        assert first.metadata == {
            "plan": ["unstack", "b", "a"],
            "produces": ["holding b", "clear a"],
            "consumes": ["on b a", "clear b"],
        }

    def test_a_malformed_action_is_told(self):
        """With its own words, and without artifacts."""
        [step] = trajectory([["un-do", "b"]], "p").steps
        assert (step.tool, step.action, step.arguments) == ("un-do", "un do", "b")
        assert step.metadata == {"plan": ["un-do", "b"], "produces": [], "consumes": []}
        assert len(trajectory([[], ["stack", "a"]], "p").steps) == 2

    def test_an_empty_plan(self):
        """No steps."""
        assert trajectory([], "p").steps == ()
        assert not reorderable(trajectory([], "p"))

    def test_what_can_be_executed(self):
        """Gold can; what the dependencies allow may still need two hands."""
        instance = Instance("p", INIT, GOAL, PLAN)
        run = trajectory(PLAN, "p")
        assert executable(run, instance)
        two_hands = [run.steps[k] for k in (0, 2, 1, 3)]
        assert not executable(run.model_copy(update={"steps": tuple(two_hands)}), instance)
        bare = run.steps[0].model_copy(update={"metadata": {}})
        assert not executable(run.model_copy(update={"steps": (bare, *run.steps)}), instance)


class TestInstances:
    """All 380 instances, and their references."""

    def test_gold_is_an_optimum(self, known):
        """Every instance is solved; gold is valid and no longer than the solver's plan."""
        assert len(known) == 380
        for instance in known.values():
            assert executes(instance.gold, instance.init, instance.goal)
            [plan] = optimal_plans(instance.init, instance.goal, 1)
            assert len(plan) == len(instance.gold), instance.name

    def test_references_are_valid_and_distinct(self, known, plans):
        """Gold, another optimum or a detour, and a detour."""
        for name, instance in known.items():
            gold, other, around = plans[name]
            assert gold == instance.gold
            assert len({gold, other, around}) == 3
            assert len(other) - len(gold) in (0, 2)
            assert len(around) == len(gold) + 2
            for plan in plans[name]:
                assert executes(plan, instance.init, instance.goal), name

    def test_how_many_have_a_second_optimum(self, plans):
        """46 %."""
        assert sum(len(gold) == len(other) for gold, other, _ in plans.values()) == 176

    def test_how_many_can_be_reordered(self, known):
        """93 %, all of those with six steps; none if the hand must be empty."""
        gold = {name: trajectory(i.gold, name) for name, i in known.items()}
        can = [name for name in gold if reorderable(gold[name])]
        long = [name for name in gold if len(gold[name].steps) >= 6]
        assert (len(can), len(long)) == (354, 311)
        assert set(long) <= set(can)
        assert not any(
            reorderable(trajectory(i.gold, n, Reading(handempty=True))) for n, i in known.items()
        )


class TestTasks:
    """Twenty gold plans to be perturbed."""

    def test_they_are_drawn_with_the_seed(self, folder, drawn):
        """Always the same twenty by one seed, others by another."""
        names = [task.name for task in drawn]
        assert len(set(names)) == 20
        assert names == [task.name for task in tasks(folder)]
        assert names != [task.name for task in tasks(folder, seed=1)]

    def test_they_can_be_perturbed(self, known, drawn):
        """Six steps and more, other orders, and three references."""
        for task in drawn:
            gold = task.references[0]
            assert len(gold.steps) >= 6
            assert reorderable(gold)
            assert len(task.references) == 3
            assert executable(gold, known[task.name])
            assert set(task.tools) == set(OPERATORS)

    def test_the_action_survives_another_order(self, known, drawn):
        """A reordered run has the same actions, so that it can be said whether it executes."""
        gold = drawn[0].references[0]
        run = perturb(gold, dependency_graph(gold), ["reorder"], seed=0)
        actions, others = ([s.metadata["plan"] for s in t.steps] for t in (gold, run))
        assert actions != others
        assert sorted(actions) == sorted(others)
        assert isinstance(executable(run, known[drawn[0].name]), bool)

    def test_distractors_are_not_gold(self, known, drawn):
        """Six other actions, which make nothing."""
        for task in drawn:
            actions = [tuple(step.metadata["plan"]) for step in task.distractors]
            assert len(set(actions)) == 6
            assert not set(actions) & set(known[task.name].gold)
            assert all(step.metadata["produces"] == [] for step in task.distractors)

    def test_the_lexicon_reaches_every_step(self, drawn):
        """So a paraphrase can change each."""
        for task in drawn:
            for step in task.references[0].steps:
                text = f"{step.action} | {step.arguments} | {step.effect}"
                assert any(re.search(rf"\b{phrase}\b", text) for phrase in task.lexicon)


class TestOracle:
    """The models' plans with their labels."""

    def test_the_validator_agrees_with_the_labels(self, known, judged):
        """All 720; the label would be kept where it did not."""
        assert len(judged.cases) == 720
        agreed = sum(executable(c.run, known[c.task]) == c.valid for c in judged.cases)
        assert agreed == 720

    def test_it_is_whole(self, judged):
        """Twelve models with sixty plans each, 176 of them valid, and references for each."""
        variants = [case.variant for case in judged.cases]
        assert len(set(variants)) == 12
        assert {variants.count(variant) for variant in variants} == {60}
        assert sum(case.valid for case in judged.cases) == 176
        assert all(len(judged.references[case.task]) == 3 for case in judged.cases)
        assert sum(not case.run.steps for case in judged.cases) == 3

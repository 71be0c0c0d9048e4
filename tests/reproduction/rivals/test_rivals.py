"""The rivals against the libraries they stand for, brute force, and hand values."""

import itertools
import random
import zlib
from collections import Counter

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer
from sacrebleu.metrics import BLEU

from otap import Trajectory
from otap.encoders import load_encoder
from otap.trajectory import parse_trajectory
from reproduction.rivals import EMBEDDED, FIELD, PAPER, GraphEdit, edits, rivals
from reproduction.rivals.edits import bounds, changes, labelled
from reproduction.rivals.embeddings import StepVectors
from reproduction.rivals.subsequence import common_length
from reproduction.rivals.texts import step_text
from strategies import relisted, trajectories
from work import calls

WORDS = ("find", "Find", "hotel", "in", "Rome", "below", "150", "3.5", "e-mail,", "now.", "é")
CALLS = ("strict", "unordered", "subset", "superset")
OF_CALLS = (*CALLS, "sequence", "in order", "gold share", "LCS-F1", "multiset-F1")


def drawn(texts):
    """A direction for each text, the same every time; cosines of either sign."""
    return [np.random.default_rng(zlib.crc32(text.encode())).normal(size=3) for text in texts]


def spelled(texts):
    """How often each letter is in a text: texts with the same letters are alike."""
    return [[text.count(letter) for letter in "abcdef"] for text in texts]


RIVALS = rivals(load_encoder(drawn))
SPELLED = rivals(load_encoder(spelled))


def run_of(*steps):
    """A run of these steps; where none says what it depends on, of a chain of turns."""
    named = [{"id": f"s{place}", **step} for place, step in enumerate(steps)]
    return parse_trajectory({"steps": named})


def said(*actions):
    """A run of steps that are only said."""
    return run_of(*({"action": action} for action in actions))


def called(*tools, turns=None):
    """A run of calls without arguments, in turns if given."""
    turns = turns or [None] * len(tools)
    return run_of(*({"tool": tool, "turn": turn} for tool, turn in zip(tools, turns, strict=True)))


def graph_of(labels, edges=()):
    """A run whose steps are the letters of a text, and edges such as "02" by their places."""
    needs = {place: [f"s{a}" for a, b in edges if int(b) == place] for place in range(len(labels))}
    return run_of(
        *({"tool": label, "depends_on": needs[place]} for place, label in enumerate(labels))
    )


def random_graph(generator, size, labels="ab", density=0.3):
    """Steps with few tools, each edge forward and drawn."""
    named = generator.choices(labels, k=size)
    edges = [
        pair for pair in itertools.combinations(range(size), 2) if generator.random() < density
    ]
    return graph_of(named, edges)


def random_text(generator, most=30):
    return " ".join(generator.choices(WORDS, k=generator.randint(1, most)))


def score(name, run, *references):
    return RIVALS[name](run, references)


def test_the_names_and_their_order():
    assert tuple(RIVALS) == PAPER + FIELD
    assert set(EMBEDDED) < set(RIVALS)


@given(run=trajectories())
def test_equal_trajectories_score_one(run):
    """Exactly, also where steps were repeated: no tie may be won by rounding."""
    assert {name: score(name, run, run) for name in RIVALS} == dict.fromkeys(RIVALS, 1)


@given(run=trajectories(), first=trajectories(), second=trajectories())
def test_a_score_is_the_best_over_references(run, first, second):
    for name in set(RIVALS) - {"graph edit"}:  # which might say more with more time
        scores = [score(name, run, reference) for reference in (first, second)]
        assert min(scores) >= 0
        assert score(name, run, first, second) == max(scores) <= 1


@pytest.mark.parametrize("name", RIVALS)
def test_an_empty_run(name):
    """It is like an empty reference; with any other it has in common what is asked of one side."""
    empty, other = run_of(), called("pay") if name in OF_CALLS else said("Pay.")
    assert score(name, empty, other) == (name == "subset")
    assert score(name, other, empty) == (name in ("superset", "in order", "gold share"))
    assert score(name, empty, other, empty) == 1


def test_a_step_is_its_action_and_its_arguments():
    """The paper's texts: no tool, no effect; the same data is the same text."""
    step = {"action": "Book.", "arguments": {"b": 1, "a": "x"}}
    run = run_of({**step, "tool": "book", "effect": "Booked."})
    other = run_of({**step, "arguments": '{"a": "x", "b": 1}', "tool": "pay", "effect": "Failed."})
    assert step_text(run.steps[0]) == 'Book. {"a": "x", "b": 1}'
    assert all(score(name, run, other) == 1 for name in PAPER)
    assert step_text(called("book").steps[0]) == ""


def test_exact_match_is_by_place():
    """Of the longer one's places: a step too many costs those behind it, and its own."""
    assert score("exact", said("a", "b", "c"), said("a", "x", "c")) == 2 / 3
    assert score("exact", said("a", "x", "b", "c"), said("a", "b", "c")) == 1 / 4
    assert score("exact", said("a"), said("a", "b", "c", "d")) == 1 / 4


def test_bleu_is_sacrebleus():
    """To the last bit, for short and long texts, punctuation and texts without a common word."""
    generator = random.Random(1)
    metric = BLEU(effective_order=True)
    for _ in range(300):
        text, other = random_text(generator), random_text(generator)
        expected = min(metric.sentence_score(text, [other]).score / 100, 1)
        assert score("BLEU-4", said(text), said(other)) == (1 if text == other else expected)
    assert score("BLEU-4", said("a b"), said("c d")) == 0
    # Its own number for equal words is a little above 100.
    assert score("BLEU-4", said("Find a hotel now."), said("Find a hotel now .")) == 1


def test_texts_are_those_of_all_steps():
    """Where a text is cut into steps makes no difference to BLEU and ROUGE."""
    for name in ("BLEU-4", "ROUGE-L"):
        assert score(name, said("Find a hotel.", "Pay now."), said("Find a hotel. Pay now.")) == 1


def test_rouge_is_rouge_scores():
    generator = random.Random(2)
    scorer = RougeScorer(["rougeL"])
    for _ in range(300):
        text, other = random_text(generator), random_text(generator)
        if text != other:
            expected = scorer.score(other, text)["rougeL"].fmeasure
            assert score("ROUGE-L", said(text), said(other)) == expected


def test_texts_without_a_word_for_rouge():
    """It knows the letters a to z only; such texts are still equal to themselves."""
    assert score("ROUGE-L", said("酒店"), said("酒店")) == 1
    assert (
        score("ROUGE-L", said("酒店"), said("飯店")) == score("ROUGE-L", said("a"), said("飯")) == 0
    )


@given(st.text("abcd"), st.text("abcd"))
def test_common_subsequences_fill_a_table(first, second):
    assert common_length(first, second) == filled_table(first, second)


def filled_table(first, second):
    """The length of the longest common subsequence, by a table as rouge-score fills it."""
    row = [0] * (len(second) + 1)
    for one in first:
        before = row
        row = [0]
        for place, other in enumerate(second):
            kept = max(row[place], before[place + 1])
            row.append(before[place] + 1 if one == other else kept)
    return row[-1]


def test_long_texts_take_far_fewer_calls_than_a_table():
    """A table makes two calls a cell, and rouge-score takes several seconds for these texts."""
    generator = random.Random(3)
    words = generator.choices(range(500), k=500)
    others = [item for word in words for item in (word, 500 + generator.randrange(500))]
    assert common_length(words, others) == 500
    few = calls(lambda: common_length(words, others))
    assert 20 * few < calls(lambda: filled_table(words, others))


def test_greedy_by_hand():
    """Precision: a is there, b is not: 1/2. Recall: a is there. F1 2/3."""
    assert SPELLED["greedy"](said("a", "b"), [said("a")]) == pytest.approx(2 / 3)
    assert SPELLED["greedy"](said("a", "aa"), [said("a")]) == pytest.approx(1)
    assert SPELLED["greedy"](said("a"), [said("b")]) == 0


def test_hungarian_by_hand():
    """A step has one partner only, and a step too many on either side costs all of itself."""
    assert SPELLED["Hungarian"](said("a", "b"), [said("b", "a")]) == 1
    assert SPELLED["Hungarian"](said("a", "aa"), [said("a")]) == pytest.approx(1 / 2)
    assert SPELLED["Hungarian"](said("a"), [said("a", "b", "ab")]) == pytest.approx(1 / 3)
    assert SPELLED["Hungarian"](said("ab"), [said("a")]) == pytest.approx(0.5**0.5)


def clipped(run, reference):
    sides = [np.array(drawn([step.action for step in side.steps])) for side in (run, reference)]
    rows, columns = (side / np.linalg.norm(side, axis=1, keepdims=True) for side in sides)
    return np.maximum(rows @ columns.T, 0)


def random_sides(generator):
    """Two runs of up to five steps with their own vectors each."""
    names = [f"step {place} {generator.random()}" for place in range(10)]
    return [said(*names[k : k + generator.randint(1, 5)]) for k in (0, 5)]


def test_greedy_against_its_definition():
    generator = random.Random(4)
    for _ in range(100):
        run, reference = random_sides(generator)
        cosines = clipped(run, reference)
        precision = sum(max(row) for row in cosines) / len(run.steps)
        recall = sum(max(column) for column in cosines.T) / len(reference.steps)
        expected = 2 * precision * recall / (precision + recall) if precision else 0
        assert score("greedy", run, reference) == pytest.approx(expected)


def test_hungarian_against_all_assignments():
    """Costs are 1 - cosine; the shorter side gets dummies of cost 1."""
    generator = random.Random(5)
    for _ in range(100):
        run, reference = random_sides(generator)
        size = max(len(run.steps), len(reference.steps))
        costs = np.ones((size, size))
        costs[: len(run.steps), : len(reference.steps)] = 1 - clipped(run, reference)
        least = min(costs[range(size), order].mean() for order in permutations(size))
        assert score("Hungarian", run, reference) == pytest.approx(1 - least)


def permutations(size):
    return [list(order) for order in itertools.permutations(range(size))]


def test_each_text_is_encoded_once():
    """By all rivals together, however many runs and references there are."""
    counted = Counter()

    def counting(texts):
        counted.update(texts)
        return drawn(texts)

    metrics = rivals(load_encoder(counting))
    runs = [said("a", "b", "c"), said("b", "c", "c", "d")]
    for name, run in itertools.product(EMBEDDED, runs):
        metrics[name](run, [*runs, said("a", "e")])
    assert counted == {"a": 1, "b": 1, "c": 1, "d": 1, "e": 1}


def test_an_encoder_need_not_be_cached():
    vectors = StepVectors(load_encoder(drawn))
    run, reference = said("a"), said("b")
    assert rivals(drawn)["greedy"](run, [reference]) == vectors.greedy_f1(run, reference)


@pytest.mark.parametrize(
    ("run", "reference", "expected"),
    [
        ("ab", "ab", (1, 1, 1, 1)),
        ("ba", "ab", (0, 1, 1, 1)),
        ("a", "ab", (0, 0, 1, 0)),
        ("aba", "ab", (0, 0, 0, 1)),
        ("aab", "abb", (0, 0, 0, 0)),
    ],
)
def test_matchers_by_hand(run, reference, expected):
    """Repeated calls count as often as they were made."""
    scores = tuple(score(name, called(*run), called(*reference)) for name in CALLS)
    assert scores == expected


def test_gold_in_order_and_in_part_by_hand():
    """Others may stand between; for a share one call may stand for two."""
    run = called(*"xaxbx")
    assert [score("in order", run, called(*gold)) for gold in ("ab", "ba", "abb")] == [1, 0, 0]
    assert [score("gold share", run, called(*gold)) for gold in ("ba", "abb", "axy")] == [
        1,
        1,
        2 / 3,
    ]


def test_the_gold_share_compares_what_the_task_names():
    """``compare_args`` of tau2-bench: the rest may differ; without it, what the call gives."""
    asked = {"tool": "send", "arguments": {"to": "ann", "text": "Hello"}}
    run = run_of({"tool": "send", "arguments": {"to": "ann", "text": "Hi"}})
    assert score("gold share", run, run_of(asked)) == 0
    assert score("gold share", run, run_of({**asked, "metadata": {"compare_args": ["to"]}})) == 1
    assert score("gold share", run_of({"tool": "send", "arguments": "{}"}), run_of(asked)) == 1
    assert score("gold share", run_of({"tool": "send", "arguments": "ann"}), run_of(asked)) == 0


def test_calls_of_one_turn_have_no_order():
    reference = called("a", "b", "c", turns=[1, 1, 2])
    assert score("strict", called("b", "a", "c", turns=[4, 4, 7]), reference) == 1
    assert score("strict", called("a", "c", "b", turns=[1, 1, 2]), reference) == 0
    assert score("strict", called("a", "b", "c", turns=[1, 2, 3]), reference) == 0
    assert score("strict", called("a", "b", "c"), reference) == 0


def test_matchers_compare_arguments_and_skip_reasoning():
    """Text that is JSON says the same as the data; no arguments are empty ones."""
    reference = run_of({"tool": "a", "arguments": {"x": 1, "y": []}}, {"tool": "b"})
    same = run_of(
        {"tool": "a", "arguments": '{"y": [], "x": 1}'},
        {"action": "Let me think."},
        {"tool": "b", "arguments": {}},
    )
    other = run_of({"tool": "a", "arguments": {"x": 2, "y": []}}, {"tool": "b"})
    assert [score(name, same, reference) for name in CALLS] == [1, 1, 1, 1]
    assert [score(name, other, reference) for name in CALLS] == [0, 0, 0, 0]
    assert score("LCS-F1", other, reference) == score("multiset-F1", other, reference) == 1


def test_runs_without_a_call():
    """Two agree; one has nothing in common with calls."""
    thought, call = said("Let me think."), called("a")
    for name in OF_CALLS:
        assert score(name, thought, said("Done.")) == score(name, thought, run_of()) == 1
    assert [score(name, thought, call) for name in CALLS] == [0, 0, 1, 0]
    assert [score(name, call, thought) for name in CALLS] == [0, 0, 0, 1]
    assert score("in order", call, thought) == score("gold share", call, thought) == 1
    assert score("LCS-F1", thought, call) == score("multiset-F1", thought, call) == 0


def test_f1_of_tools_by_hand():
    """Of four and three calls, a and one c are common in order, a, b and c in any."""
    run, reference = called(*"acbc"), called(*"abc")
    assert score("LCS-F1", run, reference) == 6 / 7
    assert score("LCS-F1", called(*"cba"), reference) == 1 / 3
    assert score("multiset-F1", called(*"cba"), reference) == 1
    assert score("multiset-F1", called(*"aab"), reference) == 2 / 3


def test_node_and_edge_f1_by_hand():
    """Nodes a, b, c against a, b, d; edges ab, bc against ab, ad. Repeated ones count once."""
    run, reference = graph_of("abc", ["01", "12"]), graph_of("abd", ["01", "02"])
    assert score("node F1", run, reference) == 2 / 3
    assert score("edge F1", run, reference) == 1 / 2
    assert score("node F1", graph_of("aab"), graph_of("ab")) == 1
    assert score("edge F1", graph_of("aab", ["02", "12"]), graph_of("ab", ["01"])) == 1
    assert score("edge F1", graph_of("ab", ["01"]), graph_of("ab")) == 0


def test_a_step_without_a_tool_goes_by_its_text():
    assert score("node F1", said("Think.", "Pay."), said("Think.", "Book.")) == 1 / 2
    assert score("edge F1", said("a", "b", "c"), said("a", "b", "d")) == 1 / 2


@given(run=trajectories(), seed=st.integers(0, 99))
def test_graphs_have_no_order(run, seed):
    other = relisted(run, seed)
    assert score("node F1", other, run) == score("edge F1", other, run) == 1
    assert GraphEdit(limit=10.0)(other, [run]) == 1


def plan_of(labels, edges=()):
    """As graph_of, with texts instead of tools."""
    steps = [
        step.model_copy(update={"tool": None, "action": step.tool})
        for step in graph_of(labels, edges).steps
    ]
    return Trajectory(steps=tuple(steps))


def test_worfbenchs_subgraph_of_a_relisted_plan():
    """Its own evaluator says .25 for the chain."""
    chain, fork = plan_of("abcd", ["01", "12", "23"]), plan_of("abcd", ["01", "02", "13", "23"])
    for plan, seed in itertools.product((chain, fork), range(10)):
        assert score("subgraph F1", relisted(plan, seed), plan) == 1


def test_a_repeated_step_is_told_apart_by_its_depth():
    chain = plan_of("aba", ["01", "12"])
    for seed in range(10):
        assert score("subgraph F1", relisted(chain, seed), chain) == 1


def test_subgraph_by_hand():
    """With start and end: of start-a-b-c-end, start-a-b is left of five steps, and c-end."""
    chain = plan_of("abc", ["01", "12"])
    assert SPELLED["subgraph F1"](plan_of("abc", ["01"]), [chain]) == 6 / 10
    assert SPELLED["subgraph F1"](plan_of("abd", ["01", "12"]), [chain]) == 6 / 10
    assert SPELLED["subgraph F1"](plan_of("ab", ["01"]), [chain]) == 6 / 9
    assert SPELLED["subgraph F1"](plan_of("def", ["01", "12"]), [chain]) == 2 / 10


def test_steps_match_above_a_cosine_of_point_six():
    """Of "a": "ab" has .71 and "abc" .58."""
    assert SPELLED["subgraph F1"](said("ab"), [said("a")]) == 1
    assert SPELLED["subgraph F1"](said("abc"), [said("a")]) == 2 / 6


@pytest.mark.parametrize(
    ("run", "reference", "distance", "size"),
    [
        (("ab", ["01"]), ("ab", []), 1, 5),
        (("ab", ["01"]), ("ab", ["10"]), 2, 6),
        (("ab", ["01"]), ("ba", ["10"]), 0, 6),
        (("abc", ["01", "12"]), ("adc", ["01", "12"]), 1, 10),
        (("abc", ["01", "12"]), ("ac", ["01"]), 3, 8),
        (("aaa", ["01", "12"]), ("aaa", ["01", "02"]), 2, 10),
    ],
)
def test_graph_edit_by_hand(run, reference, distance, size):
    """An edge turned round is one too many and one too few."""
    found = score("graph edit", graph_of(*run), graph_of(*reference))
    assert found == pytest.approx(1 - distance / size)


def test_graph_edit_against_all_assignments():
    """Its bounds hold, and networkx agrees where nothing has told it where to look."""
    generator = random.Random(6)
    metric = GraphEdit(limit=10.0)
    for _ in range(60):
        run, reference = (random_graph(generator, generator.randint(1, 5)) for _ in range(2))
        sides = labelled(run, reference)
        distance = edit_distance(*sides)
        low, high = bounds(*sides)
        assert low <= distance == high
        size = sum(len(side) + side.number_of_edges() for side in sides)
        assert metric(run, [reference]) == pytest.approx(1 - distance / size)
        assert nx.graph_edit_distance(*sides, node_match=dict.__eq__) == distance
    assert metric.limited == 0


def edit_distance(graph, other):
    """The least over all ways to put the nodes of the smaller graph in place of the others."""
    small, large = sorted((graph, other), key=len)
    return min(
        len(large)
        - sum(small.nodes[a] == large.nodes[b] for a, b in enumerate(places))
        + small.number_of_edges()
        + large.number_of_edges()
        - 2 * sum((places[a], places[b]) in large.edges for a, b in small.edges)
        for places in itertools.permutations(range(len(large)), len(small))
    )


def test_graph_edit_looks_for_less_than_its_bound(monkeypatch):
    """Should the bound be one too large, the search finds it out."""
    run, reference = graph_of("abc", ["01", "12"]), graph_of("acb", ["01", "02"])
    distance = edit_distance(*labelled(run, reference))
    monkeypatch.setattr(edits, "bounds", lambda *_: (0, distance + 1))
    assert score("graph edit", run, reference) == pytest.approx(1 - distance / 10)


def test_graph_edit_stops_at_its_limit():
    """What was found by then is a bound, and how often it was reached is told."""
    generator = random.Random(7)
    run, reference = (random_graph(generator, 30) for _ in range(2))
    metric = GraphEdit()
    found = metric(run, [reference, run_of()])
    assert metric.limited == 1
    low, high = bounds(*labelled(run, reference))
    size = sum(len(side) + side.number_of_edges() for side in labelled(run, reference))
    assert 1 - high / size <= found <= 1 - low / size
    metric(run, [run])
    assert metric.limited == 1


def test_bounds_find_what_was_damaged():
    """Fifteen steps of two tools, listed anew, without three edges: one assignment says so."""
    for seed in range(30):
        run = random_graph(random.Random(seed), 15, density=0.2)
        graph, other = labelled(run, relisted(run, seed))
        other.remove_edges_from(list(other.edges)[:3])
        assert bounds(graph, other)[1] == 3
        assert bounds(graph, graph) == (0, 0)


def test_a_swap_costs_what_it_says():
    generator = np.random.default_rng(9)
    edges, others = (np.triu(generator.integers(0, 2, (5, 5)), 1).astype(float) for _ in range(2))
    differ = generator.integers(0, 2, (5, 5)).astype(float)

    def cost(order):
        return np.abs(edges - others[np.ix_(order, order)]).sum() + differ[:, order].trace()

    order = generator.permutation(5)
    found = changes(edges, others[np.ix_(order, order)], differ[:, order])
    for one, two in itertools.combinations(range(5), 2):
        swapped = order.copy()
        swapped[[one, two]] = order[[two, one]]
        assert found[one, two] == found[two, one] == cost(swapped) - cost(order)

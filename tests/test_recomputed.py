"""A score, computed again by hand from docs/how-the-number-is-computed.md.

Of OTAP only the vectors of texts and the reported record are used: the pairs of the alignment are
the coupling, and everything else is the formulas of that page in plain NumPy, for runs with traced
dependencies, one reference and the preset "default".
"""

import math
import re
from collections.abc import Sequence
from itertools import combinations, permutations, product
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray
from pydantic import JsonValue

import hotel
import otap
from otap.encoders import load_encoder

Array = NDArray[np.float64]
FIELDS = ("action", "arguments", "effect", "tool")  # state is recorded by neither side
WEIGHTS = dict(zip(FIELDS, (0.1, 0.3, 0.1, 0.5), strict=True))  # they sum to 1 as they are
THETA, LAMBDA, KAPPA = 0.45, 1.0, 1.0
READS, OF_A_READ = ("hotel_search", "rank_hotels", "find_order"), 0.05  # other tools write
BESIDES, BESIDES_IN_FULL = 0.03, 0.9
COUNTERPARTS = 0.6  # the largest cost of two
TAU = -math.log(0.9)  # what is critical costs this much more, and what is not less together
ANOTHER_CALL, MORE, CONTRADICTED, OUT_OF_ORDER = 0.4, 0.1, 0.5, 0.5
ORDERED = "stops"  # of the lists of these examples the only one whose order counts, by its name
RUNS = ("missing_book", "inverted_filter", "wrong_tool")
IDENTIFIER = re.compile(r"\b[A-Za-z]+-\d+\b")  # the values of this example that tell something
ENCODER = load_encoder("wordllama")


# Section 2: the cost of a pair of steps.


def texts_apart(one: str, other: str) -> float:
    """1 - cosine of the vectors, cut to [0, 1]; 0 if equal, 1 if one is empty."""
    if one == other:
        return 0.0
    if not one or not other:
        return 1.0
    a, b = ENCODER.encode([one, other])
    return min(max(1.0 - float(a @ b), 0.0), 1.0)


def is_prose(value: JsonValue) -> bool:
    """Two words or more of two letters or more, a space, and letters for over half of the text."""
    words = re.findall(r"[^\W\d_]{2,}", value) if isinstance(value, str) else []
    return len(words) >= 2 and " " in str(value) and sum(map(len, words)) > len(str(value)) / 2


def canonical(value: JsonValue) -> str:
    """One spelling of equal values: numbers without separators, words in small letters."""
    text = str(value)
    number = text.replace(",", "")
    return str(float(number)) if re.fullmatch(r"\d+(\.\d+)?", number) else text.lower()


class Apart(NamedTuple):
    """What two values cost, in how many exact ones they differ, and whether one has its own."""

    cost: float
    wrong: int = 0
    own: bool = False


def exact(value: JsonValue) -> int:
    """How many values it has that are no prose."""
    if isinstance(value, dict | list):
        return sum(map(exact, value.values() if isinstance(value, dict) else value))
    return int(value is not None and not is_prose(value))


def apart(one: JsonValue, other: JsonValue, key: str = "") -> Apart:
    """The distance of two values by their kinds."""
    if isinstance(one, dict) and isinstance(other, dict):
        shared = [apart(one[name], other[name], name) for name in one.keys() & other.keys()]
        cost = sum(found.cost for found in shared) + len(one.keys() ^ other.keys())
        wrong, own = sum(found.wrong for found in shared), any(found.own for found in shared)
        return Apart(cost / len(one.keys() | other.keys()), wrong, own)
    if isinstance(one, list) or isinstance(other, list):
        ours, theirs = (side if isinstance(side, list) else [side] for side in (one, other))
        return lists_apart(ours, theirs, ordered=key == ORDERED)
    if is_prose(one) and is_prose(other):
        return prose_apart(str(one), str(other))
    differ = canonical(one) != canonical(other)
    return Apart(float(differ), int(differ), differ)


def prose_apart(one: str, other: str) -> Apart:
    """By the vectors; each with a number that the other lacks, they contradict each other."""
    cost = texts_apart(one, other)
    ours, theirs = (set(re.findall(r"\d+", text)) for text in (one, other))
    if cost < CONTRADICTED and ours - theirs and theirs - ours:
        return Apart(CONTRADICTED, 1, own=True)
    return Apart(cost)


def lists_apart(one: Sequence[JsonValue], other: Sequence[JsonValue], *, ordered: bool) -> Apart:
    """Members by their counterparts: equal ones first, then the cheapest of what is left."""
    own = bool(set(map(canonical, one)) - set(map(canonical, other)))
    if len(one) > len(other):
        return lists_apart(other, one, ordered=ordered)._replace(own=own)
    at = {canonical(member): j for j, member in enumerate(other)}  # no member stands there twice
    pairs = [(i, at[canonical(x)]) for i, x in enumerate(one) if canonical(x) in at]
    left, right = (
        [k for k in range(len(side)) if k not in [pair[place] for pair in pairs]]
        for place, side in enumerate((one, other))
    )
    ways = [list(zip(left, way, strict=True)) for way in permutations(right, len(left))]
    costs = [sum(apart(one[i], other[j]).cost for i, j in way) for way in ways]
    pairs += ways[costs.index(min(costs))]
    cost = min(costs) + len(other) - len(one) + ordered * OUT_OF_ORDER * disorder(pairs)
    return Apart(cost / len(other), len(right), own)


def disorder(pairs: Sequence[tuple[int, int]]) -> float:
    """The share of counterparts that are out of order: all but the most that are in order."""
    columns = [j for _, j in sorted(pairs)]
    kept = next(
        size
        for size in range(len(columns), 0, -1)
        if any(list(some) == sorted(some) for some in combinations(columns, size))
    )
    return 1 - kept / len(columns)


def arguments_apart(one: JsonValue, other: JsonValue) -> float:
    """What two calls' arguments cost: another call, where exact values differ."""
    cost, wrong, _ = apart(one, other)
    return max(cost, 1 - (1 - ANOTHER_CALL) / wrong**MORE) if wrong else cost


def step_costs(step: otap.Step, other: otap.Step) -> dict[str, float]:
    """The distance of each field, the wording bounded by the call."""
    found = {
        "action": texts_apart(str(step.action), str(other.action)),
        "arguments": arguments_apart(step.arguments, other.arguments),
        "effect": texts_apart(str(step.effect), str(other.effect)),
        "tool": float(step.tool != other.tool),
    }
    return {**found, "action": min(found["action"], max(found["arguments"], found["tool"]))}


def node_costs(run: otap.Trajectory, reference: otap.Trajectory) -> dict[str, Array]:
    """Each field's share of C; together they are C."""
    # Of failed steps, which would have a tool of their own, there are none.
    assert not any(step.status == "error" for step in (*run.steps, *reference.steps))
    costs = [[step_costs(a, b) for b in reference.steps] for a in run.steps]
    return {
        name: weight * np.array([[one[name] for one in row] for row in costs])
        for name, weight in WEIGHTS.items()
    }


def apart_at(C: Array) -> Array:
    """What it costs to move mass at a node cost: C up to .9, and from there in a line to 4."""
    return np.where(C <= 0.9, C, 0.9 + 31 * (C - 0.9))


def may_stand_for(step: otap.Step, other: otap.Step, C: float) -> bool:
    """Whether mass may move between a step of the run and one of the reference."""
    if step.tool != other.tool or apart(step.arguments, other.arguments).own:
        return False
    if step.tool in READS:
        return C <= COUNTERPARTS
    ours, theirs = dict(step.arguments or {}), dict(other.arguments or {})
    own_key = any(exact(ours[name]) for name in ours.keys() - theirs.keys())
    return not own_key and (exact(ours) > 0 or exact(theirs) == 0)


def allowed(run: otap.Trajectory, reference: otap.Trajectory, C: Array) -> NDArray[np.bool_]:
    """Which pairs may move mass."""
    return np.array(
        [
            [may_stand_for(a, b, C[i, j]) for j, b in enumerate(reference.steps)]
            for i, a in enumerate(run.steps)
        ]
    )


# Sections 1 and 3: dependencies and structure.


def before(run: otap.Trajectory) -> Array:
    """1 where a step comes before another by what was shown and used: the transitive closure."""
    n = len(run.steps)
    shown = [set(IDENTIFIER.findall(str(step.effect))) for step in run.steps]
    used = [set(IDENTIFIER.findall(str(step.arguments))) for step in run.steps]
    closure = np.array([[i < k and bool(shown[i] & used[k]) for k in range(n)] for i in range(n)])
    for k, i in product(range(n), range(n)):
        closure[i] |= closure[i, k] & closure[k]
    return closure.astype(float)


def run_structure(run: otap.Trajectory, D_r: Array, C: Array) -> Array:
    """Precedence, and what ran against a path of the reference although nothing is known of it.

    C is infinite where one step may not stand for the other.
    """
    D_p = before(run) - before(run).T
    nearest = (C.min(axis=0) == C) & (C.min(axis=1)[:, None] == C) & (C <= 0.5)
    stands_for = dict(np.argwhere(nearest).tolist())
    for i, k in product(stands_for, stands_for):
        wanted = D_r[stands_for[i], stands_for[k]]
        if D_p[i, k] == 0 and wanted * np.sign(k - i) < 0:
            D_p[i, k] = -wanted
    return D_p


# Section 4: the loss.


def only_reads(reference: otap.Trajectory) -> bool:
    """Whether it changes nothing: then reads count in full."""
    return all(step.tool in READS for step in reference.steps)


def weights(side: otap.Trajectory, reference: otap.Trajectory) -> Array:
    """An ordinary step weighs 1, one that only reads less, unless reads count in full."""
    of_a_read = 1.0 if only_reads(reference) else OF_A_READ
    return np.array([of_a_read if step.tool in READS else 1.0 for step in side.steps])


def besides(run: otap.Trajectory, reference: otap.Trajectory, C: Array) -> Array:
    """p_i: how much of lambda is charged for what the run does without need.

    What may stand for nothing costs less the nearer it comes.
    """
    nearness = np.where(allowed(run, reference, C).any(axis=1), 1, (1 + C.min(axis=1)) / 2)
    of_a_read = BESIDES_IN_FULL if only_reads(reference) else BESIDES
    return nearness * [of_a_read if step.tool in READS else 1.0 for step in run.steps]


def answers(run: otap.Trajectory, reference: otap.Trajectory) -> tuple[int, int]:
    """How many answers must be told, and how many of them the run told, word for word."""
    said = " ".join(run.messages_to_user or ())
    return len(reference.required_answers), sum(
        answer in said for answer in reference.required_answers
    )


def unit(run: otap.Trajectory, reference: otap.Trajectory) -> float:
    """M, the weight that is mass 1 on either side: the reference's. An answer weighs 1."""
    return max(1.0, float(weights(reference, reference).sum()) + answers(run, reference)[0])


def emphasis(reference: otap.Trajectory) -> Array:
    """e_j: 1 + kappa for critical steps, else 1, divided by the mean by the steps' weights."""
    closure = before(reference).astype(bool)
    last = len(reference.steps) - 1  # the goal: none is declared, and no states are recorded
    on_a_way = [j for j in range(last + 1) if j == last or closure[j, last]]
    # Of steps with one source, those are critical that stand in an order with all on a way.
    critical = [
        j for j in on_a_way if all(j == k or closure[j, k] or closure[k, j] for k in on_a_way)
    ]
    found = np.ones(last + 1)
    found[critical] += KAPPA
    mean: float = np.average(found, weights=weights(reference, reference))
    return found / mean


def kl(a: Array, b: Array) -> Array:
    """The divergence a log(a / b) - a + b, with 0 log 0 = 0."""
    return a * np.log(np.where(a > 0, a / b, 1.0)) - a + b


def coupling(
    score: otap.Score, run: otap.Trajectory, reference: otap.Trajectory
) -> NDArray[np.float64]:
    """T, from the pairs that the record reports; those of less than a thousandth are 0."""
    row = {step.id: i for i, step in enumerate(run.steps)}
    column = {step.id: j for j, step in enumerate(reference.steps)}
    T = np.zeros((len(row), len(column)))
    for pair in score.alignment.pairs:
        T[row[pair.agent], column[pair.reference]] = pair.mass
    return T


def losses(
    T: Array, run: otap.Trajectory, reference: otap.Trajectory, costs: dict[str, Array]
) -> dict[str, float]:
    """The parts of the loss of a coupling, before the verdict."""
    C = np.sum(list(costs.values()), axis=0)
    dearer = np.divide(apart_at(C), C, out=np.ones_like(C), where=C > 0)
    D_r = before(reference) - before(reference).T
    D_p = run_structure(run, D_r, np.where(allowed(run, reference, C), C, np.inf))
    mismatch = (D_p[:, None, :, None] - D_r[None, :, None, :]) ** 2
    M = unit(run, reference)
    mu, nu = (weights(side, reference) / M for side in (run, reference))
    asked, given = answers(run, reference)
    return {
        **{field: (1 - THETA) * (costs[field] * dearer * T).sum() for field in FIELDS},
        "structure": THETA * np.einsum("ijkl,ij,kl", mismatch, T, T),
        "extra_steps": LAMBDA * (besides(run, reference, C) * kl(T.sum(axis=1), mu)).sum(),
        "missing_steps": LAMBDA * (emphasis(reference) * kl(T.sum(axis=0), nu)).sum(),
        "answers": LAMBDA * (asked - given) / M,
    }


def judged(parts: dict[str, float], *, critical: bool) -> dict[str, float]:
    """The parts of the loss as the verdict has them: above tau together, or below."""
    if critical:
        return {**parts, "critical": TAU}
    loss = sum(parts.values())
    factor = TAU * (1 - math.exp(-loss / TAU)) / loss
    return {**{name: factor * part for name, part in parts.items()}, "critical": 0.0}


# Section 5: skill, precision, recall.


def loss_of_nothing(run: otap.Trajectory, reference: otap.Trajectory) -> float:
    """L_0: every step of the reference is missing and no answer told, which is critical."""
    w, M = weights(reference, reference), unit(run, reference)
    return LAMBDA * float((emphasis(reference) * w).sum() + answers(run, reference)[0]) / M + TAU


def matched(T: Array, C: Array, run: otap.Trajectory, reference: otap.Trajectory) -> float:
    """Sum of min(w_i, w_j) (1 - C_ij) over counterparts, taken by falling T (1 - C)."""
    w_p, w_r = weights(run, reference), weights(reference, reference)
    lighter = np.minimum.outer(w_p, w_r)
    flows = 0.1 * lighter / unit(run, reference) <= T
    possible = (C <= 0.1) | ((C <= COUNTERPARTS) & flows)
    possible &= allowed(run, reference, C)
    ranked = sorted(np.argwhere(possible).tolist(), key=lambda at: -(T * (1 - C))[*at])
    total, rows, columns = 0.0, set(), set()
    for i, j in ranked:
        if i not in rows and j not in columns:
            total += float(lighter[i, j] * (1 - C[i, j]))
            rows.add(i)
            columns.add(j)
    return total


def recomputed(
    score: otap.Score, run: otap.Trajectory, reference: otap.Trajectory
) -> dict[str, float]:
    """Every number of a score, from the coupling that it reports."""
    T, costs = coupling(score, run, reference), node_costs(run, reference)
    C = np.sum(list(costs.values()), axis=0)
    critical = any(finding.severity == "critical" for finding in score.findings)
    parts = judged(losses(T, run, reference, costs), critical=critical)
    loss, in_common = sum(parts.values()), matched(T, C, run, reference)
    W_p, W_r = (weights(side, reference).sum() for side in (run, reference))
    asked, given = answers(run, reference)
    precision, recall = in_common / W_p, (in_common + given) / (W_r + asked)
    return {
        **parts,
        "loss": loss,
        "score": math.exp(-loss),
        "skill": max(0.0, 1 - loss / loss_of_nothing(run, reference)),
        "precision": precision,
        "recall": recall,
        "f1": 2 * precision * recall / (precision + recall),
        "mass": T.sum(),
    }


NOTE = "The sleeves of 3 shirts came apart after washing."


def refund(
    account: str = "gift-77",
    items: Sequence[str] = ("I-11", "I-12", "I-13"),
    stops: Sequence[str] = ("Porto", "Lisbon", "Faro"),
    note: str = NOTE,
    amount: JsonValue = "1,950.00",
    messages_to_user: Sequence[str] = ("You get 54.04 back.", "They are of polyester."),
) -> otap.Trajectory:
    """An order that is looked up, paid back and fetched, and what was told of it."""
    steps = (
        otap.Step(
            id="find", action="Look for the order.", tool="find_order",
            arguments={"email": "ann@x.org"},
            effect="Order W-1001, paid by gift-77: I-11, I-12, I-13.",
        ),
        otap.Step(
            id="pay", action="Pay it back.", tool="refund_items",
            arguments={"order": "W-1001", "account": account, "items": list(items),
                       "amount": amount, "note": note},
            effect="Refund R-5001 is on its way.",
        ),
        otap.Step(
            id="fetch", action="Have the shirts fetched.", tool="book_courier",
            arguments={"refund": "R-5001", "stops": list(stops)},
            effect="A courier will come.",
        ),
    )  # fmt: skip
    return otap.Trajectory(
        steps=steps,
        messages_to_user=tuple(messages_to_user),
        required_answers=("54.04", "polyester"),
    )


def lookups(*emails: str) -> otap.Trajectory:
    """Orders that are looked up, and nothing else."""
    steps = [
        otap.Step(
            id=email, action="Look for an order.", tool="find_order",
            arguments={"email": email}, effect=f"Nothing was ordered by {email}.",
        )
        for email in emails
    ]  # fmt: skip
    return otap.Trajectory(steps=tuple(steps))


OTHERS = {
    "another account": (refund(account="gift-78"), refund()),
    "another account and amount": (refund(account="gift-78", amount=1960), refund()),
    "another item": (refund(items=("I-13", "I-11", "I-14")), refund()),
    "an item less": (refund(items=("I-13", "I-11")), refund()),
    "stops in another order": (refund(stops=("Lisbon", "Porto", "Faro")), refund()),
    "another number in a note": (refund(note=NOTE.replace("3", "5")), refund()),
    "a note in other words": (refund(note=NOTE.replace("sleeves", "seams")), refund()),
    "an answer not told": (refund(messages_to_user=["You get 54.04 back."]), refund()),
    "nothing told, another account": (
        refund(account="gift-78", messages_to_user=["Done."]),
        refund(),
    ),
    "a look too many": (lookups("ann@x.org", "ben@y.org"), lookups("ann@x.org")),
}


# Where by the table of severities nothing is critical: the order of a list and the wording of a
# note in a write are major, and so is a look too many where looks are the task.
TOLERATED = {"stops in another order", "a note in other words", "a look too many"}


def assert_recomputed(run: otap.Trajectory, reference: otap.Trajectory, *, critical: bool) -> None:
    """Every part of the loss, and each number that is made of it, comes out again."""
    score = otap.score(run, reference)
    assert (score.severity == "critical", score.score <= 0.9) == (critical, critical)
    shown = {**score.model_dump(), **score.losses.model_dump()}
    numbers = recomputed(score, run, reference)
    assert {name: shown[name] for name in numbers} == pytest.approx(numbers, abs=1e-12)
    assert score.losses.state == score.losses.references == 0  # recorded by nobody; one reference
    masses = score.conditions.masses
    assert masses.run == weights(run, reference).sum()
    assert masses.reference == weights(reference, reference).sum()


@pytest.mark.parametrize("name", RUNS)
def test_a_score_is_what_the_page_says(name: str) -> None:
    """The hotel example: a step that is missing, one too early, one with another tool."""
    assert_recomputed(hotel.run_of(name), hotel.reference(), critical=name not in TOLERATED)


@pytest.mark.parametrize("name", OTHERS)
def test_values_lists_and_answers_cost_what_the_page_says(name: str) -> None:
    """Another call, lists with and without an order, prose, answers, looks too many."""
    assert_recomputed(*OTHERS[name], critical=name not in TOLERATED)


def test_equal_values_in_other_words_cost_nothing() -> None:
    """Another spelling of a number, a set in another order, letter case."""
    run = refund(amount=1950, items=("I-13", "I-12", "I-11"), stops=("porto", "Lisbon", "FARO"))
    assert otap.score(run, refund()).score == 1


def test_the_cost_of_any_two_steps_is_what_the_page_says() -> None:
    """Each step of the runs against each of the reference, alone: what their pair costs.

    Without recognition any step may stand for any; else only those are paired that may.
    """
    steps = [step for name in ("paraphrased", "wrong_tool") for step in hotel.run_of(name).steps]
    pairs = list(product(steps, hotel.reference().steps))
    alone = [tuple(otap.Trajectory(steps=(step,)) for step in pair) for pair in pairs]
    unrecognised = otap.Scorer(otap.Config(recognise=False)).score_many(alone)
    default = otap.Scorer().score_many(alone)
    for (step, other), found, score in zip(pairs, unrecognised, default, strict=True):
        costs = step_costs(step, other)
        expected = sum(WEIGHTS[field] * costs[field] for field in FIELDS)
        (pair,) = found.alignment.pairs
        assert pair.cost == pytest.approx(expected, abs=1e-9), (step.id, other.id)
        wanted = [pytest.approx(expected, abs=1e-9)] if may_stand_for(step, other, expected) else []
        assert [pair.cost for pair in score.alignment.pairs] == wanted, (step.id, other.id)


def test_however_much_is_tolerated_the_score_says_so() -> None:
    """Thousands of looks besides come near tau, and in rounded numbers not to it."""
    pay = refund().steps[1]
    looks = lookups(*(f"{k}@x.org" for k in range(4000))).steps
    reference = otap.Trajectory(steps=(pay,))
    score = otap.score(otap.Trajectory(steps=(pay, *looks)), reference)
    assert score.severity != "critical"
    assert score.score > 0.9
    assert score.score == pytest.approx(0.9)

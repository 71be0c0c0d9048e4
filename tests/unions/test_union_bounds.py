"""Bounds on unions: whatever the steps say, no union that would have been taken is left out."""

import os
import random
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import otap
from otap.encoders import load_encoder
from otap.matrices import TextDistances
from otap.trajectory import parse_trajectory
from otap.unions import search
from otap.unions.bounds import Promising, promising, shares
from otap.unions.merging import UnionEncoder, join_texts

LONG = os.environ.get("OTAP_LONG") == "1"
SEEDS = 5_000 if LONG else 150
EQUAL_NUMBERS = 18517  # 2 and 2.0 under one key are no list
TEXT = "find book keep hotel flight price garden station room list send mail note order"
WORDS = TEXT.split()
Data = dict[str, Any]


def text(rng: random.Random) -> str:
    """A word or a few."""
    return " ".join(rng.choices(WORDS, k=rng.choice([1, 2, 3, 4, 6])))


def value(rng: random.Random, depth: int = 0) -> Any:
    """Anything that JSON can hold, not deep."""
    kind = rng.random()
    if kind < 0.35 or depth == 2:
        return text(rng)
    if kind < 0.65:
        return rng.choice([1, 2, "1", 2.0, True, None, "", "a", "b", "id-1"])
    if kind < 0.85:
        return [value(rng, depth + 1) for _ in range(rng.randint(0, 3))]
    return {key: value(rng, depth + 1) for key in rng.sample("xyz", rng.randint(0, 2))}


def arguments(rng: random.Random) -> Any:
    """What a call may be given: mostly an object, and few keys, so that steps share some."""
    kind = rng.random()
    if kind < 0.35:
        return value(rng)
    return {key: value(rng) for key in rng.sample("pqrs", rng.randint(0, 3))}


def plan(rng: random.Random) -> list[Data]:
    """A few steps, some of which need earlier ones."""
    return [
        {
            "id": str(k),
            "tool": rng.choice(["t1", "t2", "t3"]),
            "action": text(rng),
            "effect": rng.choice([text(rng), "", "book"]),
            "arguments": arguments(rng),
            "depends_on": [str(j) for j in range(k) if rng.random() < 0.4],
        }
        for k in range(rng.randint(2, 6))
    ]


def together(rng: random.Random, one: Data, other: Data) -> Data:
    """A step that does what two do, said in one way or another."""
    a, b = one["arguments"], other["arguments"]
    both = rng.choice([[a, b], a, b])
    if isinstance(a, dict) and isinstance(b, dict):
        shared = {
            k: rng.choice([[a[k], b[k]], [b[k], a[k]], a[k]]) for k in sorted(a.keys() & b.keys())
        }
        both = {**a, **b, **shared}
    elif isinstance(a, str) and isinstance(b, str):
        both = rng.choice([f"{a}, {b}", f"{b} {a}", a])
    return {
        **one,
        "tool": rng.choice([one["tool"], other["tool"], "both"]),
        "action": rng.choice([f"{one['action']} {other['action']}", text(rng)]),
        "effect": rng.choice([other["effect"], text(rng)]),
        "arguments": both,
        "depends_on": sorted({*one["depends_on"], *other["depends_on"]} - {one["id"]}),
    }


def joined(rng: random.Random, steps: list[Data]) -> list[Data]:
    """The plan with two steps in a row as one."""
    place = rng.randrange(len(steps) - 1)
    one, other = steps[place : place + 2]
    found = [*steps[:place], together(rng, one, other), *steps[place + 2 :]]
    name = {other["id"]: one["id"]}
    return [
        {**step, "depends_on": sorted({name.get(of, of) for of in step["depends_on"]})}
        for step in found
    ]


def two_plans(seed: int) -> tuple[otap.Trajectory, otap.Trajectory]:
    """A plan and what it became, or another one; either may be the run."""
    rng = random.Random(seed)
    gold = plan(rng)
    run = plan(rng) if rng.random() < 0.3 else joined(rng, gold)
    sides = [parse_trajectory({"steps": steps}) for steps in (run, gold)]
    rng.shuffle(sides)
    return sides[0], sides[1]


Places = npt.NDArray[np.int32]
Marks = npt.NDArray[np.bool_]


def everything(_: Any, __: Any, pairs: Places, ___: Any, wholes: Marks, *____: Any) -> Any:
    """Each pair, as one that could stand for each column."""
    columns = np.flatnonzero(wholes).tolist()
    return [Promising((i, k), columns, 1.0) for i, k in pairs.tolist()]


def test_no_union_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bounds change no bit of any score, though unions are what many of them are about."""
    scorer, pairs = otap.Scorer(), [two_plans(seed) for seed in (*range(SEEDS), EQUAL_NUMBERS)]
    bounded = scorer.score_many(pairs)
    monkeypatch.setattr(search, "promising", everything)
    assert bounded == scorer.score_many(pairs)
    taken = [f for score in bounded for f in score.findings if f.kind in ("split", "merged")]
    assert len(taken) > SEEDS / 8


def errands(target: str, words: list[str]) -> otap.Trajectory:
    """Thirty calls in a row, of three tools, in these words."""
    rng = random.Random(target)
    steps = [
        {
            "id": str(k),
            "tool": f"{target}_{k % 3}",
            "action": " ".join(rng.sample(words, 3)),
            "arguments": {"target": f"{target}-{k}", "what": rng.choice(words)},
            "effect": " ".join(rng.sample(words, 4)),
            "depends_on": [str(k - 1)] if k else [],
        }
        for k in range(30)
    ]
    return parse_trajectory({"steps": steps})


def test_unrelated_steps_have_few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two plans that have nothing to do with each other most unions are not made."""
    asked, kept = [], []

    def counted(rows: Any, columns: Any, pairs: Places, *rest: Any) -> Any:
        found = promising(rows, columns, pairs, *rest)
        asked.append(len(pairs))
        kept.append(len(found))
        return found

    monkeypatch.setattr(search, "promising", counted)
    otap.Scorer().score(errands("book", WORDS[:7]), errands("mail", WORDS[7:]))
    assert sum(asked) > 40
    assert sum(kept) < 0.2 * sum(asked)


ENCODER = UnionEncoder(load_encoder("wordllama"))
ROWS = ["find hotels", "book flight", "", "find hotels", "book flight\x1fpay", "pay"]
COLUMNS = ["book a hotel", "pay for the flight", "send"]


def test_a_union_is_as_similar_as_the_shares_of_its_parts_say() -> None:
    """Of two texts, of a text and nothing, of equal texts, of a text and one that holds it."""
    distances, share = TextDistances(ENCODER), shares(ROWS, ENCODER)
    said = np.array([[bool(text)] for text in ROWS])
    similar = ENCODER.encode(ROWS) * said @ ENCODER.encode(COLUMNS).T
    for i, k in product(range(len(ROWS)), repeat=2):
        union = distances.between([str(join_texts([ROWS[i], ROWS[k]]))], COLUMNS)[0]
        parts = [
            row if np.isinf(part) else part * row
            for part, row in ((share[i, k], similar[i]), (share[k, i], similar[k]))
        ]
        found = parts[0] if np.isinf(share[i, k]) else parts[0] + parts[1]
        assert np.clip(1 - found, 0, 1) == pytest.approx(union, abs=1e-9)


def test_texts_that_share_a_part_are_not_known() -> None:
    """What two unions both say counts once, so that their sum is not the vector of theirs."""
    share = shares(["find\x1fpay", "book\x1fpay"], ENCODER)
    assert np.isnan(share[0, 1])
    assert np.isnan(share[1, 0])

"""One wrong exact value in a write makes another call, at every length of run and of call."""

from itertools import pairwise

import pytest

import otap
from builders import run_of

LENGTHS = [1, 2, 3, 5, 10, 20, 50, 100]
Calls = list[dict[str, object]]


def calls(length: int, keys: int) -> Calls:
    """Writes that each take some values of their own."""
    return [
        {"id": str(k), "tool": f"book_{k % 7}", "arguments": values(f"A{k}", keys), "effect": "ok"}
        for k in range(length)
    ]


def values(name: str, keys: int) -> dict[str, object]:
    """Arguments that say a name in each."""
    return {f"key{chr(97 + k)}": f"{name}-{k}" for k in range(keys)}


def score(run: Calls, gold: Calls) -> otap.Score:
    """The score of some calls."""
    return otap.score(run_of(*run), run_of(*gold))


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("keys", [1, 4, 12])
def test_a_wrong_value_costs_more_than_one_more_look(length: int, keys: int) -> None:
    """Beside it stands a finding, critical, that says which value, and beside which."""
    gold = calls(length, keys)
    place = length // 2
    wrong = {**values(f"A{place}", keys), "keya": "B-9"}
    run = [*gold[:place], {**gold[place], "arguments": wrong}, *gold[place + 1 :]]
    look = {"id": "look", "tool": "get_booking", "arguments": {"of": "A0-0"}, "effect": "A0-0"}
    longer = [*gold[:place], look, *gold[place:]]
    found = score(run, gold)
    assert found.score < score(longer, gold).score
    assert [(f.kind, f.severity) for f in found.findings] == [("arguments", "critical")]
    assert f"keya is B-9 instead of A{place}-0" in found.findings[0].sentence


@pytest.mark.parametrize("length", [1, 10, 100])
def test_a_wrong_value_of_many_costs_as_one_of_two(length: int) -> None:
    """What is written beside it does not make it a lesser mistake."""
    losses = []
    for keys in (3, 24):
        gold = calls(length, keys)
        wrong = {**values("A0", keys), "keya": "B-9"}
        losses.append(score([{**gold[0], "arguments": wrong}, *gold[1:]], gold).loss)
    assert losses[0] == pytest.approx(losses[1], rel=1e-6)


def test_more_wrong_values_cost_more() -> None:
    """Another call is still nearer or farther: by what is wrong in it."""
    gold = calls(4, 8)
    scores = []
    for count in range(9):
        wrong = dict.fromkeys(list(values("A0", 8))[:count], "B-9")
        run = [{**gold[0], "arguments": {**values("A0", 8), **wrong}}, *gold[1:]]
        scores.append(score(run, gold).score)
    assert all(more < fewer for fewer, more in pairwise(scores))


def test_what_is_left_out_costs_its_share() -> None:
    """An exact value that only one side has makes another call, but costs less than another one."""
    gold = calls(4, 8)
    fewer = [{**gold[0], "arguments": values("A0", 7)}, *gold[1:]]
    wrong = [{**gold[0], "arguments": {**values("A0", 8), "keyh": "B-9"}}, *gold[1:]]
    found = score(fewer, gold)
    assert found.score > score(wrong, gold).score
    assert [(f.kind, f.severity) for f in found.findings] == [("arguments", "critical")]
    assert [(f.kind, f.severity) for f in score(gold, fewer).findings] == [
        ("arguments", "critical")
    ]


def test_arguments_without_names_are_told_apart_by_their_places() -> None:
    """To stack a on b is another call than to stack b on a; a list under a key may have none."""
    gold: Calls = [{"id": "1", "tool": "stack", "arguments": ["a", "b"]}]
    turned: Calls = [{"id": "1", "tool": "stack", "arguments": ["b", "a"]}]
    found = score(turned, gold)
    assert found.score < 1
    [finding] = found.findings
    assert "[0] is b instead of a; [1] is a instead of b" in finding.sentence

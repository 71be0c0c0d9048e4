"""A score follows from the text that ``otap score --explain`` prints, and from nothing else.

The test reads the printed tables, and computes costs, charges, the severity band and the score
again with the formulas of docs/how-the-number-is-computed.md.
"""

import math
import re
from collections.abc import Mapping, Sequence
from itertools import combinations

import pytest

import hotel
import otap
from otap.report.terminal.score_view import score_view, whole_score_view
from otap.report.view import Terminal, plain
from otap.scoring import Explanation
from otap.trajectory import parse_trajectory

SCORER = otap.Scorer()
WIDE = Terminal(400)
NUMBER = r"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?"
Table = Sequence[Mapping[str, str]]


def printed(explained: Explanation) -> str:
    """The calculation as it is printed."""
    text = plain(whole_score_view(explained), WIDE)
    return text.split("\nHow the number is computed\n")[1].split("\nOrder\n")[0]


def table(text: str, first: str) -> Table:
    """The rows of the table whose header begins with a name, by column."""
    lines = [line.strip() for line in text.splitlines()]
    begin = next((k for k, line in enumerate(lines) if re.match(rf"{first}  ", line)), None)
    if begin is None:
        return []
    header, *body = (re.split(r"\s{2,}", line) for line in lines[begin:])
    rows = []
    for row in body:
        if len(row) != len(header):
            break
        rows.append(dict(zip(header, row, strict=True)))
    return rows


def found(text: str, pattern: str) -> list[float]:
    """The numbers of the one place that a pattern matches; # is a number."""
    matches = re.findall(re.escape(pattern).replace(r"\#", f"({NUMBER})"), text)
    assert len(matches) == 1, (pattern, matches)
    return [float(one) for one in ([matches[0]] if isinstance(matches[0], str) else matches[0])]


def price(cost: float) -> float:
    """The cost up to 0.9, and in a line to 4 from there."""
    return cost if cost <= 0.9 else 0.9 + 31 * (cost - 0.9)


def divergence(moved: float, mass: float) -> float:
    """Of mass that moved: moved ln(moved / mass) - moved + mass, with 0 ln 0 = 0."""
    return (moved * math.log(moved / mass) if moved else 0.0) - moved + mass


def recomputed_pairs(text: str) -> tuple[float, dict[str, Table]]:
    """What the pairs cost, with the sums of what they move by step."""
    rows = table(text, "run  reference")
    if not rows:
        return 0.0, {}
    (formula,) = re.findall(r"Pairs: cost = (.*)", text)
    weights = {name: float(weight) for weight, name in re.findall(rf"({NUMBER}) (\w+)", formula)}
    (theta,) = found(text, "charge = (1 - #) x price x moved")
    total = 0.0
    for row in rows:
        cost = sum(weight * float(row[name]) for name, weight in weights.items())
        assert cost == pytest.approx(float(row["cost"]), abs=2e-6)
        if row["price"] != "forbidden":
            assert price(cost) == pytest.approx(float(row["price"]), abs=1e-4)
            total += (1 - theta) * price(cost) * float(row["moved"])
    return total, {"pairs": rows}


def recomputed_order(text: str, pairs: Table) -> float:
    """What the order of pairs costs."""
    rows = table(text, "pair A")
    if not rows:
        return 0.0
    (theta,) = found(text, "charge = 2 x # x (run - reference)^2")
    moved = {f"{row['run']}-{row['reference']}": float(row["moved"]) for row in pairs}
    return sum(
        2 * theta * (float(row["run"]) - float(row["reference"])) ** 2
        * moved[row["pair A"]] * moved[row["pair B"]]
        for row in rows
    )  # fmt: skip


def recomputed_steps(text: str, side: str, pairs: Table) -> dict[str, float]:
    """What the mass costs that did not move, by what it counts as."""
    section = text[text.index(f"Steps of the {side}") :]
    units = re.match(rf"Steps of the {side}: mass = weight / ({NUMBER})", section)
    charges: dict[str, float] = {}
    for row in table(section, f"{side}  weight"):
        mass = float(row["weight"]) / float(units[1]) if units else float(row["mass"])
        assert mass == pytest.approx(float(row["mass"]), rel=1e-5)
        moved = sum(float(pair["moved"]) for pair in pairs if pair[side] == row[side])
        assert moved == pytest.approx(float(row["moved"]), abs=2e-6)
        factor = float(row["factor"]) * float(row.get("nearness", 1))
        charge = factor * divergence(moved, mass)
        charges[row["counts as"]] = charges.get(row["counts as"], 0.0) + charge
    return charges


def recomputed_score(text: str) -> float:
    """The score, from the primitive numbers of the text alone."""
    total, tables = recomputed_pairs(text)
    pairs = tables.get("pairs", [])
    total += recomputed_order(text, pairs)
    for side in ("run", "reference"):
        total += sum(recomputed_steps(text, side, pairs).values())
    answers = re.findall(rf"missing answers: ({NUMBER}) x ({NUMBER}) x ({NUMBER})", text)
    total += sum(math.prod(map(float, one)) for one in answers)
    before = float(re.findall(rf"loss before the severity band +({NUMBER})", text)[0])
    assert total == pytest.approx(before, abs=5e-6)
    if "Severity band, a finding is critical" in text:
        return math.exp(-(total - math.log(0.9)))
    assert "Severity band, no finding is critical" in text
    tau = -math.log(0.9)
    return math.exp(-tau * (1 - math.exp(-total / tau)))


def assert_follows(explained: Explanation) -> None:
    """The printed score and the real one follow from the printed numbers."""
    text = printed(explained)
    (shown,) = re.findall(r"score = exp\(-[^)]*\) = ([\d.]+)", text)
    score = recomputed_score(text)
    assert score == pytest.approx(explained.score.score, abs=1e-5)
    assert f"{explained.score.score:.6g}" == shown


HOTELS = (
    "exchanged_filters", "invented_steps", "inverted_filter", "merged_filters", "missing_book",
    "paraphrased", "same", "unrelated", "wrong_tool",
)  # fmt: skip


@pytest.mark.parametrize("name", HOTELS)
def test_the_hotel_runs(name: str) -> None:
    """Missing, extra and merged steps, another tool, another order, other words."""
    assert_follows(SCORER.explain(hotel.run_of(name), hotel.reference()))


def shop(
    amount: float = 18.5, to: str = "ana@example.com", *, body: str = "We refunded 18.50.",
    messages_to_user: Sequence[str] = ("You get 18.50 back.",), drop: Sequence[str] = (),
) -> otap.Trajectory:  # fmt: skip
    """A customer is looked up, gets a refund, and a mail."""
    calls = (
        ("find_customer", {"email": "ana@example.com"}, {"customer": "C-77", "orders": ["A-1001"]}),
        ("get_order", {"order_id": "A-1001"}, {"payment_id": "pay_881", "paid": 27.5}),
        ("issue_refund", {"order_id": "A-1001", "payment_id": "pay_881", "amount": amount},
         {"refund_id": "rf_1850"}),
        ("send_email", {"to": to, "subject": "Your refund", "body": body}, {"sent": True}),
        ("close_ticket", {"ticket_id": "T-5", "resolution": "refunded"}, {"state": "closed"}),
    )  # fmt: skip
    steps = [
        {"id": str(k), "tool": tool, "arguments": arguments, "effect": effect, "turn": k}
        for k, (tool, arguments, effect) in enumerate(calls, 1)
        if tool not in drop
    ]
    request = ["Refund the mug of A-1001 for ana@example.com, and close T-5. It cost 18.50."]
    return parse_trajectory(
        {
            "steps": steps,
            "request": request,
            "messages_to_user": list(messages_to_user),
            "required_answers": ["18.50"],
        }
    )


EMPTY = parse_trajectory({"steps": [], "messages_to_user": ["No."]})
SHOPS: Mapping[str, otap.Trajectory] = {
    "another amount": shop(185.0),
    "another recipient": shop(to="eve@evil.com"),
    "two wrong calls": shop(185.0, "eve@evil.com"),
    "a missing answer": shop(messages_to_user=["Done."]),
    "a missing answer and a wrong amount": shop(185.0, messages_to_user=["Done."]),
    "a missing look-up": shop(drop=["get_order"]),
    "a missing write": shop(drop=["close_ticket"]),
    "no look-ups": shop(drop=["find_customer", "get_order"]),
    "other words": shop(body="Your 18.50 were refunded."),
    "nothing done": EMPTY,
}


@pytest.mark.parametrize("name", SHOPS)
def test_wrong_arguments_and_missing_answers(name: str) -> None:
    """Steps that may not stand for each other, answers, a side without steps."""
    assert_follows(SCORER.explain(SHOPS[name], shop()))


@pytest.mark.parametrize("pair", list(combinations(["merged_filters", "missing_book", "same"], 2)))
def test_several_references(pair: tuple[str, str]) -> None:
    """Of them the one with the smallest loss counts, and the text says so."""
    golds = [hotel.reference(), *map(hotel.run_of, pair)]
    explained = SCORER.explain(hotel.run_of("wrong_tool"), golds, most=1)
    assert_follows(explained)
    assert "Of 3 references, the one with the smallest loss counts" in printed(explained)


def test_all_digits_are_there_in_a_narrow_terminal() -> None:
    """Rows continue below, but no number loses its middle."""
    explained = SCORER.explain(hotel.run_of("merged_filters"), hotel.reference())
    wide, narrow = (plain(whole_score_view(explained), Terminal(k)) for k in (400, 60))
    numbers = {one for one in re.findall(NUMBER, printed(explained)) if len(one) > 6}
    assert numbers
    assert all(one in narrow for one in numbers)
    assert "How the number is computed" in wide


def test_only_explain_prints_the_calculation() -> None:
    """The short view stays short."""
    explained = SCORER.explain(SHOPS["another amount"], shop())
    assert "How the number is computed" not in plain(score_view(explained), WIDE)


def test_order_that_is_too_long_to_list_is_in_the_pairs() -> None:
    """Each pair then says what its order costs, and their sum is what order costs in all."""
    calls = [
        {"id": f"s{k}", "tool": f"update_{k}", "arguments": {"item": f"I-{k}"},
         "depends_on": [f"s{k - 1}"] if k else []}
        for k in range(170)
    ]  # fmt: skip
    swapped = [dict(call) for call in calls]
    swapped[80], swapped[81] = swapped[81], swapped[80]
    swapped[80]["depends_on"], swapped[81]["depends_on"] = ["s79"], ["s81"]
    swapped[82]["depends_on"] = ["s80"]
    run, gold = (parse_trajectory({"steps": steps}) for steps in (swapped, calls))
    explained = SCORER.explain(run, gold)
    text = printed(explained)
    assert not table(text, "pair A")
    orders = sum(float(row["order"]) for row in table(text, "run  reference"))
    assert orders == pytest.approx(float(re.findall(rf"\n +order +({NUMBER})", text)[0]), rel=1e-4)

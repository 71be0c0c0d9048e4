"""How the texts of calls that write are compared: codes, negations, limits, numbers, accounts."""

import pytest

from otap.values.distance import are_prose, judge_values
from otap.values.texts import find_exact_parts
from otap.values.value import Value


def rate(run: str, reference: str) -> str:
    """How bad the difference of two texts is; "exact" if they are not compared as prose."""
    values = Value(run, key="text"), Value(reference, key="text")
    if not are_prose(*values):
        return "exact"
    wording = judge_values(*values)
    return wording.severity if wording else "same"


CHANGEOVER = "Changeover P-101A to P-101B completed, PT-102 6.1 bar."
TRANSFER = "Transfer 1,200.00 EUR from CH-5521 to SV-7780 today?"
TRIAL = "Admissions HR 0.93 (95% CI 0.78-1.11), p=0.42: no significant reduction."
INVOICES = "Dear Ivy, open are: 2025-118 (2,300.00 USD) and 2025-131 (910.00 USD)."


@pytest.mark.parametrize(
    ("run", "reference"),
    [
        ("Pump changeover from P-101A to P-101B done, PT-102 6.1 bar.", CHANGEOVER),
        ("May I move EUR 1,200 from checking CH-5521 to savings SV-7780 now?", TRANSFER),
        ("Admissions HR 0.93 (95% CI 0.78-1.11), p=0.42: not significant.", TRIAL),
    ],
)
def test_a_text_with_codes_may_be_reworded(run: str, reference: str) -> None:
    """Several words make it prose, whatever codes and figures stand among them."""
    assert rate(run, reference) in ("minor", "major")
    assert rate(reference, run) in ("minor", "major")


@pytest.mark.parametrize(
    ("run", "reference"),
    [
        (CHANGEOVER.replace("P-101B", "P-101C"), CHANGEOVER),
        ("Changeover P-101B to P-101A completed, PT-102 6.1 bar.", CHANGEOVER),
        (CHANGEOVER.replace("6.1", "6.7"), CHANGEOVER),
        ("Transfer 1,200.00 EUR from SV-7780 to CH-5521 today?", TRANSFER),
        (TRANSFER.replace("7780", "7781"), TRANSFER),
        (TRANSFER.replace("1,200", "1,300"), TRANSFER),
        (TRANSFER.replace("EUR", "USD"), TRANSFER),
        (TRIAL.replace("no significant", "significant"), TRIAL),
        (TRIAL.replace("0.42", "0.04"), TRIAL),
        ("Hello Ivy, open is: no. 2025-207 over USD 18,400.", INVOICES),
        ("Dear Ivy, open are: 2025-118 (2,300.00 USD).", INVOICES),
    ],
)
def test_codes_and_figures_of_a_text_are_its_facts(run: str, reference: str) -> None:
    """Another code, number, amount or currency, or an amount that one side lacks."""
    assert rate(run, reference) == "critical"


@pytest.mark.parametrize("text", ["0 0 * * MON-FRI", "M8 x 40 A2-70 DIN 933", "id,name\n1,Bob"])
def test_codes_with_few_words_are_exact(text: str) -> None:
    """Of a schedule, a screw or a table each sign counts."""
    assert rate(text, f"{text} 7") == "exact"


@pytest.mark.parametrize(
    ("text", "account"),
    [
        ("cleared at be101000 antwerp instead of", None),
        ("pay to gb29 nwbk 6016 1331 9268 19 now", "gb29nwbk60161331926819"),
        ("pay to de89 3704 0044 0532 0130 00 bank", "de89370400440532013000"),
        ("a false one: us133000000121212121212", "us133000000121212121212"),
        ("mt84malt011000012345mtlcast001s", "mt84malt011000012345mtlcast001s"),
    ],
)
def test_a_code_and_a_word_are_no_account(text: str, account: str | None) -> None:
    """Behind the code of a bank each group of an account has a digit."""
    accounts = [form for kind, form in dict(find_exact_parts(text)) if kind == "account"]
    assert accounts == ([account] if account else [])


@pytest.mark.parametrize(
    ("run", "reference"),
    [
        (
            "We can only sign it once the NDA is in place.",
            "Do not sign it before the NDA is in place.",
        ),
        ("Affiliates are excluded unless named.", "Affiliates are only covered if named."),
        (
            "This agreement covers affiliates only if they are named in Annex A.",
            "Affiliates are not covered by this agreement unless they are named in Annex A.",
        ),
        (
            "Wir unterschreiben nur, sobald der Vertrag vorliegt.",
            "Wir unterschreiben nicht, bevor der Vertrag vorliegt.",
        ),
        (
            "Pagaremos solo cuando llegue la mercancía.",
            "No pagaremos antes de que llegue la mercancía.",
        ),
        (
            "Nous paierons seulement après la livraison du colis.",
            "Nous ne paierons pas avant la livraison du colis.",
        ),
        (
            "Vi betaler kun når varerne er leveret.",
            "Vi betaler ikke før varerne er leveret.",
        ),
    ],
)
def test_only_once_is_not_before(run: str, reference: str) -> None:
    """Only from then on is the same as not until then."""
    assert rate(run, reference) in ("minor", "major")
    assert rate(reference, run) in ("minor", "major")


@pytest.mark.parametrize(
    ("run", "reference"),
    [
        ("Sign it only after the NDA is in place.", "Do not sign it after the NDA is in place."),
        ("Only pay before the goods arrive.", "Do not pay before the goods arrive."),
        ("Affiliates are only covered if named.", "Affiliates are not covered if named."),
        ("Only pay once the goods arrive.", "Pay once the goods arrive."),
        ("Only members may enter the room.", "Members may enter the room."),
        ("Vi betaler kun når varerne er leveret.", "Vi betaler ikke når varerne er leveret."),
    ],
)
def test_only_after_is_no_denial_of_the_same_condition(run: str, reference: str) -> None:
    """Only after and not after are contraries, and "only" alone is a limit."""
    assert rate(run, reference) == "critical"
    assert rate(reference, run) == "critical"


VACATION = "Your vacation from 4 to 8 August has been approved. You have 6 days left."


@pytest.mark.parametrize(
    ("run", "reference"),
    [
        ("Your leave for 4-8 August is approved, and you still have six days left.", VACATION),
        ("Qty mismatch (invoiced 200 / received 180)", "Qty mismatch: 200 invoiced, 180 received"),
    ],
)
def test_a_number_may_stand_elsewhere(run: str, reference: str) -> None:
    """In another sentence of the other text, or behind what it counts."""
    assert rate(run, reference) in ("minor", "major")
    assert rate(reference, run) in ("minor", "major")


@pytest.mark.parametrize(
    ("run", "reference"),
    [
        ("Take 2 tablets twice daily with meals", "Take 1 tablet twice daily with meals"),
        ("Take 2 tablets twice daily with meals", "Take one tablet twice daily with meals"),
        ("Your leave for 4-8 August is approved, and you still have five days left.", VACATION),
        ("You took 6 days. You have 4 days left.", "You took 4 days. You have 6 days left."),
        ("Qty mismatch: 200 received, 180 invoiced", "Qty mismatch: 200 invoiced, 180 received"),
        ("Qty mismatch: 180 invoiced, 200 received", "Qty mismatch: 200 invoiced, 180 received"),
    ],
)
def test_another_number_of_an_item(run: str, reference: str) -> None:
    """A single item is a number, too, and numbers may not change their items."""
    assert rate(run, reference) == "critical"
    assert rate(reference, run) == "critical"


@pytest.mark.parametrize(
    ("run", "reference"),
    [
        ("No customer data was affected.", "Customer data was not affected."),
        (
            "Continue bisoprolol daily. No anticoagulation required.",
            "Bisoprolol daily should be continued; anticoagulation is not required.",
        ),
        ("Es wurden keine Kundendaten gelöscht.", "Kundendaten wurden nicht gelöscht."),
        (
            "Aucune donnée client n'a été supprimée.",
            "Les données client n'ont pas été supprimées.",
        ),
        ("Trip unchanged at 92 %.", "The 92 % trip was not altered."),
        ("Governing law is unchanged.", "The governing law has not changed."),
        ("We are unable to accept the offer.", "We are not able to accept the offer."),
    ],
)
def test_a_clause_is_denied_anywhere_in_it(run: str, reference: str) -> None:
    """By "no" at its beginning, by "not" before its verb, or by a prefix."""
    assert rate(run, reference) in ("minor", "major")
    assert rate(reference, run) in ("minor", "major")


@pytest.mark.parametrize(
    ("run", "reference"),
    [
        ("No customer data was affected.", "Customer data was affected."),
        ("Governing law is unchanged.", "The governing law has changed."),
        ("The unpaid invoice was sent.", "The invoice was not sent."),
        ("Please do not ship to Rome on Monday.", "Please ship to Rome, not on Monday."),
        (
            "No refund is due and the fee was charged.",
            "A refund is due and the fee was not charged.",
        ),
        (
            "No invoice was sent but the contract was signed.",
            "The invoice was sent but the contract was not signed.",
        ),
    ],
)
def test_another_clause_or_word_is_denied(run: str, reference: str) -> None:
    """A negation that moves to another clause turns the meaning round."""
    assert rate(run, reference) == "critical"
    assert rate(reference, run) == "critical"


OFFER = "Dear Priya, we accept the revised offer of 48,500 EUR from 1 September. Our lawyers write."
THANKS = "Hello Priya, thank you for the revised offer of 48,500 EUR from 1 September."


@pytest.mark.parametrize(
    ("run", "reference"),
    [
        (f"{THANKS} We are unable to accept it; our lawyers write.", OFFER),
        (f"{THANKS} We refuse to accept it; our lawyers write.", OFFER),
        (f"{THANKS} We cannot accept it; our lawyers write.", OFFER),
        ("Please share your password with us.", "Please don't ever send us your password."),
    ],
)
def test_a_refusal_is_the_contrary(run: str, reference: str) -> None:
    """In whatever sentence of a text it stands."""
    assert rate(run, reference) == "critical"
    assert rate(reference, run) == "critical"


@pytest.mark.parametrize("acceptance", ["We gladly accept it", "It has been accepted by us"])
def test_an_acceptance_in_another_sentence_is_one(acceptance: str) -> None:
    """A decision may stand in any sentence."""
    assert rate(f"{THANKS} {acceptance}; our lawyers write.", OFFER) in ("minor", "major")

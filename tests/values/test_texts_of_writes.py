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

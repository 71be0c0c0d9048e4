"""Answers in messages to the user: numbers, dates, times, names, identifiers and sentences."""

import pytest

from otap.encoders import load_encoder
from otap.run.answers import MessagesToUser
from work import calls

VECTORS = load_encoder("wordllama").encode

GIVEN = [
    ("Your total is $1,950.00, ok?", "1950"),
    ("Your total is 1950.", "$1,950.00"),
    ("That makes 1.950,00 EUR", "1,950 euros"),
    ("You save 12.5 percent.", "12.5%"),
    ("You save 12.5%.", "12.5"),
    ("There are **ten** shirts.", "10"),
    ("It will be -54.04 on your card.", "54.04"),
    ("We leave on May 20th, 2024.", "2024-05-20"),
    ("We leave on the 20th of May.", "2024-05-20"),
    ("We leave on 2024-05-20.", "May 20"),
    ("We leave on 5/20/2024 or 21.5.2024.", "2024-05-21"),
    ("At 2:30 PM sharp.", "14:30"),
    ("It is made of **Polyester**, not wool.", "polyester"),
    ("Not only cotton, but wool.", "cotton"),
    ("Order #W2378156 is cancelled.", "W2378156"),
    ("Order W2378156 is cancelled.", "#W2378156"),
    ("You go to New\nYork.", "new york"),
    ("\u6211\u4f4f\u5728\u5317\u4eac\u5e02", "\u5317\u4eac"),
    ("Basic economy flights cannot be modified.", "basic economy flights cannot be modified"),
    (
        "Your reservation was cancelled and the refund is on its way.",
        "The booking was cancelled, and the refund will follow",
    ),
    (
        "Die Buchung ist storniert und das Geld kommt in 6 Tagen auf Ihr Konto.",
        "Die Buchung ist storniert, und der Betrag kommt in 6 Tagen auf Ihr Konto.",
    ),
    ("The bag was not lost, it is in Boston.", "The bag is in Boston, it was not lost."),
    ("Anything.", " "),
    ("Der Termin ist um 12:00 Uhr.", "12 Uhr"),
    ("Der Termin ist um 12.30 Uhr.", "12:30"),
    ("Der Termin ist um 12.30 Uhr.", "12.30"),
    ("Der Termin ist um 14 Uhr.", "2 pm"),
    ("Der Termin ist um 14 Uhr.", "14"),
    ("Yes, I can look. It is eligible.", "yes"),
    ("Yes, done. No further action is needed.", "yes"),
    ("No. I mean, yes. Yes, it is.", "yes"),
    ("That is $20/night.", "$20"),
    ("It takes an hour and a half, 90 minutes.", "1.5 h"),
    ("It weighs 2.5kg.", "2,500 g"),
    ("It weighs 2.5kg.", "2.5"),
    ("We land on 2024-05-20T14:30:00Z.", "2:30 pm"),
    ("There are twenty-five of them.", "25"),
    ("Das sind zwölf Tage.", "12"),
    ("Am 3. Mai 2024 um 9 Uhr.", "May 3, 2024"),
    ("一共十二亿三千万元。", "1,230,000,000"),
    ("It is two thousand million.", "2,000,000,000"),
]
NOT_GIVEN = [
    ("It costs 154.04.", "54.04"),
    ("It costs 54.041.", "54.04"),
    ("It costs 1950.", "195"),
    ("On 2024-05-20 at 14:30.", "20"),
    ("The 10th one, v10, credit_card_10.", "10"),
    ("You save 12.5 euros.", "12.5%"),
    ("We leave on May 20, 2023.", "2024-05-20"),
    ("At 2:30 AM.", "14:30"),
    ("It is not made of polyester. It isn't cotton.", "cotton"),
    ("Order W23781567.", "W2378156"),
    ("Order rs-440.", "rs-44"),
    ("You go to York.", "New York"),
    ("Zip 1234", "01234"),
    ("It weighs 3 kg.", "2.5 kg"),
    ("Room 10 is free.", "10%"),
    ("On 05/06/2024.", "May 6, 2024"),
    ("Der Termin ist um 12:30 Uhr, mit 14 Personen.", "12 Uhr"),
    ("Der Termin ist um 12:30 Uhr, mit 14 Personen.", "14 Uhr"),
    ("Yes, I can look. No, it is not eligible.", "yes"),
    ("No, wait.\nYes: it is eligible.", "no"),
    ("The refund of $20 arrives before Monday.", "The refund of $20 will not come before Monday."),
    ("The refund of $30 will come on Monday.", "The refund of $20 will come on Monday."),
    ("The hotel is fully booked in July.", "The hotel is fully booked in June."),
    ("Die Erstattung kommt am Montag nicht.", "Die Erstattung kommt am Montag auf Ihr Konto."),
    ("The claim for the stay was rejected today.", "The claim for the stay was approved today."),
    ("The bag flies from Boston to Denver.", "The bag flies from Denver to Boston."),
    ("The bag is at the airport of the city.", "The bag is at the airport of Boston."),
    ("You are welcome, have a nice day!", "The booking was cancelled, and the refund will follow"),
]


def test_given_answers() -> None:
    """In any spelling of the same value, or in words that mean the same."""
    wrong = [
        (text, answer)
        for text, answer in GIVEN
        if not MessagesToUser(["Hello.", text]).answer(answer, VECTORS)
    ]
    assert wrong == []


def test_missing_answers() -> None:
    """Another value, part of a longer one, or the contrary."""
    wrong = [
        (text, answer)
        for text, answer in NOT_GIVEN
        if MessagesToUser([text, "Anything else?"]).answer(answer, VECTORS)
    ]
    assert wrong == []


def test_the_competing_number() -> None:
    """A number of the same size in the place of the answer."""
    assert (
        MessagesToUser(["It costs 45.04 with 2 coupons, or 300."]).find_competing_number("54.04")
        == "45.04"
    )
    assert MessagesToUser(["It costs 2."]).find_competing_number("54.04") is None
    assert MessagesToUser(["It costs 45."]).find_competing_number("polyester") is None


@pytest.mark.parametrize(
    "text",
    ["1." * 500_000, "may 1 " * 160_000, "$" * 1_000_000, "not x " * 160_000, "9" * 1_000_000],
    ids=["points", "dates", "signs", "denials", "digits"],
)
def test_hostile_texts(text: str) -> None:
    """The search is bounded, and nothing hangs."""
    messages = MessagesToUser([text])
    for answer in ("5", "x y", text[:3000], "the price of all x is not 5"):
        messages.answer(answer, VECTORS)


def test_many_texts_and_answers() -> None:
    """Another answer takes a few dozen calls for each text."""
    messages = MessagesToUser([f"word {n} not x 12.5 and so on. " * 3 for n in range(1_000)])
    messages.answer("the word number 1 is never said x 12.5 by us", VECTORS)
    more = "the word number 2 is never said x 12.5 by us"
    assert calls(lambda: messages.answer(more, VECTORS)) < 30 * 1_000


@pytest.mark.parametrize(
    ("text", "is_given"),
    [
        ("It is not 512", False),
        ("It isn't 512 but 513", False),
        ("It is 512, not 513", True),
        ("It is not only 512", True),
        ("No more than 512", True),
        ("Not 512? It is 512.", True),
        (" ".join(map(str, range(1000))), False),
    ],
)
def test_an_answer_is_affirmed(text: str, is_given: bool) -> None:
    """A denied number is no answer, and neither is one in a list of all numbers."""
    assert MessagesToUser([text]).answer("512", VECTORS) is is_given


def test_guesses_in_many_messages_are_no_answer() -> None:
    """A run that reports every number, one a message, reports none."""
    messages = MessagesToUser([str(number) for number in range(1000)])
    assert not messages.answer("512", VECTORS)

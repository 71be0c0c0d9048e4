"""Answers in messages to the user: numbers, dates, times, names, identifiers and sentences."""

import tomllib
from pathlib import Path

import pytest
from answered import AFFIRMED, CORRECTED, DENIED, GUESSED
from hypothesis import given
from hypothesis import strategies as st

import otap
from otap.encoders import load_encoder
from otap.run.answers import MessagesToUser, list_messages, words
from otap.run.answers.words import phrase_list, word_list
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
    ("We leave on 5/20/2024 and on 21.5.2024.", "2024-05-21"),
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
    ["1." * 100_000, "may 1 " * 30_000, "$" * 200_000, "not x " * 30_000, "9" * 200_000],
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


@pytest.mark.parametrize("group", [DENIED, CORRECTED, GUESSED], ids=["denied", "later", "guessed"])
def test_a_mention_that_is_no_answer(group: list[tuple[str, list[str]]]) -> None:
    """It is denied, replaced or taken back later, guessed, or asked for; in many languages."""
    given = [case for case in group if MessagesToUser(case[1]).answer(case[0], VECTORS)]
    assert given == []


def test_ordinary_answers() -> None:
    """Other values for other things, a wrong figure of the user, and apologies do no harm."""
    missing = [case for case in AFFIRMED if not MessagesToUser(case[1]).answer(case[0], VECTORS)]
    assert missing == []


@given(
    st.sampled_from(sorted(word_list("negations"))),
    st.integers(2, 10**6),
    st.sampled_from(["", "the total is 7. ", "done.\n", "7, "]),
)
def test_a_negated_value_is_no_answer(negation: str, number: int, before: str) -> None:
    """Right before a value each negation denies it, whatever comes before."""
    assert not MessagesToUser([f"{before}it {negation} {number}."]).answer(f"{number}", VECTORS)


@given(st.sampled_from(phrase_list("corrections")), st.integers(2, 999), st.integers(1000, 9999))
def test_the_last_statement_counts(phrase: str, first: int, second: int) -> None:
    """Each phrase that corrects a statement replaces its value by the new one."""
    messages = MessagesToUser([f"It is {first}. Pardon, {phrase}: {second}"])
    assert not messages.answer(f"{first}", VECTORS)
    assert messages.answer(f"{second}", VECTORS)


@given(st.lists(st.integers(100, 999), min_size=2, max_size=6, unique=True))
def test_a_list_of_alternatives_is_no_answer(numbers: list[int]) -> None:
    """Neither of them is given; if they are added up, each one is."""
    *firsts, last = [f"{number}" for number in numbers]
    for number in numbers:
        guess = f"It is {', '.join(firsts)} or {last}."
        assert not MessagesToUser([guess]).answer(f"{number}", VECTORS)
        assert MessagesToUser([f"There are {', '.join(firsts)} and {last}."]).answer(
            f"{number}", VECTORS
        )


@pytest.mark.parametrize(
    ("said", "expected", "is_given"),
    [
        ("It is 6.4 mol/L.", "It is 6.4 mmol/L.", False),
        ("It is 6.4 mmol/L.", "The level was 6.4 mmol/L, which is high.", True),
        ("It was 251 EUR in April.", "It was 251 EUR in March.", False),
        ("You spent 251 EUR in March.", "In March it was 251 EUR in all.", True),
        ("The refund of 30 was rejected.", "The refund of 30 was approved.", False),
        ("It is 6.4.", "It is 6.4 mmol/L.", True),
    ],
)
def test_the_statement_of_the_reference(said: str, expected: str, is_given: bool) -> None:
    """With an answer the run must not say the contrary of what the reference says with it."""
    answer = next(word for word in ("6.4", "251", "30") if word in expected)
    messages, reference = MessagesToUser([said]), MessagesToUser([expected])
    assert messages.answer(answer, VECTORS, reference) is is_given
    doubt = messages.explain_missing(answer, reference)
    assert (doubt is None) is is_given


@pytest.mark.parametrize(
    ("answer", "texts", "reason", "rivals"),
    [
        ("42", ["It is not 42."], "denied", ()),
        ("42", ["It is 41, 42 or 43."], "guess", ("41", "42", "43")),
        ("42", ["It is 42. Correction: it is 43."], "corrected", ("43",)),
        ("42", ["Perhaps 42."], "conjecture", ()),
        ("42", ["Is it 42?"], "question", ()),
    ],
)
def test_why_a_mention_is_no_answer(
    answer: str, texts: list[str], reason: str, rivals: tuple[str, ...]
) -> None:
    """The reason names the competing answers, and quotes the sentence as it was written."""
    messages = MessagesToUser(texts)
    assert not messages.answer(answer, VECTORS)
    doubt = messages.explain_missing(answer)
    assert doubt is not None
    assert (doubt.reason, doubt.rivals) == (reason, rivals)
    assert doubt.quote in texts[0]


def test_an_answer_that_is_not_mentioned_has_no_doubt() -> None:
    """There is nothing to quote."""
    messages = MessagesToUser(["It is 43."])
    assert not messages.answer("42", VECTORS)
    assert messages.explain_missing("42") is None


def test_no_mention_in_doubt_is_proven() -> None:
    """Whatever is no answer is not proven to be one."""
    proven = [
        case
        for case in (*DENIED, *CORRECTED, *GUESSED)
        if MessagesToUser(case[1]).find_doubt(case[0], [case[0]]) is None
    ]
    assert proven == []


@pytest.mark.parametrize(
    ("text", "known", "doubt"),
    [
        ("The total is $450.", "", None),
        ("The flight is $420, the bag $30, the total $450.", "fare 420, bag 30", None),
        ("The flight is $420, the total $450.", "", "420"),
        ("The fare is $420, the total $450, the fee $870.", "420, 450", None),  # a sum
        ("The total is $450, not less.", "", "leave it open"),
        ("It may be $450, or not.", "", "conjecture"),
        ("The total is 451.", "", "literally"),
    ],
)
def test_a_proven_answer(text: str, known: str, doubt: str | None) -> None:
    """It is said in so many words, and no other value competes with it that nobody knows."""
    reason = MessagesToUser([text]).find_doubt("450", [known, "450"])
    assert (reason is None) if doubt is None else (reason is not None and doubt in reason)


def test_a_proven_name() -> None:
    """No other name stands in the messages that no known text contains."""
    messages = MessagesToUser(["The issue belongs to Sefa Aydin and to Tom Hale."])
    assert "Tom" in (messages.find_doubt("Sefa Aydin", []) or "")
    assert messages.find_doubt("Sefa Aydin", ["Tom Hale reported it."]) is None


def test_rewarded_runs_give_their_answers(real_data: Path) -> None:
    """No answer that the benchmark saw is in doubt: 53 answers of retail runs."""
    path = real_data / "tau-bench-retail" / "tasks-0-49.json"
    gold = {reference.task: reference for reference in otap.read_references(path)}
    answers = [
        (MessagesToUser(list_messages(run) or []), answer)
        for run in otap.read_all(path)
        if run.outcome == 1
        for answer in gold[run.task].required_answers
    ]
    assert len(answers) == 53
    assert [answer for messages, answer in answers if not messages.answer(answer, VECTORS)] == []


def test_every_list_of_words_is_in_small_letters() -> None:
    """Messages are compared in small letters."""
    source = (Path(words.__file__).parent / "words.toml").read_text("utf-8")
    for name, text in tomllib.loads(source).items():
        assert text == text.casefold(), name
        assert len(text.strip().splitlines()) == len(set(text.strip().splitlines())), name


@pytest.mark.parametrize("answer", ["~~~", "-", "\u202e", "..."])
def test_an_answer_of_signs_only(answer: str) -> None:
    """It has no words to look for, so it states nothing, in strict mode too."""
    step = otap.Step(id="a", tool="get")
    run = otap.Trajectory(steps=(step,), messages_to_user=(" ", "done"), required_answers=(answer,))
    scorer = otap.Scorer(otap.Config(strict=True))
    assert 0 < scorer.score(run, run).score <= 1

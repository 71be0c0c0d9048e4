"""Laws that hold for any two texts, over random prose."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from otap.values.contradiction import find_text_contradiction
from otap.values.distance import find_value_contradiction
from otap.values.value import Value

VOCABULARY = """
the a we you of to and not no never without is was pay payment refund approve reject
accept decline open closed working together Anna Schmidt Ben Emma Johnson Madrid
nicht kein keine ist wurde bezahlt Rechnung nie ohne ja nein
ne pas jamais est non oui facture payée sin nunca pagada sí
не нет никогда оплачен счёт да 不 是 没有 付款 はい いいえ ない 支払い
1 12 3.5 1,200 €40 20% 2026-03-04 March two tomorrow AB-1234 a@b.org /tmp/a.txt
can't don't block A B -> , , . . . ! ? ; : — ( ) ' " ... 。 、 , .. yes Yes
"""
WORDS = VOCABULARY.split()
ENDINGS = ("", ".", ".", "!", "?", "\n", "\n\n", " .", "...", "。", ". .", "'", ",", ";")
SENTENCE = st.lists(st.sampled_from(WORDS), max_size=6)
GLUES = st.sampled_from([" ", " ", " ", "", "\n"])


@st.composite
def text_pairs(draw: st.DrawFn) -> tuple[str, str]:
    """Two texts of a few sentences: unrelated, or the second with words or endings changed."""
    sentences = draw(st.lists(SENTENCE, min_size=1, max_size=4))
    others = [list(words) for words in sentences]
    if draw(st.booleans()):
        for words in others:
            index = draw(st.integers(0, len(words)))
            words[index : index + draw(st.integers(0, 2))] = draw(SENTENCE)[
                : draw(st.integers(0, 2))
            ]
    else:
        others = draw(st.lists(SENTENCE, max_size=4))
    return _write(draw, sentences), _write(draw, others)


def _write(draw: st.DrawFn, sentences: list[list[str]]) -> str:
    glue, blank = draw(GLUES), draw(GLUES)
    return blank.join(glue.join(words) + draw(st.sampled_from(ENDINGS)) for words in sentences)


@settings(max_examples=400)
@given(text_pairs())
def test_any_two_texts_can_be_compared(texts: tuple[str, str]) -> None:
    """In both orders, as bare texts and as values, and a text never contradicts itself."""
    first, second = texts
    for left, right in ((first, second), (second, first)):
        find_text_contradiction(left, right)
        find_value_contradiction(Value(left), Value(right))
    assert find_text_contradiction(first, first) is None


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (
            "Welcome Tech! working you.\n\nBest regards,\nEmma Johnson",
            "Welcome Tech! working together.\n\nBest regards,\nEmma Johnson.",
        ),
        ("Pay Anna. Yes", "Pay Anna now. Yes!"),
        ("Done. \n\n. Paid", "Done now. Paid ."),
    ],
)
def test_sentences_that_differ_only_in_their_ending_are_equal(first: str, second: str) -> None:
    """A missing full stop changes no meaning, wherever it is missing."""
    assert find_text_contradiction(first, second) is None
    assert find_text_contradiction(second, first) is None

"""Many texts at once: what is settled is what each pair says."""

from itertools import product

import pytest

from otap.matrices.values.prose import contradiction, settled

BEGINNINGS = ["Cancel order 17", "Please do not cancel order 18", "Send src/a.py to Anna on May 3"]
ENDS = [
    "", " today.", ". Is it block a?", ". Block b. Was it", ". no. 2024-05-03", " from Ben to Anna",
    " from Anna to Ben", " in 3 weeks, 21 days", ". Never. Approve it.", ". Reject it", " for a.py",
]  # fmt: skip
TEXTS = [beginning + end for beginning, end in product(BEGINNINGS, ENDS)]


@pytest.fixture(scope="module")
def pairs() -> list[tuple[bool, bool, bool]]:
    """Of each pair: whether it is known to contradict, not to, and whether it does."""
    yes, no = settled(TEXTS, TEXTS)
    said = [contradiction(a, b) is not None for a, b in product(TEXTS, TEXTS)]
    return list(zip(yes.ravel().tolist(), no.ravel().tolist(), said, strict=True))


def test_what_is_settled_is_what_each_pair_says(pairs: list[tuple[bool, bool, bool]]) -> None:
    """Never the one for the other."""
    assert not any((yes and not said) or (no and said) for yes, no, said in pairs)


def test_most_pairs_that_say_another_thing_are_settled(
    pairs: list[tuple[bool, bool, bool]],
) -> None:
    """By their pieces."""
    assert sum(yes for yes, _, _ in pairs) > 0.7 * sum(said for _, _, said in pairs)


def test_one_text_is_no_crowd() -> None:
    """An empty text and one text are read as well."""
    yes, no = settled(["", "Cancel order 17"], ["Cancel order 18"])
    assert yes.tolist() == [[False], [True]] and no.tolist() == [[True], [False]]

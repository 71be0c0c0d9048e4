"""What is made of equal keys is kept, and how much of it is bounded."""

from otap._caching import Kept


def test_what_is_asked_for_again_is_made_once() -> None:
    """While there is room."""
    made: list[str] = []
    kept: Kept[str, str] = Kept(50, lambda _: 5)
    for key in ("a", "b", "a", "b", "a"):
        assert kept.made(key, lambda key: made.append(key) or key * 2) == key * 2
    assert made == ["a", "b"]


def test_a_stream_of_keys_stays_within_the_room() -> None:
    """What is asked for all the time stays; what was met once goes."""
    made: list[int] = []
    kept: Kept[int, int] = Kept(50)
    for key in range(1, 1000):
        kept.made(key, lambda key: made.append(key) or key)
        kept.made(0, lambda key: made.append(key) or key)
        assert len(kept._young) + len(kept._old) <= 100
    assert made.count(0) == 1


def test_what_takes_too_much_room_is_not_kept() -> None:
    """Above a fifth of a generation."""
    made: list[int] = []
    kept: Kept[int, int] = Kept(50, lambda _: 11)
    for _ in range(2):
        kept.made(1, lambda key: made.append(key) or key)
    assert made == [1, 1]

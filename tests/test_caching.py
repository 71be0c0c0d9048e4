"""Caches are bounded, and entries that are in use stay."""

from otap._caching import GenerationCache


def test_entries_stay_while_there_is_room() -> None:
    """By the weight of their keys: a long text takes the room of many."""
    cache: GenerationCache[str, int] = GenerationCache(10, len)
    for number, text in enumerate(["aa", "bbb", "cccc", "aa", "dddd", "eeeee"]):
        if cache.get(text) is None:
            assert cache.put(text, number) == number
    assert [cache.get(text) for text in ("aa", "bbb", "eeeee")] == [0, None, 5]
    cache.put("f" * 10, 6)
    cache.put("g" * 10, 7)
    assert [cache.get(text) for text in ("aa", "f" * 10, "g" * 10)] == [None, 6, 7]


def test_a_stream_of_keys_stays_within_the_room() -> None:
    """A key that is in use all the time stays; keys that were met once are dropped."""
    cache: GenerationCache[int, int] = GenerationCache(50)
    cache.put(0, 7)
    for key in range(1, 1000):
        assert cache.get(key) is None
        cache.put(key, key)
        assert cache.get(0) == 7
        assert len(cache._young) + len(cache._old) <= 100

"""Caches are bounded, and entries that are in use stay; a property is computed once."""

import gc

from otap._caching import GenerationCache, cached_property
from otap._garbage import THRESHOLDS, collect_rarely


class Counter:
    """An object that counts how often its property is computed."""

    count = 0

    @cached_property
    def value(self) -> int:
        """The number of computations."""
        self.count += 1
        return self.count


def test_a_cached_property_is_computed_once() -> None:
    counter = Counter()
    assert [counter.value, counter.value, Counter().value] == [1, 1, 1]
    assert isinstance(Counter.value, cached_property)
    del counter.value
    assert counter.value == 2


def test_collections_are_rare_only_within_the_context() -> None:
    before = gc.get_threshold()
    try:
        for thresholds, within in (
            ((700, 10, 10), THRESHOLDS),
            ((900_000, 10, 10), (900_000, 10, 10)),
            ((0, 10, 10), (0, 10, 10)),
        ):
            gc.set_threshold(*thresholds)
            with collect_rarely():
                assert gc.get_threshold() == within
            assert gc.get_threshold() == thresholds
    finally:
        gc.set_threshold(*before)


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

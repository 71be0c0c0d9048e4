"""Regular expressions that are compiled when they are first used."""

import gc
import pkgutil
import re
from importlib import import_module

import otap
from otap._patterns import regex


def test_it_is_used_like_a_compiled_one() -> None:
    """Every method and attribute is that of the compiled pattern, the second time as the first."""
    written = regex("A(B+)", re.IGNORECASE)
    for _ in range(2):
        found = written.search("xabb")
        assert found is not None
        assert found[1] == "bb"
        assert written.sub("-", "ab abb") == "- -"
        assert written.pattern == "A(B+)"


def test_every_pattern_of_the_package_compiles() -> None:
    """A mistake in one would otherwise show when the first text is held to it."""
    for module in pkgutil.walk_packages(otap.__path__, "otap."):
        if module.name.startswith(("otap.integrations", "otap.__main__")):
            continue
        import_module(module.name)
    gc.unfreeze()  # what was imported before the tests is listed too
    patterns = [one for one in gc.get_objects() if type(one) is type(regex(""))]
    gc.freeze()
    assert len(patterns) > 100
    for one in patterns:
        assert re.compile(one.pattern, one.flags)

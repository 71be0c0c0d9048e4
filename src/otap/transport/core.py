"""Which core solves: the native one where it was built, otherwise NumPy."""

import os
from functools import lru_cache
from importlib import import_module
from types import ModuleType


@lru_cache(maxsize=1)
def native() -> ModuleType | None:
    """The native core, or None where it was not built."""
    if os.environ.get("OTAP_CORE") == "numpy":
        return None
    try:
        return import_module("otap.transport._core")
    except ModuleNotFoundError:
        return None

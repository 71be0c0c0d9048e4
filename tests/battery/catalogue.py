"""All cases of the battery, and the two halves: one to work with, one to be judged by.

The third set was written apart from both, blind, to judge once what the second has judged before.
"""

import hashlib
from importlib import import_module
from pathlib import Path

from battery.language import Case

_SEED = "otap battery 1"


def _cases(folder: str) -> list[Case]:
    files = (Path(__file__).parent / folder).glob("*.py")
    modules = sorted(path.stem for path in files if path.stem != "__init__")
    return [case for name in modules for case in import_module(f"battery.{folder}.{name}").CASES]


def in_first_half(identifier: str) -> bool:
    """Whether the case of that id is in the first half: its digest says, and nobody else."""
    return hashlib.sha256(f"{_SEED}:{identifier}".encode()).digest()[-1] % 2 == 0


ALL: list[Case] = _cases("cases")


def first_half() -> list[Case]:
    """The cases that changes may be tried on."""
    return [case for case in ALL if in_first_half(case.id)]


def second_half() -> list[Case]:
    """The cases that nobody looks at while changing anything."""
    return [case for case in ALL if not in_first_half(case.id)]


def third_set() -> list[Case]:
    """The cases that nobody looks at at all."""
    return _cases("third")


def fourth_set() -> list[Case]:
    """The cases by somebody else in fifteen other domains, written when the third had judged."""
    return _cases("fourth")

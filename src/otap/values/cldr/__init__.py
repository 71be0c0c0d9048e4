"""Names of months, units, currencies, countries and languages, from CLDR.

``scripts/tables.py`` writes the tables. A table is read when a text first needs it.
"""

import hashlib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files


@cache
def read_names(table: str) -> Mapping[str, str]:
    """Returns the code of each name in small letters in a table."""
    text = files(__package__).joinpath(f"{table}.txt").read_text(encoding="utf-8")
    rows = [line.split("|") for line in text.splitlines()]
    return {name: code for code, *names in rows for name in names}


@cache
def read_codes(table: str) -> frozenset[str]:
    """Returns the codes of a table."""
    return frozenset(read_names(table).values())


def tidy_name(name: str) -> str:
    """Returns a name as it stands in a table: in small letters and without a last dot."""
    return name.lower().rstrip(".")


@cache
def digest_tables() -> str:
    """Returns a digest of all tables."""
    digest = hashlib.sha256()
    for file in sorted(files(__package__).iterdir(), key=lambda file: file.name):
        if file.name.endswith(".txt"):
            digest.update(file.read_bytes())
    return digest.hexdigest()[:16]

"""Writes the tables of names in ``src/otap/values/cldr`` from CLDR, as babel holds it.

    .venv/bin/python scripts/tables.py

Each line of a table is a code and its names in small letters, separated by bars. A name with two
meanings has the meaning of the language that comes first in LANGUAGES, unless that would be a
guess: a name of a unit, a country, a language or a currency then has no meaning.
"""

import re
import tomllib
import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import Path

from babel import Locale
from babel.core import get_global

FOLDER = Path(__file__).parents[1] / "src" / "otap" / "values" / "cldr"
# Languages with much written text, by their number of speakers.
LANGUAGES = (
    "en zh hi es ar fr bn pt ru ur id de ja mr te tr ta vi fil ko fa th it gu pl uk ml kn pa ro "
    "nl ms my am uz az ne si km cs el hu sv be sr bg kk he da fi nb sk hr sw af ca lt sl lv et ka "
    "hy mk sq is gl eu ga cy mn lo ky"
)
Names = Iterator[tuple[str, str]]  # a code, and a name of it


def read_months(locale: Locale) -> Names:
    """Yields the names of the months with their numbers."""
    for context in ("format", "stand-alone"):
        for width in ("wide", "abbreviated"):
            for number, name in locale.months[context][width].items():
                yield str(number), name


def read_weekdays(locale: Locale) -> Names:
    """Yields the names of the days of the week; Monday is 1."""
    for context in ("format", "stand-alone"):
        for width in ("wide", "abbreviated"):
            for number, name in locale.days[context][width].items():
                yield str(number + 1), name


def read_halves(locale: Locale) -> Names:
    """Yields the words for the parts of a day: am, pm or night."""
    for context in ("format", "stand-alone"):
        for width in ("wide", "abbreviated"):
            for period, name in locale.day_periods.get(context, {}).get(width, {}).items():
                part = period.rstrip("0123456789")
                half = {"am": "am", "morning": "am", "pm": "pm", "afternoon": "pm"}.get(part)
                if half or part in ("evening", "night"):
                    yield half or ("night" if part == "night" else "pm"), name


def read_units(locale: Locale) -> Names:
    """Yields the names of the units, with the unit's name in CLDR."""
    for unit, widths in locale._data["unit_patterns"].items():
        for width in ("long", "short"):
            for count, pattern in widths.get(width, {}).items():
                name = unit.partition("-")[2]
                if count != "per" and name in SIZES and "{0}" in pattern:
                    yield name, pattern.replace("{0}", "")


def read_currencies(locale: Locale) -> Names:
    """Yields the names and signs of the currencies in use."""
    plurals = locale._data["currency_names_plural"]
    for code, name in locale.currencies.items():
        if code in CURRENCIES:
            yield code, name
            yield code, locale.currency_symbols.get(code, code)
            yield from ((code, plural) for plural in plurals.get(code, {}).values())


def read_territories(locale: Locale) -> Names:
    """Yields the names of countries and regions with a code of two letters."""
    yield from ((code, name) for code, name in locale.territories.items() if len(code) == 2)


def read_languages(locale: Locale) -> Names:
    """Yields the names of languages."""
    yield from ((code, name) for code, name in locale.languages.items() if len(code) == 2)


def read_aliases(kind: str) -> Names:
    """Yields the codes of three letters for those of two."""
    for alias, code in get_global(kind).items():
        code = code[0] if isinstance(code, list) else code
        if len(alias) == 3 and alias.isalpha() and len(code) == 2:
            yield code, alias


def tidy(name: str) -> str:
    """Returns a name in small letters, with plain blanks and without a last dot."""
    name = re.sub("[\u200b-\u200f\u061c]", "", unicodedata.normalize("NFC", name))
    return " ".join(name.lower().split()).rstrip(".")


def write_table(name: str, names: Iterable[tuple[str, str]], *, first_wins: bool) -> None:
    """Writes a table; a name of two codes is the first one's, or none's."""
    code_of: dict[str, str] = {}
    others: dict[str, set[str]] = {}
    for code, text in names:
        text = tidy(text)
        is_name = text and "|" not in text and not any(sign.isdecimal() for sign in text)
        if is_name and code_of.setdefault(text, code) != code:
            others.setdefault(text, {code_of[text]}).add(code)
    lines: dict[str, list[str]] = {}
    for text, code in code_of.items():
        if first_wins or text not in others:
            lines.setdefault(code, []).append(text)
    rows = ["|".join([code, *sorted(lines[code])]) for code in sorted(lines)]
    (FOLDER / f"{name}.txt").write_text("\n".join(rows) + "\n", encoding="utf-8")


PREFIXES = ("", "nano", "micro", "milli", "centi", "deci", "hecto", "kilo", "mega", "giga", "tera")
HAND = tomllib.loads(FOLDER.with_name("literals.toml").read_text("utf-8"))
SIZES = {
    *(line.split()[0] for line in HAND["others"].strip().splitlines()),
    *(
        prefix + line.split()[2]
        for line in HAND["metric"].strip().splitlines()
        for prefix in PREFIXES
    ),
}
LOCALES = [Locale.parse(language) for language in LANGUAGES.split()]
CURRENCIES = {
    code
    for entries in get_global("territory_currencies").values()
    for code, _, end, is_tender in entries
    if end is None and is_tender
}


MORE = {  # what CLDR names otherwise
    "languages": [],
    "territories": [
        *(("GB", name) for name in ("UK", "U.K", "Great Britain", "Großbritannien")),
        *(("US", name) for name in ("U.S", "U.S.A", "United States of America", "EUA", "EE.UU")),
        ("AE", "UAE"),
    ],
}


def main() -> None:
    """Writes all tables."""
    for name, read, first_wins in (
        ("months", read_months, True),
        ("weekdays", read_weekdays, True),
        ("halves", read_halves, True),
        ("units", read_units, False),
        ("currencies", read_currencies, False),
    ):
        names = [entry for locale in LOCALES for entry in read(locale)]
        # Of the parts of a day am is the safest reading, then night.
        names = sorted(names) if name == "halves" else names
        write_table(name, names, first_wins=first_wins)
    for name, read, aliases in (
        ("territories", read_territories, "territory_aliases"),
        ("languages", read_languages, "language_aliases"),
    ):
        names = [entry for locale in LOCALES for entry in read(locale)]
        write_table(name, [*names, *read_aliases(aliases), *MORE[name]], first_wins=False)


if __name__ == "__main__":
    main()

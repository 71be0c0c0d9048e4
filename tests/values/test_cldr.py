"""The tables of names: they are as CLDR has them, and what each language writes is read."""

import sys
from collections.abc import Iterator
from datetime import date, time
from pathlib import Path

import pytest
from babel.dates import format_date, format_time
from babel.numbers import format_currency, format_decimal, format_percent
from babel.units import format_unit

from otap.values.kinds import read_scalar
from otap.values.value import Value

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import tables  # noqa: E402

LANGUAGES = tables.LANGUAGES.split()
MONDAY, TUESDAY = date(2024, 5, 20), date(2023, 11, 7)
AFTERNOON, MORNING = time(14, 30), time(9, 5)
UNITS = {
    "mass-kilogram": "2500 g",
    "length-kilometer": "2500 m",
    "volume-liter": "2.5 l",
    "duration-hour": "9000 s",
    "duration-minute": "150 s",
    "temperature-celsius": "2.5 °C",
}
# Not read: other words in the date, numbers such as 14.30, a unit before its number or of two
# meanings (saat is an hour and a second).
UNREAD = {
    "date": {"eu", "mn", "th"},
    "time": {"id", "da", "fi"},
    "unit": {"ja", "ko", "tr", "az", "uk", "si", "sw", "ga"},
    "money": {"my", "si"},
}


def _write(language: str) -> Iterator[tuple[str, str, str]]:
    """Values as a language writes them: the kind, the text, and the canonical form."""
    for day in (MONDAY, TUESDAY):
        for style in ("long", "full"):
            yield "date", format_date(day, style, locale=language), f"{day:%Y%m%d}"
    for moment in (AFTERNOON, MORNING):
        yield "time", format_time(moment, "short", locale=language), f"{moment:%H:%M:%S}"
    for unit, form in UNITS.items():
        yield "unit", format_unit(2.5, unit, "long", locale=language), form
    for currency in ("EUR", "USD"):
        for style in ("standard", "name"):
            text = format_currency(1234567.5, currency, locale=language, format_type=style)
            yield "money", text, f"1234567.5 {currency}"
    yield "percent", format_percent(0.25, locale=language), "25 %"
    yield "number", format_decimal(1234567.5, locale=language), "1234567.5"


@pytest.mark.parametrize("language", LANGUAGES)
def test_values_as_a_language_writes_them(language: str) -> None:
    """Dates, times, measures, money, percents and numbers have one form in all languages."""
    unread = [
        (kind, text)
        for kind, text, form in _write(language)
        if read_scalar(text).canonical != form and language not in UNREAD.get(kind, ())
    ]
    assert unread == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_near_value_is_another_one(language: str) -> None:
    """The same day of each month is another date."""
    days = [date(2024, month, 5) for month in range(1, 13)]
    texts = [format_date(day, "long", locale=language) for day in days]
    # listopada is October in Croatian, and November in Polish and Czech, which more people write.
    assert len({read_scalar(text).canonical for text in texts}) == 12 - (language == "hr")


@pytest.mark.parametrize("language", LANGUAGES)
def test_names_of_countries_and_languages(language: str) -> None:
    """A name under a key for it is its code, and no other one."""
    locale = tables.Locale.parse(language)
    for code in ("DE", "JP", "FR", "BR"):
        assert Value(locale.territories[code], key="country").canonical == code.lower()
        assert Value(locale.territories[code], key="name").canonical != code.lower()
    for code in ("de", "ja", "fr", "pt"):
        assert Value(locale.languages[code], key="language").canonical == code


def test_the_tables_are_what_the_script_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody edits them by hand."""
    recorded = {file.name: file.read_text("utf-8") for file in tables.FOLDER.glob("*.txt")}
    monkeypatch.setattr(tables, "FOLDER", tmp_path)
    tables.main()
    assert {file.name: file.read_text("utf-8") for file in tmp_path.glob("*.txt")} == recorded

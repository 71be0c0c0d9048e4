"""Amounts with a unit: money, measures, percent, durations.

An amount is another value than its number alone: 5 % is not 5, nor is 5 kg. Units of one measure
are told in its smallest common one (1 kg is 1000 g, 90 min is PT1H30M); currencies never are.
"""

import re
from decimal import Decimal

from otap._patterns import regex
from otap.matrices.values.scalars.numbers import decimal

_SYMBOLS = {"$": "USD", "US$": "USD", "\u20ac": "EUR", "\u00a3": "GBP", "\u20b9": "INR",
            "\u00a5": "JPY", "\u20a9": "KRW", "\u20ba": "TRY", "\u20bd": "RUB"}  # fmt: skip
_CODES = frozenset((
    "USD", "EUR", "GBP", "JPY", "CNY", "INR", "CHF", "CAD", "AUD", "NZD", "SEK", "NOK", "DKK",
    "PLN", "CZK", "HUF", "BRL", "MXN", "KRW", "SGD", "HKD", "ZAR", "TRY", "RUB", "THB", "ILS",
    "AED", "SAR",
))  # fmt: skip
_MONEY_WORDS = {"dollar": "USD", "dollars": "USD", "euro": "EUR", "euros": "EUR",
                "\u5143": "CNY", "\u5186": "JPY"}  # fmt: skip
# Each unit in its measure's own: how many of which.
_UNITS: dict[str, tuple[int | Decimal, str, str]] = {
    "%": (1, "%", "percent prozent"),
    "mg": (Decimal("0.001"), "g", "milligram milligrams"),
    "g": (1, "g", "gram grams"),
    "kg": (1000, "g", "kilogram kilograms kgs kilo kilos"),
    "lb": (1, "lb", "lbs pound pounds"),
    "oz": (1, "oz", "ounce ounces"),
    "mm": (Decimal("0.001"), "m", "millimeter millimeters millimetre millimetres"),
    "cm": (Decimal("0.01"), "m", "centimeter centimeters centimetre centimetres"),
    "m": (1, "m", "meter meters metre metres"),
    "km": (1000, "m", "kilometer kilometers kilometre kilometres"),
    "mi": (1, "mi", "mile miles"),
    "ft": (1, "ft", "foot feet"),
    "ml": (Decimal("0.001"), "l", "milliliter milliliters millilitre millilitres"),
    "l": (1, "l", "liter liters litre litres"),
    "B": (1, "B", "byte bytes"),
    "KB": (1, "KB", "kilobyte kilobytes"),
    "MB": (1, "MB", "megabyte megabytes"),
    "GB": (1, "GB", "gigabyte gigabytes"),
    "TB": (1, "TB", "terabyte terabytes"),
    "KiB": (1024, "B", ""),
    "MiB": (1024**2, "B", ""),
    "GiB": (1024**3, "B", ""),
    "px": (1, "px", "pixel pixels"),
    "kWh": (1, "kWh", ""),
    "W": (1, "W", "watt watts"),
    "V": (1, "V", "volt volts"),
    "Hz": (1, "Hz", "hertz"),
    "\u00b0C": (1, "\u00b0C", "celsius"),
    "\u00b0F": (1, "\u00b0F", "fahrenheit"),
    "ms": (Decimal("0.001"), "s", "millisecond milliseconds msec"),
    "s": (1, "s", "sec secs second seconds sekunde sekunden"),
    "min": (60, "s", "mins minute minutes minuten"),
    "h": (3600, "s", "hr hrs hour hours stunde stunden"),
    "d": (86400, "s", "day days tag tage"),
    "w": (604800, "s", "week weeks woche wochen"),
}
_BY_NAME = {
    name: (Decimal(factor), base)
    for unit, (factor, base, names) in _UNITS.items()
    for name in (unit, *names.split())
}
_ANY_CASE = {name.lower(): value for name, value in _BY_NAME.items() if len(name) > 1}
_AMOUNT = regex(
    r"(?P<minus>[+-]?)(?P<before>[^\W\d_]{3}|US\$|[$\u20ac\u00a3\u20b9\u00a5\u20a9\u20ba\u20bd])?"
    r"\s*(?P<number>[+-]?[\d.][\d.,'\u2019 ]*?)"
    r"\s*(?P<after>%|\u00b0?[^\W\d_]+|[$\u20ac\u00a3\u20b9\u00a5\u20a9\u20ba\u20bd])?\Z"
)
_COMMA = regex(r"[+-]?(?:0|[1-9]\d*),\d\d?\Z", re.ASCII)
_DOT_OF_THREE = regex(r"[+-]?[1-9]\d{0,2}\.\d{3}\Z", re.ASCII)
_ISO = regex(
    r"P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?\Z", re.ASCII
)
_TOGETHER = regex(
    r"(?:(?P<w>\d+)\s?w(?:eeks?)?,?\s?)?(?:(?P<d>\d+)\s?d(?:ays?)?,?\s?)?"
    r"(?:(?P<h>\d+)\s?h(?:(?:ou)?rs?)?,?\s?)?(?:(?:and )?(?P<min>\d+)\s?m(?:in(?:ute)?s?)?,?\s?)?"
    r"(?:(?:and )?(?P<s>\d+)\s?s(?:ec(?:ond)?s?)?)?\Z",
    re.ASCII,
)
_LONGEST = 48


def quantity(text: str) -> str | None:
    """Reads an amount of money, a measure or a duration: the number, a blank, the unit."""
    if len(text) > _LONGEST or not any(map(str.isdigit, text)):
        return None
    return _duration(text) or _amount(text)


def _amount(text: str) -> str | None:
    found = _AMOUNT.match(text.replace("\u2212", "-"))
    if not found or (found["before"] is None) == (found["after"] is None):
        return None
    currency = _currency(found["before"] or found["after"])
    if currency is None and found["before"]:
        return None
    factor, unit = (Decimal(1), currency) if currency else _unit(found["after"])
    digits = _digits(found["minus"] + found["number"], currency is not None) if unit else None
    return f"{_shortest(Decimal(digits) * factor)} {unit}" if digits else None


def _currency(name: str) -> str | None:
    code = name.upper()
    return code if code in _CODES else _SYMBOLS.get(code) or _MONEY_WORDS.get(name.lower())


def _unit(name: str) -> tuple[Decimal, str | None]:
    return _BY_NAME.get(name) or _ANY_CASE.get(name.lower()) or (Decimal(1), None)


def _digits(text: str, money: bool) -> str | None:
    """The number of an amount: 1,50 is no list beside a unit; 1.950 of money says too little."""
    if _COMMA.match(text):
        return text.replace(",", ".")
    return None if money and _DOT_OF_THREE.match(text) else decimal(text)


def _duration(text: str) -> str | None:
    """Seconds of 1h30m or PT1H30M; None where a part alone may be something else, as 10m."""
    if found := _ISO.match(text):
        parts = found.groups()
    elif found := _TOGETHER.match(text.lower()):
        parts = found.group("w", "d", "h", "min", "s")
        if sum(part is not None for part in parts) < 2:
            return None
    else:
        return None
    sizes = (604800, 86400, 3600, 60, 1)
    given = [Decimal(part) * size for part, size in zip(parts, sizes, strict=True) if part]
    return f"{_shortest(sum(given, Decimal(0)))} s" if given else None


def _shortest(number: Decimal) -> str:
    plain = f"{number.normalize() + 0:f}"
    return "0" if plain in ("-0", "0") else plain

"""Amounts with a unit: money, measures, percent, temperatures and durations.

``parse_quantity`` reads a whole text by strict patterns. An amount differs from its number: 5 % is
not 5, nor is 5 kg. Units of one measure are converted to a common one (1 kg is 1000 g, 90 min is
PT1H30M), currencies never are. 0.5 GB is not 500 MiB. The number before a unit may have the
notation of any language, but 1.950 of money is ambiguous and no amount.
"""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from functools import cache, lru_cache
from typing import NamedTuple

from otap._patterns import regex
from otap.values.cldr import read_names, tidy_name
from otap.values.languages import read_languages
from otap.values.lexicon import lexicon
from otap.values.normalization import fold_word
from otap.values.numbers import in_full, numbered_words, parse_decimal, read_section, write_minus

Unit = tuple[Decimal, str]  # how many of which base unit

MAX_AMOUNT = 64  # characters
_DIGITS = 12  # significant ones of an amount
_POWERS = dict(
    zip("pnµumcdhkKMGTPE", (-12, -9, -6, -6, -3, -2, -1, 2, 3, 3, 6, 9, 12, 15, 18), strict=True)
)
_KIBI = 1024
_DIGIT = regex(r"[\d\u00bc-\u00be\u2150-\u215e零〇一二三四五六七八九两兩十百千半]")
_FEET = regex(
    r"(\d{1,2})\s?(?:['\u2019\u2032]|ft\.?|feet)\s?(\d{1,2}(?:\.\d+)?)\s?(?:[\"\u201d\u2033]|''|in)?\Z"
)
_QUARTER = Decimal("0.25")
_MAX_WORDS = 8  # of an amount in words
_SEPARATOR = regex(r"\s+|(?<!\d)['\u2019-]+|(?<=[^\W\d_])['\u2019]+")
_HALF_BEFORE = regex(r"半(?=[个個]?[^\d半])")
_HALF_BEHIND = regex(r"(\d+)(?:[个個]半(.+)|(時間|小时|小時|시간|年|天|日)半)\Z")
_LETTER = regex(r"[A-Za-z]\Z")
_THOUSANDS = regex(r"\dK\Z")  # mostly not kelvin
_SIGN = "[-+]?"
_NUMBER = r"(?:\d|\.(?=\d))(?:[\d.,'\u2019 ]*[\d.])?"
_AMOUNT = regex(
    rf"(?P<minus>{_SIGN})(?P<before>[^\d\s.+(-][^\d+(-]{{0,7}}?)?\s?(?P<number>{_SIGN}{_NUMBER})"
    rf"\s?(?P<after>[^\d\s+(-][^\d(]{{0,40}}[23]?)?\Z"
)
_PART = regex(rf"({_NUMBER})\s?([^\d\s,]\D{{0,40}}?)(?:,?\s(?:([^\W\d_]{{1,3}})\s)?|,|)(?=\d|\Z)")
_NO_CENTS = frozenset(("IDR", "VND", "CLP", "KRW", "JPY"))  # 1.950 of these is a thousand and more
_COMMA = regex(r"[+-]?(?:0,\d+|[1-9]\d*,\d\d?)\Z")
_DOT_OF_THREE = regex(r"[+-]?[1-9]\d{0,2}\.\d{3}\Z")
_ISO_DURATION = regex(
    r"P(?:(?P<Y>\d+)Y)?(?:(?P<M>\d+)M)?(?:(?P<w>\d+)W)?(?:(?P<d>\d+)D)?"
    r"(?:T(?:(?P<h>\d+(?:[.,]\d+)?)H)?(?:(?P<min>\d+(?:[.,]\d+)?)M)?(?:(?P<s>\d+(?:[.,]\d+)?)S)?)?\Z"
)
_CLOCK = regex(r"(\d\d):(\d\d):(\d\d)\Z")
_PROCESSORS = frozenset(("cpu", "cpus", "millicores"))
_OF_DATA = frozenset(("bit", "bits", "data", "transfer", "sample", "bps", "baud"))
_CENTS = frozenset(("cents", "centimes", "centavos", "centesimi", "céntimos", "grosze", "pence"))
_WORDS_OF_KEYS = frozenset(("percent",))
_NO_UNITS = frozenset(("in", "min", "st", "cc", "bar"))  # as the last word of a key
_SPLIT = regex(r"[_\-\s]+|(?<=[a-z])(?=[A-Z])")


class _Tables(NamedTuple):
    """The units by symbol, by symbol in small letters, and by their name in CLDR."""

    symbols: Mapping[str, Unit]
    any_case: Mapping[str, Unit]
    by_name: Mapping[str, Unit]


@cache
def _tables() -> _Tables:
    symbols: dict[str, Unit] = {}
    any_case: dict[str, set[Unit]] = {}
    by_name: dict[str, Unit] = {}
    words = {power: word for word, power in _prefix_words()}
    for line in read_section("metric").splitlines():
        base, prefixes, name, *more = line.split()
        for prefix in ("", *prefixes):
            size = Decimal(10) ** _POWERS.get(prefix, 0)
            by_name[words.get(size, prefix) + name] = size, base
            for symbol in (prefix + base, *(prefix + alias for alias in more)):
                symbols[symbol] = size, base
                any_case.setdefault(symbol.lower(), set()).add((size, base))
    for power, prefix in enumerate(read_section("binary").split(), 1):
        symbols[prefix] = symbols[f"{prefix}B"] = Decimal(_KIBI**power), "B"
    for line in read_section("others").splitlines():
        name, number, base, *more = line.split()
        by_name[name] = Decimal(number), base
        symbols.update(dict.fromkeys(more, by_name[name]))
    unique = {name: next(iter(units)) for name, units in any_case.items() if len(units) == 1}
    return _Tables(symbols, unique, by_name)


def _prefix_words() -> Iterator[tuple[str, Decimal]]:
    """Yields the prefixes in words, of one power the English one last."""
    for line in read_section("prefixes").splitlines():
        power, *words = line.split()
        yield from ((word, Decimal(power)) for word in reversed(words))


@lru_cache(maxsize=4096)
def unit_of(name: str) -> Unit | None:
    """Returns the size of a unit in its base unit, or None for other names."""
    tables = _tables()
    symbol = name.replace("\u03bc", "µ")
    unit = tables.symbols.get(symbol) or tables.symbols.get(symbol.rstrip("."))
    if unit or len(name) > MAX_AMOUNT or _LETTER.match(name):
        return unit
    small = tidy_name(name)
    if len(small) > 1 and small in tables.any_case:
        return tables.any_case[small]
    if small[-1:] in ("2", "3"):
        small = small[:-1].rstrip("^") + "²³"[small[-1] == "3"]
    names = read_names("units")
    if small in names:
        return tables.by_name[names[small]]
    for prefix, power in _prefix_words():
        unit = tables.by_name.get(names.get(small.removeprefix(prefix), ""))
        if unit and small.startswith(prefix) and unit[0] == 1:
            return power, unit[1]
    return None


def is_symbol(name: str) -> bool:
    """Returns whether a unit is written with its symbol, not with its name in a language."""
    return name in _tables().symbols or name.lower() in _tables().any_case


@lru_cache(maxsize=4096)
def currency_of(name: str) -> str | None:
    """Returns the code of a currency by its code, sign or name, or None for other names."""
    if _LETTER.match(name):
        return None
    small = tidy_name(name)
    if small.upper() in read_section("currencies").split():
        return small.upper()
    for line in read_section("symbols").splitlines():
        code, *names = line.split()
        if small in names or small in (sign.lower() for sign in names):
            return code
    recorded = read_names("currencies").get(small)
    return None if recorded == small.upper() != name else recorded


@lru_cache(maxsize=20_000)
def parse_quantity(text: str) -> str | None:
    """Returns money, a measure or a duration as a number, a blank and the unit, or None."""
    if len(text) > MAX_AMOUNT or _THOUSANDS.search(text):
        return None
    if not _DIGIT.search(text):
        return _parse_words(text)
    feet = _FEET.match(text)
    if feet:
        return write_quantity(
            (12 * Decimal(feet[1]) + Decimal(feet[2])) * _tables().by_name["inch"][0], "m"
        )
    if text[0] == "P":
        return _parse_iso_duration(text)
    text = write_minus(text)
    if text[0] == "(" and text[-1] == ")":  # as accountants write less than nothing
        text = f"-{text[1:-1]}"
        return _parse_amount(text) if text[1:2] not in ("-", "+") else None
    return _parse_amount(text) or _parse_parts(text) or _parse_words(text)


def write_quantity(number: Decimal, unit: str) -> str:
    """Returns the form that equal amounts share, in the base unit."""
    if unit == "°F":
        number, unit = (number - 32) * 5 / 9, "°C"
    elif unit == "K":
        number, unit = number - Decimal("273.15"), "°C"
    return f"{shortest(number)} {unit}"


def shortest(number: Decimal) -> str:
    """Returns a number without needless zeros, with up to 12 significant digits."""
    if number:
        number = round(number, _DIGITS - 1 - number.adjusted())
    digits = f"{number.normalize() + 0:f}"
    return "0" if digits == "-0" else digits


def _parse_amount(text: str) -> str | None:
    text = in_full(text)
    if "半" in text:
        text = _HALF_BEFORE.sub("0.5", _HALF_BEHIND.sub(r"\1.5\2\3", text), count=1)
    amount = _AMOUNT.match(text)
    if not amount or not (amount["before"] or amount["after"]):
        return None
    before, after = (amount["before"] or "").strip(), (amount["after"] or "").strip()
    number = amount["minus"] + amount["number"]
    if after[-1:] in ("-", "+") and number[:1] not in ("-", "+"):  # 5 %-
        number, after = after[-1] + number, after[:-1].strip()
    unit = _unit_around(before, after)
    if unit is None:
        return None
    if len(unit[1]) == 3 and _DOT_OF_THREE.match(number):  # 1.950 of money is ambiguous
        if unit[1] not in _NO_CENTS:
            return None if unit[1].isupper() else _written(number, unit)
        number = number.replace(".", "")
    return _written(number, unit)


def _written(number: str, unit: Unit) -> str | None:
    digits = number.replace(",", ".") if _COMMA.match(number) else parse_decimal(number)
    return write_quantity(Decimal(digits) * unit[0], unit[1]) if digits else None


def _unit_around(before: str, after: str) -> Unit | None:
    """Returns the unit of an amount; words on both sides of the number must be one currency."""
    if before and after:
        codes = {currency_of(before), currency_of(after)}
        if before == "$" and currency_of(after) in read_section("dollars").split():
            codes = {currency_of(after)}
        code = codes.pop()
        return (Decimal(1), code) if code and not codes else None
    if after:
        code = currency_of(after) if after.isupper() and not is_symbol(after) else None
        unit = (Decimal(1), code) if code else unit_of(after)
        if unit:
            return unit
    elif before in ("%", "٪"):
        return unit_of(before)
    code = currency_of(before or after)
    return (Decimal(1), code) if code else None


def _parse_parts(text: str) -> str | None:
    """Returns the sum of amounts of one measure: 1 h 30 min, 5 ft 11 in."""
    parts = list(_PART.finditer(text))
    ends = [0, *(part.end() for part in parts)]
    if [*(part.start() for part in parts), len(text)] != ends:
        return None
    names = [part[2].strip() for part in parts]
    words = {part[3] for part in parts if part[3]}
    is_time = any((unit_of(name) or ("", ""))[1] == "s" for name in names)  # m is a minute then
    units = [unit_of("min" if name == "m" and is_time else name) for name in names]
    numbers = [parse_decimal(part[1]) for part in parts]
    if not (all(units) and all(numbers) and words.issubset(read_section("and").split())):
        return None
    amounts = [
        (Decimal(number) * unit[0], unit[1])
        for number, unit in zip(numbers, units, strict=True)
        if number and unit
    ]
    bases = {base for _, base in amounts}
    sizes = [unit[0] for unit in units if unit]
    if sizes != sorted(set(sizes), reverse=True):
        return None  # 5 kg, 10 kg are two amounts
    total = sum((amount for amount, _ in amounts), Decimal(0))
    return write_quantity(total, bases.pop()) if len(bases) == 1 else None


@cache
def _number_words() -> Mapping[str, Decimal | None]:
    """The numbers and parts in words; None for the articles, which are one."""
    numbers: dict[str, Decimal | None] = {}
    for language in read_languages().latin.values():
        numbers.update({word: Decimal(number) for word, number in language.numbers.items()})
    numbers.update({word: Decimal(number) for word, number in lexicon().numbers.items()})
    parts = numbered_words("fractions").items()
    numbers.update({word: Decimal(number) for word, number in parts})
    numbers.update(dict.fromkeys(read_section("articles").split()))
    return numbers


def number_word(word: str) -> int | None:
    """Returns the whole number that a word means in a language in Latin letters, or None."""
    number = _number_words().get(word)
    return int(number) if number and number == int(number) else None


def _parse_words(text: str) -> str | None:
    """Reads an amount in words: half an hour, un cuarto de hora, two and a half hours."""
    words = [word for word in _SEPARATOR.split(text.strip()) if word]
    if not 1 < len(words) <= _MAX_WORDS:
        return None
    numbers, small_words = (
        _number_words(),
        (*read_section("of").split(), *read_section("and").split()),
    )
    total, last, unit = Decimal(0), Decimal(0), None
    has_number = is_joined = False
    for written in words:
        word = written.lower()
        number = Decimal(word) if word.isdecimal() else numbers.get(word, Decimal(0))
        if number is None:  # an article counts if no number follows it
            has_number = True
            continue
        if number:
            is_whole = number == int(number)
            if number == _QUARTER and last and not is_joined:
                total, number = total - last, last * number  # three quarters
            elif last and not is_joined and not (is_whole and number < 10 and not last % 10):
                return None  # but twenty five
            total, last, has_number = total + number, number, True
        elif word in small_words:
            is_joined = True
            continue
        elif unit is None and has_number:
            # "en us" is no microsecond.
            unit = unit_of(written) if total or not is_symbol(word) else None
            last = Decimal(0)
            total = total or Decimal(1)
            if unit is None:
                return None
        else:
            return None
        is_joined = False
    return write_quantity(total * unit[0], unit[1]) if unit else None


def _parse_iso_duration(text: str) -> str | None:
    duration = _ISO_DURATION.match(text)
    if not duration:
        return None
    parts = {
        name: Decimal(part.replace(",", ".")) for name, part in duration.groupdict().items() if part
    }
    months = 12 * parts.pop("Y", Decimal(0)) + parts.pop("M", Decimal(0))
    symbols = _tables().symbols
    seconds = sum((number * symbols[name][0] for name, number in parts.items()), Decimal(0))
    if months and seconds:
        return None  # a month has no fixed length
    return write_quantity(months, "month") if months else write_quantity(seconds, "s")


# Units that the key names.


@lru_cache(maxsize=4096)
def unit_of_key(key: str) -> tuple[str, Unit] | None:
    """Returns a key without the unit that its last word names, and the unit; or None.

    A unit of one letter counts behind a word for its measure: weight_g, but not plan_b.
    """
    *first, name = split_key(key) or [""]
    if not first:
        return None
    small = name.lower()
    if len(name) == 1:
        unit = _unit_of_letter(first[-1].lower(), small)
    elif small in _NO_UNITS:
        unit = None
    elif small in _CENTS:
        unit = (Decimal("0.01"), "")
    elif is_symbol(name) or small in _WORDS_OF_KEYS or (len(name) > 3 and small.endswith("s")):
        unit = unit_of(name)  # but the birth_year is no length of time
    else:
        is_code = name.upper() in read_section("currencies").split()
        unit = (Decimal(1), name.upper()) if is_code else None
    stem = key[: len(key) - len(name)].rstrip("_- ")
    return (stem.removesuffix("_in") or stem, unit) if unit else None


def split_key(key: str) -> list[str]:
    """Returns the words of a key as written."""
    return [word for word in _SPLIT.split(key[:MAX_AMOUNT]) if word]


def _unit_of_letter(word: str, letter: str) -> Unit | None:
    for kind, letters in (("duration", "sh"), ("weight", "g"), ("length", "m")):
        if letter in letters and holds(word, kind):
            return unit_of(letter)
    return unit_of(letter.upper()) if letter in "cf" and holds(word, "temperature") else None


@lru_cache(maxsize=4096)
def holds(word: str, kind: str) -> bool:
    """Returns whether the last word of a key says that it holds a country, a duration and so on."""
    return fold_word(word) in _words_for(kind)


@lru_cache(maxsize=4096)
def key_holds(key: str, kind: str) -> bool:
    """Returns whether the last word of a key is one for a kind of value."""
    words = split_key(key)
    return bool(words) and holds(words[-1], kind)


@cache
def _words_for(kind: str) -> frozenset[str]:
    return frozenset(fold_word(word) for word in read_section(kind).split())


def amount_of_key(key: str, canonical: str) -> str | None:
    """Returns a number as an amount of the unit that its key names, or None.

    Args:
        key: a key, such as weight_g.
        canonical: the form of a number or a time of day; 00:01:30 under a duration is 90 s.
    """
    word = next(iter(split_key(key)[-1:]), "")
    clock = _CLOCK.match(canonical)
    if clock:
        hours, minutes, seconds = (int(part) for part in clock.groups())
        is_duration = holds(word, "duration")
        total = Decimal(3600 * hours + 60 * minutes + seconds)
        return write_quantity(total, "s") if is_duration else None
    if word.lower() in _PROCESSORS and canonical.endswith(" m"):
        return shortest(Decimal(canonical[:-2]) / 1000)  # 500m of a processor are 0.5
    if canonical.endswith((" %", " bit/s")):
        return _share_of_key(key, canonical)
    measure = unit_of_key(key) or _implied_unit(key)
    if not measure or not canonical[-1:].isdigit() or ":" in canonical:
        return None
    size, base = measure[1]
    number = Decimal(canonical) * size
    return write_quantity(number, base) if base else shortest(number)


def _share_of_key(key: str, canonical: str) -> str | None:
    """Returns percent as a fraction where the key says so; 25 bps of a rate are 0.0025."""
    words = {word.lower() for word in split_key(key)}
    if words.isdisjoint(read_section("share").split()):
        return None
    number, unit = canonical.split(" ")
    if unit == "%":
        return shortest(Decimal(number) / 100)
    return None if words & _OF_DATA else shortest(Decimal(number) / 10_000)


@lru_cache(maxsize=4096)
def _implied_unit(key: str) -> tuple[str, Unit] | None:
    """Returns a key and the unit that its measure always has: a sample rate is in hertz."""
    word = "".join(split_key(key)[-2:]).lower()
    for line in read_section("implied").splitlines():
        unit, *words = line.split()
        if word in words or word.endswith(tuple(words)):
            size = unit_of(unit)
            return (key, size) if size else None
    return None

"""Dates, times, measures and numbers in prose, each in one spelling: six weeks are 42 days."""

import re
from collections.abc import Callable, Iterable

from otap._patterns import regex
from otap.matrices.values.prose.lexicon import lexicon

Piece = tuple[str, str, str]  # what it is, its one spelling, and as it is written
Found = Iterable[tuple[str, str]]

SCRIPT = "\u3005\u3040-\u30ff\u3400-\u9fff"  # signs of Chinese and Japanese, written without blanks
_NUMBER = r"\d+(?:[.,'\u00a0\u202f]\d+)*"
_DATE = regex(r"(?<![\d-])(\d{4})[-/](\d\d?)[-/](\d\d?)(?!\d)")
_SCRIPT_DATE = regex(r"(?:(\d{4})年)?(\d\d?)月(\d\d?)[日号號]")
_DOTTED = regex(r"(?<![\d.])(\d\d?)\.(\d\d?)\.(\d{4})?(?!\d)")
_DAY_MONTH = regex(
    r"(?<![\w.,])(\d\d?)(?:st|nd|rd|th|\.)?\s+(?:of\s+|de\s+)?([^\W\d_]{3,10})\b\.?"
    r"(?:,?\s+(?:de\s+|del\s+)?(\d{4})\b)?"
)
_MONTH_DAY = regex(
    r"\b([^\W\d_]{3,10})\.?\s+(\d\d?)(?:st|nd|rd|th)?(?![\w:])(?!\.\d)(?:,?\s+(\d{4})\b)?"
)
_CLOCK = regex(r"(?<![\d:])(\d\d?)(?::(\d\d))?(?::\d\d)?\s*([ap])\.?m\b\.?")
_HOURS = regex(r"(?<![\d:])(\d\d?)[:h](\d\d)(?!\d)(?::\d\d)?(?:\s*uhr)?")
_UHR = regex(r"(?<![\d:.,])(\d\d?)(?:\.(\d\d))?\s*uhr\b")
_AMOUNT = regex(
    rf"(?<![^\W\d_{SCRIPT}])({_NUMBER})(?:(st|nd|rd|th|k)(?!\w)|(?=\s?-?([^\W\d_]{{1,12}})(?![\d_])))?"
)
_SCALES = {"万": 10_000, "千": 1_000, "百": 100, "十": 10, "亿": 100_000_000, "億": 100_000_000}
_DIGITS = {sign: value for value, sign in enumerate("零一二三四五六七八九")} | {
    "两": 2,
    "兩": 2,
}
_SIGNS = "".join(_DIGITS) + "".join(_SCALES)
_SCRIPT_NUMBER = regex(
    rf"百分之([{_SIGNS}]+)|([{_SIGNS}]{{2,}})|第?([{_SIGNS}])(?=[个個天日月年周週点點时時分秒元円块塊"
    r"人名件本枚次回号號楼階张張台位份倍])"
)
_WORD = regex(r"[^\W\d_]+(?:[ -][^\W\d_]+)*")
_BLANK = regex(r"([ -])")
_DIGIT = regex(r"\d")
_ARTICLES = frozenset(("a", "an", "one", "ein", "eine", "einen", "einer", "un", "una", "une"))
_IDLE_SIGNS = frozenset(("十分", "万一", "一一", "千万", "百分", "一万"))


def amounts(text: str) -> list[Piece]:
    """Returns the amounts of a text in small letters."""
    found: list[Piece] = []
    text = _WORD.sub(_counted, text)
    # Each needs a digit, or signs of another script: most texts have neither.
    readers = (*(_DIGITAL if _DIGIT.search(text) else ()), *(() if text.isascii() else _SCRIPTS))
    for pattern, read in readers:
        text = _taken(text, pattern, read, found)
    return found


def _counted(match: re.Match[str]) -> str:
    """A run of words, with its numbers in digits: twenty-five days are 25 days."""
    words = _BLANK.split(match[0])
    if lexicon().numbers.keys().isdisjoint(words) and _ARTICLES.isdisjoint(words):
        return match[0]
    return _in_digits(words)


def _in_digits(words: list[str]) -> str:
    numbers, units = lexicon().numbers, lexicon().units
    into: list[str] = []
    at = 0
    while at < len(words):
        end = at
        while end < len(words) and words[end] in numbers:
            end += 2
        if end > at:
            into.append(f"{_of_words([numbers[word] for word in words[at:end:2]])}")
            into.extend(words[end - 1 : end])
        else:
            behind = words[at + 2] if at + 2 < len(words) else ""
            one = words[at] in _ARTICLES and len(behind) > 2 and behind in units
            into.extend(["1" if one else words[at], *words[at + 1 : at + 2]])
        at = max(end, at + 2)
    return "".join(into)


def _of_words(numbers: list[int]) -> int:
    """The number that two, hundred, twenty, five stand for."""
    total, part = 0, 0
    for number in numbers:
        if number >= 1000:
            total, part = total + (part or 1) * number, 0
        else:
            part = (part or 1) * number if number == 100 else part + number
    return total + part


def _taken(
    text: str, pattern: re.Pattern[str], read: Callable[[re.Match[str]], Found], into: list[Piece]
) -> str:
    def take(match: re.Match[str]) -> str:
        pieces = list(read(match))
        into.extend((kind, spelling, match[0].strip()) for kind, spelling in pieces)
        return " " if pieces else match[0]

    return pattern.sub(take, text)


def _date(year: str | None, month: int | str, day: int | str) -> Found:
    if not (1 <= int(month) <= 12 and 1 <= int(day) <= 31):
        return []
    return [("date", f"{year or ''}-{int(month):02}-{int(day):02}")]


def _named_month(year: str | None, month: str, day: str) -> Found:
    number = lexicon().months.get(month)
    return _date(year, number, day) if number else []


def _time(hour: str, minute: str | None, half: str = "") -> Found:
    hours = int(hour) % 12 + 12 * (half == "p") if half else int(hour)
    if hours > 24 or int(minute or 0) > 59:
        return []
    return [("time", f"{hours:02}:{int(minute or 0):02}")]


def _amount(match: re.Match[str]) -> Found:
    """A number, with the unit behind it if there is one."""
    number = spelled(match[1]) * (1000 if match[2] == "k" else 1)
    dimension, size = lexicon().units.get(match[3] or "", ("number", 1))
    return [(dimension, f"{number * size:.12g}")]


def spelled(text: str) -> float:
    """Returns the number that digits with points, commas and marks of thousands stand for."""
    text = re.sub(r"['\u00a0\u202f]", "", text)
    last = max(text.rfind(","), text.rfind("."))
    whole, sign, rest = text[: max(last, 0)], text[last : last + 1], text[last + 1 :]
    if last < 0 or sign in whole or (sign == "," and len(rest) == 3):
        return _float(text)
    return _float(whole, rest)


def _float(whole: str, fraction: str = "0") -> float:
    digits = re.sub(r"\D", "", whole)[:300] or "0"
    return float(f"{digits}.{fraction[:30]}")


def _script_number(match: re.Match[str]) -> Found:
    """A number in Chinese signs; a single one only where something is counted."""
    signs = match[1] or match[2] or match[3]
    if signs in _IDLE_SIGNS or signs == "一" or set(signs) <= {"十", "百", "千", "万"} - {"十"}:
        return []
    return [("number", f"{_of_signs(signs[:16]):.12g}")]


def _of_signs(signs: str) -> float:
    if not any(sign in _SCALES for sign in signs):
        return float("".join(str(_DIGITS[sign]) for sign in signs))
    total, part, digit = 0, 0, 0
    for sign in signs:
        if sign in _DIGITS:
            digit = _DIGITS[sign]
        elif _SCALES[sign] >= 10_000:
            total, part, digit = (total + part + digit) * _SCALES[sign], 0, 0
        else:
            part, digit = part + (digit or 1) * _SCALES[sign], 0
    return float(total + part + digit)


_Reader = tuple[re.Pattern[str], Callable[[re.Match[str]], Found]]
_DIGITAL: tuple[_Reader, ...] = (
    (_DATE, lambda m: _date(m[1], m[2], m[3])),
    (_SCRIPT_DATE, lambda m: _date(m[1], m[2], m[3])),
    (_DOTTED, lambda m: _date(m[3], m[2], m[1])),
    (_DAY_MONTH, lambda m: _named_month(m[3], m[2], m[1])),
    (_MONTH_DAY, lambda m: _named_month(m[3], m[1], m[2])),
    (_CLOCK, lambda m: _time(m[1], m[2], m[3])),
    (_HOURS, lambda m: _time(m[1], m[2])),
    (_UHR, lambda m: _time(m[1], m[2])),
    (_AMOUNT, _amount),
)
_SCRIPTS: tuple[_Reader, ...] = ((_SCRIPT_NUMBER, _script_number),)

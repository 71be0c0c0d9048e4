"""Canonical forms of identifiers whose kind gives letter case or spelling no meaning.

Some kinds show by their form, others only by their key. Under every other key an identifier is
equal to itself alone.
"""

import base64
import binascii
import colorsys
import re
from collections.abc import Callable
from functools import cache

from otap._patterns import regex
from otap.values.keys import canonical_key, last_word, singular
from otap.values.numbers import numbered_words, read_section
from otap.values.schedules import read_cron, read_interval, read_rule

_MAX_LENGTH = 300  # characters
_COLOUR = regex(r"#?(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})\Z", re.IGNORECASE)
_FUNCTION_OF_COLOUR = regex(
    r"(rgb|hsl)a?\(\s*(\d{1,3}(?:\.\d+)?)(?:deg)?(%?)[\s,]+(\d{1,3}(?:\.\d+)?)(%?)[\s,]+(\d{1,3}(?:\.\d+)?)(%?)"
    r"(?:[\s,/]+(\d?\.?\d+)(%?))?\s*\)\Z",
    re.IGNORECASE,
)
_TRIPLE = regex(r"(\d{1,3}),\s?(\d{1,3}),\s?(\d{1,3})\Z")
_SIZE = regex(
    r"(\d{1,6}(?:[.,]\d{1,4})?)\s?[x\u00d7X]\s?(\d{1,6}(?:[.,]\d{1,4})?)"
    r"(?:\s?[x\u00d7X]\s?(\d{1,6}(?:[.,]\d{1,4})?))?(\s?(?:px|mm|cm|m|in))?\Z"
)
_ANCESTOR = regex(r"(@|[A-Za-z_][\w./-]*?)((?:~\d*|\^(?:1(?!\d))?(?!\d))+)\Z")
_STEP_BACK = regex(r"([~^])(\d*)")
_INTEGRITY = regex(r"(sha(?:256|384|512))-([A-Za-z0-9+/]{43,88}={0,2})\Z")
_ALGORITHMS = {32: "md5", 40: "sha1", 64: "sha256", 96: "sha384", 128: "sha512"}
_HEX = regex(r"[0-9a-f]+\Z", re.IGNORECASE)
_FUNCTION = regex(r"[^\W\d][\w.]*(?=\()")
_MAC = regex(
    r"[0-9a-f]{2}(?:([:-])[0-9a-f]{2})(?:\1[0-9a-f]{2}){4}\Z|[0-9a-f]{4}(?:\.[0-9a-f]{4}){2}\Z",
    re.IGNORECASE,
)
_DIGEST = regex(r"(?:md5|sha1|sha256|sha384|sha512)[:-][0-9a-f]{32,128}\Z", re.IGNORECASE)
_EPSG = regex(r"(?:urn:ogc:def:crs:)?epsg:{1,2}(\d{3,6})\Z", re.IGNORECASE)
_SUBTYPE = (
    r"plain|html|css|csv|markdown|calendar|xml|json|javascript|pdf|zip|gzip|rtf|sql|wasm|toml|yaml"
    r"|octet-stream|png|jpe?g|gif|webp|bmp|tiff|avif|mp4|mpeg|ogg|wav|webm|quicktime|mixed"
    r"|form-data|alternative|ttf|otf|woff2?|(?:vnd|x)[.-][\w.+-]+|[\w.-]+\+(?:xml|json|zip)"
)
_MIME = regex(
    rf"((?:application|audio|font|image|message|multipart|text|video)/(?:\*|{_SUBTYPE}))"
    r"((?:\s*;\s*[\w-]+=[^\s;]+)*)\Z",
    re.IGNORECASE,
)
_CHARSET = regex(r"\s*;\s*(charset=)\"?([\w-]+)\"?", re.IGNORECASE)
_CELL = r"\$?([a-z]{1,3})\$?([1-9]\d{0,6})"
_RANGE = regex(rf"((?:'[^']+'|\w+)!)?{_CELL}(?::{_CELL})?\Z", re.IGNORECASE)
_FORMULA = regex(r"=(?![=>])\s*[\w(+$\"'-]")
_FORMULA_PART = regex(r"\"[^\"]*\"|'[^']*'|\s*([-+*/^&=<>(),;:])\s*|[^\"'\s]|\s+")
_ANCHOR = regex(r"\"[^\"]*\"|'[^']*'|\$")
_NUMBERED_CELL = regex(r"R(\d{1,7})C(\d{1,5})\Z")
_MAX_COLUMN = 16_384
_IMAGE = regex(
    r"(?:(?:index\.|registry-1\.)?docker\.io/(?:library/)?|library/(?=[\w.-]+[:@]))?"
    r"([a-z0-9][\w./:@-]*)\Z"
)
_BRANCH, _TAG = regex(r"refs/(?:heads|remotes)/(?=.)"), regex(r"refs/tags/(?=.)")
_SHARE_CLASS = regex(r"([A-Z]{1,5})[-/.]([AB])\Z")

_Reader = Callable[[str], str | None]


def _read_colour(text: str) -> str | None:
    name = text.lower().replace(" ", "")
    text = numbered_words("colours").get(name, text)
    if text.lower().startswith("0x") and len(text) == 8:
        text = text[2:]
    if not _COLOUR.match(text):
        triple = _TRIPLE.match(text)
        return _read_function_of_colour(f"rgb({text})" if triple else text)
    digits = text.removeprefix("#").lower()
    digits = "".join(2 * digit for digit in digits) if len(digits) < 5 else digits
    return f"#{digits.removesuffix('ff') if len(digits) == 8 else digits}"


def _read_function_of_colour(text: str) -> str | None:
    """Reads rgb(255, 0, 0) and hsl(120, 100%, 50%)."""
    match = _FUNCTION_OF_COLOUR.match(text)
    if not match:
        return None
    form, first, first_sign, second, second_sign, third, third_sign, alpha, alpha_sign = (
        match.groups()
    )
    if form.lower() == "rgb":
        sides = ((first, first_sign), (second, second_sign), (third, third_sign))
        parts = [float(part) * (2.55 if sign else 1) for part, sign in sides]
    else:
        hue, saturation, light = float(first) % 360 / 360, float(second) / 100, float(third) / 100
        parts = [255 * part for part in colorsys.hls_to_rgb(hue, light, saturation)]
    if alpha:
        parts.append(255 * float(alpha) / (100 if alpha_sign else 1))
    if max(parts) > 255:
        return None
    digits = "".join(f"{round(part + 1e-9):02x}" for part in parts)
    return f"#{digits.removesuffix('ff') if len(digits) == 8 else digits}"


def _read_size(text: str) -> str | None:
    """Reads 1920x1080, also with a multiplication sign and a unit."""
    size = _SIZE.match(text)
    if not size or size[0].startswith("0x"):
        return None
    numbers = [number.replace(",", ".") for number in size.groups()[:3] if number]
    return "x".join(numbers) + (size[4] or "").strip()


def _read_ancestor(text: str) -> str | None:
    """Reads HEAD~1, HEAD^ and HEAD~: the first parents of a commit; HEAD^2 is another one."""
    ancestor = _ANCESTOR.match(text)
    if not ancestor:
        return None
    steps = [
        int(count or 1) if sign == "~" else 1 for sign, count in _STEP_BACK.findall(ancestor[2])
    ]
    return f"{'HEAD' if ancestor[1] == '@' else ancestor[1]}~{sum(steps)}"


def _read_written_colour(text: str) -> str | None:
    """Reads #FF8800; #123 may be the number of an issue."""
    is_colour = text.startswith("#") and not text[1:].isdecimal()
    return _read_colour(text) if is_colour else None


def _read_mac(text: str) -> str | None:
    if not _MAC.match(text):
        return None
    digits = text.translate({ord(sign): None for sign in ":-."}).lower()
    return ":".join(digits[k : k + 2] for k in range(0, 12, 2))


def _read_mac_of_key(text: str) -> str | None:
    """Reads an address also without signs between its digits."""
    is_bare = len(text) == 12 and _HEX.match(text)
    return _read_mac(":".join(text[k : k + 2] for k in range(0, 12, 2)) if is_bare else text)


def _read_hash(text: str) -> str | None:
    """Reads a hash with or without its algorithm, which its length tells; also in base 64."""
    integrity = _INTEGRITY.match(text)
    if integrity:
        try:
            text = f"{integrity[1]}:{base64.b64decode(integrity[2], validate=True).hex()}"
        except binascii.Error:
            return None
    name, _, digits = text.lower().replace("-", ":", 1).rpartition(":")
    algorithm = _ALGORITHMS.get(len(digits))
    is_hash = algorithm and name in ("", algorithm) and _HEX.match(digits)
    return f"{algorithm}:{digits}" if is_hash else None


def _read_digest(text: str) -> str | None:
    return text.lower().replace("-", ":", 1) if _DIGEST.match(text) else None


def _read_epsg(text: str) -> str | None:
    code = _EPSG.match(text)
    return f"epsg:{code[1]}" if code else None


def _read_crs(text: str) -> str | None:
    return f"epsg:{text}" if text.isdecimal() else _read_epsg(text)


def _read_mime(text: str) -> str | None:
    mime = _MIME.match(text)
    if not mime:
        return None
    parameters = _CHARSET.sub(lambda match: f";{match[1]}{match[2]}".lower(), mime[2])
    return mime[1].lower().replace("image/jpg", "image/jpeg") + parameters


def _read_range(text: str) -> str | None:
    """Reads A1:B2 and Sheet1!A1; one cell alone looks like any identifier."""
    return _read_cell(text) if ":" in text or "!" in text else None


def _read_cell(text: str) -> str | None:
    numbered = _NUMBERED_CELL.match(text)
    if numbered:
        return write_cell(numbered[2], numbered[1])
    cell = _RANGE.match(text)
    if not cell:
        return None
    sheet, *corners = cell.groups()
    column, row, last_column, last_row = [(corner or "").upper() for corner in corners]
    name = (sheet or "").removesuffix("!").strip("'")
    prefix = f"{name}!" if name else ""
    return f"{prefix}{column}{row}" + (f":{last_column}{last_row}" if last_column else "")


def write_cell(column: str, row: str) -> str | None:
    """Returns a cell by its row and its column, which may be a number: 2 and 3 are B3."""
    letters = column.upper()
    if column.isdecimal() and 0 < int(column) <= _MAX_COLUMN:
        number, letters = int(column), ""
        while number:
            number, digit = divmod(number - 1, 26)
            letters = chr(ord("A") + digit) + letters
    return _read_cell(letters + row) if letters.isalpha() else None


def _read_formula(text: str) -> str | None:
    """Reads a formula: outside of quotes letter case and blanks at signs have no meaning."""
    if not _FORMULA.match(text):
        return None
    parts = [
        part[1] or (part[0] if part[0][0] in "\"'" else part[0].upper())
        for part in _FORMULA_PART.finditer(text)
    ]
    if ";" in parts and "{" not in parts:  # as where a comma is in numbers
        parts = [{",": ".", ";": ","}.get(part, part) for part in parts]
    formula = "".join(parts)
    english = numbered_words("functions")
    return _FUNCTION.sub(lambda match: english.get(match[0], match[0]), formula)


def drop_anchors(formula: str) -> str:
    """Returns a formula with $A$1 as A1: the sign matters only if the formula is copied.

    Args:
        formula: in canonical form.
    """
    return _ANCHOR.sub(lambda match: "" if match[0] == "$" else match[0], formula)


def _read_registry_image(text: str) -> str | None:
    return _read_image(text) if "docker.io/" in text else None


def _read_image(text: str) -> str | None:
    image = _IMAGE.match(text)
    return image[1].removesuffix(":latest") if image else None


def _read_branch(text: str) -> str | None:
    prefix = _BRANCH.match(text)
    return text[prefix.end() :] if prefix else None


def _read_tag(text: str) -> str | None:
    prefix = _TAG.match(text)
    if prefix:
        return text[prefix.end() :]
    return text if text.startswith("refs/") else None  # a branch is no tag


@cache
def _pair_pattern() -> re.Pattern[str]:
    quotes = "|".join(sorted(read_section("quotes").split(), key=len, reverse=True))
    return regex(rf"([A-Z]{{3,5}}?)([-/_:]?)({quotes})\Z")


def _read_ticker(text: str) -> str:
    """Reads aapl, pairs (BTC-USD) and share classes (BRK.B); AAPL.L is another exchange."""
    ticker = text.removeprefix("$").upper()
    pair = _pair_pattern().match(ticker)
    is_pair = pair and (pair[2] or pair[1] in read_section("quotes").split())
    return f"{pair[1]}/{pair[3]}" if pair and is_pair else _SHARE_CLASS.sub(r"\1.\2", ticker)


_DIRECTIONS = {"ascending": "asc", "descending": "desc"}


def _read_direction(text: str) -> str | None:
    """Reads the direction of sorting: ascending is asc."""
    return _DIRECTIONS.get(text.strip().lower())


def _read_format(text: str) -> str | None:
    name = text.removeprefix(".").lower()
    return name if name.isalnum() else None


# By form: the kinds in order of trial.
_BY_FORM: tuple[tuple[str, _Reader], ...] = (
    ("colour", _read_written_colour),
    ("colour", _read_function_of_colour),
    ("size", _read_size),
    ("ancestor", _read_ancestor),
    ("mac", _read_mac),
    ("digest", _read_digest),
    ("epsg", _read_epsg),
    ("mime", _read_mime),
    ("range", _read_range),
    ("formula", _read_formula),
    ("image", _read_registry_image),
    ("branch", _read_branch),
    ("schedule", read_cron),
    ("schedule", read_rule),
)
# By the last word of the key.
_BY_KEY: dict[str, tuple[str, _Reader]] = {
    word: (kind, read)
    for words, kind, read in (
        (
            "color colour farbe couleur cor colore kleur kolor цвет 颜色 色 fill stroke background "
            "foreground",
            "colour",
            _read_colour,
        ),
        ("mac macaddress hwaddress", "mac", _read_mac_of_key),
        ("md5 sha1 sha256 sha384 sha512 hash digest checksum integrity", "digest", _read_hash),
        ("crs srs epsg srid projection", "epsg", _read_crs),
        ("cell range anchor well", "range", _read_cell),
        ("image", "image", _read_image),
        ("tag", "tag", _read_tag),
        ("ticker symbol pair", "ticker", _read_ticker),
        ("format extension ext filetype codec", "format", _read_format),
        ("order direction sort ordering sortdir orderdir orderby sortby", "word", _read_direction),
        ("frequency freq interval dosing cadence schedule recurrence", "schedule", read_interval),
    )
    for word in words.split()
}


def parse_identifier(text: str) -> tuple[str, str] | None:
    """Returns the kind and the canonical form of an identifier known by its form, or None."""
    if len(text) > _MAX_LENGTH:
        return None
    for kind, read in _BY_FORM:
        canonical = read(text)
        if canonical is not None:
            return kind, canonical
    return None


def parse_by_key(text: str, key: str) -> tuple[str, str] | None:
    """Returns the kind and the canonical form of an identifier known by its key, or None."""
    word = last_word(key)
    if word.isdecimal():  # sha256
        word = key.lower()
    reader = _BY_KEY.get(canonical_key(key)) or _BY_KEY.get(word) or _BY_KEY.get(singular(word))
    if reader is None or len(text) > _MAX_LENGTH:
        return None
    kind, read = reader
    canonical = read(text)
    return None if canonical is None else (kind, canonical)

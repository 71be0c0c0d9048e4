"""Secrets and personal data in texts and data, by their form or by the key before them.

A form is a key of a known service, a card number with its check digit, an address of a mailbox.
A key is a name such as ``password`` or ``date_of_birth``, in data or in a text that holds JSON.
A name in free text has no form: it is recognised only where a key names it elsewhere in the run.
"""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from otap._patterns import regex
from otap.run.encodings import list_encoded, unescape

MIN_ANYWHERE = 6  # characters of a value that is replaced wherever it occurs
MIN_NAME = 4  # the same for a name
MAX_PEM = 20_000  # characters of a private key
MAX_KEY = 80  # characters of a key that may name a kind of private value

_SECRET_KEYS = (
    "password", "passwd", "pwd", "passphrase", "secret", "client_secret", "secret_key",
    "secret_access_key", "api_key", "apikey", "access_token", "refresh_token", "auth_token",
    "id_token", "bearer_token", "session_token", "token", "authorization", "cookie", "private_key",
    "credential", "credentials", "pin", "cvv", "cvc", "otp",
)  # fmt: skip
_KINDS_BY_KEY = {
    **dict.fromkeys(_SECRET_KEYS, "secret"),
    **dict.fromkeys(("email", "email_address", "mail", "e_mail"), "email"),
    **dict.fromkeys(("phone", "phone_number", "mobile", "mobile_number", "telephone"), "phone"),
    **dict.fromkeys(("ssn", "social_security_number", "tax_id", "national_id"), "ssn"),
    **dict.fromkeys(("passport", "passport_number"), "passport"),
    **dict.fromkeys(("card_number", "credit_card", "credit_card_number", "pan"), "card"),
    **dict.fromkeys(("ip", "ip_address", "client_ip", "remote_addr"), "ip"),
    **dict.fromkeys(("iban", "account_number", "routing_number"), "account"),
    **dict.fromkeys(("dob", "date_of_birth", "birth_date", "birthdate", "birthday"), "birthday"),
    **dict.fromkeys(
        ("address", "address_line", "street",
         "street_address", "home_address", "zip", "zip_code", "zipcode", "postal_code"),
        "address",
    ),
    **dict.fromkeys(
        ("first_name", "last_name", "full_name", "given_name", "family_name", "surname",
         "middle_name", "maiden_name", "customer_name", "patient_name", "guest_name",
         "passenger_name", "recipient_name", "cardholder", "cardholder_name", "contact_name"),
        "name",
    ),
}  # fmt: skip
# Under these keys a value is a name only if it is written like the name of a person.
_PERSON_KEYS = frozenset(("guest", "customer", "patient", "passenger", "recipient", "contact"))
_PERSON = regex(r"[A-Z][\w'-]+(?: [A-Z][\w'.-]*){1,3}")
# Home folders that are nobody's: those of machines, of services and of examples.
_SHARED_FOLDERS = frozenset(
    (
        "admin", "agent", "all", "app", "appuser", "azureuser", "circleci", "claude",
        "coder", "codespace", "default", "ec2-user", "git", "guest", "jovyan", "me",
        "node", "oai", "openhands", "pi", "project", "public", "root", "runner",
        "runneradmin", "sandbox", "shared", "test", "ubuntu", "user", "username", "users",
        "vagrant", "vscode", "work", "workdir", "workspace", "you",
    )
)  # fmt: skip
# Also at the end of a longer key, as in db_password. Others mean something else there: page_token.
_DISTINCTIVE_KEYS = frozenset(_KINDS_BY_KEY) - {
    "address", "cookie", "ip", "mail", "otp", "pan", "pin", "token",
}  # fmt: skip
_KEY_SIGNS = regex(r"[^a-z0-9]+")
_SEPARATORS = regex(r"[ _-]")
_FIRST_OF_CARD = regex(r"[3-6]|22[2-9]|2[3-6]|27[0-2]")  # those with 2 begin at 2221
_CAMEL = regex(r"(?<=[a-z0-9])(?=[A-Z])")


_Form = tuple[str, re.Pattern[str], Callable[[str], bool]]


class PrivateValue(NamedTuple):
    """A private part of a text, and its kind."""

    start: int
    end: int
    kind: str


def name_kind(key: str, value: object) -> str | None:
    """Returns the kind of a private value by the key before it; None if the key is of no kind."""
    folded = _KEY_SIGNS.sub("_", _CAMEL.sub("_", key[:MAX_KEY]).lower()).strip("_0123456789")
    if folded in _PERSON_KEYS and isinstance(value, str) and _PERSON.fullmatch(value):
        return "name"
    if folded in _KINDS_BY_KEY:
        return _KINDS_BY_KEY[folded]
    words = folded.split("_")
    endings = ("_".join(words[start:]) for start in range(1, len(words)))
    return next((_KINDS_BY_KEY[end] for end in endings if end in _DISTINCTIVE_KEYS), None)


def _is_card(text: str) -> bool:
    """Whether a number has the first digits of a card and its check digit; a date has not."""
    digits = [int(sign) for sign in text if sign.isdigit()]
    if not 13 <= len(digits) <= 19 or not _FIRST_OF_CARD.match("".join(map(str, digits[:4]))):
        return False
    doubled = [2 * digit - 9 * (digit > 4) for digit in digits[-2::-2]]
    return (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0


def _is_account(text: str) -> bool:
    signs = _SEPARATORS.sub("", text)
    moved = signs[4:] + signs[:4]
    return 15 <= len(signs) <= 34 and int("".join(str(int(sign, 36)) for sign in moved)) % 97 == 1


def _is_phone(text: str) -> bool:
    return 7 <= sum(sign.isdigit() for sign in text) <= 15


def _is_public_address(text: str) -> bool:
    """Whether this is an address of the internet, which may be a person's."""
    numbers = [int(part) for part in text.split(".")]
    is_internal = numbers[0] in (0, 10, 127, 255) or tuple(numbers[:2]) in ((192, 168), (169, 254))
    is_internal = is_internal or (numbers[0] == 172 and 16 <= numbers[1] < 32)
    is_version = max(numbers) < 30
    return max(numbers) < 256 and not is_internal and not is_version


def _is_own_folder(text: str) -> bool:
    return text.casefold() not in _SHARED_FOLDERS


def _is_any(text: str) -> bool:
    del text
    return True


_SECRETS_IN_TEXT = "|".join(
    key.replace("_", "[_ -]?")
    for key in sorted(set(_SECRET_KEYS) - {"pin", "token", "cookie"}, key=lambda k: (-len(k), k))
)
# The group that matches, or else the whole match, is private.
_FORMS: tuple[tuple[str, str, Callable[[str], bool]], ...] = (
    (
        "secret",
        r"(?<![A-Za-z0-9])(?:(?:sk|pk|rk)[-_][A-Za-z0-9_-]{16,200}|gh[pousr]_[A-Za-z0-9]{20,255}"
        r"|github_pat_\w{20,255}|glpat-[\w-]{16,100}|xox[abeoprs]-[\w-]{10,200}"
        r"|(?:AKIA|ASIA)[0-9A-Z]{16}|AIza[\w-]{30,60}|hf_[A-Za-z0-9]{20,60}"
        r"|npm_[A-Za-z0-9]{30,60}|SG\.[\w-]{16,60}\.[\w-]{16,80}|ya29\.[\w-]{20,300}"
        r"|whsec_\w{16,100}|eyJ[\w-]{8,4000}\.[\w-]{8,4000}(?:\.[\w-]{0,4000})?)(?![A-Za-z0-9])",
        _is_any,
    ),
    ("secret", r"(?i)\b(?:bearer|basic)[ ]+([A-Za-z0-9._~+/-]{7,4000}[A-Za-z0-9=])", _is_any),
    ("secret", r"://[^\s/:@]{0,100}:([^\s/@]{1,200})@", _is_any),
    (
        "secret",
        rf"(?i)(?:{_SECRETS_IN_TEXT})\\{{0,8}}[\"']?(?:[ ]?[:=]|[ ]is\b[ ]?:?)[ ]?"
        r"(?:\\{0,8}[\"']([^\"'\\\n]{3,500})\\{0,8}[\"']"
        r"|\\{0,8}[\"']?([^\s\"'\\,;&<>]{3,500}[^\s\"'\\,;&<>.!?]))",
        _is_any,
    ),
    # An option of a command, a member of XML, the user of curl, a cookie, the pin of a person.
    (
        "secret",
        rf"(?i)(?<![\w-])--(?:[a-z0-9]{{1,20}}-){{0,3}}(?:{_SECRETS_IN_TEXT}|token|pin)(?:=|[ ]+)"
        r"(?:[\"']([^\"'\\\n]{3,500})[\"']|([^\s\"'\\;&<>-][^\s\"'\\;&<>]{2,500}))",
        _is_any,
    ),
    ("secret", rf"(?i)(?:{_SECRETS_IN_TEXT}|\btoken)>([^<>\s]{{3,500}})</", _is_any),
    (
        "secret",
        r"\bcurl\b[^\n|]{0,300}? (?:-u|--user)[ =][\"']?[^\s:\"']{1,100}:([^\s\"']{3,200})",
        _is_any,
    ),
    ("secret", r"(?i)\bcookie: ?[^\s;=\"']{1,60}=([^\s;\"']{6,4000})", _is_any),
    ("secret", r"(?i)\b(?:pin|cvv|cvc|otp) ?(?:is|:|=) ?(\d{3,8})\b", _is_any),
    ("email", r"[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,5}", _is_any),
    (
        "ip",
        r"(?<![\w:.])[23][0-9A-Fa-f]{3}:(?:[0-9A-Fa-f]{0,4}:){1,6}[0-9A-Fa-f]{1,4}(?![\w:])",
        lambda text: "::" in text or text.count(":") == 7,
    ),
    (
        "user",
        r"(?<![\w.-])(?:(?:/[a-z]|/mnt/[a-z])?/(?:home|Users)/|[\\/]{1,4}Users[\\/]{1,4})"
        r"([\w.@ +-]{2,64})(?=[\\/])",
        _is_own_folder,
    ),
    (
        "address",
        r"\b[A-ZÄÖÜ][\w-]{1,40}(?:straße|strasse|str\.|weg|platz|allee|gasse) \d{1,4}[a-z]?\b",
        _is_any,
    ),
)


class _Notation(NamedTuple):
    """How a kind of text writes groups of digits and words.

    Attributes:
        gaps: the signs between groups.
        before: what does not precede the first group.
        after: what does not follow the last group.
    """

    gaps: str
    before: str
    after: str


# A name joins its parts by underscores too, as in refund_078-05-1120_2.
_PROSE = _Notation(" -", r"(?<![\w.+-])", r"(?![\w-])")
_NAME = _Notation(" _-", r"(?<!\d)", r"(?!\d)")


def _write_forms(notation: _Notation) -> tuple[_Form, ...]:
    """Returns the forms of values that consist of groups."""
    gaps, before, after = notation
    gap = f"[{gaps}]"
    forms: tuple[tuple[str, str, Callable[[str], bool]], ...] = (
        (
            "account",
            r"(?<![A-Za-z0-9])"
            rf"[A-Z]{{2}}\d{{2}}(?:{gap}?[A-Z0-9]{{4}}){{2,7}}(?:{gap}?[A-Z0-9]{{1,3}})?"
            r"(?![A-Za-z0-9])",
            _is_account,
        ),
        ("card", rf"{before}\d(?:{gap}?\d){{12,18}}{after}", _is_card),
        ("ssn", rf"{before}\d{{3}}{gap}\d{{2}}{gap}\d{{4}}{after}", _is_any),
        ("phone", rf"{before}\+\d{{1,3}}(?:[.{gaps}]?\(?\d{{1,4}}\)?){{2,5}}{after}", _is_phone),
        (
            "phone",
            rf"{before}(?:\(\d{{3}}\)[.{gaps}]?|\d{{3}}[.{gaps}])\d{{3}}[.{gaps}]\d{{4}}{after}",
            _is_phone,
        ),
        (
            "ip",
            rf"{before}(?<!\.)(?:\d{{1,3}}\.){{3}}\d{{1,3}}{after}(?!\.\d)",
            _is_public_address,
        ),
        (
            "address",
            rf"{before}\d{{1,5}}[A-Za-z]?,?{gap}(?:[A-Z](?:[^\W_]|['.]){{0,30}}{gap}){{1,5}}"
            r"(?:Street|St|Avenue|Ave|Road|Rd|Lane|Ln|Drive|Dr|Boulevard|Blvd|Court|Ct|Way"
            r"|Terrace|Parkway|Pkwy|Highway|Hwy|Square|Circle)(?![A-Za-z])",
            _is_any,
        ),
    )
    return tuple((kind, regex(form), is_valid) for kind, form, is_valid in forms)


# Folders of sessions are named after the folder of the project.
_NAME_FORMS: tuple[_Form, ...] = (
    ("user", regex(r"[/\\](?:home|Users)[/\\]{1,4}([\w.@ +-]{2,64})(?=[/\\])"), _is_own_folder),
    ("user", regex(r"(?:^|[/\\])-(?:home|Users)-([\w.]{2,64})(?=-)"), _is_own_folder),
)
_COMPILED = (
    *((kind, regex(form), is_valid) for kind, form, is_valid in _FORMS),
    *_write_forms(_PROSE),
)
_COMPILED_FOR_NAMES = (*_write_forms(_NAME), *_NAME_FORMS)
# A member of JSON, and one in a text inside JSON.
_KEYED = (
    regex(r"\"([\w .-]{1,80})\"\s{0,4}:\s{0,4}(?:\"((?:[^\"\\]|\\.){1,300})|(\d[\d.-]{2,30}))"),
    regex(
        r"\\{1,8}\"([\w .-]{1,80})\\{1,8}\"\s{0,4}:\s{0,4}"
        r"(?:\\{1,8}\"([^\"\\]{1,300})|(\d[\d.-]{2,30}))"
    ),
)
_BEGIN, _END = "-----BEGIN ", "-----END "


def find_private(text: str, *, is_name: bool = False) -> list[PrivateValue]:
    """Returns the private parts of a text in their order, which do not overlap.

    Args:
        text: the text; it may have escapes, and parts in base64.
        is_name: whether it is a name or an id, in which hyphens and underscores separate words.
    """
    parts = [*_list_parts(text, is_name), *_list_encoded_parts(text)]
    unescaped, offsets = unescape(text)
    if unescaped != text:
        parts += [
            PrivateValue(offsets[part.start], offsets[part.end], part.kind)
            for part in _list_parts(unescaped, is_name)
        ]
    separate: list[PrivateValue] = []
    for part in sorted(parts, key=lambda part: (part.start, -part.end)):
        if not separate or part.start >= separate[-1].end:
            separate.append(part)
    return separate


def _list_encoded_parts(text: str) -> Iterator[PrivateValue]:
    for match, decoded in list_encoded(text):
        if next(_list_parts(decoded, is_name=False), None) is not None:
            yield PrivateValue(*match.span(), "secret")


def _list_parts(text: str, is_name: bool) -> Iterator[PrivateValue]:
    yield from _list_private_keys(text)
    yield from _list_members(text)
    yield from _list_forms(text, _COMPILED)
    if is_name:
        yield from _list_forms(text, _COMPILED_FOR_NAMES)


def _list_members(text: str) -> Iterator[PrivateValue]:
    if '":' not in text and '" :' not in text:
        return
    for pattern in _KEYED:
        for match in pattern.finditer(text):
            kind = name_kind(match[1], match[2] or match[3])
            if kind is not None:
                yield PrivateValue(*match.span(2 if match[2] else 3), kind)


def _list_forms(text: str, forms: tuple[_Form, ...]) -> Iterator[PrivateValue]:
    for kind, form, is_valid in forms:
        for match in form.finditer(text):
            start, end = match.span(match.lastindex or 0)
            if is_valid(text[start:end]):
                yield PrivateValue(start, end, kind)


def _list_private_keys(text: str) -> Iterator[PrivateValue]:
    start = text.find(_BEGIN)
    while start >= 0:
        end = text.find(_END, start, start + MAX_PEM)
        is_private = "PRIVATE KEY" in text[start : start + 60]
        if is_private:
            closing = text.find("-----", end + len(_END)) if end >= 0 else -1
            end = closing + 5 if closing >= 0 else min(len(text), start + MAX_PEM)
            yield PrivateValue(start, end, "secret")
        start = text.find(_BEGIN, max(end, start + 1))

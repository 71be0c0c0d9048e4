"""How much a value says about where it came from: what is evidence, and what is a coincidence."""

from otap._patterns import regex
from otap.dependencies.values import canonical_value, is_date, is_number, tokens

IDENTIFIER, CODE, LARGE_NUMBER, SMALL_NUMBER, COMMON = 0.95, 0.8, 0.8, 0.6, 0.0
LARGE = 100  # from here on a number is specific wherever it stands
MIN_DIGITS = 3  # significant digits of the shortest number that is telling
MAX_WORDS = 3  # of the longest text that is no prose
MIN_CODE = 4  # letters of the shortest telling code: shorter ones (EUR, JFK) are common knowledge

_ATOM = regex(r"\d{4}-\d\d-\d\d|[^\W_](?:\w|(?<=\d)\.(?=\d))*")
_CLOCK = regex(r"(?<=\d)T(?=\d\d:)")  # between a date and a time
_AMOUNT = regex(r"[^\w.]*(\d[\d,]*(?:\.\d+)?)\s*[^\W\d_]{0,3}\W*\Z")  # $1,950.00, 5kg, -3, 3rd


def specificity(value: str) -> float:
    """Returns how specific a value is, in [0, 1]: how unlikely two steps have it by coincidence.

    Identifiers (a digit among letters) say most, then codes and names (capitals, several words),
    then numbers; plain lower-case words are the vocabulary of the tools and say nothing.

    Args:
        value: in the spelling of :func:`otap.dependencies.values.canonical_value`.
    """
    if is_number(value):
        return _of_number(float(value))
    if len(value) < 3 or (value.islower() and value.replace("_", "").isalpha()):
        return COMMON
    if any(character.isdigit() for character in value):
        return IDENTIFIER if not is_date(value) else CODE
    return CODE if any(character.isupper() for character in value) else COMMON


def is_capitalised(value: str) -> bool:
    """Says whether a value is a word in small letters but for its first.

    Inside of a text the capital says little: sentences begin with one, and German nouns have one.
    """
    return value[:1].isupper() and value[1:].islower() and value.isalpha()


def _of_number(number: float) -> float:
    if abs(number) >= LARGE or number != int(number):
        return LARGE_NUMBER
    return SMALL_NUMBER if abs(number) >= 10 else COMMON


def telling_parts(value: str) -> list[str]:
    """Returns the telling parts of a value: so specific that a run must have read or heard them.

    They are identifiers with a digit, codes of capitals, dates, and numbers of at least MIN_DIGITS
    digits. Words, names, prose, small and round numbers can come from anywhere.

    Args:
        value: in the spelling of :func:`otap.dependencies.values.canonical_value`.
    """
    return [part for part, _ in telling(value)]


def telling(value: str) -> list[tuple[str, list[str]]]:
    """Returns the telling parts of a value, each with its telling atoms.

    An atom is what stands between the signs of an address or a path.
    """
    amount = _AMOUNT.match(value)
    if amount:
        found = [canonical_value(amount.group(1).replace(",", ""))]
    elif len(value.split()) > MAX_WORDS and any(map(str.isalpha, value)):
        found = []
    else:
        found = list(tokens(value))
    parts = ((part, _telling_atoms(part)) for part in dict.fromkeys(found))
    return [(part, atoms) for part, atoms in parts if atoms]


def _telling_atoms(part: str) -> list[str]:
    return [atom for atom in _ATOM.findall(_CLOCK.sub(" ", part)) if _is_telling(atom)]


def _is_telling(atom: str) -> bool:
    amount = _AMOUNT.match(atom)
    if amount:
        return _significant_digits(amount.group(1)) >= MIN_DIGITS
    if atom.isalpha():
        return atom.isupper() and len(atom) >= MIN_CODE
    return any(map(str.isdigit, atom)) and specificity(atom) > 0


def _significant_digits(number: str) -> int:
    """The digits of a number but for zeros at its end, and those that begin a fraction."""
    whole, point, fraction = number.replace(",", "").partition(".")
    return len(((whole + fraction).lstrip("0") if point else whole).rstrip("0"))

"""How many columns a text takes on a terminal."""

from unicodedata import category, east_asian_width

_WIDE = frozenset("WF")
_MARKS = frozenset(("Mn", "Me"))  # they stand on the character before them
_JAMO = range(0x1160, 0x1200)  # vowels and finals of Hangul: drawn into the syllable before them


def width(text: str) -> int:
    """Returns the columns of a printable text: wide characters take two, combining marks none."""
    return len(text) if text.isascii() else sum(map(_of_character, text))


def fitting(text: str, columns: int) -> int:
    """Returns how many characters of a text fit into so many columns, its marks included."""
    if text.isascii():
        return min(len(text), columns)
    taken = 0
    for place, character in enumerate(text):
        taken += _of_character(character)
        if taken > columns:
            return place
    return len(text)


def _of_character(character: str) -> int:
    if character.isascii():
        return 1
    if category(character) in _MARKS or ord(character) in _JAMO:
        return 0
    return 2 if east_asian_width(character) in _WIDE else 1

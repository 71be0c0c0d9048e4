"""Which texts are numbers for value flow, and the one spelling of equal ones.

Dependencies and grounding take values out of running text and look for equal ones elsewhere, so
the rule is narrow: a leading plus begins a telephone number, an exponent is one as Python spells a
float (1e+20), what is longer than 15 characters is a name. Arguments that stand at one place are
compared by a wider rule, `otap.values.literals`.
"""

from otap._patterns import regex

MAX_CALCULATED = 15  # characters of a number that value flow spells anew: a longer one is a name

_NUMBER = regex(r"-?\d+(?:\.\d+)?(?:e[+-]\d+)?\Z")


def matches(text: str) -> bool:
    """Says whether a text is a number, however long."""
    return _NUMBER.match(text) is not None


def spelled(text: str) -> str:
    """Returns the shortest decimal of up to 15 digits for a number, other text as it is."""
    if len(text) > MAX_CALCULATED or text.isalpha() or not matches(text):
        return text
    return f"{float(text) + 0.0:.15g}"

"""Addresses of requests that change something, although the method of the request reads.

A verb in the path, a parameter that names a change, another method than that of the request, a
mutation of GraphQL, a secret or a long text that leaves.
"""

from contextlib import suppress
from urllib.parse import parse_qsl, unquote_plus, urlsplit

from otap._patterns import regex
from otap.run import words as table
from otap.run.names import split_name
from otap.values.keys import canonical_key

MAX_ADDRESS = 4_000
MAX_PARAMETERS = 300
LONGEST_PARAMETER = 300  # characters; a longer parameter of an address carries data away

METHODS = frozenset(("POST", "PUT", "PATCH", "DELETE"))
# It reads a run of blanks once, from its first character on.
_MUTATION = regex(
    r"(?:\A|(?<=[{};])|(?<!\s)(?=[^\S\n]*+\n))\s*+"
    r"(?:mutation|subscription)\b\s*+(?:\w++\s*+)?[({@]"
)
_COMMENT = regex(r"#[^\n]*")
_ID = regex(r"\d")
_ON = frozenset(("true", "1", "yes", "on"))


def has_mutation(text: str) -> bool:
    """Returns whether a text has a mutation of GraphQL, behind comments or other operations."""
    return _MUTATION.search(_COMMENT.sub("", text)) is not None


def names_change_kind(text: str) -> bool:
    """Returns whether a short text names a change: "delete", "deleteUser"."""
    if not text or len(text) > 60:
        return False
    words = split_name(text)
    if not words or len(words) > 4:
        return False
    return words[0] in table.WRITING - table.NOUNS_TOO or not table.CHANGING.isdisjoint(words)


def address_changes(address: str) -> bool:
    """Returns whether a request to an address changes something, although its method reads.

    Args:
        address: a URL, or a path with its parameters.
    """
    if len(address) > MAX_ADDRESS:
        return True
    parts = None
    with suppress(ValueError):
        parts = urlsplit(address)
    if parts is None:
        return True
    try:
        parameters = parse_qsl(parts.query, keep_blank_values=True, max_num_fields=MAX_PARAMETERS)
    except ValueError:
        return True
    if any(_parameter_changes(canonical_key(key), value) for key, value in parameters):
        return True
    last = split_name(parts.path.rstrip("/").rpartition("/")[2])
    is_verb = bool(last) and last[0] in table.WRITING - table.NOUNS_TOO
    if is_verb and any(canonical_key(key) in table.PAYLOAD_KEYS for key, _ in parameters):
        return True
    return _path_changes(parts.netloc, parts.path)


def _parameter_changes(key: str, value: str) -> bool:
    if key.lstrip("_") in table.OVERRIDE_KEYS | {"method"} and value.upper() in METHODS:
        return True
    if key in table.SECRET_KEYS and len(value) > 3 and value[0] not in "{<$":
        return True
    if key in table.ACTION_KEYS and names_change_kind(value):
        return True
    if key in table.SWITCHES and value.lower() in _ON | {""}:
        return True
    is_data = len(value) > LONGEST_PARAMETER or "\n" in value
    return is_data or has_mutation(unquote_plus(value))


def _path_changes(host: str, path: str) -> bool:
    """Whether a segment of a path is a verb of changing; titles of pages are no verbs."""
    segments = [segment for segment in unquote_plus(path).split("/") if segment]
    names = {name.lower() for name in (*host.split("."), *segments)}
    if not table.DOCUMENTATION.isdisjoint(names):
        return False
    for k, segment in enumerate(segments):
        words = split_name(segment)
        if not words or len(words) > 3 or (len(words) > 1 and "-" in segment):
            continue
        if words[0] in table.CHANGING | table.LAST_VERBS | table.ENDING_VERBS:
            return True
        is_last = k == len(segments) - 1 and k > 0
        follows_id = is_last and _ID.search(segments[k - 1]) is not None
        if follows_id and len(words) == 1 and words[0] in table.WRITING - table.NOUNS_TOO:
            return True
    return False

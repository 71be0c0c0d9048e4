"""Canonical forms of keys: customerId is customer_id; a lone key that only wraps is dropped."""

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache

from pydantic import JsonValue

from otap._patterns import regex
from otap.values.normalization import compose

# A lone key with one of these names only wraps the arguments.
WRAPPING = frozenset(
    {"input", "inputs", "arg", "args", "argument", "arguments", "param", "params", "parameter"}
    | {"parameters", "kwargs", "request", "payload", "body", "data"}
)
# The members of an object under one of these are arguments themselves.
_BODIES = WRAPPING | {"json", "field", "fields", "form", "attributes", "attribute", "variables"}
# The members of an object under one of these, at any depth, are written.
_WRITTEN = frozenset(
    ["body", "patch", "spec", "payload", "propertie", "setting", "value", "manifest"]
)
_KEYS = frozenset({"id", "uid", "uuid", "guid", "key", "sku", "isbn", "email", "code", "number"})
_IN_ORDER = frozenset(
    {"command", "commands", "cmd", "argv", "args", "script", "steps", "path", "route", "stops"}
    | {"waypoints", "sequence", "ranking", "ranked", "priorities", "sorted", "queue", "stages"}
    | {"phases", "pipeline", "rotation", "playlist", "itinerary", "ordering", "pair"}
)
# Lists under keys with these last words have an order.
_SEQUENCES = frozenset(
    {"move", "migration", "layer", "clip", "order", "coordinate", "coord", "point", "turn", "track"}
    | {
        "slide",
        "note",
        "position",
        "box",
        "bbox",
        "bounds",
        "matrix",
        "vector",
        "polygon",
        "instruction",
    }
    | {
        "operation",
        "action",
        "step",
        "stop",
        "leg",
        "segment",
        "keyframe",
        "frame",
        "level",
        "tier",
    }
    | {"episode", "lesson", "round", "location", "vertex", "vertices"}
    | {"parada", "etapa", "paso", "etape", "arret", "fermata", "tappa", "halte", "haltes", "stap"}
    | {"station", "stationen", "haltestelle", "haltestellen", "schritt", "schritte", "etappe"}
    | {"reihenfolge", "route", "ruta", "rota", "przystanki", "kroki", "zastavky", "duraklar"}
    | {"остановки", "шаги", "маршрут", "порядок", "步骤", "站点", "手順", "경유지"}
)
# Lists under keys with these last words are sets.
_SETS = frozenset(
    {"tag", "label", "attendee", "recipient", "cc", "bcc", "to", "member", "participant", "invitee"}
    | {"guest", "category", "categorie", "permission", "scope", "role", "group", "keyword", "skill"}
    | {"id", "email", "user", "username", "assignee", "reviewer", "watcher", "follower", "feature"}
    | {
        "topic",
        "ingredient",
        "allergy",
        "allergie",
        "symptom",
        "column",
        "field",
        "product",
    }
    | {"passenger", "amenity", "amenitie", "attachment", "file", "include", "exclude", "subscriber"}
    | {"collaborator", "owner", "admin", "team", "channel", "hashtag", "interest", "preference"}
    | {"number", "code", "name", "option", "filter", "type", "statuse", "countrie", "language"}
)
_SECRETS = frozenset(
    {
        "password",
        "passwd",
        "passphrase",
        "passcode",
        "pwd",
        "pw",
        "secret",
        "token",
        "apikey",
        "pin",
        "otp",
    }
    | {"cvv", "cvc", "credential", "passwort", "kennwort", "contraseña", "senha"}
)
_OF_SECRETS = frozenset(
    {"api", "access", "private", "secret", "encryption", "license", "licence", "signing", "auth"}
    | {"security", "verification", "session", "recovery", "activation", "pairing", "unlock", "door"}
    | {"public", "ssh", "shared", "reset", "entry", "gate", "alarm"}
)
_PAYEES = frozenset(
    {"payee", "recipient", "beneficiary", "company", "vendor", "supplier", "merchant", "creditor"}
    | {"organization", "organisation", "employer", "receiver", "to", "holder", "payer", "debtor"}
    | {"empfanger", "empfaenger", "zahlungsempfanger", "kontoinhaber", "glaubiger", "lieferant"}
    | {"firma", "beneficiario", "proveedor", "destinatario", "titular", "acreedor", "empresa"}
    | {"beneficiaire", "fournisseur", "destinataire", "titulaire", "societe", "fornecedor"}
    | {"favorecido", "fornitore", "intestatario", "ditta", "begunstigde", "ontvanger"}
    | {"leverancier", "rekeninghouder", "mottagare", "leverantor", "mottaker", "modtager"}
    | {"odbiorca", "dostawca", "prijemce", "dodavatel", "alici", "tedarikci", "penerima"}
    | {"получатель", "поставщик", "компания", "одержувач", "постачальник", "المستفيد", "收款人"}
    | {"收款方", "受取人", "振込先", "수취인", "받는사람", "प्राप्तकर्ता"}
)
_PHONES = frozenset(
    {"phone", "telephone", "tel", "mobile", "cell", "fax", "whatsapp", "handy", "telefon"}
    | {"hotline", "helpline", "landline", "callback"}
    | {"telefono", "telefone", "telefoon", "movil", "celular", "cellulare", "puhelin", "телефон"}
    | {"电话", "手机", "電話", "電話番号", "전화", "전화번호", "هاتف", "फोन"}
)
_DEFAULTED = frozenset(
    {
        "dir",
        "directory",
        "folder",
        "limit",
        "offset",
        "page",
        "format",
        "timeout",
        "sort",
        "verbose",
    }
    | {"encoding", "locale", "language", "lang", "timezone", "retries", "indent"}
)
_SQL = frozenset({"sql", "sqlquery", "sqlstatement"})
_CELLS = frozenset({"code", "cell", "source", "script", "snippet", "python", "input"})
_CONTENTS = frozenset({"body", "content", "text", "message", "html"})
_EDITS = frozenset({"old", "new", "insert", "insertion", "replacement", "replace"})
_QUERIES = frozenset(
    {"query", "question", "search", "keyword", "q", "prompt", "term", "thought", "commit"}
)
_VERSIONED = frozenset(
    {"version", "release", "tag", "revision", "python", "node", "java", "ruby", "section"}
    | {"chapter", "clause", "article"}
)
_WORD = regex(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_A-Za-z]+|\d+")
_ACCENTED = regex(r"[\u00c0-\u024f\u1e00-\u1eff]")
_BETWEEN = regex(r"[_\-\s]+")
_NAME = regex(r"[^\W\d_]+(?:[_\- ]?[^\W\d_]+)*\Z")


@lru_cache(maxsize=10_000)
def canonical_key(key: str) -> str:
    """Returns one spelling for a key in camel, snake or kebab case; other keys stay unchanged.

    The last word becomes singular: order_ids holds several values of order_id. A key with a digit
    may be data, such as an identifier, and stays unchanged.
    """
    if len(key) >= 80 or not _NAME.match(key):
        return key
    return singular(_BETWEEN.sub("", key).lower())


def singular(word: str) -> str:
    """Returns a word without the s of its plural, judged by its letters alone."""
    is_plural = len(word) > 2 and word.endswith("s") and not word.endswith(("ss", "us", "is", "as"))
    return word[:-1] if is_plural else word


def canonical_keys(keys: Iterable[str]) -> Mapping[str, str]:
    """Returns the canonical form of each key of one object.

    Keys of one object that would collide stay as recorded.
    """
    by_key = {key: canonical_key(key) for key in keys}
    counts = Counter(by_key.values())
    if len(counts) == len(by_key):
        return by_key
    return {key: name if counts[name] == 1 else key for key, name in by_key.items()}


def unify_keys(values: Iterable[JsonValue]) -> list[JsonValue]:
    """Returns the values with each key of an object as in the first object that has it."""
    first_keys: dict[str, str] = {}
    unified: list[JsonValue] = []
    for value in values:
        if isinstance(value, dict):
            names = canonical_keys(value)
            unified.append({first_keys.setdefault(names[key], key): value[key] for key in names})
        else:
            unified.append(value)
    return unified


def unwrap_arguments(data: JsonValue) -> tuple[JsonValue, str]:
    """Returns the object in a lone key that only wraps it, and this key; else the data and "".

    A list becomes an object with its indices as keys: arguments without names differ by position.
    """
    if isinstance(data, list):
        return {f"[{index}]": member for index, member in enumerate(data)}, ""
    if isinstance(data, dict) and len(data) == 1:
        ((key, inner),) = data.items()
        if isinstance(inner, dict) and canonical_key(key) in WRAPPING:
            return inner, key
    return data, ""


def canonical_path(path: str) -> str:
    """Returns the canonical form of a path of keys, without a first key that only wraps."""
    keys = [canonical_key(key) for key in path.split(".")]
    return ".".join(keys[1:] if len(keys) > 1 and keys[0] in WRAPPING else keys)


@lru_cache(maxsize=10_000)
def is_identifying(key: str) -> bool:
    """Returns whether the name of a field is that of a key: order_id, sku, email."""
    return last_word(key) in _KEYS


@lru_cache(maxsize=10_000)
def is_query_key(key: str) -> bool:
    """Returns whether the text under a key may use any words: a search, a commit."""
    return singular(last_word(key)) in _QUERIES


@lru_cache(maxsize=10_000)
def is_defaulted_key(key: str) -> bool:
    """Returns whether an argument has a default in most tools that have it: limit, timeout."""
    return last_word(key) in _DEFAULTED


def is_sql_key(key: str) -> bool:
    """Returns whether the text under a key is a statement of SQL."""
    return canonical_key(key) in _SQL


@lru_cache(maxsize=10_000)
def is_cell_key(key: str) -> bool:
    """Returns whether the program under a key is run at once, so that its variables are its own."""
    return last_word(key) in _CELLS


@lru_cache(maxsize=10_000)
def is_content_key(key: str) -> bool:
    """Returns whether the text under a key is the whole content of a mail, a page or a file."""
    return singular(last_word(key)) in _CONTENTS


@lru_cache(maxsize=10_000)
def is_ordered_key(key: str) -> bool:
    """Returns whether the list under a key has a meaningful order: a command, a route, steps."""
    word = last_word(key)
    forms = {word, singular(word), word.removesuffix("s")}
    return not (_IN_ORDER.isdisjoint(_split_key(key)) and _SEQUENCES.isdisjoint(forms))


@lru_cache(maxsize=10_000)
def is_set_key(key: str) -> bool:
    """Returns whether the list under a key is a set: tags, recipients, ids."""
    return singular(last_word(key)) in _SETS and not is_ordered_key(key)


@lru_cache(maxsize=10_000)
def is_rows_key(key: str) -> bool:
    """Returns whether objects under a key are the rows of an order: items, line_items."""
    return singular(last_word(key)) == "item"


@lru_cache(maxsize=10_000)
def is_secret_key(key: str) -> bool:
    """Returns whether the text under a key is a secret, of which each character counts."""
    words = _split_key(key) or [key.casefold()]
    last = singular(words[-1])
    if last in _SECRETS:
        return True
    return last in ("key", "code") and len(words) > 1 and words[-2] in _OF_SECRETS


@lru_cache(maxsize=10_000)
def is_edit_key(key: str) -> bool:
    """Returns whether the text under a key is a piece of a file: old_string, replacement."""
    return not _EDITS.isdisjoint(_split_key(key))


@lru_cache(maxsize=10_000)
def is_payee_key(key: str) -> bool:
    """Returns whether the name under a key is that of a firm or person with a role in a payment."""
    return last_word(key) in _PAYEES


@lru_cache(maxsize=10_000)
def is_phone_key(key: str) -> bool:
    """Returns whether the text under a key is a telephone number."""
    return not _PHONES.isdisjoint((last_word(key), singular(last_word(key)), *_split_key(key)[-2:]))


@lru_cache(maxsize=10_000)
def is_body_path(path: str) -> bool:
    """Returns whether a path of keys leads to the body of a request: arguments stand under it."""
    return all(canonical_key(key) in _BODIES for key in path.split("."))


@lru_cache(maxsize=10_000)
def is_written_path(path: str) -> bool:
    """Returns whether a path leads into content: patch.spec, settings."""
    return any(canonical_key(key.removesuffix("[]")) in _WRITTEN for key in path.split("."))


@lru_cache(maxsize=10_000)
def is_version_key(key: str) -> bool:
    """Returns whether the values under a key are numbered in parts: version, python, section."""
    return "version" in key.casefold() or not _VERSIONED.isdisjoint(_split_key(key))


@lru_cache(maxsize=10_000)
def last_word(key: str) -> str:
    """Returns the last word of a key in small letters: ids of new_item_ids."""
    return "".join(_split_key(key)[-1:])


def _split_key(key: str) -> list[str]:
    """The words of a key in small letters, those in Latin letters without accents."""
    if not key.isascii():
        key = _without_accents(key[:200])
    return [word.lower() for word in _WORD.findall(key[:200])]


def _without_accents(key: str) -> str:
    return _ACCENTED.sub(lambda match: compose(match[0], "NFKD")[0], compose(key, "NFC"))

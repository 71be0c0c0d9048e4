"""Whether what came back from a call that should change something says that nothing was changed.

Fields come first: codes of HTTP and of programs, a status, an error. Words count only where a short
text begins with them. Of a call that only reads none of this is asked: what it shows may be about
a failure.
"""

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from otap._patterns import regex
from otap.prepare.words import REFUSED
from otap.trajectory import Step
from otap.values.spelling import fold_word

LONGEST = 20_000  # characters of JSON in a text that are read
SHORT = 400  # characters of a text whose beginning counts
NEAR = 80  # characters of its beginning in which it may say so

# Keys in small letters, without signs between their words.
_CODES = ("statuscode", "httpstatus", "httpstatuscode", "status", "code")
_EXITS = ("exitcode", "returncode")
_STATES = ("status", "state", "phase", "decision", "outcome")
_ERRORS = ("error", "errormessage", "errors", "fehler", "erreur", "errore", "erro")
_WRAPPERS = ("result", "response", "output", "data", "body", "responsemetadata")
_STEM = 5  # letters by which a tool's name holds such a word: reject_request rejects
_NO_ERROR = frozenset(("", "none", "null", "no", "false", "0", "ok"))

_REASONS = (
    r"bad request|unauthori[sz]ed|payment required|forbidden|not found|method not allowed|conflict"
    r"|gone|unprocessable|too many requests|internal server error|bad gateway|client error"
    r"|service unavailable|gateway timeout|server error"
)
_BEGINS = regex(
    rf"\s*(?:[\w.]*(?:error|exception)\b\W(?!\s*(?:0|none)\b)|traceback \(most recent call last\)"
    rf"|(?:http\S*\s+)?[45]\d\d\W+(?:{_REASONS})\b|http\S*\s+[45]\d\d\b"
    r"|(?:fail(?:ed|ure)|denied|rejected|declined|refused|forbidden|unauthori[sz]ed|insufficient"
    r"|timed out|timeout|invalid)\b(?!\W*0\b)"
    r"|(?:could|can|was|did) ?not\b|couldn't\b|can't\b|unable to\b"
    r"|not (?:allowed|permitted|authori[sz]ed|found)\b|no such\b"
    r"|(?:fehler|erreur|erro|errore)\b\W|zugriff verweigert|fehlgeschlagen|abgelehnt"
    r"|acc[eè]s refus[eé]|refus[eé]\b|[eé]chec\b|(?:acceso|permiso) denegado|denegado\b"
    r"|rechazad[oa]\b"
    r"|(?:acesso|permiss[aã]o) negad[oa]|negado\b|falha\b|accesso negato|negato\b|fallit[oa]\b"
    r"|fatal:|err_\w+|exit(?:ed with)?(?: code| status)? [1-9]|错误|失败|操作失败|拒绝|无法)",
    re.IGNORECASE,
)
_NEAR = regex(
    r"\b(?:permission denied|access (?:is )?denied|could not be"
    r"|insufficient (?:funds|balance|permissions?|privileges)"
    r"|(?:request|transaction|payment|order) (?:was )?(?:rejected|declined|denied)"
    r"|not (?:found|authori[sz]ed|permitted))\b",
    re.IGNORECASE,
)


def is_refused(step: Step) -> bool:
    """Returns whether the effect of a call says that it failed, or was refused.

    Args:
        step: a call that should change something.
    """
    effect: Any = step.effect
    if isinstance(effect, str) and effect.lstrip()[:1] == "{" and len(effect) <= LONGEST:
        with suppress(ValueError, RecursionError):
            effect = json.loads(effect)
    if isinstance(effect, Mapping):
        fields = _spell_keys(effect)
        inner: Any = next((fields[key] for key in _WRAPPERS if _is_object(fields.get(key))), {})
        return _says_so(fields, step) or _says_so(_spell_keys(inner), step)
    return step.status is None and isinstance(effect, str) and _begins_so(effect, step)


def _spell_keys(data: Mapping[str, Any]) -> dict[str, Any]:
    return {key.replace("_", "").replace("-", "").lower(): value for key, value in data.items()}


def _is_object(value: object) -> bool:
    return isinstance(value, Mapping)


def _says_so(effect: Mapping[str, Any], step: Step) -> bool:
    if any(str(effect.get(key)).lower() == "false" for key in ("success", "ok")):
        return True
    codes, exits = ([effect.get(key) for key in keys] for keys in (_CODES, _EXITS))
    if any(type(code) is int and 400 <= code < 600 for code in codes):
        return True
    if any(type(code) is int and code != 0 for code in exits):
        return True
    if any(_names_refusal(effect.get(key), step) for key in _STATES):
        return True
    return any(map(_is_error, map(effect.get, _ERRORS)))


def _names_refusal(status: object, step: Step) -> bool:
    """Whether a status is a refusal, and not what the call was asked to bring about."""
    if not isinstance(status, str) or fold_word(status).replace(" ", "_") not in REFUSED:
        return False
    return not _is_asked(status, step)


def _is_asked(said: str, step: Step) -> bool:
    """Whether a call is about what was said: reject_request may answer that it is rejected."""
    asked = f"{step.tool} {step.arguments}".lower()
    words = REFUSED.intersection(said.lower().replace(" ", "_").split("_"))
    return any(word[:_STEM] in asked for word in words - {"error"})


def _is_error(value: object) -> bool:
    if isinstance(value, str):
        return value.strip().lower() not in _NO_ERROR
    return value is True or (isinstance(value, dict | list) and bool(value))


def _begins_so(text: str, step: Step) -> bool:
    if text.lstrip().startswith("Traceback (most recent call last)"):
        return True
    if len(text) > SHORT:
        return False
    found = _BEGINS.match(text) or _NEAR.search(text[:NEAR])
    return found is not None and not _is_asked(found[0].strip(" \n:.,!"), step)

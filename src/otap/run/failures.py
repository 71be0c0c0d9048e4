"""Which calls failed or were refused, by the result that they returned.

Fields come first. The words of a text count only at the beginning of a short one.
"""

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from otap._patterns import regex
from otap.run import words as table
from otap.trajectory import Step

MAX_JSON = 20_000  # parse JSON in a text of at most this many characters
MAX_MESSAGE = 400  # the words of a longer text do not count
OPENING = 80  # characters at the beginning of a text that may report a refusal

# Keys in lower case, without punctuation.
_STATUS_CODE_KEYS = ("statuscode", "httpstatus", "httpstatuscode", "status", "code")
_EXIT_CODE_KEYS = ("exitcode", "returncode")
_STATUS_KEYS = ("status", "state", "phase", "decision", "outcome")
_ERROR_KEYS = ("error", "errormessage", "errors", "fehler", "erreur", "errore", "erro")
_WRAPPER_KEYS = ("result", "response", "output", "data", "body", "responsemetadata")
_STEM = 5  # letters of such a word that a tool's name must hold: reject_request rejects
_NO_ERROR = frozenset(("", "none", "null", "no", "false", "0", "ok"))

_REASONS = (
    r"bad request|unauthori[sz]ed|payment required|forbidden|not found|method not allowed|conflict"
    r"|gone|unprocessable|too many requests|internal server error|bad gateway|client error"
    r"|service unavailable|gateway timeout|server error"
)
_FAILURE = regex(
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
_REFUSAL = regex(
    r"\b(?:permission denied|access (?:is )?denied|could not be"
    r"|insufficient (?:funds|balance|permissions?|privileges)"
    r"|(?:request|transaction|payment|order) (?:was )?(?:rejected|declined|denied)"
    r"|not (?:found|authori[sz]ed|permitted))\b",
    re.IGNORECASE,
)


def is_refused(step: Step) -> bool:
    """Returns whether the effect of a call reports that it failed, or was refused.

    Args:
        step: a call that should change something.
    """
    effect: Any = step.effect
    if isinstance(effect, str) and effect.lstrip()[:1] == "{" and len(effect) <= MAX_JSON:
        with suppress(ValueError, RecursionError):
            effect = json.loads(effect)
    if isinstance(effect, Mapping):
        fields = _normalize_keys(effect)
        wrapped = [fields[key] for key in _WRAPPER_KEYS if isinstance(fields.get(key), Mapping)]
        inner = wrapped[0] if wrapped else {}
        return _reports_failure(fields, step) or _reports_failure(_normalize_keys(inner), step)
    return step.status is None and isinstance(effect, str) and _opens_with_failure(effect, step)


def _normalize_keys(data: Mapping[str, Any]) -> dict[str, Any]:
    return {key.replace("_", "").replace("-", "").lower(): member for key, member in data.items()}


def _reports_failure(fields: Mapping[str, Any], step: Step) -> bool:
    if any(str(fields.get(key)).lower() == "false" for key in ("success", "ok")):
        return True
    status_codes = [fields.get(key) for key in _STATUS_CODE_KEYS]
    exit_codes = [fields.get(key) for key in _EXIT_CODE_KEYS]
    if any(type(code) is int and 400 <= code < 600 for code in status_codes):
        return True
    if any(type(code) is int and code != 0 for code in exit_codes):
        return True
    if any(_is_refusal(fields.get(key), step) for key in _STATUS_KEYS):
        return True
    return any(_is_error(fields.get(key)) for key in _ERROR_KEYS)


def _is_refusal(status: object, step: Step) -> bool:
    """Whether a status is a refusal, and not the state that the call should bring about."""
    if not isinstance(status, str) or status.lower().replace(" ", "_") not in table.REFUSED:
        return False
    return not _is_requested(status, step)


def _is_requested(status: str, step: Step) -> bool:
    """Whether a call asks for the status: reject_request may answer that it is rejected."""
    call = f"{step.tool} {step.arguments}".lower()
    words = table.REFUSED.intersection(status.lower().replace(" ", "_").split("_"))
    return any(word[:_STEM] in call for word in words - {"error"})


def _is_error(error: object) -> bool:
    if isinstance(error, str):
        return error.strip().lower() not in _NO_ERROR
    return error is True or (isinstance(error, dict | list) and bool(error))


def _opens_with_failure(text: str, step: Step) -> bool:
    if text.lstrip().startswith("Traceback (most recent call last)"):
        return True
    if len(text) > MAX_MESSAGE:
        return False
    match = _FAILURE.match(text) or _REFUSAL.search(text[:OPENING])
    return match is not None and not _is_requested(match[0].strip(" \n:.,!"), step)

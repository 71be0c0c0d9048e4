"""Which calls failed or were refused, by the result that they returned.

Fields come first. The words of a text count only at the beginning or the end of a short one. A call
that changed something before it failed, or whose result shows that it was done, has not failed
(:mod:`otap.run.completed`).
"""

import json
import re
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

from otap._patterns import regex
from otap.run import words as table
from otap.run.completed import ERROR_KEYS, has_changed_something, parse_effect
from otap.trajectory import Step

MAX_IDS = 50  # members of a result or of arguments that may be the id of a job
MAX_MESSAGE = 400  # the words of a longer text do not count
PHRASE_RANGE = 32  # characters at each end of a sentence in which phrases of failure count
OPENING = 80  # characters at the beginning of a text that may report a refusal

# Keys in lower case, without punctuation.
_STATUS_CODE_KEYS = ("statuscode", "httpstatus", "httpstatuscode", "status", "code")
_EXIT_CODE_KEYS = ("exitcode", "returncode")
_STATUS_KEYS = ("status", "state", "phase", "decision", "outcome", "result", "type")
_STATE_KEYS = ("status", "state", "phase", "outcome")
_CODE_KEYS = ("code", "errorcode", "reason", "status", "state")
_FLAGS = ("iserror", "haserror", "failed")  # MCP has isError
_MESSAGE_KEYS = frozenset((
    "message", "detail", "details", "msg", "text", "description", "content", "reason", "title",
))  # fmt: skip
_WRAPPER_KEYS = ("result", "response", "output", "data", "body", "responsemetadata")
_STEM = 5  # letters of such a word that a tool's name must hold: reject_request rejects
_NO_ERROR = frozenset(("", "none", "null", "no", "false", "0", "ok"))
_ID = regex(r"(?=\D{0,79}\d)[\w.:/#-]{3,80}")
_CODE = regex(r"[A-Z][A-Z0-9]*(?:[_ .-][A-Z0-9]+)*|(?:[A-Z][a-z]+){2,}")

_REASONS = (
    r"bad request|unauthori[sz]ed|payment required|forbidden|not found|method not allowed|conflict"
    r"|gone|unprocessable|too many requests|internal server error|bad gateway|client error"
    r"|service unavailable|gateway timeout|server error"
)
_FAILURE = regex(
    rf"\s*(?:[\w.]*(?:error|exception)\b\W(?!\s*(?:0|none)\b)|traceback \(most recent call last\)"
    rf"|(?:http\S*\s+)?[45]\d\d\W+(?:{_REASONS})\b|http\S*\s+[45]\d\d\b"
    r"|(?:fail(?:ed|ure)|denied|rejected|declined|refused|forbidden|unauthori[sz]ed|insufficient"
    r"|timed out|timeout|invalid|unknown tool)\b(?!\W*0\b)"
    r"|(?:could|can|was|did) ?not\b|couldn't\b|can't\b|unable to\b"
    r"|not (?:allowed|permitted|authori[sz]ed|found)\b|no such\b"
    r"|(?:fehler|erreur|erro|errore)\b\W|zugriff verweigert|fehlgeschlagen|abgelehnt"
    r"|acc[eè]s refus[eé]|refus[eé]\b|[eé]chec\b|(?:acceso|permiso) denegado|denegado\b"
    r"|rechazad[oa]\b"
    r"|(?:acesso|permiss[aã]o) negad[oa]|negado\b|falha\b|accesso negato|negato\b|fallit[oa]\b"
    r"|fatal:|err_\w+|exit(?:ed with)?(?: code| status)?:? [1-9]|错误|失败|操作失败|拒绝|无法"
    r"|fix the errors and try again|input validation error)",
    re.IGNORECASE,
)
_REFUSAL = regex(
    r"\b(?:permission denied|access (?:is )?denied|could not be"
    r"|insufficient (?:funds|balance|permissions?|privileges)"
    r"|(?:request|transaction|payment|order) (?:was )?(?:rejected|declined|denied)"
    r"|not (?:found|authori[sz]ed|permitted))\b",
    re.IGNORECASE,
)
# The other side may have done its work: it did not answer in time, or the line was cut.
_OPEN_OUTCOME = regex(
    r"time[d]?[ _-]?out|\b(?:408|499|502|504)\b|connection (?:was )?(?:reset|lost|closed|aborted)"
    r"|broken pipe|no (?:response|answer|confirmation)|deadline exceeded|zeitüberschreitung"
    r"|délai dépassé|tiempo (?:de espera )?agotado|tempo (?:limite )?(?:esgotado|scaduto)"
    r"|超时|タイムアウト",
    re.IGNORECASE,
)
_SENTENCE_END = regex(r"[.!?]+(?=\s|\Z)|[\u3002\uff01\uff1f\n]+")
_NOTHING = regex(r"\W*(?:0|none|no|nothing)\b")
_REASON_BEGINS = regex(
    r"[:;,(\u2013\u2014]| - |\b(?:because|due|by|with|since|as|for|wegen|por|car|porque)\b"
)


def judge_status(step: Step) -> Step:
    """Returns a write with the status error exactly if it failed and changed nothing.

    Args:
        step: a call that should change something.
    """
    is_reported = step.status == "error"
    if not (is_reported or is_refused(step)):
        return step
    if has_changed_something(step, parse_effect(step.effect)):
        return step.model_copy(update={"status": "ok"}) if is_reported else step
    return step if is_reported else step.model_copy(update={"status": "error"})


def shows_failed_job(step: Step) -> bool:
    """Returns whether the state that a look-up shows is a failure."""
    effect = parse_effect(step.effect)
    fields = _normalize_keys(effect) if isinstance(effect, Mapping) else {}
    return any(_is_refusal(fields.get(key), step) for key in _STATE_KEYS)


def find_failed_jobs(
    steps: Sequence[Step], roles: Sequence[str], shows_failure: Sequence[bool]
) -> set[int]:
    """Returns the indices of the writes that began a job which failed afterwards.

    A write begins a job if its effect has an id that its arguments lack. The last look-up that asks
    for this id decides.

    Args:
        steps: the steps of a run, in their order.
        roles: the role of each.
        shows_failure: for each whether it shows a failed job.
    """
    began: dict[str, int] = {}
    failed: dict[int, bool] = {}
    for k, (step, role) in enumerate(zip(steps, roles, strict=True)):
        if role == "writes" and step.status != "error":
            began.update(dict.fromkeys(_list_ids(step.effect) - _list_ids(step.arguments), k))
        elif role == "reads":
            job_ids = _list_ids(step.arguments)
            failed.update({began[name]: shows_failure[k] for name in job_ids & began.keys()})
    return {k for k, has_failed in failed.items() if has_failed}


def _list_ids(data: Any) -> set[str]:
    """The ids that data hold, at most MAX_IDS of its first members."""
    data = parse_effect(data)
    members = data.values() if isinstance(data, Mapping) else ()
    return {
        member
        for member in islice(members, MAX_IDS)
        if isinstance(member, str) and _ID.fullmatch(member)
    }


def is_refused(step: Step) -> bool:
    """Returns whether the effect of a call reports that it failed, or was refused.

    Args:
        step: a call that should change something.
    """
    effect = parse_effect(step.effect)
    if isinstance(effect, Mapping):
        fields = _normalize_keys(effect)
        wrapped = [fields[key] for key in _WRAPPER_KEYS if isinstance(fields.get(key), Mapping)]
        inner = wrapped[0] if wrapped else {}
        return _reports_failure(fields, step) or _reports_failure(_normalize_keys(inner), step)
    return step.status is None and isinstance(effect, str) and _tells_failure(effect, step)


def leaves_outcome_open(step: Step) -> bool:
    """Returns whether the error of a failed call does not show that nothing was done: a timeout.

    Args:
        step: a failed call.
    """
    effect = step.effect
    text = effect if isinstance(effect, str) else json.dumps(effect, ensure_ascii=False)
    return _OPEN_OUTCOME.search(text[:MAX_MESSAGE]) is not None


def _normalize_keys(data: Mapping[str, Any]) -> dict[str, Any]:
    return {key.replace("_", "").replace("-", "").lower(): member for key, member in data.items()}


def _reports_failure(fields: Mapping[str, Any], step: Step) -> bool:
    if any(str(fields.get(key)).lower() == "false" for key in ("success", "ok")):
        return True
    if any(str(fields.get(key)).lower() == "true" for key in _FLAGS):
        return True
    status_codes = [fields.get(key) for key in _STATUS_CODE_KEYS]
    exit_codes = [fields.get(key) for key in _EXIT_CODE_KEYS]
    if any(type(code) is int and 400 <= code < 600 for code in status_codes):
        return True
    if any(type(code) is int and code != 0 for code in exit_codes):
        return True
    if any(_is_refusal(fields.get(key), step) for key in _STATUS_KEYS):
        return True
    if any(_is_error_code(fields.get(key), step) for key in _CODE_KEYS):
        return True
    if any(_is_error(fields.get(key)) for key in ERROR_KEYS):
        return True
    texts = [text for text in fields.values() if isinstance(text, str)]
    is_message = bool(fields) and _MESSAGE_KEYS.issuperset(fields) and len(texts) == len(fields)
    return is_message and any(_tells_failure(text, step) for text in texts)


def _is_refusal(status: object, step: Step) -> bool:
    """Whether a status is a refusal, and not the state that the call should bring about."""
    if not isinstance(status, str) or status.lower().replace(" ", "_") not in table.REFUSED:
        return False
    return not _is_requested(status, step)


def _is_error_code(code: object, step: Step) -> bool:
    """Whether a text is a code in capitals with a word of failure: PERMISSION_DENIED."""
    if not isinstance(code, str) or len(code) > OPENING or not _CODE.fullmatch(code):
        return False
    words = {word.lower() for word in re.findall(r"[A-Z][a-z]+|[A-Z0-9]+", code)}
    is_code = not table.ERROR_CODES.isdisjoint(words) or "notfound" in code.lower()
    return is_code and not _is_requested(code, step)


def _is_requested(status: str, step: Step) -> bool:
    """Whether a call asks for the status: reject_request may answer that it is rejected."""
    call = f"{step.tool} {step.arguments}".lower()
    words = table.REFUSED.intersection(status.lower().replace(" ", "_").split("_"))
    return any(word[:_STEM] in call for word in words - {"error"})


def _is_error(error: object) -> bool:
    if isinstance(error, str):
        return error.strip().lower() not in _NO_ERROR
    return error is True or (isinstance(error, dict | list) and bool(error))


def _tells_failure(text: str, step: Step) -> bool:
    """Whether a text reports a failure: at its beginning, or at its end if it is short."""
    if text.lstrip().startswith("Traceback (most recent call last)"):
        return True
    if len(text) > MAX_MESSAGE:
        return False
    match = _FAILURE.match(text) or _REFUSAL.search(text[:OPENING])
    if match is not None:
        return not _is_requested(match[0].strip(" \n:.,!"), step)
    sentences = [part.strip() for part in _SENTENCE_END.split(text) if part.strip()]
    outer = [sentences[0], sentences[-1]] if sentences else []
    return any(_says_that_it_failed(sentence, step) for sentence in outer)


def _says_that_it_failed(sentence: str, step: Step) -> bool:
    """Whether a sentence ends its first clause with a word of failure, or has such a phrase."""
    lowered = sentence.lower()
    spaced = lowered.replace(" ", "_")
    outer = spaced[:PHRASE_RANGE], spaced[-PHRASE_RANGE:]
    if not any(phrase in spaced for phrase in table.DENYING_PHRASES) and any(
        phrase in part for phrase in table.FAILING_PHRASES for part in outer
    ):
        return True
    clause, *reason = _REASON_BEGINS.split(lowered, maxsplit=1)
    words = clause.replace('"', " ").split()
    if not words or words[-1] not in table.FAILING or not table.DENYING.isdisjoint(words):
        return False
    if reason and _NOTHING.match(reason[0]):
        return False
    return table.DONE.isdisjoint(words) and not _is_requested(words[-1], step)

"""Replaces what looks like a secret in runs that become files to keep: references and plans.

A value is a secret if its key is a usual name of secrets, or if it has the form of a well-known
token, a private key or the number of a payment card.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from otap._patterns import regex
from otap.trajectory import Step, Trajectory
from otap.values.value import parse_text

REDACTED = "[redacted]"
_NAMES = """
    password passwd pwd passphrase secret clientsecret secretkey privatekey apikey xapikey
    accesskey accesstoken refreshtoken authtoken bearertoken idtoken sessiontoken authorization
    cookie setcookie credential credentials cvv cvc cardnumber creditcardnumber pin ssn otp
    totp
    """
_KEYS = frozenset(_NAMES.split())
_NOT_LETTER = regex(r"[\W_]")
_TOKEN = regex(
    r"""(?x)
    \b(?:sk|pk|rk)[-_][A-Za-z0-9_-]{16,}            # OpenAI, Anthropic, Stripe
    | \bgh[pousr]_[A-Za-z0-9]{20,} | \bgithub_pat_\w{20,} | \bglpat-[\w-]{16,}
    | \bA(?:KI|SI)A[A-Z0-9]{16}\b | \bAIza[\w-]{30,} | \bya29\.[\w-]{20,}
    | \bxox[abprs]-[A-Za-z0-9-]{10,} | \bhf_[A-Za-z0-9]{20,} | \bnpm_[A-Za-z0-9]{20,}
    | \beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}          # JSON web tokens
    | \b(?i:bearer|basic)\ [A-Za-z0-9._~+/=-]{16,}
    | (?<=://)[^\s/:@]{1,64}:[^\s/@]{1,128}(?=@)    # the user and password of an address
    | -----BEGIN\ [A-Z ]{0,20}PRIVATE\ KEY-----[\s\S]{0,20000}?(?:-----END[A-Z\ ]{0,30}-----|\Z)
    """
)
_CARD = regex(r"(?<![\w.-])[3-6]\d{3}(?:[ -]?\d){9,12}(?![\w-])")
_MAX_LISTED = 5  # fields in one sentence
_Run = TypeVar("_Run", bound=Trajectory)


class Redaction:
    """Replaces the secrets of runs, and counts the values and the secrets by field."""

    def __init__(self) -> None:
        self.values = 0
        self.secrets: Counter[str] = Counter()

    def hide(self, run: _Run) -> _Run:
        """Returns a run without its secrets."""
        texts = {
            name: tuple(self._hide(name, text) for text in getattr(run, name))
            for name in ("request", "messages_to_user", "required_answers")
            if getattr(run, name) is not None
        }
        metadata = self._hide("metadata", run.metadata)
        steps = self._hide_steps(run.steps)
        return run.model_copy(update={**texts, "metadata": metadata, "steps": steps})

    def describe(self) -> str:
        """Returns one sentence with the numbers of copied values and of replaced secrets."""
        sentence = f"{self.values:,} values of the runs are copied"
        if not self.secrets:
            return f"{sentence}; none looks like a secret"
        listed = [
            f"{field} ({count})" for field, count in sorted(self.secrets.items())[:_MAX_LISTED]
        ]
        more = len(self.secrets) - len(listed)
        fields = ", ".join(listed) + (f" and {more} other fields" if more else "")
        return f"{sentence}; {self.secrets.total():,} that look like secrets are not: {fields}"

    def _hide_steps(self, steps: Sequence[Step]) -> tuple[Step, ...]:
        fields = ("action", "arguments", "effect", "state", "metadata")
        hidden = []
        for step in steps:
            update: dict[str, Any] = {
                name: self._hide_field(name, getattr(step, name)) for name in fields
            }
            update["substeps"] = self._hide_steps(step.substeps)
            hidden.append(step.model_copy(update=update))
        return tuple(hidden)

    def _hide_field(self, name: str, content: Any) -> Any:
        """Returns a field of a step; one that is JSON in a text stays text without secrets."""
        before = self.secrets.total()
        hidden = self._hide(name, parse_text(content))
        return content if self.secrets.total() == before else hidden

    def _hide(self, path: str, value: Any) -> Any:
        """Returns a value without the secrets in it.

        Args:
            path: the field, or the field and a key.
            value: its value.
        """
        if isinstance(value, Mapping):
            field = path.partition(".")[0]
            return {
                key: self._hide_member(f"{field}.{key}", str(key), member)
                for key, member in value.items()
            }
        if isinstance(value, list | tuple):
            return [self._hide(path, member) for member in value]
        if value is None or isinstance(value, bool):
            return value
        self.values += 1
        text = value if isinstance(value, str) else str(value)
        hidden = _CARD.sub(_hide_card, _TOKEN.sub(REDACTED, text))
        if hidden == text:
            return value
        self.secrets[path] += 1
        return hidden

    def _hide_member(self, path: str, key: str, member: Any) -> Any:
        is_scalar = isinstance(member, str | int | float) and not isinstance(member, bool)
        if is_scalar and member != "" and _NOT_LETTER.sub("", key).lower() in _KEYS:
            self.values += 1
            self.secrets[path] += 1
            return REDACTED
        return self._hide(path, member)


def _hide_card(match: Any) -> str:
    """Returns the replacement of digits that may be the number of a payment card."""
    digits = [int(character) for character in match[0] if character.isdigit()]
    doubled = [sum(divmod(2 * digit, 10)) for digit in digits[-2::-2]]
    is_card = (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0 and len(set(digits)) > 1
    return REDACTED if is_card else str(match[0])

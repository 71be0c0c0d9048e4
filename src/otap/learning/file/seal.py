"""Whether a settings file is as it was written: it begins with the digest of what follows."""

import hashlib

from otap._patterns import regex

_SEAL = regex(r"# Settings by otap learn .*\n# .* ([0-9a-f]{16})\n\Z")


def sealed(title: str, body: str) -> str:
    """Returns a text behind two lines: a title, and a digest of all that follows."""
    return f"{title}\n# As it was written, if the rest has the digest {_digest(body)}\n{body}"


def is_unedited(text: str) -> bool:
    """Whether a text was made so, and nothing of it was changed since."""
    lines = text.splitlines(keepends=True)
    seal = _SEAL.match("".join(lines[:2]))
    return seal is not None and seal[1] == _digest("".join(lines[2:]))


def _digest(body: str) -> str:
    return hashlib.sha256(body.encode()).hexdigest()[:16]

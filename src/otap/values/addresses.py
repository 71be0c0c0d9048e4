"""Places: paths of files, URLs, e-mail addresses."""

import posixpath
import re
from urllib.parse import parse_qsl, quote, quote_from_bytes, unquote_to_bytes, urlencode, urlsplit

from otap._patterns import regex

_LONGEST = 2048
_URL = regex(r"[a-z][a-z0-9+.-]*://[^\s]+\Z", re.ASCII | re.IGNORECASE)
_HOST = regex(r"(?P<name>[^:\[\]]+|\[[0-9a-f:.]+\])(?P<port>(?::\d+)?):?\Z", re.ASCII)
_PORTS = {"http": ":80", "https": ":443", "ws": ":80", "wss": ":443", "ftp": ":21", "ssh": ":22"}
_EMAIL = regex(r"(?:mailto:)?([^\s@<>,;:/\"]+@[^\s@<>,;:/\"]+\.[^\W\d_]{2,})\Z", re.IGNORECASE)
_SEGMENTS = r"[^\s/\\<>|;\"'`]*"
_UNIX = regex(rf"{_SEGMENTS}(?:/{_SEGMENTS})+\Z")
_SPACED = regex(r"(?:/|\.{1,2}/|~/)(?:[^/\\<>|;\"'`\n]+/)+[^/\\<>|;\"'`\n]+\.\w{1,5}\Z")
_WINDOWS = regex(r"(?:[A-Za-z]:|\.{1,2}|[\w.-]+)(?:[\\/][\w.~@+-]*(?: [\w.~@+-]+)*)+\Z")
_LOOSE = regex(r"  | [/\\]")


def parse_email(text: str) -> str | None:
    """Reads an address, in which letter case is no difference."""
    found = _EMAIL.match(text) if len(text) <= 320 else None
    return found[1].casefold() if found else None


def parse_url(text: str) -> str | None:
    """Reads a URL: case of scheme and host, default ports, percent signs, order of the query."""
    if len(text) > _LONGEST or not _URL.match(text):
        return None
    try:
        return _spell_url(text)
    except ValueError:  # a bracket that is no IPv6 address
        return None


def _spell_url(text: str) -> str:
    parts = urlsplit(text)
    scheme = parts.scheme
    login, at, host = parts.netloc.rpartition("@")
    path = "/".join(map(_quote_segment, parts.path.split("/"))).rstrip("/")
    if scheme == "file" and not host:
        return path or "/"
    named = _HOST.match(host.casefold())
    if not named:
        raise ValueError("no host")
    host = named["name"] + ("" if named["port"] in ("", _PORTS.get(scheme)) else named["port"])
    query = sorted(parse_qsl(parts.query, keep_blank_values=True), key=lambda pair: pair[0])
    asked = "?" + urlencode(query, quote_via=quote) if query else ""
    return f"{scheme}://{login}{at}{host}{path}{asked}" + (
        f"#{parts.fragment}" if parts.fragment else ""
    )


def _quote_segment(segment: str) -> str:
    return quote_from_bytes(unquote_to_bytes(segment), safe="~:@!$&'()*+,;=")


def parse_path(text: str) -> str | None:
    """Reads a path: `./`, `//`, `a/../`, a last slash and Windows' backslashes are no difference.

    A path of one name is that name; one that begins with a slash or a drive keeps it.
    """
    if len(text) > _LONGEST or _LOOSE.search(text):
        return None
    found = text if _UNIX.match(text) or _SPACED.match(text) else _path_of_windows(text)
    return found and posixpath.normpath(found)  # never looks at a disk


def _path_of_windows(text: str) -> str | None:
    if "\\" not in text or not _WINDOWS.match(text):
        return None
    found = text.replace("\\", "/")
    return found[0].upper() + found[1:] if found[1:2] == ":" else found

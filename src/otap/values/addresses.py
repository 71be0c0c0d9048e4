"""Canonical forms of file paths, URLs and e-mail addresses."""

import ipaddress
import posixpath
import re
from urllib.parse import parse_qsl, quote, quote_from_bytes, unquote_to_bytes, urlencode, urlsplit

from otap._patterns import regex

_MAX_LENGTH = 2048  # characters of a URL or path
_URL = regex(r"(?:[a-z][a-z0-9+.-]*:)?//[^\s]+\Z", re.ASCII | re.IGNORECASE)
# Top-level domains that are no extension of a file, as .py, .rs, .sh and .md are.
_DOMAINS = (
    "com|org|net|edu|gov|mil|int|io|dev|ai|biz|tv|xyz|example|test|local|localhost|internal"
    "|co|uk|us|ca|au|nz|de|at|ch|fr|es|pt|it|nl|be|lu|se|no|dk|fi|ie|eu|eus|cz|sk|hu|ro|bg|gr"
    "|tr|ru|ua|by|jp|cn|kr|tw|hk|sg|th|vn|id|ph|br|mx|ar|cl|pe|za|ng|ke|eg|ae|sa|il"
)
# A host without a scheme: www.x.org, x.org/a, localhost:80/a, 10.0.0.1:80/a.
_BARE_HOST = regex(
    rf"(?:www\.[\w-]+(?:\.[\w-]+)+\.?|(?:[\w-]+\.)+(?:{_DOMAINS})\.?|localhost(?=[:/])"
    r"|(?:\d{1,3}\.){3}\d{1,3}(?=:\d|/(?!\d+\Z)))(?::\d{1,5})?(?=[/?#]|\Z)[^\s\\]*\Z",
    re.IGNORECASE,
)
_HOST = regex(r"(?P<name>[^:\[\]]+|\[[0-9a-f:.]+\])(?P<port>(?::\d+)?):?\Z", re.ASCII)
_IP = regex(r"[0-9a-f:.]{2,45}(?:/[\d.]{1,15})?\Z", re.IGNORECASE)
_WEB = ("", "http", "https")
_PORTS = {"http": ":80", "https": ":443", "ws": ":80", "wss": ":443", "ftp": ":21", "ssh": ":22"}
_EMAIL = regex(
    r"(?:mailto:|[^@<>,;:/\"]{1,100}\s<)?([^\s@<>,;:/\"]+@[^\s@<>,;:/\"]+\.[^\W\d_]{2,})>?\Z",
    re.IGNORECASE,
)
_SEGMENTS = r"[^\s/\\<>|;\"'`]*"
_UNIX = regex(rf"{_SEGMENTS}(?:/{_SEGMENTS})+\Z")
_SPACED = regex(r"(?:/|\.{1,2}/|~/)(?:[^/\\<>|;\"'`\n]+/)+[^/\\<>|;\"'`\n]+\.\w{1,5}\Z")
_WINDOWS = regex(r"(?:[A-Za-z]:|\.{1,2}|[\w.-]+)(?:[\\/][\w.~@+-]*(?: [\w.~@+-]+)*)+\Z")
_BLANK_IN_PATH = regex(r"  | [/\\]")


def parse_email(text: str) -> str | None:
    """Returns an e-mail address in small letters, without the name before it, or None."""
    address = _EMAIL.match(text) if len(text) <= 320 else None
    return address[1].casefold() if address else None


def parse_url(text: str) -> str | None:
    """Returns the canonical form of a URL, or None.

    The case of scheme and host, `www.`, default ports, percent signs, a last slash and the order of
    the query have no meaning. Nor has the scheme of a page: http, https, or none before a host.
    """
    if len(text) > _MAX_LENGTH:
        return None
    if not _URL.match(text):
        if not _BARE_HOST.match(text):
            return None
        text = f"//{text}"
    try:
        return _normalize_url(text)
    except ValueError:  # brackets without an IPv6 address
        return None


def _normalize_url(text: str) -> str:
    parts = urlsplit(text)
    login, at, host = parts.netloc.rpartition("@")
    # Decodes and encodes each segment, so that equal paths have equal percent signs.
    segments = [
        quote_from_bytes(unquote_to_bytes(segment), safe="~:@!$&'()*+,;=")
        for segment in parts.path.split("/")
    ]
    path = "/".join(segments)
    if "/." in path:
        path = posixpath.normpath(path)
    path = path.rstrip("/")
    if parts.scheme == "file" and not host:
        return path or "/"
    address = _HOST.match(host.casefold())
    if not address:
        raise ValueError("no host")
    port = "" if address["port"] == _PORTS.get(parts.scheme) else address["port"]
    query = sorted(parse_qsl(parts.query, keep_blank_values=True), key=lambda pair: pair[0])
    suffix = "?" + urlencode(query, quote_via=quote) if query else ""
    suffix += f"#{parts.fragment}" if parts.fragment else ""
    is_page = parts.scheme in _WEB
    scheme = "" if is_page else f"{parts.scheme}:"
    name = _normalize_host(address["name"])
    name = name.removeprefix("www.") if is_page else name
    return f"{scheme}//{login}{at}{name}{port}{path}{suffix}"


def _normalize_host(name: str) -> str:
    """Returns a host in the letters of the network, without the dot of the root."""
    name = name.removesuffix(".")
    if name.startswith("["):
        return f"[{ipaddress.ip_address(name[1:-1]).compressed}]"
    if name.isascii():
        return name
    try:
        return name.encode("idna").decode("ascii")
    except UnicodeError:
        return name


def parse_ip(text: str) -> str | None:
    """Returns the short form of an address or a network of IP, or None for other texts."""
    if text.startswith("[") and text.endswith("]"):
        text = text[1:-1]
    if not _IP.match(text) or (":" not in text and "/" not in text):
        return None
    try:
        if "/" not in text:
            return ipaddress.ip_address(text).compressed
        network = ipaddress.ip_interface(text)
        return f"{network.ip.compressed}/{network.network.prefixlen}"
    except ValueError:
        return None


def parse_path(text: str) -> str | None:
    """Returns the canonical form of a path, or None.

    `./`, `//`, `a/../`, a last slash and Windows' backslashes have no meaning. A path of a single
    name is that name; a slash or a drive at the beginning stays.
    """
    if len(text) > _MAX_LENGTH or _BLANK_IN_PATH.search(text):
        return None
    path = text if _UNIX.match(text) or _SPACED.match(text) else _path_from_windows(text)
    return path and posixpath.normpath(path)  # never reads a disk


def _path_from_windows(text: str) -> str | None:
    if "\\" not in text or not _WINDOWS.match(text):
        return None
    path = text.replace("\\", "/")
    return path[0].upper() + path[1:] if path[1:2] == ":" else path

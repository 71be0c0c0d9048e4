"""The limits on the files that are read. Each limit has an error that names it."""

from dataclasses import dataclass

from otap.trajectory import MAX_STEPS

MAX_BYTES = 1 << 30
MAX_DEPTH = 100  # the parser itself fails at about 200
MAX_WAIT = 60.0  # seconds until a process opens a named pipe for writing
MAX_NESTING = 30  # tool calls inside tool calls
# A run is written in OTAP's own format with its arguments a few levels down. They must fit as well.
ARGUMENTS_DEPTH = MAX_DEPTH - 10

# Of a zip archive or a compressed file:
MAX_MEMBERS = 100_000
MAX_RATIO = 200  # unpacked to packed size; repetitive JSON packs about 50 times
MAX_UNPACK_MEMORY = 128 << 20  # bytes that a decompressor may use for its window
MIN_BOMB_BYTES = 16 << 20  # a file that unpacks to no more is accepted at any ratio


@dataclass(frozen=True)
class Limits:
    """The limits that a caller can set. Sub-steps count as steps; a wait is in seconds."""

    max_bytes: int = MAX_BYTES
    max_depth: int = MAX_DEPTH
    max_steps: int = MAX_STEPS
    max_wait: float = MAX_WAIT


LIMITS = Limits()

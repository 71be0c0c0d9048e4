"""How much a file may hold: every limit of reading, each named by the error that it raises."""

from dataclasses import dataclass

from otap.trajectory import MAX_STEPS

MAX_BYTES = 1 << 30
MAX_DEPTH = 100  # the parser itself gives up at about 200
MAX_WAIT = 60.0  # seconds until somebody opens a named pipe for writing
MAX_NESTING = 30  # tool calls inside tool calls
# What is read can be written as our own format, in which arguments lie a few levels down.
ARGUMENTS_DEPTH = MAX_DEPTH - 10

# Of a zip archive:
MAX_MEMBERS = 100_000
MAX_RATIO = 200  # JSON that repeats itself packs some 50 times
FREE = 16 << 20  # bytes; a file that unpacks to less is no bomb, whatever its ratio


@dataclass(frozen=True)
class Limits:
    """The limits that a caller can set; sub-steps count as steps, a wait is in seconds."""

    max_bytes: int = MAX_BYTES
    max_depth: int = MAX_DEPTH
    max_steps: int = MAX_STEPS
    max_wait: float = MAX_WAIT


LIMITS = Limits()

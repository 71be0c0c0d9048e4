"""The command ``otap``, and ``python -m otap``."""

import gc
import os
import signal
import sys
from contextlib import suppress
from typing import NoReturn

# A command is over before thread pools and plug-ins have paid for their start.
_SHORT_LIVED = {
    "OPENBLAS_NUM_THREADS": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "PYDANTIC_DISABLE_PLUGINS": "__all__",
}


def main() -> NoReturn:
    """Runs the command line."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupted)
    for name, value in _SHORT_LIVED.items():
        os.environ.setdefault(name, value)
    gc.disable()  # a collection while modules load finds nothing, and costs a tenth of the start
    from otap import cli

    cli.load(sys.argv[1:])
    gc.freeze()
    gc.enable()
    try:
        cli.main()
    except SystemExit as end:
        _leave(end.code if isinstance(end.code, int) else 0)


def _interrupted(*_: object) -> NoReturn:
    """Ends the process by Ctrl-C, wherever it is: an exception would be lost in some places."""
    os._exit(130)  # as cli.output has it, which may not be loaded yet


def _leave(code: int) -> NoReturn:
    """Ends the process at once: taking all modules apart again takes a fifth of a short run."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # the reader is gone
            stream.flush()
    os._exit(code)


if __name__ == "__main__":
    main()

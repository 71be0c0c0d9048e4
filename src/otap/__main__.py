"""The command ``otap``, and ``python -m otap``."""

import gc
import os
import signal
import sys
from contextlib import suppress
from typing import NoReturn

# Thread pools and plug-ins take longer to start than they save in a short command.
_ENVIRONMENT = {
    "OPENBLAS_NUM_THREADS": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "PYDANTIC_DISABLE_PLUGINS": "__all__",
}


def main() -> NoReturn:
    """Runs the command line."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _exit_on_interrupt)
    for name, value in _ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    gc.disable()  # collections while modules load free nothing, and take a tenth of the start
    from otap import cli

    cli.load(sys.argv[1:])
    gc.freeze()
    gc.enable()
    try:
        cli.main()
    except SystemExit as end:
        _exit(end.code if isinstance(end.code, int) else 0)


def _exit_on_interrupt(*_: object) -> NoReturn:
    """Exits at once on Ctrl-C; some callers would swallow an exception."""
    os._exit(130)  # INTERRUPTED in cli.output, which may not be loaded yet


def _exit(code: int) -> NoReturn:
    """Exits without unloading the modules, which takes a fifth of a short command."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # the reader closed the pipe
            stream.flush()
    os._exit(code)


if __name__ == "__main__":
    main()

"""The command ``otap``, and ``python -m otap``."""

import gc
from typing import NoReturn


def main() -> NoReturn:
    """Runs the command line."""
    gc.disable()  # a collection while modules load finds nothing, and costs a tenth of the start
    from otap import cli

    gc.freeze()
    gc.enable()
    cli.main()


if __name__ == "__main__":
    main()

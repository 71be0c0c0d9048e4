"""The command line: a module a command, and what they share.

``app`` holds the table of commands and turns errors into exit codes, ``options`` and ``labels`` are
what several commands ask for, ``output`` has exit codes and how data leaves, ``references`` what
runs are compared with, ``progress`` how far many runs have come. A new command is a module with a
function of the same name, and one line of the table :data:`otap.cli.app.COMMANDS`.
"""

from otap.cli.app import load, main

__all__ = ["load", "main"]

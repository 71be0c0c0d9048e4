"""The command line, with one module for each command.

- ``app`` has the table of commands, and converts errors to exit codes.
- ``options`` and ``labels`` have the options that several commands share.
- ``output`` has the exit codes, and writes and prints.
- ``references`` reads the references of a command, and ``gate`` decides its exit code.
- ``progress`` shows the progress of many runs.

To add a command, write a module with a function of the same name, and add the name to
:data:`otap.cli.app.COMMANDS`.
"""

from otap.cli.app import load, main

__all__ = ["load", "main"]

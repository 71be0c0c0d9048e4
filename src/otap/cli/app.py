"""The program: its commands, its general options, and the exit code of whatever happens."""

import os
import sys
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, NoReturn, TextIO

import typer

from otap._version import __version__
from otap.cli.output import BAD_INPUT, INTERNAL, INTERRUPTED, say
from otap.errors import OtapError, shown, shown_path
from otap.transport import core_name

# Each is a module of this package and the function in it of that name; help lists them so.
COMMANDS = (
    "score",
    "evaluate",
    "compare",
    "report",
    "learn",
    "calibrate",
    "select",
    "plan",
    "graph",
    "convert",
    "formats",
)
# The root of what typer complains about; it may carry a click of its own, so click is not imported.
_USAGE_ERROR: Any = typer.BadParameter.__mro__[2]


def general(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Show the version and stop.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
) -> None:
    """Scores what an LLM agent did: how close its run is to known-good solutions, and why."""
    del debug  # main() looks for it itself: it must know before any command runs
    if version:
        print(f"otap {__version__} (core: {core_name()})")
        raise typer.Exit
    if context.invoked_subcommand is None:
        print(context.get_help())
        raise typer.Exit


def load(arguments: Sequence[str]) -> dict[str, Callable[..., None]]:
    """Loads the commands; the one alone that the first word names, and no other's modules."""
    first = arguments[0] if arguments else ""
    names = [first] if first in COMMANDS else COMMANDS
    return {name: getattr(import_module(f"otap.cli.{name}"), name) for name in names}


def _program(arguments: Sequence[str]) -> typer.Typer:
    app = typer.Typer(
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        add_completion=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback(invoke_without_command=True)(general)
    for name, command in load(arguments).items():
        app.command(name)(command)
    return app


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Runs the command line, and ends the process with one of the codes of ``output``.

    Args:
        arguments: the words of the command line without the program's name; None: those that this
            process was started with.

    Raises:
        SystemExit: always; its code is the exit code.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in given
    _open_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a locale without our arrows must not end in an error
            stream.reconfigure(errors="replace")
    sys.exit(_run([argument for argument in given if argument != "--debug"], debug))


def _open_closed_streams() -> None:
    """Opens the standard streams that whoever started us had closed; what is written is lost.

    A file that is opened later would take the number of one, and be written to as that.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    sys.stdout, sys.stderr = sys.stdout or _nowhere(), sys.stderr or _nowhere()


def _nowhere() -> TextIO:
    return Path(os.devnull).open("w", encoding="utf-8")


def _run(arguments: Sequence[str], debug: bool) -> int:
    code = 0
    try:
        code = int(_program(arguments)(arguments, prog_name="otap", standalone_mode=False) or 0)
        sys.stdout.flush()
        return code
    except (typer.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except _USAGE_ERROR as error:
        return _complain(f"{error.format_message()} (see otap --help)", BAD_INPUT, debug)
    except OtapError as error:
        return _complain(str(error), BAD_INPUT, debug)
    except (BrokenPipeError, SystemExit):  # the reader had enough, as head does; or rich says so
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return code  # a gate that failed has failed, whoever reads on
    except OSError as error:
        return _complain(_refused(error), BAD_INPUT, debug)
    except Exception as error:
        return _complain(_internal(error), INTERNAL, debug)


def _refused(error: OSError) -> str:
    """What the system would not do; that of standard output names no file."""
    reason = error.strerror or type(error).__name__
    if error.filename is None:
        return f"cannot write to standard output ({reason})"
    return f"{shown_path(error.filename)}: cannot be read or written ({reason})"


def _internal(error: Exception) -> str:
    return (
        f"internal error ({type(error).__name__}: {shown(error, 200)}); please report it to OTAP's "
        "developers, with what --debug shows"
    )


def _complain(message: str, code: int, debug: bool) -> int:
    if debug:
        with suppress(OSError, ValueError):
            traceback.print_exc()
    say(shown(message, 1000))
    return code

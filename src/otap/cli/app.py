"""The program: its commands, its general options, and the exit codes of errors."""

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
from otap.cli.options import help_text
from otap.cli.output import BAD_INPUT, INTERNAL, INTERRUPTED, filter_messages, hide_private, say
from otap.errors import OtapError, disarm, shown, shown_path
from otap.transport import core_name

# Each is a module of this package, and a function in it of the same name; in the order of the help.
COMMANDS = (
    "demo",
    "init",
    "score",
    "evaluate",
    "compare",
    "report",
    "record",
    "check",
    "accept",
    "calibrate",
    "select",
    "plan",
    "graph",
    "convert",
    "formats",
)
COPYING = ("record", "select", "plan")  # they redact, unless --no-redaction
# The root of typer's usage errors. Typer may vendor its own click, so click is not imported.
_USAGE_ERROR: Any = typer.BadParameter.__mro__[2]


def general(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
) -> None:
    """Score runs of LLM agents: how close they are to known-good runs, and why.

    Examples:
      otap score mine.json -r good.json                scores one run
      otap evaluate runs/ -r good/ -o results.jsonl    scores many runs
      otap compare old.jsonl results.jsonl             better, equal or worse?
      otap formats mine.json                           how OTAP reads a trace

    'otap COMMAND --help' explains a command.
    """
    del debug  # main() reads it from the arguments, before any command runs
    if version:
        print(f"otap {__version__} (core: {core_name()})")
        raise typer.Exit
    if context.invoked_subcommand is None:
        print(context.get_help())
        raise typer.Exit


def load(arguments: Sequence[str]) -> dict[str, Callable[..., None]]:
    """Loads the command that the first argument names, or else all commands."""
    name = arguments[0] if arguments else ""
    names = [name] if name in COMMANDS else COMMANDS
    return {name: getattr(import_module(f"otap.cli.{name}"), name) for name in names}


def _program(arguments: Sequence[str]) -> typer.Typer:
    app = typer.Typer(
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback(invoke_without_command=True, help=help_text(general))(general)
    for name, command in load(arguments).items():
        app.command(name)(command)
    return app


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Runs the command line, and exits with one of the codes of ``output``.

    Args:
        arguments: the arguments without the program's name; None for those of this process.

    Raises:
        SystemExit: always, with the exit code.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in words
    _open_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a locale that cannot encode our arrows is no error
            stream.reconfigure(errors="replace")
    sys.exit(_run([word for word in words if word != "--debug"], debug))


def _open_closed_streams() -> None:
    """Opens closed standard streams; their output is lost.

    Otherwise the next file to be opened would get the descriptor of a standard stream, and the
    output of the stream would go into this file.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    sys.stdout, sys.stderr = sys.stdout or _open_null(), sys.stderr or _open_null()


def _open_null() -> TextIO:
    return Path(os.devnull).open("w", encoding="utf-8")


def _run(arguments: Sequence[str], debug: bool) -> int:
    code = 0
    filter_messages(str)
    try:
        if _is_redacting(arguments):
            from otap.cli.secrets import MessageFilter  # loads what other commands do not need

            filter_messages(MessageFilter(arguments))
        code = int(_program(arguments)(arguments, prog_name="otap", standalone_mode=False) or 0)
        sys.stdout.flush()
        return code
    except (typer.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except _USAGE_ERROR as error:
        command = "otap" if error.ctx is None else error.ctx.command_path
        return _complain(f"{error.format_message()} (see {command} --help)", BAD_INPUT, debug)
    except OtapError as error:
        return _complain(str(error), BAD_INPUT, debug)
    except (BrokenPipeError, SystemExit):  # the reader closed the pipe, like head; rich may exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return code  # a closed pipe does not change the result of a gate
    except OSError as error:
        return _complain(_describe_os_error(error), BAD_INPUT, debug)
    except Exception as error:
        message = (
            f"internal error ({type(error).__name__}: {shown(error, 200)}); please report it to"
            " OTAP's developers, with the output of --debug"
        )
        return _complain(message, INTERNAL, debug)


def _is_redacting(arguments: Sequence[str]) -> bool:
    """Returns whether a command line asks for output without private values."""
    is_copying = bool(arguments) and arguments[0] in COPYING
    return "--redact" in arguments or (
        is_copying and "--no-redaction" not in arguments and "--check" not in arguments
    )


def _describe_os_error(error: OSError) -> str:
    """Returns the message of an error of the system; one without a file is of standard output."""
    reason = error.strerror or type(error).__name__
    if error.filename is None:
        return f"cannot write to standard output ({reason})"
    return f"{shown_path(error.filename)}: cannot be read or written ({reason})"


def _complain(message: str, code: int, debug: bool) -> int:
    if debug:
        with suppress(OSError, ValueError):
            print(disarm(hide_private(traceback.format_exc())), end="", file=sys.stderr)
    say(shown(message, 1000))
    return code

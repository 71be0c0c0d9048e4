"""Opens the run of a command: a file, or a session of a coding agent."""

from datetime import datetime

from otap import formats
from otap.cli import options
from otap.cli.output import say
from otap.errors import ConfigError, shown, shown_path
from otap.formats.sessions import find_session, open_session


def open_run(
    run: str | None, session: str | None, reading: options.Reading
) -> tuple[str, list[formats.TraceFile]]:
    """Returns the name of a file and its content; prints which session was found.

    Args:
        run: the file, or None.
        session: the name of a session, or None.
        reading: how it is read.

    Raises:
        ConfigError: if there is neither a file nor a session, or both.
        FormatError: if it cannot be found or read.
    """
    if run is not None and session is not None:
        raise ConfigError(f"{shown_path(run)}: give a file or --session, not both")
    if run is not None:
        return run, list(formats.open_files(run, format=reading.format_name))
    if session is None:
        raise ConfigError("no run; name a file, or a session of a coding agent: --session latest")
    stored = find_session(session)
    modified = datetime.fromtimestamp(stored.modified).astimezone().isoformat(" ", "seconds")
    path = shown_path(stored.path)
    say(f"session of {stored.agent}: {shown(stored.id)}, changed {modified}, {path}")
    return str(stored.path), open_session(stored, format=reading.format_name)

"""Pictures as the option ``--plot`` asks for them."""

from pathlib import Path
from typing import TYPE_CHECKING

from otap.cli.output import write_bytes

if TYPE_CHECKING:
    from otap.report.picture import Picture


def check_plot(plot: Path | None) -> None:
    """Refuses, before any work is done, a picture that could not be drawn.

    Raises:
        ConfigError: for another kind of picture, or if matplotlib is not installed.
    """
    if plot is not None:
        from otap.report.picture import check_picture

        check_picture(plot)


def write_plot(picture: "Picture", plot: Path) -> None:
    """Writes a picture.

    Raises:
        ConfigError: if it cannot be written.
    """
    from otap.report.picture import picture_file

    write_bytes(plot, picture_file(picture, plot))

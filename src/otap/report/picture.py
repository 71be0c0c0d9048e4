"""Pictures as files: the same bytes for the same data, with their text beside them.

Needs matplotlib, the extra ``plot``.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape

from otap.errors import ConfigError, shown_path

if TYPE_CHECKING:
    from matplotlib.figure import Figure

KINDS = (".svg", ".png")
# Of Okabe and Ito, which nobody mistakes for each other; what they say is said by form as well.
BLUE, SKY, GREEN, RED, ORANGE = "#0072B2", "#56B4E9", "#009E73", "#D55E00", "#E69F00"
GREY, BLACK = "#767676", "#000000"
_SETTINGS: Any = {
    "svg.hashsalt": "otap",
    "svg.fonttype": "none",
    "hatch.linewidth": 0.6,
    "font.size": 9,
    "text.parse_math": False,  # names of tools are no formulas
}


@dataclass(frozen=True)
class Picture:
    """What is drawn, and what it says in words to who cannot see it.

    Args:
        title: in a few words.
        text: all that it says.
        size: width and height in inches.
        fill: draws it on an empty figure.
    """

    title: str
    text: str
    size: tuple[float, float]
    fill: "Callable[[Figure], None]"


def check_picture(path: Path) -> None:
    """Refuses, before any work is done, a picture that could not be drawn.

    Raises:
        ConfigError: for another kind of picture, or if matplotlib is not installed.
    """
    if path.suffix.lower() not in KINDS:
        raise ConfigError(f"--plot {shown_path(path)}: name a file that ends with .svg or .png")
    if find_spec("matplotlib") is None:
        raise ConfigError("--plot needs matplotlib; install it with: pip install 'otap[plot]'")


def picture_file(picture: Picture, path: Path) -> bytes:
    """Returns a picture as a file of the kind that a name ends with."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    kind, file = path.suffix.lower().lstrip("."), BytesIO()
    about: dict[str, Any] = {"Date": None} if kind == "svg" else {"Description": picture.text}
    with mpl.rc_context(_SETTINGS):
        figure = Figure(figsize=picture.size, layout="constrained")
        picture.fill(figure)
        figure.savefig(file, format=kind, metadata=about, dpi=150)
    return _add_text(file.getvalue(), picture) if kind == "svg" else file.getvalue()


def _add_text(data: bytes, picture: Picture) -> bytes:
    """An SVG with its title and its text."""
    end = data.index(b">", data.index(b"<svg "))
    said = (
        f' role="img" aria-describedby="about">\n<title>{escape(picture.title)}</title>\n'
        f'<desc id="about">{escape(picture.text)}</desc>'
    )
    return data[:end] + said.encode() + data[end + 1 :]

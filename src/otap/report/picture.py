"""Writes pictures as files with a text alternative; equal data give equal bytes.

Needs matplotlib, from the extra ``plot``.
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
# The palette of Okabe and Ito, for colour-blind readers. Shapes repeat the meaning of colours.
BLUE, SKY, GREEN, RED, ORANGE = "#0072B2", "#56B4E9", "#009E73", "#D55E00", "#E69F00"
GREY, BLACK = "#767676", "#000000"
_SETTINGS: Any = {
    "svg.hashsalt": "otap",
    "svg.fonttype": "none",
    "hatch.linewidth": 0.6,
    "font.size": 9,
    "text.parse_math": False,  # a tool name may contain dollar signs
}


@dataclass(frozen=True)
class Picture:
    """A drawing with its text alternative.

    Attributes:
        title: a few words.
        text: everything that the picture shows, in sentences.
        size: width and height in inches.
        fill: draws the picture on an empty figure.
    """

    title: str
    text: str
    size: tuple[float, float]
    fill: "Callable[[Figure], None]"


def check_picture(path: Path) -> None:
    """Checks that a picture can be drawn, before any other work starts.

    Raises:
        ConfigError: if the file name has another ending than KINDS, or matplotlib is missing.
    """
    if path.suffix.lower() not in KINDS:
        raise ConfigError(f"--plot {shown_path(path)}: name a file that ends with .svg or .png")
    if find_spec("matplotlib") is None:
        raise ConfigError("--plot needs matplotlib; install it with: pip install 'otap[plot]'")


def picture_file(picture: Picture, path: Path) -> bytes:
    """Returns a picture as a file; the ending of the path says of which kind."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    kind, file = path.suffix.lower().lstrip("."), BytesIO()
    metadata: dict[str, Any] = {"Date": None} if kind == "svg" else {"Description": picture.text}
    with mpl.rc_context(_SETTINGS):
        figure = Figure(figsize=picture.size, layout="constrained")
        picture.fill(figure)
        figure.savefig(file, format=kind, metadata=metadata, dpi=150)
    return _add_text(file.getvalue(), picture) if kind == "svg" else file.getvalue()


def _add_text(svg: bytes, picture: Picture) -> bytes:
    """Adds the title and the text of a picture to its SVG."""
    end = svg.index(b">", svg.index(b"<svg "))
    text = (
        f' role="img" aria-describedby="about">\n<title>{escape(picture.title)}</title>\n'
        f'<desc id="about">{escape(picture.text)}</desc>'
    )
    return svg[:end] + text.encode() + svg[end + 1 :]

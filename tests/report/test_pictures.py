"""Pictures: the same bytes for the same data, text beside them, nothing of a trace as markup."""

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from otap.errors import ConfigError, shown
from otap.report.picture import Picture, check_picture, picture_file

pytest.importorskip("matplotlib")
HOSTILE = "</text><script>x</script>\x1b[31m $x_1^{2}$ \u202e"
SVG = Path("weights.svg")


NAME = shown(HOSTILE)
PICTURE = Picture(
    NAME, f"{NAME} weighs 1", (4.0, 3.0), lambda figure: figure.add_subplot().set_title(NAME)
)


def test_names_are_text() -> None:
    """Markup and escapes of a name are told as they stand, and bytes are repeatable."""
    data = picture_file(PICTURE, SVG)
    assert data == picture_file(PICTURE, SVG)
    root = ET.fromstring(data)
    names = {element.tag.rpartition("}")[2] for element in root.iter()}
    assert "script" not in names
    assert {"title", "desc"} <= names
    assert b"\x1b" not in data
    assert "\u202e".encode() not in data


def test_a_png_has_the_text_too() -> None:
    data = picture_file(PICTURE, Path("weights.PNG"))
    assert data.startswith(b"\x89PNG")
    assert b"weighs 1" in data


def test_what_cannot_be_drawn_is_said_first(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigError, match=r"ends with \.svg or \.png"):
        check_picture(Path("weights.jpg"))
    monkeypatch.setattr("otap.report.picture.find_spec", lambda _: None)
    with pytest.raises(ConfigError, match=r"pip install .otap\[plot\]"):
        check_picture(SVG)

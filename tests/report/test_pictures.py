"""Pictures: the same bytes for the same data, text beside them, nothing of a trace as markup."""

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

import otap
from otap.errors import ConfigError
from otap.learning import Learned
from otap.report.learned.learning import weights_picture
from otap.report.picture import check_picture, picture_file

pytest.importorskip("matplotlib")
HOSTILE = "</text><script>x</script>\x1b[31m $x_1^{2}$ \u202e"
SVG = Path("weights.svg")


def taught(tool: str) -> Learned:
    """What runs teach of a tool that only looks, whatever it is called."""
    runs = [
        otap.Trajectory(
            task=f"t{task}", trial=trial, outcome=float(trial < 2),
            steps=(
                otap.Step(id="pay", tool="pay", arguments={"to": task if trial < 2 else -task}),
                *(
                    otap.Step(id=f"look{k}", tool=tool, arguments={"page": k})
                    for k in range((task + trial) % 3)
                ),
            ),
        )
        for task in range(1, 9)
        for trial in range(4)
    ]  # fmt: skip
    gold = [
        otap.Trajectory(
            task=f"t{task}", steps=(otap.Step(id="1", tool="pay", arguments={"to": task}),)
        )
        for task in range(1, 9)
    ]
    return otap.learn(runs, gold)


@pytest.fixture(scope="module")
def learned() -> Learned:
    return taught(HOSTILE)


def test_what_was_learned_is_told_in_words(learned: Learned) -> None:
    """Every tool with its weight and interval, and which one was recognised as something else."""
    text = weights_picture(learned).text
    assert "pay weighs 1, from" in text
    assert "weighs 0.05, from" in text
    assert "which was recognised as what writes" in text


def test_names_are_text(learned: Learned) -> None:
    """Markup, escapes and formulas of a name are drawn as they stand, and bytes are repeatable."""
    data = picture_file(weights_picture(learned), SVG)
    assert data == picture_file(weights_picture(learned), SVG)
    root = ET.fromstring(data)
    names = {element.tag.rpartition("}")[2] for element in root.iter()}
    assert "script" not in names
    assert {"title", "desc"} <= names
    assert b"\x1b" not in data
    assert "\u202e".encode() not in data


def test_a_png_has_the_text_too(learned: Learned) -> None:
    data = picture_file(weights_picture(learned), Path("weights.PNG"))
    assert data.startswith(b"\x89PNG")
    assert b"pay weighs 1" in data


def test_without_any_weight_it_is_empty() -> None:
    learned = otap.learn([otap.Trajectory(task="1", steps=())])
    assert weights_picture(learned).text == "No weight is known."
    assert picture_file(weights_picture(learned), SVG).startswith(b"<?xml")


def test_what_cannot_be_drawn_is_said_first(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigError, match=r"ends with \.svg or \.png"):
        check_picture(Path("weights.jpg"))
    monkeypatch.setattr("otap.report.picture.find_spec", lambda _: None)
    with pytest.raises(ConfigError, match=r"pip install .otap\[plot\]"):
        check_picture(SVG)

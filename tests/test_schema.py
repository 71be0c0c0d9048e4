"""The published JSON schemas are those of the models; `scripts/schema` writes them again."""

import json
from pathlib import Path

import pytest

import otap

FOLDER = Path(__file__).parents[1] / "docs" / "schema"


@pytest.mark.parametrize(
    ("name", "model"), [("otap.trajectory-1", otap.Trajectory), ("otap.score-1", otap.Score)]
)
def test_published_schema_is_the_models(name: str, model: type[otap.Trajectory]) -> None:
    """A changed field is published before it is released."""
    text = (FOLDER / f"{name}.json").read_text(encoding="utf-8")
    expected = json.dumps(model.model_json_schema(), indent=2, ensure_ascii=False) + "\n"
    assert text == expected, "run scripts/schema"

"""What docs/ says of the code is what the code says; `scripts/pages` writes it again."""

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping
from typing import Any

from docs.pages.imports import imports, reached, reduction
from docs.pages.made import DOCS, made
from otap import Config
from otap.findings import KINDS
from otap.paper.unrelated import UNRELATED
from test_architecture import MAY_IMPORT

ARROW = re.compile(r'<path class="arrow"')


def test_what_is_made_from_the_code_is_up_to_date() -> None:
    """Each page, schema and picture is what the code makes now."""
    old = [file.name for file, text in made().items() if file.read_text("utf-8") != text]
    assert old == [], "run scripts/pages"


def settings(schema: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every setting, those in tables included."""
    for model in (schema, *schema["$defs"].values()):
        yield from model.get("properties", {}).items()


def test_every_setting_says_what_it_does() -> None:
    """A setting without a description is none that a user can know."""
    found = list(settings(Config.model_json_schema()))
    assert len(found) > 30
    assert [name for name, setting in found if not setting.get("description")] == []


def test_the_page_of_settings_names_each_with_both_presets() -> None:
    """Every setting of every table has a row of five cells."""
    rows = [line for line in (DOCS / "settings.md").read_text("utf-8").splitlines() if "|" in line]
    for name, _ in settings(Config.model_json_schema()):
        found = [row for row in rows if row.startswith(f"| `{name}` |")]
        assert found, name
        assert all(len(re.split(r"(?<!\\) \| ", row.strip("| "))) == 5 for row in found)


def test_the_table_of_imports_is_the_code() -> None:
    """The table allows nothing that nothing needs, and the code nothing that it forbids."""
    assert {stage: set(below) for stage, below in imports().items()} == MAY_IMPORT


def test_the_picture_shows_every_import_by_a_path() -> None:
    """What follows from other arrows is left out; nothing else is, and nothing is added."""
    graph = imports()
    drawn = reduction(graph)
    assert {stage: reached(drawn, stage) for stage in graph} == {
        stage: reached(graph, stage) for stage in graph
    }


def test_the_picture_is_a_picture() -> None:
    """It has a box for each stage, and an arrow for each import that it shows."""
    text = (DOCS / "architecture.svg").read_text("utf-8")
    ET.fromstring(text)
    named = {stage for stage in imports() if not stage.startswith("_")}
    assert set(re.findall(r'class="name"[^>]*>([^<]+)<', text)) == named
    drawn = reduction({k: v & named for k, v in imports().items() if k in named})
    assert len(ARROW.findall(text)) == sum(map(len, drawn.values()))


def test_the_costs_of_unrelated_steps_are_those_of_the_code() -> None:
    """The table that skill is computed with is the one on the page."""
    page = (DOCS / "how-the-number-is-computed.md").read_text("utf-8")
    rows = page.split("<!-- unrelated -->\n")[1].split("\n\n")[0].splitlines()
    shown = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    fields = shown[0][1:]
    assert {row[0]: [float(cost) for cost in row[1:]] for row in shown[2:]} == {
        encoder: [UNRELATED[field][encoder] for field in fields] for encoder in UNRELATED["action"]
    }


def test_the_page_of_findings_has_each_kind_with_its_severity() -> None:
    """Both tables have a row for each kind, and no other."""
    page = (DOCS / "findings.md").read_text("utf-8")
    _, rules, severities = re.split(r"^\| kind \| (?:rule|critical).*$", page, flags=re.MULTILINE)
    for table in (rules, severities.split("\n\n")[0]):
        rows = re.findall(r"^\| (\w+(?:, \w+)*) \|", table, re.MULTILINE)
        assert {kind for row in rows for kind in row.split(", ")} == set(KINDS)

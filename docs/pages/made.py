"""Which files of `docs/` are made from the code, and what is in them now."""

import json
from collections.abc import Mapping
from pathlib import Path

import otap
from docs.pages import architecture, settings
from otap.config.schema import NAME as SETTINGS
from otap.config.schema import settings_schema, with_identity
from otap.evaluation.comparison import Comparison
from otap.learning import ToolRoles
from otap.learning.calibration import Calibration
from otap.learning.selection import Selection
from otap.plans.model import PlanFile

DOCS = Path(__file__).parents[1]
SCHEMAS = {
    "otap.trajectory-1": otap.Trajectory,
    "otap.plan-1": PlanFile,
    "otap.score-1": otap.Score,
    "otap.comparison-1": Comparison,
    "otap.selection-1": Selection,
    "otap.learning-1": ToolRoles,
    "otap.calibration-1": Calibration,
}


def made() -> Mapping[Path, str]:
    """Returns the text of each file that is made from the code."""
    schemas = {
        name: with_identity(name, model.model_json_schema()) for name, model in SCHEMAS.items()
    }
    schemas[SETTINGS] = settings_schema()
    return {
        **{
            DOCS / "schema" / f"{name}.json": json.dumps(schema, indent=2, ensure_ascii=False)
            + "\n"
            for name, schema in schemas.items()
        },
        DOCS / "settings.md": settings.page(),
        DOCS / "architecture.svg": architecture.picture(),
    }

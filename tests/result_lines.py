"""Lines of result files: a real score, with other numbers put in."""

import json
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import hotel
import otap

Line = Mapping[str, Any]


@cache
def _template() -> str:
    return otap.Scorer().score(hotel.run_of("missing_book"), hotel.reference()).to_json()


def line(task: str, score: float, trial: str | int | None = 0, **changes: Any) -> dict[str, Any]:
    """A scored run of a task; of its conditions some can be changed by name."""
    made: dict[str, Any] = json.loads(_template())
    made["conditions"].update(changes.pop("conditions", {}))
    made["signature"].update(changes.pop("signature", {}))
    made.update({"id": f"{task}/{trial}", "task": task, "trial": trial, "score": score, **changes})
    return made


def unscored(task: str, kind: Any = "read", trial: int = 0, message: str = "no JSON") -> Line:
    """A run without a score."""
    return {
        "schema_version": "otap.score/1", "id": f"{task}/{trial}", "task": task, "trial": trial,
        "error": {"kind": kind, "message": message},
        "signature": json.loads(_template())["signature"],
    }  # fmt: skip


def finding(kind: str, *tools: str, severity: str = "critical", sentence: str = "x") -> Line:
    """A finding."""
    return {
        "kind": kind, "severity": severity, "tools": tools, "share": 0.1, "sentence": sentence,
    }  # fmt: skip


def write(path: Path, lines: Iterable[Line]) -> Path:
    """A result file."""
    path.write_text("".join(json.dumps(one) + "\n" for one in lines), "utf-8")
    return path

"""OTAP scores runs of LLM agents: how close they are to known-good runs, and why.

>>> import otap
>>> gold = otap.read("examples/hotel-booking/reference.json")
>>> run = otap.read("examples/hotel-booking/runs/missing_book.json")
>>> otap.score(run, gold).findings[0].kind
'missing'
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from otap._version import __version__

if TYPE_CHECKING:
    from otap.errors import OtapError
    from otap.formats import parse, parse_references, read, read_all, read_references
    from otap.judge import Judge, Verdict
    from otap.learning import learn
    from otap.learning.calibration import calibrate
    from otap.learning.selection import select
    from otap.scoring import Config, Score, Scorer, score
    from otap.training import rewards
    from otap.trajectory import Step, Trajectory

__all__ = [
    "Config",
    "Judge",
    "OtapError",
    "Score",
    "Scorer",
    "Step",
    "Trajectory",
    "Verdict",
    "__version__",
    "calibrate",
    "learn",
    "parse",
    "parse_references",
    "read",
    "read_all",
    "read_references",
    "rewards",
    "score",
    "select",
]

_MODULES = {
    "Config": "otap.scoring",
    "Judge": "otap.judge",
    "OtapError": "otap.errors",
    "Score": "otap.scoring",
    "Scorer": "otap.scoring",
    "Step": "otap.trajectory",
    "Trajectory": "otap.trajectory",
    "Verdict": "otap.judge",
    "calibrate": "otap.learning.calibration",
    "learn": "otap.learning",
    "parse": "otap.formats",
    "parse_references": "otap.formats",
    "read": "otap.formats",
    "read_all": "otap.formats",
    "read_references": "otap.formats",
    "rewards": "otap.training",
    "score": "otap.scoring",
    "select": "otap.learning.selection",
}


def __getattr__(name: str) -> Any:
    """Imports the module of a public name on first use, so that commands start fast."""
    if name not in _MODULES:
        raise AttributeError(f"module 'otap' has no attribute '{name}'")
    member = getattr(import_module(_MODULES[name]), name)
    globals()[name] = member
    return member


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

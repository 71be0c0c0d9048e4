"""How foreign texts are shown: as they are, or hidden, for pages that leave the house."""

from otap.report.redaction.redactor import Redactor
from otap.report.redaction.shown import Shown

__all__ = ["Redactor", "Shown"]

"""Hides what runs say, for pages that leave the house."""

from otap.report.redaction.redactor import Redactor

__all__ = ["Redactor"]

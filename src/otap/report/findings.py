"""The findings of one score: what a person should look at first."""

from collections import Counter

from otap._numbers import percent_text
from otap.alignment import SEVERITIES
from otap.report.cells import kind_cell, severity_cell
from otap.report.view import Cell, Line, Table, line
from otap.scoring import Score

FINDINGS_SHOWN = 12


def findings_view(score: Score) -> Line | Table:
    """Returns the first FINDINGS_SHOWN findings: severity, kind, share of the loss, sentence."""
    findings = score.findings
    if not findings and score.loss > 0:
        return line("  none: every step has a counterpart; the loss lies in the parts above")
    if not findings:
        return line("  none", "green")
    rows = []
    for finding in findings[:FINDINGS_SHOWN]:
        share = "" if finding.share is None else percent_text(finding.share)
        how_bad, kind = severity_cell(finding.severity), kind_cell(finding)
        rows.append((how_bad, kind, Cell(f"{share:>5}"), Cell(finding.sentence)))
    rest = len(findings) - FINDINGS_SHOWN
    if rest > 0:
        rows.append(
            (Cell(""), Cell(""), Cell(""), Cell(f"and {rest} more; --json has them all", "dim"))
        )
    return Table(rows, indent=2)


def counts_text(score: Score) -> str:
    """Returns how many findings there are of each severity, the worst first."""
    found = Counter(finding.severity for finding in score.findings)
    return ", ".join(f"{found[one]} {one}" for one in SEVERITIES if found[one]) or "none"

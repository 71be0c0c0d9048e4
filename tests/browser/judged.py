"""What axe-core says of a page: rules of WCAG 2.2 A and AA, and what it holds good practice."""

import sys
from functools import cache
from pathlib import Path
from typing import Any

AXE = Path(sys.prefix, "axe", "node_modules", "axe-core", "axe.min.js")
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
_RUN = """async rules => {
  const found = await axe.run(document, {runOnly: rules, resultTypes: ["violations"]});
  return found.violations.flatMap(rule => rule.nodes.map(
    node => `${rule.id}: ${node.target.join(" ")}: ${node.failureSummary}`));
}"""


def violations(page: Any) -> list[str]:
    """Returns what breaks a rule, a line each."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(_axe())
    found: list[str] = page.evaluate(_RUN, RULES)
    return found


@cache
def _axe() -> str:
    return AXE.read_text(encoding="utf-8")

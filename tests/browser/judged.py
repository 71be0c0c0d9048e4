"""What axe-core says of a page: rules of WCAG 2.1 A and AA, and what it holds good practice."""

from typing import Any

RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
_RUN = """async rules => {
  const found = await axe.run(document, {runOnly: rules, resultTypes: ["violations"]});
  return found.violations.flatMap(rule => rule.nodes.map(
    node => `${rule.id}: ${node.target.join(" ")}: ${node.failureSummary}`));
}"""


def violations(page: Any) -> list[str]:
    """Returns what breaks a rule, a line each; the page was opened with ``axe=True``."""
    found: list[str] = page.evaluate(_RUN, RULES)
    return found

"""What axe finds wrong with a page for those who cannot see, hear or point well."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page

AXE = Path(__file__).with_name("vendor") / "axe-4.14.0.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
TARGETS = "{'target-size': {enabled: true}}"
"""The one rule of WCAG 2.2 that axe leaves out where it is not asked for: how large what is pressed has to be."""


def violations(page: Page, within: str = "html") -> list[list[str]]:
    """Each rule that is broken ``within`` a part, with the first element that breaks it. The page's context has to pass
    by its content policy.
    """
    page.add_script_tag(path=str(AXE))
    found: list[list[str]] = page.evaluate(
        f"axe.run({within!r}, {{runOnly: {RULES}, rules: {TARGETS}}})"
        ".then(found => found.violations.map(v => [v.id, v.nodes[0].html]))"
    )
    return found

"""What axe finds wrong with a page for those who cannot see, hear or point well."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page

AXE = Path(__file__).with_name("vendor") / "axe-4.14.0.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
TARGETS = "{'target-size': {enabled: true}}"
"""The one rule of WCAG 2.2 that axe leaves out where it is not asked for: how large what is pressed has to be."""


_ALL = f"{{runOnly: {RULES}, rules: {TARGETS}}}"
_COLOURS = "{runOnly: {type: 'rule', values: ['color-contrast', 'link-in-text-block']}}"
"""The rules that a theme can break, where it changes nothing but colours."""


def violations(page: Page, within: str = "html") -> list[list[str]]:
    """Each rule that is broken ``within`` a part, with the first element that breaks it. The page's context has to pass
    by its content policy.
    """
    return _found(page, within, _ALL)


def unreadable(page: Page) -> list[list[str]]:
    """The same of the rules about colours."""
    return _found(page, "html", _COLOURS)


def _found(page: Page, within: str, options: str) -> list[list[str]]:
    if not page.evaluate("'axe' in window"):
        page.add_script_tag(path=str(AXE))
    found: list[list[str]] = page.evaluate(
        f"axe.run({within!r}, {options}).then(found => found.violations.map(v => [v.id, v.nodes[0].html]))"
    )
    return found

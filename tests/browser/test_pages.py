"""Pages in a real browser: nothing runs off the screen, nothing complains, everybody can use them."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.conftest import PATIENCE
from windlass import State, Windlass

pytestmark = pytest.mark.only_on("sqlite")

PATHS = (
    "/",
    "/jobs",
    "/jobs/done",
    "/jobs/dead",
    "/jobs/waits",
    "/failures",
    "/queues",
    "/queues/unserved",
    "/workers",
    "/schedules",
    "/schedules/nightly",
    "/jobs/nowhere",
)
AXE = Path(__file__).with_name("vendor") / "axe-4.14.0.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]


@pytest.mark.parametrize(("width", "theme"), [(1280, "light"), (1280, "dark"), (390, "light"), (360, "dark")])
def test_every_page_fits_and_is_accessible(
    browser: Browser, shop: Windlass, address: str, width: int, theme: str
) -> None:
    """B20: no violation that axe finds, nothing scrolls sideways, at 1280, 390 and 360 px, in light and dark."""
    context = browser.new_context(
        base_url=address,
        viewport={"width": width, "height": 800},
        color_scheme="dark" if theme == "dark" else "light",
        bypass_csp=True,
    )
    page = context.new_page()
    for path in PATHS:
        page.goto(path, wait_until="domcontentloaded", timeout=PATIENCE)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
        page.add_script_tag(path=str(AXE))
        found = page.evaluate(
            f"axe.run(document, {{runOnly: {RULES}}}).then(found => found.violations.map(v => [v.id, v.nodes[0].html]))"
        )
        assert found == [], path
    context.close()


def test_no_page_complains(page: Page, shop: Windlass) -> None:
    """B20: neither scripts nor the content policy."""
    for path in PATHS[:-1]:
        page.goto(path)
        expect(page.locator("#live-sign")).to_have_text("live", timeout=PATIENCE)


def test_a_page_works_without_scripts(browser: Browser, shop: Windlass, address: str) -> None:
    """B20: pages render, links and forms work."""
    context = browser.new_context(base_url=address, java_script_enabled=False)
    page = context.new_page()
    page.goto("/jobs?state=failed", timeout=PATIENCE)
    page.click("tbody a")
    page.get_by_role("button", name="Retry now").click()
    expect(page.locator(".state-full")).to_have_text("pending", timeout=PATIENCE)
    assert shop.job("dead").state is State.PENDING
    context.close()


def test_keys_go_places(page: Page, shop: Windlass) -> None:
    """B20: without a mouse."""
    page.goto("/")
    expect(page.locator("#live-sign")).to_have_text("live", timeout=PATIENCE)
    page.keyboard.press("g")
    page.keyboard.press("j")
    page.wait_for_url("**/jobs")
    expect(page.locator("#live-sign")).to_have_text("live", timeout=PATIENCE)
    page.keyboard.press("j")
    expect(page.locator("tr.cursor")).to_have_count(1)
    page.keyboard.press("/")
    expect(page.locator("#search")).to_be_focused()
    page.keyboard.type("dead")
    page.keyboard.press("Enter")
    page.wait_for_url("**/jobs?text=dead")
    expect(page.locator("tbody tr")).to_have_count(1)


def test_the_theme_is_kept(page: Page, context: BrowserContext, shop: Windlass) -> None:
    """B20: as the system, light, dark."""
    page.goto("/")
    page.click("#theme")
    expect(page.locator("html")).to_have_attribute("data-theme", "light")
    page.reload()
    expect(page.locator("html")).to_have_attribute("data-theme", "light")
    page.click("#theme")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")

"""Pages in a real browser: nothing runs off the screen, nothing complains, everybody can use them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from importlib.resources import files
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, expect

from tests.browser.axe import unreadable, violations
from tests.browser.conftest import PATIENCE
from tests.waiting import eventually
from windlass import State, Windlass

pytestmark = pytest.mark.only_on("sqlite")

PATHS = (
    "/",
    "/jobs",
    "/jobs/done",
    "/jobs/dead",
    "/jobs/waits",
    "/jobs?all=1",
    "/bulk",
    "/failures",
    "/failures?by=task",
    "/failures?by=queue",
    "/failures?by=host",
    "/failures/cause?task=billing.capture_payment",
    "/queues",
    "/queues/mail",
    "/queues/unserved",
    "/workers",
    "/workers/shop-worker-1",
    "/tasks",
    "/tasks/billing.capture_payment",
    "/limits",
    "/system",
    "/schedules",
    "/schedules/nightly",
    "/alerts",
    "/alerts/rules",
    "/alerts/rules/mail-waits",
    "/jobs/nowhere",
)
FORMS = (
    "/queues/unserved/settings",
    "/schedules/nightly/edit",
    "/new/schedule",
    "/jobs/dead/edit",
    "/jobs/dead/delete",
    "/jobs/later/snooze",
    "/jobs/later/fail",
    "/failures/mute?group=0123456789ab",
    "/archive",
    "/enqueue",
    "/bulk/begin/retry?state=failed",
)
"""They are not live."""
PARTS = 2
"""In which all pages are looked at: each takes as long as a few other tests."""
STYLE = files("windlass.web.site") / "static" / "dashboard.css"


@pytest.fixture(autouse=True)
def worker(shop: Windlass) -> Iterator[None]:
    """One that is alive, and finds nothing to do."""
    with shop.worker(name="shop", id="1", queues=["idle"]):
        yield


def begun_change(page: Page) -> str:
    """The path of a change of many jobs, which is over soon."""
    page.goto("/bulk/begin/cancel?job=later", timeout=PATIENCE)
    page.get_by_role("button", name="Cancel 1 job").click()
    page.wait_for_url("**/bulk/*")
    return urlsplit(page.url).path


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("widths", [(1280,), (390, 360)], ids=["desk", "phone"])
def test_every_page_fits_and_is_accessible(
    browser: Browser, shop: Windlass, address: str, widths: tuple[int, ...], part: int
) -> None:
    """B20: no violation that axe finds, nothing scrolls sideways, at 1280, 390 and 360 px, in light and dark."""
    context = browser.new_context(
        base_url=address,
        viewport=_size(widths[0]),
        color_scheme="light",
        reduced_motion="reduce",  # colours would still be on their way from one theme to the other
        bypass_csp=True,
    )
    page = context.new_page()
    for path in (*PATHS, *FORMS, begun_change(page))[part::PARTS]:
        page.goto(path, wait_until="domcontentloaded", timeout=PATIENCE)
        for width in widths:
            page.set_viewport_size(_size(width))
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (path, width)
            assert violations(page) == [], (path, width)
        page.emulate_media(color_scheme="dark")
        assert unreadable(page) == [], path
        page.emulate_media(color_scheme="light")
        page.set_viewport_size(_size(widths[0]))
    context.close()


def _size(width: int) -> ViewportSize:
    return {"width": width, "height": 800}


def test_a_theme_changes_nothing_but_colours() -> None:
    """So a page that was looked at in one theme is looked at in the other for its colours alone."""
    rules = re.findall(r"^.*(?:prefers-color-scheme|data-theme).*$", STYLE.read_text(), re.MULTILINE)
    assert rules == [
        '[data-theme="light"] { color-scheme: light; }',
        '[data-theme="dark"] { color-scheme: dark; }',
    ]


def test_no_page_complains(page: Page, shop: Windlass) -> None:
    """B20: neither scripts nor the content policy."""
    for path in (*PATHS[:-1], begun_change(page)):
        page.goto(path)
        expect(page.locator("#live-sign")).to_have_text("live", timeout=PATIENCE)
    for path in FORMS:
        page.goto(path)


def test_a_schedule_is_previewed_as_it_is_typed(page: Page, shop: Windlass) -> None:
    """B16: what is typed stays, and nothing is changed."""
    page.goto("/schedules/nightly/edit")
    page.fill("#f-cron", "0 9 * * mon")
    expect(page.locator("#preview")).to_contain_text("At 09:00 on Monday", timeout=PATIENCE)
    expect(page.locator("#f-cron")).to_have_value("0 9 * * mon")
    assert shop.schedule("nightly").settings.cron == "30 2 * * *"


def test_a_page_works_without_scripts(browser: Browser, shop: Windlass, address: str) -> None:
    """B20: pages render, links and forms work."""
    context = browser.new_context(base_url=address, java_script_enabled=False)
    page = context.new_page()
    page.goto("/jobs?state=failed", timeout=PATIENCE)
    page.click("tbody a")
    page.get_by_role("button", name="Retry now").click()
    expect(page.locator(".state-full")).to_have_text("pending", timeout=PATIENCE)
    assert shop.job("dead").state is State.PENDING
    page.goto("/jobs")
    page.check('tr:has(a[href="/jobs/dead"]) .check')
    page.locator("#bulk").get_by_role("button", name="Cancel").click()
    page.get_by_role("button", name="Cancel 1 job").click()
    page.wait_for_url("**/bulk/*")
    eventually(lambda: shop.job("dead").state is State.CANCELLED)
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
    for key in ("j", "x"):
        page.keyboard.press(key)
    expect(page.locator("#selected-count")).to_have_text("1 selected")
    shop.retry("dead")
    expect(page.locator("tbody .state")).to_have_text("pending", timeout=PATIENCE)
    expect(page.locator("#selected-count")).to_have_text("1 selected")
    page.keyboard.press("c")
    page.keyboard.press("Enter")
    page.wait_for_url("**/bulk/begin/cancel?**")
    page.get_by_role("button", name="Cancel 1 job").click()
    expect(page.locator(".summary-state")).to_contain_text("1 cancelled", timeout=PATIENCE)


def test_keys_are_shown_and_can_be_switched_off(page: Page, shop: Windlass) -> None:
    """B20."""
    page.goto("/jobs?text=dead")
    expect(page.locator("#live-sign")).to_have_text("live", timeout=PATIENCE)
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#keys")).to_be_hidden()
    page.get_by_label("View", exact=True).click()
    page.get_by_role("button", name="Keys on").click()
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_be_hidden()


def test_the_command_box_goes_anywhere(browser: Browser, shop: Windlass, address: str) -> None:
    """B20: by keyboard alone; axe finds nothing in it."""
    context = browser.new_context(base_url=address, bypass_csp=True)
    page = context.new_page()
    page.goto("/", timeout=PATIENCE)
    expect(page.locator("#live-sign")).to_have_text("live", timeout=PATIENCE)
    page.keyboard.press("Control+k")
    expect(page.get_by_role("option").first).to_contain_text("Overview", timeout=PATIENCE)
    assert violations(page, "#command") == []
    page.keyboard.type("unserv")
    expect(page.get_by_role("option")).to_have_text(["unservedqueue", "Jobs with “unserv”search"], timeout=PATIENCE)
    page.keyboard.press("Enter")
    page.wait_for_url("**/queues/unserved")
    context.close()


def test_times_follow_the_zone_that_was_chosen(browser: Browser, shop: Windlass, address: str) -> None:
    """B20: local or UTC, kept per browser, and so is the density; the whole instant is on hover."""
    context = browser.new_context(base_url=address, timezone_id="Asia/Tokyo")
    page = context.new_page()
    page.goto("/jobs/done", timeout=PATIENCE)
    time = page.locator("time[datetime]:not([data-relative])").first
    made = datetime.fromisoformat(time.get_attribute("datetime") or "")
    expect(time).to_contain_text((made + timedelta(hours=9)).strftime("%H:%M"), timeout=PATIENCE)
    page.get_by_label("View", exact=True).click()
    page.get_by_role("button", name="Times local").click()
    page.get_by_role("button", name="Density comfortable").click()
    page.reload()
    expect(time).to_contain_text(made.strftime("%H:%M"), timeout=PATIENCE)
    expect(time).to_have_attribute("title", made.strftime("%Y-%m-%d %H:%M:%S UTC"))
    expect(page.locator("html")).to_have_attribute("data-density", "compact")
    context.close()


def test_charts_are_looked_at_closer_and_changes_are_taken_back(page: Page, shop: Windlass) -> None:
    """B20: a stretch that is marked becomes the range of the page; how a page is refreshed is kept; undo by a key."""
    page.goto("/?range=24h")
    expect(page.locator("#live-sign")).to_have_text("live", timeout=PATIENCE)
    chart = page.locator(".chart-box").first.bounding_box()
    assert chart is not None
    page.mouse.move(chart["x"] + chart["width"] * 0.8, chart["y"] + 50)
    page.mouse.down()
    page.mouse.move(chart["x"] + chart["width"], chart["y"] + 50, steps=3)
    expect(page.locator(".chart .zoom")).to_have_count(1)
    page.mouse.up()
    page.wait_for_url("**/?range=*..*")
    expect(page.locator("nav.group [aria-current]")).to_contain_text("–")
    page.get_by_label("View", exact=True).click()
    page.get_by_role("button", name="Refresh live").click()
    expect(page.locator("#live-sign")).to_have_text("every 5 s")
    page.goto("/queues/unserved")
    expect(page.locator("#live-sign")).to_have_text("every 5 s", timeout=PATIENCE)
    page.locator("#pause > summary").click()
    page.get_by_label("Reason, shown to all").fill("no mail today")
    page.get_by_role("button", name="Pause unserved").click()
    expect(page.locator(".toast")).to_contain_text("Queue unserved is paused.")
    page.keyboard.press("u")
    expect(page.locator(".toast")).to_contain_text("Queue unserved goes on.", timeout=PATIENCE)
    assert shop.queue("unserved").settings().paused_at is None


def test_the_theme_is_kept(page: Page, context: BrowserContext, shop: Windlass) -> None:
    """B20: as the system, light, dark."""
    page.goto("/")
    page.click("#theme")
    expect(page.locator("html")).to_have_attribute("data-theme", "light")
    page.reload()
    expect(page.locator("html")).to_have_attribute("data-theme", "light")
    page.click("#theme")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")

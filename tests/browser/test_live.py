"""A page that is open shows what changes, by itself."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import PATIENCE, served
from tests.cli.program import Program
from tests.faults.proxy import Proxy
from tests.ledger.apps import Apps
from tests.places.place import Place
from windlass import Windlass

HIDING = """
window.streams = [];
const Stream = window.EventSource;
window.EventSource = class extends Stream { constructor(address) { super(address); streams.push(this); } };
let isHidden = false;
Object.defineProperty(document, "hidden", { get: () => isHidden });
window.hide = (value) => { isHidden = value; document.dispatchEvent(new Event("visibilitychange")); };
"""
"""Keeps the streams of a page, and hides it as another tab in front of it would."""


def test_a_change_is_on_screen_without_a_reload(page: Page, shop: Windlass, place: Place, tmp_path: Path) -> None:
    """B20: on every store, by another process. A reading comes twice a second; the deadline is for a loaded machine."""
    elsewhere = Program(tmp_path, place)
    page.goto("/jobs/later")
    expect(page.locator(".state-full")).to_have_text("scheduled", timeout=PATIENCE)
    expect(page.locator("#live-sign")).to_have_text("live", timeout=PATIENCE)
    assert elsewhere("jobs", "cancel", "later", WINDLASS_NAMESPACE=place.namespace).code == 0
    expect(page.locator(".state-full")).to_have_text("cancelled", timeout=PATIENCE)
    page.goto("/queues")
    expect(page.locator("#live-sign")).to_have_text("live", timeout=PATIENCE)
    assert elsewhere("queues", "pause", "unserved", WINDLASS_NAMESPACE=place.namespace).code == 0
    expect(page.locator("tr", has_text="unserved")).to_contain_text("paused", timeout=PATIENCE)
    elsewhere.app.close()


def test_rows_do_not_move_and_open_folds_stay_open(page: Page, shop: Windlass) -> None:
    """B20: new jobs collect in a line of their own; focus and folds survive."""
    page.goto("/jobs")
    expect(page.locator("#live-sign")).to_have_text("live", timeout=PATIENCE)
    before = page.locator("tbody tr").all_inner_texts()
    page.locator("input[name=text]").last.focus()
    page.keyboard.type("half a w")
    shop.enqueue_many([shop.request("mail.welcome", [9], id="new")])
    expect(page.locator(".newer")).to_contain_text("1 newer job", timeout=PATIENCE)
    assert len(page.locator("tbody tr").all_inner_texts()) == len(before)
    expect(page.locator("input[name=text]").last).to_be_focused()
    expect(page.locator("input[name=text]").last).to_have_value("half a w")
    page.goto("/jobs/dead")
    expect(page.locator("#live-sign")).to_have_text("live", timeout=PATIENCE)
    page.click("#attempt-1 summary")
    expect(page.locator("#attempt-1")).not_to_have_attribute("open", "")
    shop.job("dead").retry()
    expect(page.locator(".state-full")).to_have_text("pending", timeout=PATIENCE)
    expect(page.locator("#attempt-1")).not_to_have_attribute("open", "")


def test_a_hidden_page_asks_for_nothing(page: Page, shop: Windlass) -> None:
    """B20: its stream is closed, and opened again when the page is looked at."""
    page.add_init_script(HIDING)
    page.goto("/")
    expect(page.locator("#live-sign")).to_have_text("live", timeout=PATIENCE)
    assert page.evaluate("streams.map((stream) => stream.readyState)") == [1]
    page.evaluate("hide(true)")
    assert page.evaluate("streams.map((stream) => stream.readyState)") == [2]
    shop.enqueue_many([shop.request("mail.welcome", [number], queue="unserved") for number in range(3)])
    page.evaluate("hide(false)")
    expect(page.locator(".stat.is-pending .stat-value")).to_have_text("4", timeout=PATIENCE)
    assert len(page.evaluate("streams.map((stream) => stream.readyState)")) == 2


def test_what_is_chosen_and_focused_stays_so(page: Page, shop: Windlass) -> None:
    """B20: a page that is brought up to date takes nothing from the hand of the one who uses it."""
    page.goto("/jobs")
    expect(page.locator("#live-sign")).to_have_text("live", timeout=PATIENCE)
    box = page.locator('tr:has(a[href="/jobs/dead"]) .check')
    box.check()
    box.focus()
    page.set_viewport_size({"width": 390, "height": 300})
    page.evaluate("scrollTo(0, 200)")
    shop.enqueue_many([shop.request("mail.welcome", [4], queue="unserved")])
    expect(page.locator(".newer")).to_contain_text("1 newer job", timeout=PATIENCE)
    expect(box).to_be_checked()
    expect(box).to_be_focused()
    expect(page.locator("#selected-count")).to_have_text("1 selected")
    assert page.evaluate("scrollY") == 200


@pytest.mark.only_on("sqlite")
def test_sorted_rows_stay_where_they_are(page: Page, shop: Windlass) -> None:
    """B20: queues are sorted by how deep they are when a page is opened, and do not jump while it is open."""

    def enqueue(queue: str, number: int) -> None:
        shop.enqueue_many([shop.request("mail.welcome", [9], queue=queue) for _ in range(number)])

    enqueue("deep", 3)
    enqueue("flat", 2)
    page.goto("/queues")
    expect(page.locator("#live-sign")).to_have_text("live", timeout=PATIENCE)
    names = page.locator("#queues tr .name")
    before = names.all_inner_texts()
    assert before[:2] == ["deep", "flat"]
    enqueue("flat", 7)
    enqueue("new", 20)
    expect(page.locator("tr", has_text="flat")).to_contain_text("9", timeout=PATIENCE)
    expect(page.locator("#queues")).to_contain_text("new", timeout=PATIENCE)
    assert names.all_inner_texts() == [*before, "new"]
    page.reload()
    expect(names.first).to_have_text("new", timeout=PATIENCE)


@pytest.mark.only_on("sqlite")
def test_what_asks_for_a_look_is_told_on_every_page(page: Page, shop: Windlass) -> None:
    """B20: beside its link, and brought up to date while the page is open."""
    page.goto("/schedules")
    sign = page.locator("[data-sign='/failures']")
    expect(sign).to_have_text("1", timeout=PATIENCE)
    expect(sign).to_be_visible()
    shop.job("dead").retry()
    expect(sign).to_be_hidden(timeout=PATIENCE)
    expect(page.locator("[data-sign='/alerts']")).to_be_hidden()


@pytest.mark.timeout(240)
@pytest.mark.only_on("sqlite")
def test_polling_takes_over_when_the_stream_fails(browser: Browser, shop: Windlass, address: str) -> None:
    """B20: the page asks every five seconds after three failures, and says so; what is shown stays, with its age."""
    context = browser.new_context(base_url=address)
    page = context.new_page()
    page.route("**/live/**", lambda route: route.abort())
    page.goto("/jobs/later", timeout=PATIENCE)
    expect(page.locator("#live-sign")).to_have_text("every 5 s", timeout=PATIENCE)
    shop.job("later").cancel()
    expect(page.locator(".state-full")).to_have_text("cancelled", timeout=PATIENCE)
    page.route("**/jobs/later", lambda route: route.abort())
    expect(page.locator("#away")).to_contain_text("The server does not answer", timeout=PATIENCE)
    expect(page.locator("#away")).to_contain_text("ago")
    expect(page.locator(".state-full")).to_have_text("cancelled")
    page.unroute("**/jobs/later")
    expect(page.locator("#away")).to_be_empty(timeout=PATIENCE)
    page.unroute("**/live/**")
    expect(page.locator("#live-sign")).to_have_text("live", timeout=60_000)
    context.close()


@pytest.mark.only_on("postgres", "redis")
def test_a_store_that_is_away_is_a_banner(browser: Browser, far_app: Apps, proxy: Proxy) -> None:
    """B20: the last known figures stay, marked with their age, and it comes back by itself."""
    app = far_app()
    app.enqueue("report")
    with served(app) as address:
        page = browser.new_page(base_url=address)
        page.goto("/queues", timeout=PATIENCE)
        expect(page.locator("#live-sign")).to_have_text("live", timeout=PATIENCE)
        proxy.refuse()
        expect(page.locator("#away")).to_contain_text("The store is away", timeout=PATIENCE)
        expect(page.locator("#away")).to_contain_text("ago")
        expect(page.locator("#live")).to_have_attribute("data-stale", "")
        expect(page.locator("#live tbody")).to_contain_text("default")
        proxy.restore()
        expect(page.locator("#away")).to_be_empty(timeout=2 * PATIENCE)
        expect(page.locator("#live-sign")).to_have_text("live", timeout=PATIENCE)
        page.close()


@pytest.mark.only_on("sqlite")
def test_a_banner_is_closed_until_its_cause_is_over(page: Page, shop: Windlass) -> None:
    """B20: by keyboard, for this browser; it stays so while the page is brought up to date and when it is opened."""
    page.goto("/")
    expect(page.locator("#live-sign")).to_have_text("live", timeout=PATIENCE)
    banner = page.locator("[data-cause='unserved unserved']")
    expect(banner).to_contain_text("has no worker")
    banner.get_by_role("button", name="Close").focus()
    page.keyboard.press("Enter")
    expect(banner).to_be_hidden()
    expect(page.get_by_role("button", name="Show")).to_be_focused()
    shop.enqueue_many([shop.request("mail.welcome", [5], queue="unserved")])
    expect(page.locator(".stat.is-pending .stat-value")).to_have_text("2", timeout=PATIENCE)
    expect(banner).to_be_hidden()
    page.reload()
    expect(page.locator("#closed-causes")).to_contain_text("closed")
    expect(banner).to_be_hidden()
    page.get_by_role("button", name="Show").click()
    expect(banner).to_be_visible()
    banner.get_by_role("button", name="Close").click()
    assert shop.cancel_all(state="pending", queue="unserved") == 2
    expect(banner).to_have_count(0, timeout=PATIENCE)
    shop.enqueue_many([shop.request("mail.welcome", [6], queue="unserved")])
    expect(banner).to_be_visible(timeout=PATIENCE)

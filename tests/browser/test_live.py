"""A page that is open shows what changes, by itself."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import PATIENCE
from windlass import Windlass


def test_a_change_is_on_screen_without_a_reload(page: Page, shop: Windlass) -> None:
    """B20: on every store; the deadline is for a loaded machine, a reading comes twice a second."""
    page.goto("/jobs/later")
    expect(page.locator(".state-full")).to_have_text("scheduled", timeout=PATIENCE)
    expect(page.locator("#live-sign")).to_have_text("live", timeout=PATIENCE)
    shop.job("later").cancel()
    expect(page.locator(".state-full")).to_have_text("cancelled", timeout=PATIENCE)


@pytest.mark.only_on("sqlite")
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

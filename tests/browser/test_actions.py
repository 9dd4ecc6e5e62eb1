"""Every action of the dashboard, pressed in a real browser on a wide screen and on a phone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

from tests.browser.axe import violations
from tests.browser.conftest import PATIENCE, served
from tests.browser.console import Console
from tests.ledger.apps import work
from tests.waiting import eventually
from tests.web.archived import put_aside
from windlass import State, Throttled, Windlass
from windlass.web.security.settings import SecuritySettings
from windlass.web.security.users import password_line, read_users
from windlass.web.site.routes.table import PAGES

pytestmark = pytest.mark.only_on("sqlite")

SCREENS = [(1280, "light"), (390, "dark")]
PATTERNS = {
    route.path: re.compile(re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(route.path)) + "$")
    for route in PAGES
    if route.method == "POST"
}
"""What each action's address looks like, by its path in the table of routes; the longest path that fits is meant."""

ELSEWHERE = {
    "/login",  # below
    "/logout",
    "/preview/schedule",  # as it is typed, in test_pages.py
    "/bulk/{id}/stop",  # these changes are over before a hand could stop one; tests/web/site/test_many.py does
}


class Hand:
    """Presses buttons of forms, and remembers which actions were asked for."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.done: set[str] = set()

    def press(self, where: str, action: str, **fields: str) -> None:
        """Go to a page, fill in the form with this action, and press its button."""
        self.page.goto(where)
        form = self.page.locator(f'form[action="{action}"]').first
        button = form.locator("button[type=submit]:not([formaction])").first
        self._unfold(button)
        for name, value in fields.items():
            field = form.locator(f'[name="{name}"]').first
            self._unfold(field)
            if field.evaluate("field => field.tagName") == "SELECT":
                field.select_option(value)
            else:
                field.fill(value)
        with self.page.expect_response(lambda answer: answer.request.method == "POST") as answered:
            button.click()
        assert answered.value.status in (200, 303), (action, answered.value.status, answered.value.text()[-2000:])
        asked = urlsplit(answered.value.url).path
        fitting = [path for path, pattern in PATTERNS.items() if pattern.fullmatch(asked)]
        self.done.add(max(fitting, key=len))
        self.page.wait_for_load_state("domcontentloaded")
        assert self.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), action

    def _unfold(self, thing: Locator) -> None:
        """Open what hides it, as one who looks for it does."""
        folds = self.page.locator("details:not([open])").filter(has=thing)
        while not thing.is_visible() and folds.count():
            folds.first.locator("summary").first.click()


@pytest.fixture
def full_shop(shop: Windlass) -> Iterator[Windlass]:
    """Something for each action to act on, and a worker that waits for orders."""

    @shop.task(name="calls", queue="calls", rate="5/s", concurrency=2, concurrency_key=lambda: "one")
    def calls() -> None:
        raise Throttled("slow down", scope="task")

    @shop.task(name="pauses", queue="pauses")
    def pauses() -> None:
        raise Throttled("slow down", scope="queue")

    @shop.cron("0 6 * * *", name="report")
    def report() -> None: ...

    for name in ("retried", "removed", "again", "many-1", "many-2", "many-3", "put-aside"):
        shop.enqueue_many([shop.request("billing.capture_payment", [7], id=name)])
    calls.enqueue()
    pauses.enqueue()
    work(shop)
    put_aside(shop, "put-aside")
    for name in ("stopped", "put-off", "given-up", "many-cancelled", "many-deleted"):
        shop.enqueue_many([shop.request("mail.welcome", [4], id=name, delay="1h")])
    shop.limit("github").configure(rate="5/s")
    shop.schedule("report").edit(cron="0 7 * * *", by="bob")
    with shop.worker(name="shop", id="1", queues=["idle"]):
        eventually(lambda: shop.alerts.list().alerts)
        yield shop


def screen(browser: Browser, address: str, width: int, theme: str, *, bypass_csp: bool = False) -> BrowserContext:
    context = browser.new_context(
        base_url=address,
        viewport={"width": width, "height": 800},
        color_scheme="dark" if theme == "dark" else "light",
        bypass_csp=bypass_csp,
    )
    context.set_default_timeout(PATIENCE)
    return context


@pytest.mark.parametrize(("width", "theme"), SCREENS)
def test_every_action_is_done_by_a_button(
    browser: Browser, full_shop: Windlass, address: str, width: int, theme: str
) -> None:
    """B20: and nothing runs off the screen afterwards, and nothing complains."""
    app = full_shop
    context = screen(browser, address, width, theme)
    page = context.new_page()
    console = Console(page)
    hand = Hand(page)

    hand.press("/jobs/done", "/jobs/done/reveal")
    hand.press("/jobs/retried", "/jobs/retried/retry")
    assert app.job("retried").state is State.PENDING
    hand.press("/jobs/stopped", "/jobs/stopped/cancel")
    assert app.job("stopped").state is State.CANCELLED
    hand.press("/jobs/put-off/snooze", "/jobs/put-off/snooze", other="2h")
    hand.press("/jobs/given-up/fail", "/jobs/given-up/fail", reason="not wanted")
    assert app.job("given-up").reason == "by_hand"
    hand.press("/jobs/removed/delete", "/jobs/removed/delete")
    hand.press("/jobs/again/edit", "/jobs/again/edit", args="[8]", id="edited")
    assert app.job("edited").state is State.PENDING
    hand.press("/enqueue", "/enqueue", task="mail.welcome", args="[9]", id="typed")
    assert app.job("typed").state is State.PENDING
    hand.press("/archive/put-aside", "/archive/put-aside/restore")

    [cause] = {job.record.cause for job in app.jobs(state="failed", task="billing.capture_payment")}
    hand.press(f"/failures/mute?group={cause}", "/failures/mute", reason="known")
    hand.press("/failures", "/failures/unmute")
    hand.press("/bulk/begin/cancel?job=many-cancelled", "/bulk/begin/cancel")
    hand.press("/bulk/begin/delete?job=many-deleted", "/bulk/begin/delete")
    hand.press("/bulk/begin/retry?job=many-1&job=many-2&job=many-3", "/bulk/begin/retry", rate="1/min")

    hand.press("/queues/mail", "/queues/mail/pause", reason="rest")
    assert app.queue("mail").settings().paused_reason == "rest"
    hand.press("/queues/mail", "/queues/mail/resume")
    hand.press("/queues/mail/settings", "/queues/mail/settings", max_running="3")
    assert app.queue("mail").settings().max_running == 3
    hand.press("/queues/mail/settings", "/queues/mail/reset")
    hand.press("/queues/unserved", "/queues/unserved/purge", name="unserved")
    assert app.counts(queue="unserved")["pending"] == 0

    [worker] = [one for one in app.workers() if one.is_alive]
    at = f"/workers/{worker.id}"
    hand.press(at, f"{at}/pause")
    hand.press(at, f"{at}/resume")
    hand.press(at, f"{at}/stacks")

    hand.press("/limits", "/limits", name="maps", rate="2/s")
    hand.press("/limits", "/limits/github/drain")
    hand.press("/limits", "/limits/github/delete")
    assert [limit.name for limit in app.limits()] == ["maps"]
    hand.press("/limits", "/concurrency", limit="3")
    hand.press("/tasks/calls", "/tasks/calls/resume")
    hand.press("/limits", "/cooldowns/end")
    assert app.overview().cooldowns == []
    hand.press("/tasks/calls", "/tasks/calls/rate", rate="9/s")
    hand.press("/tasks/calls", "/tasks/calls/rate/reset")

    hand.press("/schedules/nightly", "/schedules/nightly/run")
    hand.press("/schedules/nightly", "/schedules/nightly/pause", reason="month's end")
    hand.press("/schedules/nightly", "/schedules/nightly/resume")
    hand.press("/schedules/nightly/edit", "/schedules/nightly/edit", cron="30 3 * * *")
    assert app.schedule("nightly").settings.cron == "30 3 * * *"
    hand.press("/schedules/report", "/schedules/report/reset")
    hand.press("/new/schedule", "/new/schedule", name="hourly", task="mail.welcome", cron="0 * * * *", args="[1]")
    hand.press("/schedules/hourly", "/schedules/hourly/delete")

    [alert, *_] = app.alerts.list().alerts
    hand.press("/alerts", f"/alerts/{alert.id}/acknowledge")
    hand.press("/alerts", f"/alerts/{alert.id}/resolve")
    hand.press("/alerts", "/alerts/channels/log/test")
    hand.press("/alerts/rules", "/alerts/rules", name="slow", expression="oldest_age > 10m")
    hand.press("/alerts/rules/slow", "/alerts/rules/slow", expression="oldest_age > 20m")
    hand.press("/alerts/rules", "/alerts/rules/slow/silence", duration="2h", reason="moving")
    hand.press("/alerts/rules", "/alerts/rules/slow/unsilence")
    hand.press("/alerts/rules", "/alerts/rules/slow/disable")
    hand.press("/alerts/rules", "/alerts/rules/slow/enable")
    hand.press("/alerts/rules/slow", "/alerts/rules/slow/delete")

    hand.press("/system", "/tokens", name="ci")
    hand.press("/system", "/tokens/ci/revoke")
    hand.press(at, f"{at}/stop")

    assert set(PATTERNS) - hand.done - ELSEWHERE == set()
    assert console.messages == []
    context.close()


@pytest.mark.parametrize(("width", "theme"), SCREENS)
def test_a_person_logs_in_and_out(browser: Browser, shop: Windlass, tmp_path: Path, width: int, theme: str) -> None:
    """B21: and comes to the page that was asked for."""
    users = tmp_path / "users"
    users.write_text(password_line("ada", "operator", "correct horse", log2n=4))
    with served(shop, SecuritySettings(users=read_users(users))) as address:
        context = screen(browser, address, width, theme, bypass_csp=True)
        page = context.new_page()
        page.goto("/queues/mail")
        assert violations(page) == []
        for password in ("wrong", "correct horse"):
            page.get_by_label("User").fill("ada")
            page.get_by_label("Password").fill(password)
            page.get_by_role("button", name="Log in").click()
        expect(page).to_have_url(re.compile("/queues/mail$"))
        hand = Hand(page)
        hand.press("/queues/mail", "/queues/mail/pause", reason="rest")
        hand.press("/queues/mail", "/logout")
        expect(page.get_by_role("button", name="Log in")).to_be_visible()
        context.close()

"""A browser, and a server with the pages of a store in which something of everything is.

The browser is the Chromium of the system; where there is none, these tests are skipped, and the end of a run says so.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.browser.console import Console
from tests.ledger.apps import Apps, work
from tests.places.place import Place
from windlass import Retry, Windlass
from windlass.web import dashboard
from windlass.web.security.security import Security
from windlass.web.security.settings import SecuritySettings
from windlass.web.server import Server

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
PATIENCE = 30_000
"""Milliseconds for what comes within one on an idle machine."""


@pytest.fixture
def browser() -> Iterator[Browser]:
    """One for each test: while it is open, an event loop runs on this thread, and no test of async code can."""
    if CHROMIUM is None:
        pytest.skip("no Chromium on this machine")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


@pytest.fixture
def app(place: Place) -> Iterator[Windlass]:
    with Apps(place) as new_app:
        app = new_app()

        @app.task(name="mail.welcome", queue="mail")
        def welcome(user_id: int, password: str = "") -> str:
            return f"welcome {user_id}"

        @app.task(name="billing.capture_payment", retry=Retry(attempts=1))
        def capture(order_id: int) -> None:
            raise TimeoutError(f"payments.example.com:443 read timed out after {order_id} s")

        yield app


@pytest.fixture
def shop(app: Windlass) -> Windlass:
    """Jobs in several states, a schedule, a queue without a worker."""
    app.enqueue_many(
        [
            app.request("mail.welcome", [1, "hunter2"], id="done", tags=["vip"], meta={"tenant": "a"}),
            app.request("billing.capture_payment", [7], id="dead"),
            app.request("mail.welcome", [2], id="later", delay="1h"),
        ]
    )
    work(app)
    app.enqueue_many([app.request("mail.welcome", [3], id="waits", queue="unserved")])
    app.add_schedule("nightly", "mail.welcome", cron="30 2 * * *", tz="America/New_York", args=[7])
    app.alerts.add_rule("mail-waits", "oldest_age > 1m", scope="queue:mail")
    return app


OPEN = SecuritySettings(is_open_to_loopback=True)


@contextmanager
def served(app: Windlass, settings: SecuritySettings = OPEN) -> Iterator[str]:
    """Serve the pages of an app for the length of a block; where."""
    security = Security(app, settings)
    with Server(dashboard(app, security=security), host="127.0.0.1", port=0).in_background() as address:
        yield address


@pytest.fixture
def address(app: Windlass) -> Iterator[str]:
    """Where the pages are served."""
    with served(app) as address:
        yield address


@pytest.fixture
def context(browser: Browser, address: str) -> Iterator[BrowserContext]:
    context = browser.new_context(base_url=address, viewport={"width": 1280, "height": 900}, bypass_csp=False)
    context.set_default_timeout(PATIENCE)
    yield context
    context.close()


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    """A page whose console stays silent."""
    page = context.new_page()
    console = Console(page)
    yield page
    assert console.messages == []

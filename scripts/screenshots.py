"""Makes the pictures of docs/dashboard.md and the README from a story of jobs; needs the Chromium of the system.

The story is an hour of an online shop, by a clock that this script moves: orders, mails, an upstream that times out,
and a queue whose worker is gone.
"""

from __future__ import annotations

import random  # noqa: TID251  # seeded: the same story every time
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from playwright.sync_api import ViewportSize, expect, sync_playwright

from windlass import Retry, Windlass
from windlass.testing import ManualClock
from windlass.web import dashboard
from windlass.web.security.security import Security
from windlass.web.security.settings import SecuritySettings
from windlass.web.server import Server

PICTURES = Path(__file__).parents[1] / "docs" / "images"
SIZE = ViewportSize(width=1280, height=860)


def shop(url: str, clock: ManualClock) -> Windlass:
    """The app of the shop."""
    app = Windlass(url, clock=clock)

    @app.task(name="billing.capture_payment", queue="billing", retry=Retry(attempts=3, base=20))
    def capture(order_id: int, amount: dict[str, str], card_token: str) -> str:
        if order_id % 9 == 0:
            raise TimeoutError(f"payments.example.com:443 read timed out after 2.{order_id % 7} s")
        return f"receipt-{order_id}"

    @app.task(name="search.index_product", queue="search-index", retry=Retry(attempts=1))
    def index(product_id: int) -> None:
        if product_id % 40 == 0:
            raise KeyError("sku")

    @app.task(name="mail.order_confirmation", queue="mail")
    def confirm(order_id: int) -> None: ...

    @app.task(name="shipping.book_parcel")
    def book(order_id: int) -> None: ...

    @app.task(name="shipping.print_label")
    def label(order_id: int) -> None: ...

    @app.cron("30 2 * * *", tz="America/New_York", name="orders.close_day")
    def close_day() -> None: ...

    @app.every("15m", name="inventory.sync_supplier_feed")
    def sync() -> None: ...

    return app


def an_hour(app: Windlass, clock: ManualClock) -> str:
    """Live through it; the id of the job whose page is shown."""
    chance = random.Random(7)  # the same story every time
    order = 4_211_000
    for minute in range(58):
        requests = []
        for _ in range(chance.randint(18, 30)):
            order += 1
            money = {"value": f"{chance.randint(900, 19_900) / 100:.2f}", "currency": "EUR"}
            requests += [
                app.request("billing.capture_payment", [order, money, "tok_4242"], tags=["shop-eu"]),
                app.request("search.index_product", [order]),
            ]
            if minute < 52:
                requests.append(app.request("mail.order_confirmation", [order]))
        app.enqueue_many(requests)
        clock.advance(f"{chance.randint(0, 900)}ms" if minute < 50 else f"{(minute - 49) * 4}s")
        app.worker({"billing": 1, "search-index": 1, "default": 1, "mail": 1}, name="core-1").run_until_empty()
        app.roll_up()
        clock.set(clock.now().replace(second=0, microsecond=0))
        clock.advance("1m")
    paid = app.enqueue(
        app.request("billing.capture_payment", [order + 1, {"value": "74.50", "currency": "EUR"}, "tok_4242"])
    )
    booked = app.enqueue(app.request("shipping.book_parcel", [order + 1], after=[paid]))
    app.enqueue(app.request("shipping.print_label", [order + 1], after=[booked]))
    mail = app.enqueue(app.request("mail.order_confirmation", [order + 1], after=[booked, paid]))
    app.enqueue_many([app.request("mail.order_confirmation", [number]) for number in range(184)])
    app.queue("media-transcode").pause("disk full on media-1", by="ada")
    return mail.id


def main() -> None:
    """Write all pictures."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        raise SystemExit("no Chromium on this machine")
    PICTURES.mkdir(exist_ok=True)
    clock = ManualClock()
    with TemporaryDirectory() as folder, shop(f"sqlite:///{folder}/shop.db", clock) as app:
        job = an_hour(app, clock)
        worker = app.worker({"billing": 1, "search-index": 1, "default": 1}, name="core-1", concurrency=8)
        security = Security(app, SecuritySettings(is_open_to_loopback=True))
        with worker, Server(dashboard(app, security=security), host="127.0.0.1", port=0).in_background() as address:
            shots = {"overview-light": "/", "overview-dark": "/", "jobs-light": "/jobs", "flow-light": f"/jobs/{job}"}
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
                for name, path in shots.items():
                    scheme: Any = name.rpartition("-")[2]
                    page = browser.new_page(base_url=address, viewport=SIZE, color_scheme=scheme)
                    page.goto(path)
                    expect(page.locator("#live-sign")).to_have_text("live")
                    page.screenshot(path=str(PICTURES / f"{name}.png"))
                browser.close()


if __name__ == "__main__":
    main()

"""A day of an online shop, by a clock that this story moves: orders, mails, an upstream that times out, a deploy, and a
queue whose worker is gone. It is the same every time.
"""

from __future__ import annotations

import json
import random  # noqa: TID251  # seeded: the same story every time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from threading import Event

from windlass import Job, Retry, Windlass, Worker, current_job
from windlass.core.figures.bucket import Bucket
from windlass.core.figures.point import RUN, WAIT, Gauge, Point
from windlass.core.figures.releases import release_level
from windlass.core.figures.row import Row
from windlass.core.figures.series import ALL, QUEUE, STORE, series
from windlass.store.operations.figures.roll_up import roll_up
from windlass.store.operations.figures.rows import append_row
from windlass.store.operations.leases import WorkerReport, open_lease
from windlass.testing import ManualClock

BEGINS = datetime(2026, 11, 16, 11, 6, tzinfo=UTC)
"""Of the hour that is lived through job by job; of the day before it there are figures only."""
MINUTES = 56
_MAIL_LOST = 52
"""The minute in which the worker of the mail is lost."""
_DEPLOYED = 46
_BATCHES = 3
_SERVED = {"billing": 2, "search-index": 1, "default": 1, "webhooks": 1}


@dataclass(frozen=True, slots=True)
class Shop:
    """What of the story pages are asked for."""

    app: Windlass
    retrying: str
    """The id of a job that has failed three times and will run again."""
    waiting: str
    """The id of one that waits for others."""
    fanned_out: str
    """The id of one that has enqueued others."""
    worker: str


@contextmanager
def shop(url: str, clock: ManualClock) -> Iterator[Shop]:
    """The shop as it is five minutes after the worker of its mail was lost; its other workers run."""
    over = Event()
    with Windlass(url, clock=clock) as app, ExitStack() as running:
        _declare(app, clock, over)
        _yesterday(app, clock)
        orders = _Orders(app, clock)
        for minute in range(MINUTES):
            orders.live(minute)
            if minute == _DEPLOYED + 3:
                running.enter_context(_busy_worker(app))
        try:
            yield orders.end(running)
        finally:
            over.set()


def _declare(app: Windlass, clock: ManualClock, over: Event) -> None:
    def _take(seconds: float) -> None:
        """Workers time runs by a clock of their own: at the end of the story they take as long as they say."""
        clock.advance(seconds)
        if clock.now() >= BEGINS + timedelta(minutes=MINUTES - 1):
            over.wait(seconds)

    @app.task(name="billing.capture_payment", queue="billing", retry=Retry(attempts=5, base=10, jitter=0))
    def capture(order_id: int, amount: dict[str, str], card_token: str) -> str:
        _take(0.18)
        if order_id % 23 == 0:
            _take(2)
            return _charge(order_id)
        return f"receipt-{order_id}"

    @app.task(name="search.index_product", queue="search-index", retry=Retry(attempts=1))
    def index(product_id: int) -> None:
        _take(0.084)
        if product_id % 140 == 0:
            raise KeyError("sku")

    @app.task(name="mail.send_order_confirmation", queue="mail")
    def confirm(order_id: int) -> None:
        _take(0.06)

    @app.task(name="webhooks.deliver", queue="webhooks")
    def deliver(endpoint: str, event: str) -> int:
        _take(0.12)
        return 204

    @app.task(name="shipping.book_parcel")
    def book(order_id: int) -> None: ...

    @app.task(name="orders.ship")
    def ship(order_id: int) -> int:
        for task in (book, label):
            task.enqueue(order_id)
        return order_id

    @app.task(name="shipping.print_label")
    def label(order_id: int) -> None: ...

    @app.task(name="reports.export_monthly_sales_by_region", queue="exports-and-reports-low-priority")
    def export(month: str, format: str) -> None:
        current_job().progress(0.81, "region 13 of 16")
        over.wait(600)

    @app.task(name="media.build_product_gallery_thumbnails", queue="exports-and-reports-low-priority")
    def thumbnails(product_id: int, sizes: list[int]) -> None:
        current_job().progress(0.62, "18 of 29 images")
        over.wait(600)

    @app.task(name="media.transcode_product_video", queue="media-transcode")
    def transcode(asset_id: int) -> None: ...

    @app.task(name="mail.send_abandoned_cart_reminder", queue="mail")
    def remind(cart_id: int) -> None: ...

    @app.cron("30 2 * * *", tz="America/New_York")
    @app.task(name="orders.close_day")
    def close_day() -> None: ...

    @app.cron("0 9 * * mon#1", tz="Europe/Berlin")
    @app.task(name="reports.monthly")
    def monthly() -> None: ...

    @app.every("15m")
    @app.task(name="inventory.sync_supplier_feed")
    def sync() -> None: ...


def _charge(order_id: int) -> str:
    raise TimeoutError(f"payments.example.com:443 read timed out after 2.{order_id % 3} s")


def _yesterday(app: Windlass, clock: ManualClock) -> None:
    """Figures of a day, in steps of five minutes."""
    chance = random.Random(3)
    for step in range(287):
        clock.set(BEGINS - timedelta(days=1) + timedelta(minutes=5 * step))
        busy = 1.0 + 0.35 * (1 - abs(step - 120) / 140) + chance.uniform(-0.1, 0.1)
        row = Row("core-1", list(_counted(busy, chance)))
        app.client.session.run(append_row(row, worker="past", number=step + 1))
        app.client.session.run(roll_up(_sampled(chance, depth=chance.randint(2, 40), oldest=chance.uniform(0.2, 2))))


def _counted(busy: float, chance: random.Random) -> Iterator[tuple[str, str, Point]]:
    for queue, task, number, failed in (
        ("billing", "billing.capture_payment", 115, chance.choice((0, 0, 0, 0, 0, 0, 1, 2))),
        ("search-index", "search.index_product", 115, chance.choice((0, 0, 0, 0, 0, 0, 0, 1))),
        ("mail", "mail.send_order_confirmation", 112, 0),
        ("webhooks", "webhooks.deliver", 15, 0),
    ):
        completed = round(number * busy)
        point = Point({"completed": completed, "failed": failed, "enqueued": completed + failed})
        point.time(WAIT, chance.randint(200, 900), completed)
        point.time(RUN, chance.randint(60, 200), completed)
        yield queue, task, point


def _sampled(chance: random.Random, *, depth: int, oldest: float, release: str = "1.4.1") -> Bucket:
    """What the leader of the shop would have seen."""
    levels = {"depth": Gauge.of(depth), "oldest": Gauge.of(oldest)}
    store = {"latency": 0.0008, "size": 41_300_000, "workers": 4, "slots": 32, release_level(release): 4}
    shares = (("billing", 0.3), ("search-index", 0.4), ("mail", 0.2), ("webhooks", 0.1))
    return {
        ALL: Point(gauges=levels),
        STORE: Point(gauges={name: Gauge.of(value) for name, value in store.items()}),
        **{
            series(QUEUE, name): Point(gauges={"depth": Gauge.of(round(depth * share * chance.uniform(0.5, 1.5)))})
            for name, share in shares
        },
    }


class _Orders:
    """The last hour: what customers do in each minute of it."""

    def __init__(self, app: Windlass, clock: ManualClock) -> None:
        self._app = app
        self._clock = clock
        self._chance = random.Random(7)
        self._order = 4_211_000

    def live(self, minute: int) -> None:
        """A minute, in some batches."""
        has_mail = minute < _MAIL_LOST
        for batch in range(_BATCHES):
            self._clock.set(BEGINS + timedelta(minutes=minute, seconds=60 * batch / _BATCHES))
            self._order_some(self._chance.randint(6, 9))
            served = {**_SERVED, "mail": 1} if has_mail else _SERVED
            self._worker(served).run_until_empty()
        release = self._release()
        waited = 60.0 * (minute + 1 - _MAIL_LOST) if not has_mail else self._chance.uniform(0.3, 2)
        depth = self._app.counts()["pending"] or self._chance.randint(2, 30)
        self._app.client.session.run(roll_up(_sampled(self._chance, depth=depth, oldest=waited, release=release)))
        if minute == _MAIL_LOST - 1:
            self._mail_worker()
        if minute == 14:
            self._app.queue("media-transcode").pause("disk full on media-1", by="ada")

    def _order_some(self, number: int) -> None:
        requests = []
        for _ in range(number):
            self._order += 1
            money = {"value": f"{self._chance.randint(900, 19_900) / 100:.2f}", "currency": "EUR"}
            kwargs = {"order_id": self._order, "amount": money, "card_token": "tok_4242"}
            requests += [
                self._app.request("mail.send_order_confirmation", [self._order]),
                self._app.request("search.index_product", [self._order]),
                self._app.request("billing.capture_payment", kwargs=kwargs, tags=["shop-eu"]),
            ]
        requests.append(self._app.request("webhooks.deliver", ["erp", "order.paid"]))
        self._app.enqueue_many(requests)

    def _mail_worker(self) -> None:
        """One that was seen a minute ago, and will not be seen again."""
        info = {"queues": ["mail"], "concurrency": 8, "running": 0, "host": "mail-1", "pid": 911, "version": "1.4.2"}
        report = WorkerReport("1700000000000-mail", "mail-1", "busy", json.dumps(info))
        self._app.client.session.run(open_lease(report, lease="1700000000000-mail", ttl=30_000))

    def end(self, running: ExitStack) -> Shop:
        """What is there when somebody looks."""
        app, clock = self._app, self._clock
        clock.set(BEGINS + timedelta(minutes=MINUTES))
        failing = next(number for number in range(self._order, self._order + 23) if number % 23 == 0)
        kwargs = {"order_id": failing, "amount": {"value": "74.50", "currency": "EUR"}, "card_token": "tok_4242"}
        retrying = app.enqueue(app.request("billing.capture_payment", kwargs=kwargs, tags=["shop-eu", "vip"]))
        while self._once("billing") and retrying.refresh().attempt < 3:
            clock.set(retrying.refresh().run_at or clock.now())
        clock.advance("1s")
        blocked = self._flow()
        shipped = app.enqueue(app.request("orders.ship", [self._order]))
        self._once("default")
        self._rest()
        running.enter_context(app.worker(_SERVED, name="core-1", concurrency=8, version="1.4.2", lease="1h"))
        clock.advance("20s")
        found = next(one for one in app.workers() if one.state == "busy")
        return Shop(app, retrying.id, blocked.id, shipped.id, found.id)

    def _once(self, queue: str) -> bool:
        self._app.promote()
        return self._worker({queue: 1}).run_until_empty() > 0

    def _worker(self, queues: dict[str, int]) -> Worker:
        return self._app.worker(queues, name="core-1", concurrency=1, version=self._release())

    def _release(self) -> str:
        return "1.4.2" if self._clock.now() >= BEGINS + timedelta(minutes=_DEPLOYED) else "1.4.1"

    def _flow(self) -> Job[object]:
        app = self._app
        paid = app.enqueue(app.request("webhooks.deliver", ["erp", "order.paid"]))
        booked = app.enqueue(app.request("shipping.book_parcel", [self._order], after=[paid]))
        app.enqueue(app.request("shipping.print_label", [self._order], after=[booked]))
        return app.enqueue(app.request("mail.send_order_confirmation", [self._order], after=[booked, paid]))

    def _rest(self) -> None:
        """Something of everything, for the top of the list."""
        app = self._app
        self._once("webhooks")
        cancelled = app.enqueue(app.request("media.transcode_product_video", [30_218]))
        cancelled.cancel()
        app.enqueue(app.request("mail.send_abandoned_cart_reminder", [5_510_921], delay="56m"))
        self._order_some(2)
        self._worker({"billing": 1, "search-index": 1, "webhooks": 1}).run_until_empty()


@contextmanager
def _busy_worker(app: Windlass) -> Iterator[None]:
    """One with two long jobs; its lease lasts as long as the story."""
    queue = "exports-and-reports-low-priority"
    app.enqueue(app.request("reports.export_monthly_sales_by_region", kwargs={"month": "2026-10", "format": "xlsx"}))
    app.enqueue(app.request("media.build_product_gallery_thumbnails", [88_213, [96, 320, 1280]]))
    with app.worker({queue: 2}, name="reports-1", concurrency=4, version="1.4.2", lease="1h"):
        yield

"""A small shop whose orders keep jobs flowing, for the dashboard to show."""

from __future__ import annotations

from dataclasses import dataclass
from threading import Event

from windlass import clock
from windlass.active_job import ActiveJob
from windlass.app import Windlass
from windlass.core.retry import Retry
from windlass.task import Task

QUEUES = ("orders", "mail", "media")

_BETWEEN = 0.8
"""Seconds between two orders, on average."""
_PHOTOS_EVERY = 12
_FRAMES = 40


@dataclass(frozen=True, slots=True)
class Shop:
    """Its tasks, as an application would declare them."""

    capture: Task[[int], str]
    confirm: Task[[int], None]
    remind: Task[[int], None]
    render: Task[..., str]

    def take_orders(self, over: Event) -> None:
        """One after another until ``over``."""
        number = 1000
        while not clock.wait(over, _BETWEEN * 2 * clock.roll()):
            number += 1
            self._order(number)

    def _order(self, number: int) -> None:
        """A payment, a mail once it is there, a reminder later; a gallery of photos now and then."""
        payment = self.capture.options(tags=["shop-eu"]).enqueue(number)
        self.confirm.options(after=[payment]).enqueue(number)
        if number % 3 == 0:
            self.remind.options(delay="2m").enqueue(number)
        if number % _PHOTOS_EVERY == 1:
            self.render.enqueue(number)


def open_shop(app: Windlass) -> Shop:
    """Declare the tasks and schedules of the shop."""

    @app.task(name="billing.capture_payment", queue="orders", retry=Retry(attempts=3, base=4))
    def capture(order: int) -> str:
        clock.sleep(0.1 + 0.4 * clock.roll())
        if order % 11 == 0 or clock.roll() < 0.1:
            raise TimeoutError("payments.example.com:443 read timed out")
        return f"receipt-{order}"

    @app.task(name="mail.order_confirmation", queue="mail")
    def confirm(order: int) -> None:
        clock.sleep(0.05)
        if order % 40 == 0:
            raise KeyError("address")

    @app.task(name="mail.remind_of_review", queue="mail")
    def remind(order: int) -> None:
        clock.sleep(0.05)

    @app.task(name="media.build_gallery", queue="media")
    def render(product: int, job: ActiveJob) -> str:
        for frame in range(1, _FRAMES + 1):
            clock.sleep(0.25)
            job.progress(frame / _FRAMES, f"{frame} of {_FRAMES} photos")
        return f"gallery-{product}"

    @app.every("20s", name="inventory.sync_supplier_feed", queue="orders")
    @app.task(name="inventory.sync_feed")
    def sync() -> None:
        clock.sleep(0.3)

    @app.cron("30 2 * * *", tz="America/New_York", name="orders.close_day", queue="orders")
    @app.task(name="orders.close")
    def close_day() -> None: ...

    return Shop(capture, confirm, remind, render)

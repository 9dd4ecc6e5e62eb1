"""The end of the demo: the address of a dashboard, with jobs flowing until Ctrl-C."""

from __future__ import annotations

from threading import Event

from windlass.app import Windlass
from windlass.cli.demo.screens import Show
from windlass.cli.demo.shop import QUEUES, open_shop
from windlass.cli.web.command import local_server
from windlass.threads.start import start_thread

_CONCURRENCY = 8


def serve(app: Windlass, show: Show, *, port: int) -> None:
    """Run the shop and serve its pages until SIGINT or SIGTERM."""
    shop, over = open_shop(app), Event()
    server = local_server(app, port)
    with app.worker(list(QUEUES), concurrency=_CONCURRENCY, name="shop-1"):
        orders = start_thread(shop.take_orders, over, name="windlass-orders")
        server.serve_until_signalled(lambda: show.dashboard(server.address))
        over.set()
        orders.join()

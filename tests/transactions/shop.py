"""The shop's jobs, as its application declares them and as everybody else sees them."""

from __future__ import annotations

from types import TracebackType

from tests.slow_shutdown import unhurried
from tests.transactions.places import Shop
from windlass import Windlass


class Scene:
    """An app with one task, and an empty table of orders beside its jobs."""

    def __init__(self, shop: Shop) -> None:
        self.shop = shop
        self.app = unhurried(Windlass(shop.url, namespace=shop.namespace))
        self.receipt = self.app.task(name="receipt")(_receipt)

    def __enter__(self) -> Scene:
        self.app.migrate()
        self.shop.execute(f"CREATE TABLE IF NOT EXISTS {self.shop.orders} (id integer)")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.app.close(wait=False)

    @property
    def order(self) -> str:
        """A statement of the application's own, to be committed or undone with the jobs."""
        return f"INSERT INTO {self.shop.orders} VALUES (1)"

    def stored(self) -> list[str]:
        """The ids of all jobs that others can see."""
        return sorted(job.id for job in self.app.jobs())


def _receipt(order: int) -> str:
    return f"receipt {order}"

"""What takes a waiting job out of its line, one function each."""

from __future__ import annotations

from tests.store.builders import HOUR
from tests.store.stores import Store
from windlass.store.operations import jobs


def remove(store: Store, id: str) -> None:
    store.run(jobs.delete([(store.job(id).seq, id)]))


def cancel(store: Store, id: str) -> None:
    store.run(jobs.cancel([store.job(id).seq], by="me"))


def put_off(store: Store, id: str) -> None:
    store.run(jobs.reschedule(store.job(id).seq, delay=HOUR))

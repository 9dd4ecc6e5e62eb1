"""A store on a server of the test's own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from tests.manual_clock import manual_clock
from tests.store.stores import Store
from windlass.store.driver import Driver
from windlass.store.open import open_driver


@dataclass(frozen=True)
class UrlPlace:
    """Whatever lies behind a URL; it ends with its server."""

    url: str
    namespace: str = "windlass"

    def open(self, *, now: Callable[[], int] | None, deadline: float = 5.0) -> Driver:
        return open_driver(self.url, namespace=self.namespace, now=now, deadline=deadline)

    def force(self, id: str, state: str) -> None:
        raise NotImplementedError

    def erase(self) -> None:
        raise NotImplementedError


@contextmanager
def opened(url: str, *, deadline: float = 5.0) -> Iterator[Store]:
    with ExitStack() as stack:
        yield Store(UrlPlace(url), clock=manual_clock(), opened=stack, deadline=deadline)

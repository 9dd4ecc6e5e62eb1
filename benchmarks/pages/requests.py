"""How long a server takes to answer each page."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.client import HTTPConnection
from urllib.parse import urlsplit

from windlass import Windlass
from windlass.web import dashboard
from windlass.web.security.security import Security
from windlass.web.security.settings import SecuritySettings
from windlass.web.server import Server

_PATIENCE = 60.0


@contextmanager
def served(app: Windlass) -> Iterator[str]:
    """The dashboard as ``windlass web`` serves it, at an address of this machine."""
    security = Security(app, SecuritySettings(is_open_to_loopback=True, requests_per_second=1e6, request_burst=10**6))
    with Server(dashboard(app, security=security), host="127.0.0.1", port=0).in_background() as address:
        yield address


def request_times(address: str, paths: Sequence[str], *, requests: int) -> dict[str, tuple[float, float]]:
    """Milliseconds from a request to the last byte of its answer, by path: of the first request, for which the server
    has kept nothing, and the median of those after it.
    """
    place = urlsplit(address)
    connection = HTTPConnection(place.hostname or "", place.port, timeout=_PATIENCE)
    found: dict[str, tuple[float, float]] = {}
    for path in paths:
        first, *others = [_time(connection, path) for _ in range(1 + requests)]
        found[path] = first, statistics.median(others)
    connection.close()
    return found


def _time(connection: HTTPConnection, path: str) -> float:
    began = time.perf_counter()
    connection.request("GET", path)
    answer = connection.getresponse()
    text = answer.read()
    seconds = time.perf_counter() - began
    if answer.status != 200:
        raise RuntimeError(f"{path} answered {answer.status}: {text[:500]!r}")
    return seconds * 1e3

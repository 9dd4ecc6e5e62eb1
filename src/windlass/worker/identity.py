"""The name of a worker, for people; leases use a random id."""

from __future__ import annotations

import os
import socket

from msgspec import Struct

from windlass import clock
from windlass.client.config import setting


class Identity(Struct, frozen=True):
    """``{prefix}-worker-{version}-{id}``, without a version that is not given, and the random instance behind it."""

    name: str
    instance: str
    version: str = ""
    """As it was given; blank where it was not."""


def identity(*, prefix: str | None = None, version: str | None = None, id: str | None = None) -> Identity:
    """From arguments, then the settings ``worker_name``, ``worker_version`` and ``worker_id``.

    Defaults: the name of the host, no version, the number of the process. A blank value counts as missing.
    """
    given = _given("worker_version", version)
    chosen = (
        _given("worker_name", prefix) or socket.gethostname(),
        "worker",
        given,
        _given("worker_id", id) or str(os.getpid()),
    )
    return Identity("-".join(part for part in chosen if part), f"{clock.random_bits(128):032x}", given)


def _given(name: str, argument: str | None) -> str:
    return (setting(name, argument or None) or "").strip()

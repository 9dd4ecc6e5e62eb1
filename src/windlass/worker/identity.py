"""What a worker is called. The name is for people; a random id, made at each start, decides who owns what."""

from __future__ import annotations

import os
import socket
from dataclasses import dataclass

from windlass import clock


@dataclass(frozen=True, slots=True)
class Identity:
    """``{prefix}-worker-{version}-{id}`` and the random instance behind it."""

    name: str
    instance: str


def identity(*, prefix: str | None = None, version: str | None = None, id: str | None = None) -> Identity:
    """From arguments, then ``$WINDLASS_WORKER_NAME``, ``_VERSION`` and ``_ID``, then host name, 0 and process id."""
    environment = os.environ
    chosen = (
        prefix or environment.get("WINDLASS_WORKER_NAME") or socket.gethostname(),
        version or environment.get("WINDLASS_WORKER_VERSION") or "0",
        id or environment.get("WINDLASS_WORKER_ID") or str(os.getpid()),
    )
    return Identity("{}-worker-{}-{}".format(*chosen), f"{clock.random_bits(128):032x}")

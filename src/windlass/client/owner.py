"""The base of an app: what has a client."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from windlass.client.client import Client


class ClientOwner:
    """What tasks and the parts of an app know of the app: where its client is."""

    client: Client
    """Not for users. The client of the app's own store; during a test block of ``windlass.testing``, that of the block.
    """

"""Tries the channels of alerts by hand."""

from __future__ import annotations

from msgspec import Struct

from windlass import clock
from windlass.client.client import Client
from windlass.client.config import setting
from windlass.delivery.attempt import try_to_send
from windlass.delivery.message import sample_message

_ID_BITS = 128


class ChannelTest(Struct, frozen=True):
    """What became of a test message."""

    channel: str
    error: str | None
    """Why it was not delivered."""

    @property
    def is_delivered(self) -> bool:
        return self.error is None


def try_channels(client: Client, channel: str | None = None) -> list[ChannelTest]:
    """Send a test message by one channel, or by all, from this process and once; the store is not touched."""
    chosen = list(client.channels) if channel is None else [client.channels.named(channel)]
    message = sample_message(
        client.session.store_name,
        number=clock.random_bits(_ID_BITS),
        link=setting("dashboard_url", None) or "",
    )
    found = [(one.name, try_to_send(one, message)) for one in chosen]
    return [ChannelTest(name, None if error is None else str(error)) for name, error in found]

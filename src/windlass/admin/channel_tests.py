"""Tries the channels of alerts by hand."""

from __future__ import annotations

from threading import Thread

from msgspec import Struct

from windlass import clock
from windlass.client.client import Client
from windlass.client.config import setting
from windlass.delivery.attempt import try_to_send
from windlass.delivery.channel import Channel, DeliveryFailed
from windlass.delivery.message import AlertMessage, sample_message

_ID_BITS = 128
LONGEST = 20.0
"""Seconds that a test takes at the most, however many channels there are."""


class ChannelTest(Struct, frozen=True):
    """What became of a test message."""

    channel: str
    error: str | None
    """Why it was not delivered."""

    @property
    def is_delivered(self) -> bool:
        return self.error is None


def try_channels(client: Client, channel: str | None = None, *, longest: float = LONGEST) -> list[ChannelTest]:
    """Send a test message by one channel, or by all at once, from this process and once; the store is not touched.

    After ``longest`` seconds a channel that still sends counts as one that has not delivered.
    """
    chosen = list(client.channels) if channel is None else [client.channels.named(channel)]
    message = sample_message(
        client.session.store_name,
        number=clock.random_bits(_ID_BITS),
        link=setting("dashboard_url", None) or "",
    )
    tries = [_Try(one, message) for one in chosen]
    for one in tries:
        one.start()
    end = clock.monotonic() + longest
    for one in tries:
        one.join(max(0.0, end - clock.monotonic()))
    return [ChannelTest(one.channel.name, one.error(longest)) for one in tries]


class _Try(Thread):
    """A daemon: a channel of the user's may hang for good."""

    def __init__(self, channel: Channel, message: AlertMessage) -> None:
        super().__init__(name=f"windlass test of {channel.name}", daemon=True)
        self.channel = channel
        self._message = message
        self._failed: DeliveryFailed | None = None

    def run(self) -> None:
        self._failed = try_to_send(self.channel, self._message)

    def error(self, longest: float) -> str | None:
        if self.is_alive():
            return f"it did not come to an end within {longest:g} s"
        return None if self._failed is None else str(self._failed)

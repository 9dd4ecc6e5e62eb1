"""Takes alerts to people: webhook, e-mail, log.

Nothing here uses the store. ``worker/duties/alerts/`` reads what is to be sent, and writes what became of it.

Files, in reading order:

- ``message``: What a receiver is told about an alert.
- ``channel``: What a channel is, which messages it takes, and how one fails.
- ``attempt``: One try to send a message, the errors of which hold no secrets; and when the next one is due.
- ``deadline``: Ends a connection when its time is over, whatever the other side does.
- ``addresses``: Which addresses a webhook may reach.
- ``target``: The URL of a webhook, and the addresses of its host.
- ``request``: One HTTP request to an address that was checked before.
- ``signature``: Signs bodies, and checks signatures: the scheme of Standard Webhooks.
- ``bodies``: Bodies of webhooks: JSON, Slack, or a template of the user's.
- ``webhook``: The channel ``Webhook``.
- ``smtp``: A session with a mail server that ends in time.
- ``mail``: The channel ``Email``.
- ``log``: The channel ``Log``.
- ``channels``: The channels of one app: those that code gives, or the environment names, and the log.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from windlass.delivery.channel import Channel, DeliveryFailed
    from windlass.delivery.log import Log
    from windlass.delivery.mail import Email
    from windlass.delivery.message import AlertMessage
    from windlass.delivery.signature import BadSignature, verify
    from windlass.delivery.webhook import Webhook
else:
    from windlass.lazy import lazy_names

    __getattr__ = lazy_names(
        __name__,
        {
            "AlertMessage": "windlass.delivery.message",
            "BadSignature": "windlass.delivery.signature",
            "Channel": "windlass.delivery.channel",
            "DeliveryFailed": "windlass.delivery.channel",
            "Email": "windlass.delivery.mail",
            "Log": "windlass.delivery.log",
            "Webhook": "windlass.delivery.webhook",
            "verify": "windlass.delivery.signature",
        },
    )

__all__ = ["AlertMessage", "BadSignature", "Channel", "DeliveryFailed", "Email", "Log", "Webhook", "verify"]

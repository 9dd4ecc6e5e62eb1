"""The channel ``Webhook``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from windlass import clock
from windlass.core import validate
from windlass.core.access.networks import networks
from windlass.core.units import duration
from windlass.delivery.bodies import JSON, Body, json_body, slack_body, template_body
from windlass.delivery.channel import DeliveryFailed, checked_name, checked_severity, is_urgent
from windlass.delivery.deadline import Deadline
from windlass.delivery.message import RESOLVED, AlertMessage
from windlass.delivery.signature import checked_secrets, signed_headers
from windlass.delivery.target import LookUp, Target, reachable_addresses
from windlass.errors import ConfigError, Duration
from windlass.version import VERSION

if TYPE_CHECKING:
    from ssl import SSLContext

    from windlass.delivery.request import Answer

_BODIES = {"json": json_body, "slack": slack_body}
_HEADER = re.compile(r"[A-Za-z0-9-]{1,100}")
_VALUE = re.compile(r"[\x20-\x7e]{0,2000}")
_OURS = ("host", "content-type", "content-length", "transfer-encoding", "connection")


class Webhook:
    """Posts alerts to a URL, signed, with a stable event id, within a deadline.

    >>> Webhook("https://hooks.example.org/services/T0/B0/xyz", body="slack")
    <Webhook 'webhook' https://hooks.example.org>
    """

    def __init__(
        self,
        url: str,
        *,
        secret: str | Sequence[str] = (),
        body: str = "json",
        template: str | None = None,
        content_type: str = JSON,
        headers: Mapping[str, str] | None = None,
        severity: str = "info",
        resolved: bool = True,
        allow: Sequence[str] = (),
        ca_file: str | None = None,
        timeout: Duration = 10,
        name: str = "webhook",
        look_up: LookUp | None = None,
    ) -> None:
        """``secret`` signs the body (several while they are changed); ``body`` is ``json`` or ``slack``, or
        ``template`` is a text with ``$title``, ``$severity`` and others in it.

        ``severity`` is the lightest that is sent; ``resolved`` whether the end of an alert is told, too.

        ``allow`` lists addresses and networks that are not public and still meant, as in ``10.1.0.0/16``. ``ca_file``
        has the certificates that sign those of the receiver, where these are your own.

        ``look_up`` replaces ``socket.getaddrinfo``.
        """
        self.name = checked_name(name)
        self._target = Target.of(url)
        self._secrets = checked_secrets(secret)
        self._body = _chosen_body(body, template, content_type)
        self._headers = {**_checked_headers(headers or {}), "Content-Type": _checked_type(content_type)}
        self._severity = checked_severity(severity, self.name)
        self._resolved = validate.flag(resolved, "resolved")
        self._allowed = networks(validate.texts(allow, "allow", example="['10.1.0.0/16']"), "allow")
        self._ca_file = ca_file
        self._timeout = duration(timeout, "timeout").total_seconds()
        if not self._timeout:
            raise ConfigError("timeout must be longer than 0, or no webhook could ever be delivered")
        self._look_up = look_up

    def __repr__(self) -> str:
        return f"<Webhook {self.name!r} {self._target.place}>"

    def takes(self, *, severity: str, kind: str) -> bool:
        return is_urgent(severity, least=self._severity) and (self._resolved or kind != RESOLVED)

    def send(self, message: AlertMessage) -> None:
        """Post it. ``DeliveryFailed`` unless the receiver has answered with 2xx."""
        from windlass.delivery.request import post

        body = self._body(message)
        signed = signed_headers(self._secrets, event_id=message.event_id, timestamp=clock.now() // 1000, body=body)
        headers = {
            "User-Agent": f"windlass/{VERSION}",
            "Accept": "*/*",
            "Connection": "close",
            **self._headers,
            **signed,
        }
        with Deadline(self._timeout) as deadline:
            found = reachable_addresses(self._target, self._allowed, deadline, self._look_up)
            answer = post(self._target, found, body=body, headers=headers, deadline=deadline, context=self._context())
        self._judge(answer)

    def _judge(self, answer: Answer) -> None:
        if 200 <= answer.status < 300:
            return
        said = f"{self._target.place} answered {answer.status} {answer.reason}".rstrip()
        if 300 <= answer.status < 400:
            raise DeliveryFailed(f"{said}: redirects are not followed; give the URL that it leads to")
        text = " ".join(self._without_secrets(answer.text).split())[:200]
        raise DeliveryFailed(f"{said}: {text}" if text else said, retry_after=answer.retry_after)

    def _without_secrets(self, text: str) -> str:
        """What a receiver says, which may repeat what it was sent."""
        ours = {*self._secrets, *self._headers.values(), self._target.path} - {"/", self._headers["Content-Type"]}
        for secret in sorted(ours, key=len, reverse=True):
            text = text.replace(secret, "...") if secret else text
        return text

    def _context(self) -> SSLContext | None:
        if self._target.scheme != "https":
            return None
        import ssl

        try:
            return ssl.create_default_context(cafile=self._ca_file)
        except OSError as error:
            raise DeliveryFailed(f"ca_file {self._ca_file} cannot be used: {error.strerror or error}") from None


def _chosen_body(body: str, template: str | None, content_type: str) -> Body:
    if template is not None:
        if not isinstance(template, str):
            raise ConfigError(f"template must be a text, got {template!r}")
        return template_body(template, content_type=content_type)
    if body not in _BODIES:
        raise ConfigError(f"body must be json or slack, got {body!r}; a text of your own is template=...")
    return _BODIES[body]


def _checked_headers(headers: Mapping[Any, object]) -> dict[str, str]:
    """Values are secrets: errors name the header only."""
    for name, value in headers.items():
        if not isinstance(name, str) or not _HEADER.fullmatch(name):
            raise ConfigError(f"{name!r} is no name of a header")
        if name.lower() in _OURS or name.lower().startswith("webhook-"):
            raise ConfigError(f"the header {name} is set by the webhook itself")
        if not isinstance(value, str) or not _VALUE.fullmatch(value):
            raise ConfigError(f"the value of the header {name} must be a text of plain characters in one line")
    return {str(name): str(value) for name, value in headers.items()}


def _checked_type(content_type: object) -> str:
    if not isinstance(content_type, str) or not _VALUE.fullmatch(content_type):
        raise ConfigError(f"content_type must be a text such as {JSON}, got {content_type!r}")
    return content_type

"""The channel ``Email``."""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from windlass.core import validate
from windlass.core.units import duration
from windlass.delivery.channel import DeliveryFailed, checked_name, checked_severity, is_urgent
from windlass.delivery.deadline import Deadline
from windlass.delivery.message import RESOLVED, AlertMessage
from windlass.errors import ConfigError, Duration
from windlass.insight.redact import redacted_text

if TYPE_CHECKING:
    from email.message import EmailMessage

log = logging.getLogger("windlass.alerts")

_PORTS = {"smtp": 587, "smtps": 465}
_ADDRESS = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,250}[A-Za-z0-9])?")
_SUBJECT = 200


class Email:
    """Mails alerts through a server of yours.

    >>> Email(["ops@example.org"], sender="windlass@example.org", server="smtp://windlass@mail.example.org")
    <Email 'email' smtp://mail.example.org:587>
    """

    def __init__(
        self,
        to: Sequence[str],
        *,
        sender: str,
        server: str,
        password: str | None = None,
        encrypt: bool = True,
        ca_file: str | None = None,
        severity: str = "info",
        resolved: bool = True,
        timeout: Duration = 20,
        name: str = "email",
    ) -> None:
        """``server`` is ``smtp://user@host:587``, which is encrypted by STARTTLS, or ``smtps://host:465``, which is
        from the start. The password stands in the URL or in ``password``.

        A server that offers no STARTTLS gets nothing, unless ``encrypt=False``; a password is never sent in clear text.
        """
        self.name = checked_name(name)
        self._to = tuple(_address(one, "to") for one in validate.texts(to, "to", example="['ops@example.org']"))
        if not self._to:
            raise ConfigError("to must name at least one address")
        self._sender = _address(sender, "sender")
        self._scheme, self._host, self._port, self._user, found = _server(server)
        self._password = found if password is None else password
        self._encrypt = validate.flag(encrypt, "encrypt")
        if self._user and not (self._encrypt or self._scheme == "smtps"):
            raise ConfigError(f"Email to {self._host}: a password is never sent in clear text; leave encrypt=True")
        self._ca_file = ca_file
        self._severity = checked_severity(severity, self.name)
        self._resolved = validate.flag(resolved, "resolved")
        self._timeout = duration(timeout, "timeout").total_seconds()

    def __repr__(self) -> str:
        return f"<Email {self.name!r} {self._place}>"

    @property
    def _place(self) -> str:
        return f"{self._scheme}://{self._host}:{self._port}"

    def takes(self, *, severity: str, kind: str) -> bool:
        return is_urgent(severity, least=self._severity) and (self._resolved or kind != RESOLVED)

    def send(self, message: AlertMessage) -> None:
        """Mail it. ``DeliveryFailed`` unless the server has accepted it for one address at least."""
        from smtplib import SMTPException, SMTPResponseException

        with Deadline(self._timeout) as deadline:
            try:
                self._hand_over(self._mail(message), deadline)
            except SMTPResponseException as error:
                said = error.smtp_error.decode("utf-8", "replace") if isinstance(error.smtp_error, bytes) else ""
                raise DeliveryFailed(f"{self._place} answered {error.smtp_code} {self._clean(said)}".rstrip()) from None
            except SMTPException as error:
                if deadline.is_over:
                    raise DeliveryFailed(f"{self._place} did not answer in time") from None
                raise DeliveryFailed(f"{self._place}: {type(error).__name__}: {self._clean(str(error))}") from None
            except OSError as error:
                if deadline.is_over or isinstance(error, TimeoutError):
                    raise DeliveryFailed(f"{self._place} did not answer in time") from None
                raise DeliveryFailed(f"{self._place} cannot be reached: {error.strerror or error}") from None

    def _hand_over(self, mail: EmailMessage, deadline: Deadline) -> None:
        import ssl

        from windlass.delivery.smtp import open_session

        context = ssl.create_default_context(cafile=self._ca_file)
        with open_session(
            self._host, self._port, deadline=deadline, context=context if self._scheme == "smtps" else None
        ) as session:
            if self._scheme == "smtp" and self._encrypt:
                session.starttls(context=context)
            if self._user:
                session.login(self._user, self._password or "")
            refused = session.send_message(mail, from_addr=self._sender, to_addrs=list(self._to))
        # Not tried again: those that got it would get it again and again.
        for address, (code, _) in refused.items():
            log.warning("%s refused an alert for %s: %s", self._place, address, code)

    def _mail(self, message: AlertMessage) -> EmailMessage:
        from email.message import EmailMessage
        from email.policy import SMTP
        from email.utils import format_datetime

        mail = EmailMessage(policy=SMTP)
        mail["From"] = self._sender
        mail["To"] = ", ".join(self._to)
        mail["Subject"] = one_line(message.title)[:_SUBJECT]
        mail["Date"] = format_datetime(message.at)
        mail["Message-ID"] = f"<{re.sub('[^A-Za-z0-9.-]', '-', message.event_id)}@windlass.invalid>"
        mail["Auto-Submitted"] = "auto-generated"
        mail.set_content(_text(message))
        return mail

    def _clean(self, text: str) -> str:
        return text.replace(self._password, "...") if self._password else text


def one_line(text: str) -> str:
    """A text for a header: a line break in a queue's name must not begin another header.

    >>> one_line("mail\\r\\nBcc: all@example.org")
    'mail Bcc: all@example.org'
    """
    return " ".join("".join(char if char.isprintable() else " " for char in redacted_text(text)).split())


def _text(message: AlertMessage) -> str:
    facts = {
        "rule": f"{message.rule}: {message.expression}" if message.expression else message.rule,
        "severity": message.severity,
        "about": message.scope or "the whole store",
        "measured": ", ".join(f"{name} {value:g}" for name, value in message.values.items()),
        "at": f"{message.at:%Y-%m-%d %H:%M:%S} UTC",
        "store": message.store,
        "event": message.event_id,
        "look": message.link,
    }
    lines = [one_line(message.title), ""]
    lines += [f"{name + ':':<10} {one_line(text)}" for name, text in facts.items() if text]
    return "\n".join(lines) + "\n"


def _address(text: object, name: str) -> str:
    if not isinstance(text, str) or not _ADDRESS.fullmatch(text):
        raise ConfigError(
            f"{name}: {text!r} is no address such as ops@example.org (without a name, in plain characters)"
        )
    return text


def _server(url: object) -> tuple[str, str, int, str, str]:
    """Scheme, host, port, user and password; ``ConfigError`` shows none of them."""
    remedy = "the server of Email looks like smtp://user@mail.example.org:587 or smtps://..."
    if not isinstance(url, str) or not url.isascii() or not url.isprintable():
        raise ConfigError(remedy)
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise ConfigError(remedy) from None
    if parts.scheme not in _PORTS or not parts.hostname:
        raise ConfigError(remedy)
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    return parts.scheme, parts.hostname, port or _PORTS[parts.scheme], user, password

"""Alerts as e-mail."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from email import message_from_string, policy
from threading import Event
from typing import Any

import pytest

from tests.delivery.receivers import (
    HERE,
    Certificate,
    Mailbox,
    mail_server,
    message,
    new_certificate,
    raw_receiver,
)
from windlass import ConfigError
from windlass.delivery import DeliveryFailed, Email
from windlass.delivery.attempt import try_to_send

PASSWORD = "hunter2-of-the-mail"


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    return new_certificate(tmp_path_factory.mktemp("certificate"), "localhost", HERE)


@pytest.fixture
def mailbox(certificate: Certificate) -> Iterator[Mailbox]:
    with mail_server(certificate.context) as mailbox:
        yield mailbox


def mail(mailbox: Mailbox, certificate: Certificate, *, user: str = "", **options: Any) -> Email:
    given: dict[str, Any] = {"sender": "windlass@example.org", "server": f"smtp://{user}{HERE}:{mailbox.port}"}
    return Email(["ops@example.org", "boss@example.org"], ca_file=str(certificate.file), **given, **options)


def test_a_mail_says_what_happened(mailbox: Mailbox, certificate: Certificate) -> None:
    """B22: encrypted by STARTTLS, after which the password is sent."""
    mail(mailbox, certificate, user=f"windlass:{PASSWORD}@").send(message(link="https://jobs.example.org/alerts"))
    [text] = mailbox.mails
    found = message_from_string(text, policy=policy.default)
    assert found["Subject"] == "[CRITICAL] depth (queue mail): 1,204 jobs wait"
    assert (found["To"], found["From"]) == ("ops@example.org, boss@example.org", "windlass@example.org")
    assert found["Message-ID"] == "<01J8ZP3V1QK7D0C9R6T5M4N3B2.fired@windlass.invalid>"
    assert "measured:  queue_depth 1204" in text
    assert "look:      https://jobs.example.org/alerts" in text
    assert (mailbox.encrypted, len(mailbox.logins), len(mailbox.recipients)) == ([True], 1, 2)


@pytest.mark.parametrize("ending", ["\r\n", "\n", "\r", "\x0b", "\x85", "\u2028", "\x00"])
def test_no_text_begins_another_header(mailbox: Mailbox, certificate: Certificate, ending: str) -> None:
    hostile = f"mail{ending}Bcc: all@example.org{ending}{ending}Subject: won{ending}.{ending}QUIT"
    mail(mailbox, certificate).send(message(scope=hostile, summary=hostile, rule=hostile, store=hostile))
    [text] = mailbox.mails
    found = message_from_string(text, policy=policy.default)
    assert set(found.keys()) == {
        *("From", "To", "Subject", "Date", "Message-ID", "Auto-Submitted"),
        *("MIME-Version", "Content-Type", "Content-Transfer-Encoding"),
    }
    assert "Bcc: all@example.org" in found["Subject"]
    assert len(mailbox.recipients) == 2


def test_a_server_without_encryption_gets_nothing(certificate: Certificate) -> None:
    with mail_server() as mailbox:
        with pytest.raises(DeliveryFailed, match="STARTTLS"):
            mail(mailbox, certificate).send(message())
        assert mailbox.mails == []
        mail(mailbox, certificate, encrypt=False).send(message())
        assert len(mailbox.mails) == 1


def test_a_certificate_that_is_not_trusted_gets_nothing(mailbox: Mailbox) -> None:
    channel = Email(["ops@example.org"], sender="a@example.org", server=f"smtp://u:{PASSWORD}@{HERE}:{mailbox.port}")
    failed = try_to_send(channel, message())
    assert failed is not None
    assert "certificate" in str(failed)
    assert (mailbox.mails, mailbox.logins) == ([], [])


def test_errors_hold_no_password(mailbox: Mailbox, certificate: Certificate) -> None:
    mailbox.refuses = f"554 no, {PASSWORD} is bad"
    failed = try_to_send(mail(mailbox, certificate, user=f"windlass:{PASSWORD}@"), message())
    assert str(failed) == f"smtp://{HERE}:{mailbox.port} answered 554 no, ... is bad"
    assert PASSWORD not in repr(mail(mailbox, certificate, user=f"windlass:{PASSWORD}@"))


def test_a_server_that_trickles_is_left_in_time(certificate: Certificate) -> None:
    left = Event()

    def trickle(connection: socket.socket) -> None:
        while True:
            connection.sendall(b"220-wait\r\n")
            left.wait(0.01)

    with raw_receiver(trickle) as port, pytest.raises(DeliveryFailed, match="did not answer in time"):
        mail(Mailbox(port), certificate, timeout=0.3).send(message())


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"to": []}, "at least one address"),
        ({"to": "ops@example.org"}, "to takes a list"),
        ({"to": ["ops@example.org\nBcc: x@example.org"]}, "is no address"),
        ({"to": ["Ops <ops@example.org>"]}, "is no address"),
        ({"sender": "nobody"}, "sender: 'nobody' is no address"),
        ({"server": "mail.example.org"}, "the server of Email looks like"),
        ({"server": "http://mail.example.org"}, "the server of Email looks like"),
        ({"server": "smtp://u:hunter2@mail.example.org:x"}, "the server of Email looks like"),
        ({"server": "smtp://u:hunter2@mail.example.org", "encrypt": False}, "never sent in clear text"),
    ],
)
def test_what_cannot_work_is_rejected_at_once(options: dict[str, Any], error: str) -> None:
    given: dict[str, Any] = {"to": ["ops@example.org"], "sender": "a@example.org", "server": "smtp://mail.example.org"}
    with pytest.raises(ConfigError, match=error) as raised:
        Email(**{**given, **options})
    assert "hunter2" not in str(raised.value)

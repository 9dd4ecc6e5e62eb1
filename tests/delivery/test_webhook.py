"""Webhooks: what is sent, and what becomes of it."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from tests.delivery.receivers import HERE, Certificate, Receiver, http_receiver, message, new_certificate, raw_receiver
from tests.waiting import PATIENCE
from windlass import ConfigError
from windlass.delivery import BadSignature, DeliveryFailed, Webhook, verify
from windlass.delivery.attempt import try_to_send
from windlass.delivery.message import RESOLVED, sample_message

SECRET = "a secret of some length"


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with http_receiver() as receiver:
        yield receiver


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    return new_certificate(tmp_path_factory.mktemp("certificate"), "hooks.test")


def hook(receiver: Receiver, **options: Any) -> Webhook:
    given: dict[str, Any] = {"allow": [HERE], **options}
    return Webhook(receiver.url(), **given)


def test_a_body_is_signed_and_has_a_stable_id(receiver: Receiver) -> None:
    """B22."""
    sent = message()
    for _ in range(2):
        hook(receiver, secret=SECRET).send(sent)
    first, second = receiver.requests
    assert verify(SECRET, first.headers, first.body) == verify(SECRET, second.headers, second.body) == sent.event_id
    assert first.path == "/hook"
    found = json.loads(first.body)
    assert (found["type"], found["id"], found["alert"]["rule"]) == ("windlass.alert.fired", sent.event_id, "depth")
    assert (found["alert"]["values"], found["alert"]["state"]) == ({"queue_depth": 1204.0}, "firing")
    assert found["title"] == "[CRITICAL] depth (queue mail): 1,204 jobs wait"


def test_a_receiver_can_tell_what_was_changed_or_is_old(receiver: Receiver) -> None:
    hook(receiver, secret=SECRET).send(message())
    [request] = receiver.requests
    headers, body = request.headers, request.body
    stamp = int(headers["Webhook-Timestamp"])
    for secret, bad_headers, bad_body, now in [
        ("another secret of length", headers, body, stamp),
        (SECRET, headers, body + b" ", stamp),
        (SECRET, {**headers, "Webhook-Id": "other"}, body, stamp),
        (SECRET, {**headers, "Webhook-Timestamp": str(stamp + 1)}, body, stamp),
        (SECRET, {**headers, "Webhook-Timestamp": "soon"}, body, stamp),
        (SECRET, {**headers, "Webhook-Signature": ""}, body, stamp),
        (SECRET, headers, body, stamp + 301),
        (SECRET, headers, body, stamp - 301),
    ]:
        with pytest.raises(BadSignature):
            verify(secret, bad_headers, bad_body, now=now)


def test_secrets_can_be_changed_one_after_the_other(receiver: Receiver) -> None:
    old, new = "the old secret of length", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    hook(receiver, secret=[new, old]).send(message())
    [request] = receiver.requests
    for secret in (old, new):
        assert verify(secret, request.headers, request.body)


def test_the_signature_is_that_of_standard_webhooks() -> None:
    """The example of its specification."""
    from windlass.delivery.signature import signed_headers

    headers = signed_headers(
        ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
        event_id="msg_p5jXN8AQM9LWM0D4loKWxJek",
        timestamp=1614265330,
        body=b'{"test": 2432232314}',
    )
    assert headers["Webhook-Signature"] == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_without_a_secret_nothing_is_signed(receiver: Receiver) -> None:
    hook(receiver).send(message())
    assert "Webhook-Signature" not in receiver.requests[0].headers


def test_slack_gets_its_own_form_without_markup_of_others(receiver: Receiver) -> None:
    hook(receiver, body="slack").send(message(scope="queue <!channel> & co", link="https://jobs.example.org/alerts"))
    body = json.loads(receiver.requests[0].body)
    assert body["text"] == "[CRITICAL] depth (queue &lt;!channel&gt; &amp; co): 1,204 jobs wait"
    assert body["blocks"][0]["text"]["text"].startswith(":red_circle: *[CRITICAL]")
    assert "<https://jobs.example.org/alerts|Open>" in body["blocks"][0]["text"]["text"]
    hook(receiver, body="slack").send(message(kind=RESOLVED))
    assert ":white_check_mark: *[RESOLVED]" in receiver.requests[1].body.decode()


def test_a_template_is_filled_in_and_escaped(receiver: Receiver) -> None:
    template = '{"summary": "$title", "routing": "${severity}", "price": "$$5"}'
    hook(receiver, template=template).send(message(summary='quote " and \\ and\nline {0.__class__}'))
    found = json.loads(receiver.requests[0].body)
    assert found["summary"] == '[CRITICAL] depth (queue mail): quote " and \\ and\nline {0.__class__}'
    assert (found["routing"], found["price"]) == ("critical", "$5")
    hook(receiver, template="$severity: $rule", content_type="text/plain").send(message())
    assert receiver.requests[1].body == b"critical: depth"
    assert receiver.requests[1].headers["Content-Type"] == "text/plain"


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"template": "$nothing"}, r"the template of a webhook has 'nothing' in it; there are \$id"),
        ({"template": "{0.__class__} $"}, "the template of a webhook has Invalid placeholder"),
        ({"template": '{"a": $title}'}, "the template of a webhook gives no JSON"),
        ({"template": 7}, "template must be a text"),
        ({"body": "xml"}, "body must be json or slack"),
        ({"secret": "short"}, "at least 16 characters"),
        ({"secret": "whsec_!!"}, "no Base64"),
        ({"secret": 7}, "must be a text"),
        ({"headers": {"Host": "x"}}, "set by the webhook itself"),
        ({"headers": {"Webhook-Id": "x"}}, "set by the webhook itself"),
        ({"headers": {"X-A": "b\r\nX-B: c"}}, "must be a text of plain characters in one line"),
        ({"headers": {"X A": "b"}}, "no name of a header"),
        ({"severity": "loud"}, "severity must be info, warning or critical"),
        ({"allow": "10.0.0.1"}, "allow takes a list"),
        ({"allow": ["localhost"]}, "allow takes addresses and networks"),
        ({"name": "Ops Team"}, "channel name"),
        ({"timeout": 0}, "timeout must be longer than 0"),
    ],
)
def test_what_cannot_work_is_rejected_at_once(options: dict[str, Any], error: str) -> None:
    with pytest.raises(ConfigError, match=error):
        Webhook("https://example.org/", **options)


def test_redirects_are_not_followed(receiver: Receiver) -> None:
    with http_receiver() as trap:
        for status in (301, 302, 303, 307, 308):
            receiver.answers.append((status, {"Location": trap.url()}, b""))
            with pytest.raises(DeliveryFailed, match=rf"answered {status} .*redirects are not followed"):
                hook(receiver).send(message())
        assert trap.requests == []


def test_errors_say_what_the_receiver_said_and_no_secret(receiver: Receiver) -> None:
    said = f"bad {SECRET} Bearer abcdefgh12345 /hook {'x' * 100_000}".encode()
    receiver.answers.append((429, {"Retry-After": "120"}, said))
    failed = try_to_send(hook(receiver, secret=SECRET, headers={"Authorization": "Bearer abcdefgh12345"}), message())
    assert failed is not None
    assert failed.retry_after == 120
    assert str(failed).startswith(f"http://{HERE}:{receiver.port} answered 429 Too Many Requests: bad ... ...")
    assert not any(secret in str(failed) for secret in (SECRET, "abcdefgh12345", "/hook"))
    assert len(str(failed)) <= 300


def test_a_receiver_that_trickles_is_left_in_time() -> None:
    def trickle(connection: socket.socket) -> None:
        connection.recv(100)
        for number in count():
            connection.sendall(b"HTTP/1.1 200 OK\r\n" if number == 0 else b"X: y\r\n" if number % 100 == 0 else b"")
            left.wait(0.01)

    left = Event()
    with raw_receiver(trickle) as port, pytest.raises(DeliveryFailed, match="did not answer in time"):
        Webhook(f"http://{HERE}:{port}/", allow=[HERE], timeout=0.3).send(message())


def test_a_receiver_that_never_ends_its_body_is_not_read_to_the_end() -> None:
    def flood(connection: socket.socket) -> None:
        connection.recv(10_000)
        connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        while True:
            connection.sendall(b"x" * 10_000)

    with raw_receiver(flood) as port:
        Webhook(f"http://{HERE}:{port}/", allow=[HERE]).send(message())


@pytest.mark.parametrize("said", [b"", b"SSH-2.0-OpenSSH\r\n", b"HTTP/1.1 two hundred\r\n\r\n", b"\x00" * 70_000])
def test_what_is_no_web_server_is_named(said: bytes) -> None:
    def talk(connection: socket.socket) -> None:
        connection.recv(10_000)
        connection.sendall(said)

    with raw_receiver(talk) as port, pytest.raises(DeliveryFailed, match=r"web server|cannot be reached"):
        Webhook(f"http://{HERE}:{port}/", allow=[HERE]).send(message())


def test_a_resolver_that_hangs_is_left_behind() -> None:
    released = Event()

    def look_up(host: str, port: int) -> list[object]:
        released.wait(PATIENCE)
        return []

    with pytest.raises(DeliveryFailed, match=r"the name slow.test was not resolved in time"):
        Webhook("http://slow.test/", look_up=look_up, timeout=0.05).send(message())
    released.set()


def test_certificates_are_checked_for_the_name_in_the_url(certificate: Certificate) -> None:
    """The connection goes to an address; the name stays what the certificate has to be for."""

    def look_up(host: str, port: int) -> list[object]:
        return [(2, 1, 6, "", (HERE, port))]

    with http_receiver(certificate.context) as receiver:
        options: dict[str, Any] = {"allow": [HERE], "look_up": look_up, "ca_file": str(certificate.file)}
        Webhook(receiver.url(host="hooks.test", scheme="https"), **options).send(message())
        assert len(receiver.requests) == 1
        with pytest.raises(DeliveryFailed, match="certificate"):
            Webhook(receiver.url(host="other.test", scheme="https"), **options).send(message())
        with pytest.raises(DeliveryFailed, match="certificate"):
            Webhook(receiver.url(host="hooks.test", scheme="https"), allow=[HERE], look_up=look_up).send(message())
        assert len(receiver.requests) == 1


def test_a_file_of_certificates_that_is_missing_is_named(tmp_path: Path) -> None:
    channel = Webhook(f"https://{HERE}/", allow=[HERE], ca_file=str(tmp_path / "none.pem"))
    with pytest.raises(DeliveryFailed, match=r"none.pem cannot be used: No such file"):
        channel.send(sample_message("x", number=1))


def test_proxies_of_the_environment_are_not_used(receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    with http_receiver() as trap:
        for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY"):
            monkeypatch.setenv(name, trap.url())
        hook(receiver).send(message())
        assert (len(receiver.requests), trap.requests) == (1, [])

"""Which addresses a webhook may reach."""

from __future__ import annotations

from ipaddress import ip_address, ip_network

import pytest

from tests.delivery.receivers import HERE, http_receiver, message
from windlass import ConfigError
from windlass.delivery import DeliveryFailed, Webhook
from windlass.delivery.addresses import is_reachable
from windlass.delivery.target import LookUp, Target

REFUSED = [
    "0.0.0.0",  # noqa: S104  # refused, not bound to
    "0.1.2.3",
    "10.0.0.1",
    "10.255.255.255",
    "100.64.0.1",
    "100.100.100.200",
    "127.0.0.1",
    "127.255.255.254",
    "168.63.129.16",
    "169.254.0.1",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.1",
    "192.0.0.192",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.1.1",
    "198.18.0.1",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "239.255.255.255",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::127.0.0.1",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "::ffff:169.254.169.254",
    "::ffff:0:127.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b:1::a00:1",
    "2002:7f00:1::1",
    "2002:a9fe:a9fe::1",
    "2001::1",
    "100::1",
    "2001:db8::1",
    "fc00::1",
    "fd00::1",
    "fd00:ec2::254",
    "fd20:ce::254",
    "fe80::1",
    "fec0::1",
    "ff02::1",
    "ff0e::1",
]

PUBLIC = [
    "1.1.1.1",
    "93.184.215.14",
    "172.32.0.1",
    "192.169.0.1",
    "2606:4700::1111",
    "::ffff:1.1.1.1",
    "64:ff9b::101:101",
    "2002:101:101::1",
]


@pytest.mark.parametrize("text", REFUSED)
def test_addresses_that_are_not_public_are_refused(text: str) -> None:
    assert not is_reachable(ip_address(text), ())


@pytest.mark.parametrize("text", PUBLIC)
def test_public_addresses_are_reached(text: str) -> None:
    assert is_reachable(ip_address(text), ())


def test_what_is_listed_is_reached_in_any_of_its_forms_and_nothing_beside_it() -> None:
    listed = (ip_network("10.1.0.0/16"),)
    reached = ["10.1.2.3", "::ffff:10.1.2.3", "64:ff9b::a01:203"]
    assert [is_reachable(ip_address(text), listed) for text in (*reached, "10.2.0.1", "::1")] == [True] * 3 + [
        False
    ] * 2


LOCAL_URLS = (
    "http://127.0.0.1:{port}/",
    "http://127.1:{port}/",
    "http://0:{port}/",
    "http://0.0.0.0:{port}/",
    "http://2130706433:{port}/",
    "http://0x7f000001:{port}/",
    "http://0x7f.0.0.1:{port}/",
    "http://0177.0.0.1:{port}/",
    "http://017700000001:{port}/",
    "http://localhost:{port}/",
    "http://LOCALHOST.:{port}/",
    "http://[::1]:{port}/",
    "http://[::ffff:127.0.0.1]:{port}/",
    "http://[::ffff:7f00:1]:{port}/",
    "http://[::]:{port}/",
)


@pytest.mark.parametrize("url", LOCAL_URLS)
def test_no_way_of_writing_this_machine_reaches_it(url: str) -> None:
    with http_receiver() as trap:
        with pytest.raises(DeliveryFailed, match=r"not public|cannot be resolved"):
            Webhook(url.format(port=trap.port)).send(message())
        assert trap.requests == []


def test_a_name_that_means_a_public_and_a_private_address_is_refused() -> None:
    with http_receiver() as trap:
        hook = Webhook(trap.url(host="rebind.test"), look_up=_answering("1.1.1.1", HERE))
        with pytest.raises(DeliveryFailed, match=r"rebind.test is 127.0.0.1, an address that is not public"):
            hook.send(message())
        assert trap.requests == []


def test_a_name_is_resolved_once_and_what_was_checked_is_reached() -> None:
    """A name server that gives a public address first and another one afterwards gets nothing out of it."""
    asked: list[str] = []

    def look_up(host: str, port: int) -> list[object]:
        asked.append(host)
        return _answering(HERE if len(asked) == 1 else "10.9.9.9")(host, port)

    with http_receiver() as receiver:
        Webhook(receiver.url(host="hooks.test"), allow=[HERE], look_up=look_up).send(message())
        [request] = receiver.requests
    assert asked == ["hooks.test"]
    assert request.headers["Host"] == f"hooks.test:{receiver.port}"


@pytest.mark.parametrize(
    "url",
    [
        "ftp://example.org/",
        "file:///etc/passwd",
        "gopher://example.org/",
        "//example.org/",
        "example.org/hook",
        "http://",
        "http:///path",
        "https://user@example.org/",
        "https://user:hunter2@example.org/",
        "https://example.org:99999/",
        "https://exa mple.org/",
        "https://example.org/\r\nHost: evil",
        "https://exämple.org/",
        "https://[::1",
        "",
        None,
        7,
    ],
)
def test_other_urls_are_rejected_without_showing_secrets(url: str) -> None:
    with pytest.raises(ConfigError, match="URL of a webhook") as error:
        Webhook(url)
    assert "hunter2" not in str(error.value)


def test_what_is_shown_of_a_url_is_its_host() -> None:
    target = Target.of("https://hooks.example.org:8443/services/T0/B0/xyz?a=b")
    assert (target.place, target.path) == ("https://hooks.example.org:8443", "/services/T0/B0/xyz?a=b")
    assert "xyz" not in repr(target)


def _answering(*addresses: str) -> LookUp:
    def look_up(host: str, port: int) -> list[object]:
        return [(2, 1, 6, "", (address, port)) for address in addresses]

    return look_up

"""What a URL says."""

from __future__ import annotations

import pytest
from redis.connection import Connection, SSLConnection, UnixDomainSocketConnection

from windlass.errors import ConfigError
from windlass.store.open import open_driver
from windlass.store.redis.address import Kind, parse_address


@pytest.mark.parametrize(
    ("url", "kind", "places", "connection_class"),
    [
        ("redis://", Kind.SERVER, [("localhost", 6379)], Connection),
        ("redis://example.org/0", Kind.SERVER, [("example.org", 6379)], Connection),
        ("valkey://[::1]:7000", Kind.SERVER, [("::1", 7000)], Connection),
        ("rediss://example.org", Kind.SERVER, [("example.org", 6379)], SSLConnection),
        ("valkeys://example.org", Kind.SERVER, [("example.org", 6379)], SSLConnection),
        ("unix:///run/redis.sock", Kind.SERVER, [], UnixDomainSocketConnection),
        ("redis+sentinel://a,b:2/m", Kind.SENTINEL, [("a", 26379), ("b", 2)], Connection),
        ("rediss+sentinel://a,[::1]:2/m/3", Kind.SENTINEL, [("a", 26379), ("::1", 2)], SSLConnection),
        ("valkey+cluster://a:1,b", Kind.CLUSTER, [("a", 1), ("b", 6379)], Connection),
        ("valkeys+cluster://a/0", Kind.CLUSTER, [("a", 6379)], SSLConnection),
    ],
)
def test_where_to_connect(url: str, kind: Kind, places: list[tuple[str, int]], connection_class: type) -> None:
    address = parse_address(url)
    assert (address.kind, list(address.places), address.connection_class) == (kind, places, connection_class)
    assert open_driver(url).name == url


@pytest.mark.parametrize(
    ("url", "options"),
    [
        ("redis://me:secret@h/2", {"username": "me", "password": "secret", "db": 2}),
        ("redis://:secret@h", {"password": "secret"}),
        ("redis://me:s%2Fe%3Ac%40r%25t@h", {"username": "me", "password": "s/e:c@r%t"}),
        ("redis://h?username=me&password=sec%40ret&db=4", {"username": "me", "password": "sec@ret", "db": 4}),
        ("unix://me:secret@/run/r.sock?db=3", {"username": "me", "password": "secret", "db": 3, "path": "/run/r.sock"}),
        ("rediss://h?ssl_check_hostname=no&ssl_cert_reqs=none", {"ssl_check_hostname": False, "ssl_cert_reqs": "none"}),
        ("redis+sentinel://me:secret@a/m/5", {"username": "me", "password": "secret", "db": 5}),
        ("redis://h?client_name=jobs", {"client_name": "jobs"}),
    ],
)
def test_how_to_log_in(url: str, options: dict[str, object]) -> None:
    address = parse_address(url)
    assert address.options == options
    assert "secret" not in address.name
    assert "@" not in address.name


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("redis://me:secret@h?pool=3&db=4", "redis://h?db=4"),
        ("redis://h/?db=4", "redis://h/?db=4"),
        ("unix:///run/r.sock?db=3&pool=2", "unix:///run/r.sock?db=3"),
        ("redis+sentinel://a/m/?db=5", "redis+sentinel://a/m/?db=5"),
    ],
)
def test_two_databases_of_a_server_have_two_names(url: str, name: str) -> None:
    assert parse_address(url).name == name


def test_sentinels_have_users_of_their_own() -> None:
    address = parse_address("redis+sentinel://me:secret@a/m/5?sentinel_username=watcher&sentinel_password=other")
    assert address.service == "m"
    assert address.sentinel_options == {"username": "watcher", "password": "other"}


def test_our_own_options() -> None:
    plain, other = parse_address("redis://h"), parse_address("redis://h?pool=12&eviction=allow&durability=logged")
    assert (plain.pool, plain.allows_eviction, plain.wants_log) == (3, False, False)
    assert (other.pool, other.allows_eviction, other.wants_log) == (12, True, True)
    assert not other.options


@pytest.mark.parametrize(
    ("url", "match"),
    [
        ("redis://h?frobnicate=1", "unknown option 'frobnicate'; known are pool, eviction"),
        ("redis://h?socket_timeout=1", "unknown option 'socket_timeout'"),
        ("redis://h?sentinel_password=1", "unknown option 'sentinel_password'"),
        ("redis://h?ssl_cert_reqs=none", "'ssl_cert_reqs' is for TLS; write rediss://"),
        ("rediss://h?ssl_cert_reqs=sometimes", "Invalid SSL Certificate Requirements Flag: sometimes"),
        ("redis://h?pool=0", "pool must be a number from 1"),
        ("redis://h?pool=many", "pool must be a number from 1"),
        ("redis://h?eviction=yes", "eviction must be refuse or allow, got 'yes'"),
        ("redis://h?durability=full", "durability must be any or logged, got 'full'"),
        ("redis://h/first", "the database is a number, got 'first'"),
        ("redis://h?db=first", "Invalid value for 'db'"),
        ("redis://h/2?db=3", "'redis://h/2': the database is in the path and in the option 'db'; name it once"),
        ("redis+sentinel://a/m/2?db=3", "the database is in the path and in the option 'db'"),
        ("redis://h?pool=3&db=1&pool=4", "'redis://h': option 'pool' is given 2 times"),
        ("redis://a,b", "use redis\\+sentinel:// or redis\\+cluster://"),
        ("redis+sentinel://a", "name the primary as the sentinels know it"),
        ("redis+cluster://a/1", "a cluster has no database but 0"),
        ("unix://run/redis.sock", "three slashes"),
        ("redis+ring://a", "unknown kind"),
    ],
)
def test_what_is_wrong_is_named(url: str, match: str) -> None:
    with pytest.raises(ConfigError, match=match):
        open_driver(url)


@pytest.mark.parametrize(
    "url",
    [
        "redis://:sec/ret@h/0",
        "redis://:sec?ret@h/0",
        "redis://:sec#ret@h/0",
        "redis://:12?ret@h/0",
        "redis://me:[sec@h",
        "redis+sentinel://:sec/ret@h/m",
    ],
)
def test_a_password_that_is_not_encoded_is_not_shown(url: str) -> None:
    with pytest.raises(ConfigError, match="percent-encode") as caught:
        open_driver(url)
    assert "sec" not in str(caught.value)
    assert "ret" not in str(caught.value)

"""What a server must be like before it is trusted with jobs."""

from __future__ import annotations

import logging

import pytest

from tests.servers.redis_node import RedisNode, redis_node
from tests.store.builders import new_job
from tests.store.stores import open_store
from windlass.errors import ConfigError, StoreUnavailable
from windlass.store.redis.address import parse_address
from windlass.store.redis.server import Inspection, read_info

INFO = "redis_version:{}\r\nrun_id:a\r\nrole:master\r\nloading:0\r\nmaxmemory_policy:noeviction\r\naof_enabled:1\r\n"


@pytest.mark.parametrize("policy", ["allkeys-lru", "volatile-ttl"])
def test_a_server_that_throws_keys_away_is_refused(node: RedisNode, policy: str) -> None:
    """R5: unless the URL says that this is wanted."""
    node.command("CONFIG", "SET", "maxmemory-policy", policy)
    with open_store(node.url) as store, pytest.raises(ConfigError, match=f"maxmemory-policy is {policy}"):
        store.enqueue(new_job())
    with open_store(f"{node.url}?eviction=allow") as store:
        store.enqueue(new_job())


def test_a_program_that_has_been_working_waits_until_the_policy_is_put_right(node: RedisNode) -> None:
    """R5: a worker must not end because a server was restarted with other settings."""
    with open_store(node.url, deadline=1) as store:
        store.enqueue(new_job())
        node.kill()
        node.start({"maxmemory-policy": "allkeys-lru"})
        with pytest.raises(StoreUnavailable, match="maxmemory-policy"):
            store.enqueue(new_job())
        node.command("CONFIG", "SET", "maxmemory-policy", "noeviction")
        store.enqueue(new_job())


def test_a_server_without_an_append_only_file_is_warned_about_once(
    node: RedisNode, caplog: pytest.LogCaptureFixture
) -> None:
    """R2: it is used all the same."""
    with open_store(node.url) as store:
        for _ in range(3):
            store.enqueue(new_job())
        node.kill()
        node.start()
        store.enqueue(new_job())
    said = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    assert len(said) == 1
    assert "no append-only file: a restart or a crash loses all jobs since its last snapshot" in said[0]


def test_a_server_without_an_append_only_file_is_refused_where_the_url_says_so(node: RedisNode) -> None:
    """R2: at the start, and by who has been working until somebody puts it right."""
    url = f"{node.url}?durability=logged"
    with (
        open_store(url) as store,
        pytest.raises(ConfigError, match=r"no append-only file.*durability=logged; set append"),
    ):
        store.enqueue(new_job())
    restart(node, appendonly="yes")
    with open_store(url, deadline=1) as store:
        store.enqueue(new_job())
        restart(node, appendonly="no")
        with pytest.raises(StoreUnavailable, match="no append-only file"):
            store.enqueue(new_job("refused"))
        restart(node, appendonly="yes")
        store.enqueue(new_job())
        assert not store.exists("refused")


def restart(node: RedisNode, **settings: str) -> None:
    node.kill()
    node.start(settings)


@pytest.mark.parametrize("option", ["", "?durability=logged"])
def test_nothing_is_said_about_a_server_that_keeps_a_log(caplog: pytest.LogCaptureFixture, option: str) -> None:
    """R2."""
    with redis_node(settings={"appendonly": "yes"}) as node, open_store(node.url + option) as store:
        store.enqueue(new_job())
    assert not [message for message in caplog.messages if node.url in message]


@pytest.mark.parametrize(("version", "is_old"), [("6.0.16", True), ("5.0", True), ("6.2.0", False), ("10.1", False)])
def test_a_server_that_is_too_old_is_refused(version: str, is_old: bool) -> None:
    inspection, server = Inspection(parse_address("redis://here")), read_info(INFO.format(version))
    if not is_old:
        inspection.pass_or_raise(server)
        return
    with pytest.raises(ConfigError, match=rf"redis://here: the server is Redis {version}; Redis 6.2 or any Valkey"):
        inspection.pass_or_raise(server)

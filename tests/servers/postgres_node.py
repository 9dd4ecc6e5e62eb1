"""A PostgreSQL server that a test stops, kills and starts again, with its data and its port. Always our own."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from tests.servers.account import Account, server_account, server_folder
from tests.servers.postgres import SETTINGS, initialise, programs_in, recipe
from tests.servers.running import PORT_ATTEMPTS, PortTaken, ServerFailed, free_port, running_at

DURABLE = {"fsync": "on", "full_page_writes": "on", "synchronous_commit": "on"}


class PostgresNode:
    """One server in a folder of its own."""

    def __init__(self, folder: Path, account: Account, settings: Mapping[str, str]) -> None:
        self.folder = folder
        self._account = account
        self._settings = dict(settings)
        self._programs = programs_in(folder, account)
        self._os_process = ExitStack()
        self.port = 0
        initialise(self._programs / "initdb", folder / "data", account)

    @property
    def url(self) -> str:
        return f"postgresql://postgres@127.0.0.1:{self.port}/postgres"

    def start(self) -> None:
        # The guard removes its folder with the server; the server's files are to stay for the next start.
        guarded = self.folder / "guarded"
        guarded.mkdir(exist_ok=True)
        self._account.own(guarded)
        how = recipe(self._programs / "postgres", self.folder, self._account, self._settings, guarded=guarded)
        for _ in range(1 if self.port else PORT_ATTEMPTS):
            port = self.port or free_port()
            try:
                self._os_process.enter_context(running_at(how, port))
            except PortTaken:
                continue
            self.port = port
            return
        raise ServerFailed("PostgreSQL: no free port")

    def stop(self) -> None:
        """End it in order; whoever is connected is told to go."""
        self._os_process.close()

    def kill(self) -> None:
        """kill -9 of all its processes at once, and keep its files."""
        server = int(self._pid.read_text().split()[0])
        for process in [server, *_children(server)]:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        self._os_process.close()
        self._pid.unlink()  # it still says "ready"

    @property
    def _pid(self) -> Path:
        return self.folder / "data" / "postmaster.pid"


def _children(process: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{process}/task/{process}/children").read_text().split()]


@contextmanager
def postgres_node(*, settings: Mapping[str, str] | None = None) -> Iterator[PostgresNode]:
    """A server of the test's own that keeps what it has acknowledged."""
    account = server_account()
    with server_folder(account) as folder:
        node = PostgresNode(folder, account, SETTINGS | DURABLE | dict(settings or {}))
        node.start()
        try:
            yield node
        finally:
            node.stop()

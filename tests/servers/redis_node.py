"""Redis or Valkey servers that a test stops, kills, freezes and starts again: alone, replicated, or in a cluster.

They are always our own, whatever ``TEST_REDIS_URL`` names.
"""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import redis

from tests.servers.account import Account, server_account, server_folder
from tests.servers.running import PORT_ATTEMPTS, PortTaken, Recipe, ServerFailed, free_port, running_at
from tests.servers.valkey import SETTINGS, program_in

EMPTY = '""'
"""No value, as a configuration file has it."""


class RedisNode:
    """One server in a folder of its own, which keeps its port and its files from one start to the next."""

    def __init__(self, folder: Path, account: Account, program: Path, settings: Mapping[str, str]) -> None:
        self.folder = folder
        self._account = account
        self._program = program
        self._settings = dict(settings)
        self._lines: Sequence[str] = ()
        self._os_process = ExitStack()
        self.port = 0

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    @property
    def socket(self) -> Path:
        return self.folder / "socket"

    def start(self, settings: Mapping[str, str] | None = None) -> None:
        """Start it, with more settings than before or with others."""
        self._settings |= settings or {}
        self._run(())

    def start_as_sentinel(self, *lines: str) -> None:
        """Start it to watch other servers, as these lines of its configuration say."""
        self._settings = {"bind": "127.0.0.1"}
        self._lines = lines
        self._run(("--sentinel",))

    def _run(self, options: Sequence[str]) -> None:
        for _ in range(1 if self.port else PORT_ATTEMPTS):
            port = self.port or free_port()
            try:
                self._os_process.enter_context(running_at(self._recipe(options), port))
            except PortTaken:
                continue
            self.port = port
            return
        raise ServerFailed(f"{self._program}: no free port")

    def kill(self) -> None:
        """End it without a moment for anything, and keep its files."""
        self._signal(signal.SIGKILL)
        self._pid.unlink()
        self._os_process.close()

    def freeze(self) -> None:
        """Let it take connections and commands, and answer nothing."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self._signal(signal.SIGCONT)

    @contextmanager
    def client(self) -> Iterator[redis.Redis]:
        """For looking at the server, and for setting it up."""
        with redis.Redis(unix_socket_path=str(self.socket), decode_responses=True) as client:
            yield client

    def command(self, *words: str) -> object:
        """The answer to one command."""
        with self.client() as client:
            answer: object = client.execute_command(*words)  # type: ignore[no-untyped-call]  # the library's
            return answer

    def clients(self) -> list[str]:
        """The connections that programs have to it over the network."""
        with self.client() as client:
            return [line["addr"] for line in client.client_list() if "U" not in line["flags"]]

    @contextmanager
    def paused(self) -> Iterator[None]:
        """CLIENT PAUSE: whatever writes is kept back, and carried out later."""
        with self.client() as client:
            client.client_pause(60_000, all=False)
            yield
            client.client_unpause()

    def stop(self) -> None:
        """End it in order, and keep its files."""
        if self._pid.exists():
            self.thaw()
        self._os_process.close()

    def _signal(self, by: signal.Signals) -> None:
        os.kill(int(self._pid.read_text()), by)

    @property
    def _pid(self) -> Path:
        return self.folder / "pid"

    def _recipe(self, options: Sequence[str]) -> Recipe:
        def command(port: int) -> Sequence[str]:
            return [str(self._program), str(self._written(port)), *options]

        # The guard removes its folder with the server; the server's files are to stay for the next start.
        guarded = self.folder / "guarded"
        guarded.mkdir(exist_ok=True)
        self._account.own(guarded)
        return Recipe(
            folder=guarded,
            account=self._account,
            command=command,
            is_ready=self._answers,
            stop_by=signal.SIGTERM,
        )

    def _written(self, port: int) -> Path:
        """The settings in a file, which a sentinel rewrites."""
        file = self.folder / "server.conf"
        own = {"port": str(port), "dir": str(self.folder), "unixsocket": str(self.socket), "pidfile": str(self._pid)}
        lines = [f"{name} {value or EMPTY}\n" for name, value in (self._settings | own).items()]
        file.write_text("".join([*lines, *(f"{line}\n" for line in self._lines)]))
        self._account.own(self.folder)
        return file

    def _answers(self) -> bool:
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(1)
            try:
                client.connect(str(self.socket))
                client.sendall(b"PING\r\n")
                # An error is an answer too: it wants a password, or has not read its files yet.
                return client.recv(16)[:1] in (b"+", b"-")
            except OSError:
                return False


@contextmanager
def redis_node(*, settings: Mapping[str, str] | None = None, is_started: bool = True) -> Iterator[RedisNode]:
    """A server of the test's own; writes nothing to disk unless the settings say so."""
    account = server_account()
    with server_folder(account) as folder:
        node = RedisNode(folder, account, program_in(folder, account), SETTINGS | dict(settings or {}))
        if is_started:
            node.start()
        try:
            yield node
        finally:
            node.stop()

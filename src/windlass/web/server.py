"""The server process: serves until a signal, and ends soon also while requests are open."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

import uvicorn
from starlette.types import ASGIApp

from windlass import clock
from windlass.errors import ConfigError
from windlass.forks import reset_in_child
from windlass.threads.daemon_threads import DaemonThreads
from windlass.threads.start import start_thread
from windlass.web.connection import Connection
from windlass.web.streams.streams import streams_here

log = logging.getLogger("windlass.web")

_GRACE = 1
"""Seconds that requests under way have after a signal; then they are cut off, streams too."""
_LEAVING = 2.0
_MOST_CONNECTIONS = 1000
_IDLE = 15
"""Seconds after which a connection without a request is closed."""
_TICKS = 10
"""After so many ticks, of 0.1 s each, connections are looked at."""


class Server(uvicorn.Server):
    """Serves an ASGI application at a socket that is bound already, so that a port in use is an error at once."""

    def __init__(self, asgi: ASGIApp, *, host: str, port: int) -> None:
        super().__init__(
            uvicorn.Config(
                asgi,
                log_config=None,
                log_level="warning",
                access_log=False,
                lifespan="off",
                ws="none",
                http=Connection,
                server_header=False,
                proxy_headers=False,
                timeout_graceful_shutdown=_GRACE,
                timeout_keep_alive=_IDLE,
                limit_concurrency=_MOST_CONNECTIONS,
            )
        )
        self._socket = bound_socket(host, port)
        # A process that a job forked may outlive this one, and would keep the port.
        reset_in_child(self._socket, socket.socket.close)
        self._on_started: Callable[[], None] = lambda: None
        self._on_stopping: Callable[[], None] = lambda: None

    @property
    def address(self) -> str:
        host, port = self._socket.getsockname()[:2]
        return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"

    def serve_until_signalled(
        self, on_started: Callable[[], None] = lambda: None, *, on_stopping: Callable[[], None] = lambda: None
    ) -> None:
        """Serve until SIGTERM or SIGINT, or until ``stop``.

        ``on_started`` is called when requests are answered; ``on_stopping`` when no more are taken, while those under
        way still have their time. Neither may block.
        """
        self._on_started, self._on_stopping = on_started, on_stopping
        self.run(sockets=[self._socket])

    @contextmanager
    def in_background(self) -> Iterator[str]:
        """Serve from a thread of its own for the length of a block; the address."""
        self._socket.listen()  # so that clients may connect at once, and are answered when it has started
        thread = start_thread(self.run, [self._socket], name="windlass-web")
        try:
            yield self.address
        finally:
            self.stop()
            thread.join(_LEAVING)

    def stop(self) -> None:
        """Take no more requests, and end soon."""
        self.should_exit = True

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        # What a request does on a thread, such as a delivery that waits for its receiver, must not hold up the end.
        asyncio.get_running_loop().set_default_executor(DaemonThreads())
        await super().startup(sockets)
        self._on_started()

    async def on_tick(self, counter: int) -> bool:
        if counter % _TICKS == 0:
            now = clock.monotonic()
            for connection in list(self.server_state.connections):
                if isinstance(connection, Connection):
                    connection.check(now)
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._on_stopping()
        streams_here().end()  # or they would be cut off when the time for requests under way is over
        await super().shutdown(sockets)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        # Not the handler of the base class, which sends the signal once more at the end: the process would not end
        # with exit code 0.
        self.force_exit = self.should_exit
        self.should_exit = True


def bound_socket(host: str, port: int) -> socket.socket:
    """A socket at this address; ``ConfigError`` when it cannot be had."""
    try:
        family, kind, protocol, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        made = socket.socket(family, kind, protocol)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(place)
    except OSError as error:
        raise ConfigError(f"cannot serve at {host}:{port}: {error.strerror or error}; choose another --port") from error
    return made

"""``/healthz`` and ``/readyz`` for whoever watches over the process."""

from __future__ import annotations

from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import socket
from threading import Thread

from windlass.errors import ConfigError
from windlass.forking import start_anew_in_child

Trouble = Callable[[], str | None]
"""What is wrong at this moment, or None."""

_LONGEST_REQUEST = 5.0


class HealthServer:
    """Answers over HTTP, from threads of its own: ``with HealthServer(...) as server: ...``."""

    def __init__(self, *, host: str, port: int, death: Trouble, unreadiness: Trouble) -> None:
        class Handler(_Handler):
            troubles = {"/healthz": death, "/readyz": unreadiness}  # noqa: RUF012  # a class for this server alone

        try:
            self._server = ThreadingHTTPServer((host, port), Handler)
        except OSError as error:
            raise ConfigError(f"cannot serve health at {host}:{port}: {error.strerror or error}") from error
        self._thread = Thread(target=self._server.serve_forever, name="windlass-health", daemon=True)
        # A process that a job forked may outlive the worker, and would keep the port from the next one.
        start_anew_in_child(self._server.socket, socket.close)

    @property
    def address(self) -> str:
        host, port = self._server.server_address[:2]
        return f"http://{host!s}:{port}"

    def __enter__(self) -> HealthServer:
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        # On a thread of its own: its loop takes half a second to come round, and nobody needs to wait for that.
        Thread(target=self._close, name="windlass-health-close", daemon=True).start()

    def _close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


class _Handler(BaseHTTPRequestHandler):
    troubles: dict[str, Trouble]
    timeout = _LONGEST_REQUEST

    def do_GET(self) -> None:
        trouble_of = self.troubles.get(self.path.partition("?")[0])
        if trouble_of is None:
            self._answer(404, "only /healthz and /readyz are here")
            return
        trouble = trouble_of()
        self._answer(200 if trouble is None else 503, trouble or "ok")

    do_HEAD = do_GET

    def _answer(self, status: int, text: str) -> None:
        body = f"{text}\n".encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/plain; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Probes come every few seconds; they are not worth a line."""

"""Serves ``/healthz`` and ``/readyz``, and ``/metrics``."""

from __future__ import annotations

from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import socket
from typing import Any

from windlass import clock
from windlass.errors import ConfigError, StartRefused
from windlass.forks import reset_in_child
from windlass.threads.start import start_thread

Trouble = Callable[[], str | None]
"""What is wrong at this moment, or None."""

_LONGEST_REQUEST = 5.0
_NO_FILE = 0.1
_METRICS = "text/plain; version=0.0.4; charset=utf-8"
"""The type of Prometheus' text format."""


class HealthServer:
    """Answers over HTTP, from threads of its own: ``with HealthServer(...) as server: ...``."""

    def __init__(
        self,
        *,
        host: str,
        port: int,
        liveness_problem: Trouble,
        readiness_problem: Trouble,
        metrics: Callable[[], str] | None = None,
    ) -> None:
        """``metrics`` gives the text of ``/metrics``; None where there is no such page."""
        pages = {} if metrics is None else {"/metrics": metrics}

        class Handler(_Handler):
            texts = pages
            troubles = {"/healthz": liveness_problem, "/readyz": readiness_problem}  # noqa: RUF012  # a class for this server alone

        try:
            self._server = _Server((host, port), Handler)
        except OSError as error:
            raise ConfigError(f"cannot serve health at {host}:{port}: {error.strerror or error}") from error
        # A process that a job forked may outlive the worker, and would keep the port from the next one.
        reset_in_child(self._server.socket, socket.close)

    @property
    def address(self) -> str:
        host, port = self._server.server_address[:2]
        return f"http://{host!s}:{port}"

    def __enter__(self) -> HealthServer:
        try:
            start_thread(self._server.serve_forever, name="windlass-health")
        except StartRefused:
            self._server.server_close()
            raise
        return self

    def __exit__(self, *exception: object) -> None:
        # On a thread of its own: its loop takes up to half a second to notice.
        try:
            start_thread(self._close, name="windlass-health-close")
        except StartRefused:
            self._close()

    def _close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    """Answers also while the system refuses threads and files: just then health checks matter."""

    def process_request(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request(request, client_address)
        except (RuntimeError, MemoryError):  # no thread for it
            self.process_request_thread(request, client_address)

    def get_request(self) -> Any:
        try:
            return super().get_request()
        except OSError:  # no file for it; an immediate retry would fail again
            clock.sleep(_NO_FILE)
            raise


class _Handler(BaseHTTPRequestHandler):
    troubles: dict[str, Trouble]
    texts: dict[str, Callable[[], str]]
    timeout = _LONGEST_REQUEST

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        if path in self.texts:
            self._answer(200, self.texts[path](), kind=_METRICS)
            return
        trouble_of = self.troubles.get(path)
        if trouble_of is None:
            self._answer(404, f"only {', '.join((*self.troubles, *self.texts))} are here")
            return
        trouble = trouble_of()
        self._answer(200 if trouble is None else 503, trouble or "ok")

    do_HEAD = do_GET

    def _answer(self, status: int, text: str, *, kind: str = "text/plain; charset=utf-8") -> None:
        body = f"{text}\n".encode() if not text.endswith("\n") else text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Probes come every few seconds; they are not worth a line."""

"""Clients that send nothing, send slowly, close half or read nothing hold no connection."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

import pytest
from starlette.types import Receive, Scope, Send

from tests.waiting import eventually
from windlass.web.connection import Connection
from windlass.web.server import Server

HEAD = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n"
BYTES = 32 * 1024 * 1024


async def asgi(scope: Scope, receive: Receive, send: Send) -> None:
    """Answers at once, whatever is still to come."""
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"x" * (BYTES if scope["path"] == "/large" else 1)})


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    server = Server(asgi, host="127.0.0.1", port=0)
    with server.in_background():
        eventually(lambda: server.started, "it serves")
        yield server


@contextmanager
def connected(server: Server, sent: bytes) -> Iterator[tuple[socket.socket, Connection]]:
    place = urlsplit(server.address)
    before = set(server.server_state.connections)
    with socket.create_connection((place.hostname or "", place.port or 0), timeout=60) as client:
        client.sendall(sent)
        eventually(lambda: len(server.server_state.connections - before) == 1, "it is there")
        [connection] = server.server_state.connections - before
        assert isinstance(connection, Connection)
        yield client, connection


def later(connection: Connection, *moments: float) -> None:
    """Look at it at these moments."""
    for moment in moments:
        connection.loop.call_soon_threadsafe(connection.check, moment)


@pytest.mark.parametrize("sent", [b"", b"G", b"GET / HTTP/1.1\r\nHost: x\r\nX-A: 1\r\n", HEAD + b"\r\n{"])
def test_a_request_that_does_not_come_to_its_end_is_cut_off(server: Server, sent: bytes) -> None:
    """B21: slow-loris, in the head and in the body."""
    with connected(server, sent) as (_, connection):
        later(connection, 1e9)  # that it waits is seen now
        later(connection, 1e9 + 5)
        assert connection in server.server_state.connections
        later(connection, 1e9 + 31)
        eventually(lambda: connection not in server.server_state.connections, "it is cut off")


def test_a_client_that_reads_nothing_is_cut_off(server: Server) -> None:
    with connected(server, b"GET /large HTTP/1.1\r\nHost: x\r\n\r\n") as (_, connection):
        eventually(lambda: connection.transport.get_write_buffer_size() > 0, "the answer waits")
        later(connection, 1e9, 1e9 + 31)
        eventually(lambda: connection not in server.server_state.connections, "it is cut off")


def test_a_half_closed_connection_is_closed(server: Server) -> None:
    with connected(server, HEAD) as (client, connection):
        client.shutdown(socket.SHUT_WR)
        eventually(lambda: connection not in server.server_state.connections, "it is closed")


def test_a_connection_between_two_requests_is_left_alone(server: Server) -> None:
    with connected(server, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n") as (client, connection):
        assert client.recv(1000).startswith(b"HTTP/1.1 200")
        later(connection, 1e9, 1e9 + 100)
        client.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert client.recv(1000)

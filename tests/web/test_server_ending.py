"""``windlass web`` ends soon after a signal, also where something that it waits for does not answer."""

from __future__ import annotations

import json
import signal
import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from time import monotonic
from urllib.parse import urlsplit

import apsw
import pytest

from tests.cli.program import JOBS, Program, Running
from tests.faults.proxy import Proxy
from tests.leeway import leeway
from tests.places.place import Place
from tests.web.test_server import open_request, open_stream


@contextmanager
def served(program: Program, *options: str) -> Iterator[tuple[Running, str]]:
    with program.start("web", "-A", "jobs", "--port", "0", "--json", *options) as server:
        yield server, json.loads(server.wait_for('"address"'))["address"]


@contextmanager
def a_program(folder: Path, place: Place | None = None) -> Iterator[Program]:
    program = Program(folder, place)
    program.write("jobs.py", JOBS)
    program.app.migrate()
    yield program
    program.app.close()


@contextmanager
def hung_file(path: Path) -> Iterator[None]:
    """Another program keeps the file to itself."""
    with closing(apsw.Connection(str(path))) as holder:
        holder.execute("BEGIN EXCLUSIVE")
        yield


def send(address: str, *lines: str, body: str = "") -> socket.socket:
    place = urlsplit(address)
    opened = socket.create_connection((place.hostname or "", place.port or 0), timeout=20)
    head = [*lines, "Host: localhost", "Content-Type: application/json", f"Content-Length: {len(body)}", "", body]
    opened.sendall("\r\n".join(head).encode())
    return opened


def assert_ends_soon(server: Running) -> None:
    server.signal(signal.SIGTERM)
    began = monotonic()
    assert server.code() == 0
    assert monotonic() - began < leeway(2.0)


def assert_ends_soon_while_requests_wait(server: Running, address: str, waiting: socket.socket) -> None:
    enqueue = json.dumps({"task": "mail.welcome", "args": [1]})
    with (
        waiting,
        send(address, "POST /api/v1/jobs HTTP/1.1", body=enqueue) as enqueuing,
        send(address, "GET /api/v1/jobs/x HTTP/1.1"),
        open_request(address),
    ):
        assert_ends_soon(server)
        assert b"201" not in enqueuing.recv(10_000)  # nobody was told that a job was stored


def test_it_ends_while_its_file_is_locked(tmp_path: Path) -> None:
    """B38: a call on a store thread does not hold the exit."""
    with a_program(tmp_path) as program, served(program) as (server, address):
        stream = open_stream(address)
        assert b"event: open" in stream.recv(10_000) + stream.recv(10_000)
        with hung_file(tmp_path / "windlass.db"):
            assert_ends_soon_while_requests_wait(server, address, stream)
        assert sum(program.app.counts().values()) == 0


@pytest.mark.only_on("postgres", "redis")
def test_it_ends_while_its_server_says_nothing(tmp_path: Path, far: Place, proxy: Proxy) -> None:
    """B38: the same where packets vanish."""
    with a_program(tmp_path, far) as program, served(program, "--namespace", far.namespace) as (server, address):
        stream = open_stream(address)
        assert b"event: open" in stream.recv(10_000) + stream.recv(10_000)
        proxy.swallow()
        assert_ends_soon_while_requests_wait(server, address, stream)
        proxy.restore()


def test_it_ends_while_a_test_message_waits_for_its_receiver(tmp_path: Path) -> None:
    """B22, B38: a receiver that accepts a message and never answers holds up its own test only."""
    with a_program(tmp_path) as program, socket.create_server(("127.0.0.1", 0)) as receiver:
        port = receiver.getsockname()[1]
        channel = f'Webhook("http://127.0.0.1:{port}/", allow=["127.0.0.1"])'
        program.write(
            "jobs.py",
            "from windlass import Windlass\nfrom windlass.delivery import Webhook\n"
            f"app = Windlass(alerts=[{channel}])\n",
        )
        with (
            served(program) as (server, address),
            send(address, "POST /api/v1/alerts/test HTTP/1.1", body="{}"),
            receiver.accept()[0],
        ):
            assert_ends_soon(server)

"""``windlass web`` as a process: start, signals, duties, the store that is not there."""

from __future__ import annotations

import json
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from urllib.parse import urlsplit

import pytest

from tests.cli.program import JOBS, Program, Running
from tests.leeway import leeway
from tests.places.health_probe import asked
from tests.waiting import eventually


@pytest.fixture
def windlass(tmp_path: Path) -> Iterator[Program]:
    program = Program(tmp_path)
    program.write("jobs.py", JOBS)
    yield program
    program.app.close()


@contextmanager
def served(program: Program, *options: str) -> Iterator[tuple[Running, str]]:
    """The server, and its address."""
    with program.start("web", "-A", "jobs", "--port", "0", "--json", *options) as server:
        yield server, json.loads(server.wait_for('"address"'))["address"]


def open_request(address: str) -> socket.socket:
    """A request whose body does not come."""
    place = urlsplit(address)
    opened = socket.create_connection((place.hostname or "", place.port or 0), timeout=20)
    head = (
        "POST /api/v1/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{"
    )
    opened.sendall(head.encode())
    return opened


def open_stream(address: str) -> socket.socket:
    """A client that listens."""
    place = urlsplit(address)
    opened = socket.create_connection((place.hostname or "", place.port or 0), timeout=20)
    opened.sendall(b"GET /api/v1/stream HTTP/1.1\r\nHost: localhost\r\n\r\n")
    return opened


def test_it_serves_until_a_signal_also_with_open_requests(windlass: Program) -> None:
    """B30, B38: with duties beside it; SIGTERM ends it within 2 s, exit code 0."""
    app = windlass.app
    app.migrate()
    with served(windlass) as (server, address):
        assert asked(address, "/healthz") == (200, "ok")
        assert asked(address, "/readyz") == (200, "ok")
        status, text = asked(address, "/api/v1/tasks")
        assert (status, "mail.welcome" in text) == (200, True)
        [job] = app.enqueue_many([app.request("mail.welcome", [1], delay=0.1)])
        eventually(lambda: job.refresh().state == "pending", "the job was promoted")
        assert [worker.runs_jobs for worker in app.workers()] == [False]
        assert asked(address, "/api/v1/queues")[0] == 200
        with open_request(address), open_stream(address) as stream:
            assert b"event: open" in stream.recv(10_000) + stream.recv(10_000)
            server.signal(signal.SIGTERM)
            began = monotonic()
            assert server.code() == 0
            assert monotonic() - began < leeway(2.0)
    assert app.workers() == []


def test_looking_makes_no_store_and_duties_can_be_left_out(windlass: Program) -> None:
    """B30: switched off."""
    with served(windlass) as (server, address):
        status, text = asked(address, "/api/v1/queues")
        assert (status, "no store" in text) == (503, True)
        assert asked(address, "/readyz")[0] == 503
        assert not (windlass.folder / "windlass.db").exists()
        server.signal(signal.SIGINT)
        assert server.code() == 0
    windlass.app.migrate()
    with served(windlass, "--no-duties") as (server, address):
        assert asked(address, "/readyz") == (200, "ok")
        assert windlass.app.workers() == []
        server.signal(signal.SIGTERM)
        assert server.code() == 0


def test_an_address_that_cannot_be_served_is_told(windlass: Program) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        everywhere, used = windlass.many(["web", "--host", "::"], ["web", "-A", "jobs", "--port", port])
    assert everywhere.is_error(2, "--host ::", "127.0.0.1")
    assert used.is_error(2, port, "in use")


def test_programs_elsewhere_are_refused(windlass: Program) -> None:
    """Neither a name that was bent to this machine nor a page of another site gets through."""
    windlass.app.migrate()
    with served(windlass, "--no-duties") as (_, address):
        place = urlsplit(address)
        for header, status in (("Host: evil.example", 421), ("Host: localhost\r\nSec-Fetch-Site: cross-site", 403)):
            with socket.create_connection((place.hostname or "", place.port or 0), timeout=20) as client:
                client.sendall(f"GET /api/v1/queues HTTP/1.1\r\n{header}\r\nConnection: close\r\n\r\n".encode())
                assert f" {status} " in client.makefile().readline()

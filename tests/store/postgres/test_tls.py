"""TLS to PostgreSQL, by a front that answers its request for it: a server may have been built without."""

from __future__ import annotations

import socket
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.servers.tls import Certificates, make_certificates, tls_front
from tests.waiting import PATIENCE
from windlass import ConfigError, StoreUnavailable, Windlass

REQUEST = bytes.fromhex("0000000804d2162f")
"""How a client asks whether the server speaks TLS."""


def agree(client: socket.socket) -> None:
    assert client.recv(len(REQUEST), socket.MSG_WAITALL) == REQUEST
    client.sendall(b"S")


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    return make_certificates(tmp_path_factory.mktemp("certificates"))


def url(dsn: str, port: int, **options: object) -> str:
    parts = urlsplit(dsn)
    query = "&".join(f"{name}={value}" for name, value in options.items())
    return f"postgresql://{parts.username or 'postgres'}@127.0.0.1:{port}{parts.path}?{query}"


def test_jobs_travel_through_tls(postgres_dsn: str, certificates: Certificates) -> None:
    """B26: with the server's certificate checked."""
    with tls_front(urlsplit(postgres_dsn).port or 5432, certificates, begin=agree) as port:
        there = url(postgres_dsn, port, sslmode="verify-full", sslrootcert=certificates.authority)
        with closing(Windlass(there, namespace="through_tls")) as app:
            app.task(name="echo")(lambda: "through TLS")
            job = app.enqueue("echo")
            app.worker().run_until_empty()
            assert job.result(timeout=PATIENCE) == "through TLS"


def test_a_server_that_nobody_vouches_for_is_refused(
    postgres_dsn: str, certificates: Certificates, tmp_path: Path
) -> None:
    """B26: and the message says so."""
    stranger = make_certificates(tmp_path)
    with tls_front(urlsplit(postgres_dsn).port or 5432, certificates, begin=agree) as port:
        there = url(postgres_dsn, port, sslmode="verify-full", sslrootcert=stranger.authority)
        with (
            closing(Windlass(there, namespace="through_tls")) as app,
            pytest.raises((ConfigError, StoreUnavailable), match="certificate"),
        ):
            app.counts()

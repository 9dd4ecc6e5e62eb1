"""Connections through TLS."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from time import monotonic

import pytest

from tests.leeway import leeway
from tests.servers.redis_node import RedisNode
from tests.servers.tls import Certificates, make_certificates, tls_front
from tests.store.builders import new_job
from tests.store.received_topics import ReceivedTopics
from tests.store.stores import open_store
from tests.waiting import eventually
from windlass.core.state import State
from windlass.errors import ConfigError, StoreUnavailable
from windlass.store.driver import Topic


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    return make_certificates(tmp_path_factory.mktemp("certificates"))


@pytest.mark.parametrize("scheme", ["rediss", "valkeys"])
def test_jobs_and_news_travel_through_tls(node: RedisNode, certificates: Certificates, scheme: str) -> None:
    received = ReceivedTopics()
    with tls_front(node.port, certificates) as port:
        url = f"{scheme}://127.0.0.1:{port}/0?ssl_ca_certs={certificates.authority}"
        with open_store(url) as store, closing(store.driver.listen(received)):
            assert store.driver.name == f"{scheme}://127.0.0.1:{port}/0"
            worker, job = store.a_worker(), store.claimed(new_job(payload="x" * 100_000))
            assert not worker.end(job)
            received.begins()
            store.driver.notify(Topic.FINISHED)
            eventually(lambda: received.next() is Topic.FINISHED)


def test_a_server_of_an_unknown_authority_is_refused_at_once(node: RedisNode, certificates: Certificates) -> None:
    """No certificate becomes right by waiting for the deadline."""
    with tls_front(node.port, certificates) as port, open_store(f"rediss://127.0.0.1:{port}", deadline=60) as store:
        started = monotonic()
        with pytest.raises(StoreUnavailable, match=r"no TLS connection to the server .*CERTIFICATE_VERIFY_FAILED"):
            store.enqueue(new_job())
        assert monotonic() - started < leeway(30)


def test_a_server_that_speaks_no_tls_is_suspected_of_it(node: RedisNode) -> None:
    with (
        open_store(f"rediss://127.0.0.1:{node.port}", deadline=0.5) as store,
        pytest.raises(StoreUnavailable, match="does it speak TLS at this port"),
    ):
        store.enqueue(new_job())


def test_a_server_may_ask_for_our_certificate(node: RedisNode, certificates: Certificates) -> None:
    with tls_front(node.port, certificates, asks_clients=True) as port:
        url = f"rediss://127.0.0.1:{port}?ssl_ca_certs={certificates.authority}"
        with open_store(url, deadline=0.5) as store, pytest.raises(StoreUnavailable):
            store.enqueue(new_job())
        own = f"&ssl_certfile={certificates.client}&ssl_keyfile={certificates.client_key}"
        with open_store(url + own) as store:
            assert store.a_job().state is State.PENDING


def test_verification_can_be_given_up(node: RedisNode, certificates: Certificates) -> None:
    with (
        tls_front(node.port, certificates) as port,
        open_store(f"rediss://127.0.0.1:{port}?ssl_cert_reqs=none") as store,
    ):
        assert store.a_job().state is State.PENDING


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    missing = tmp_path / "ca.crt"
    with (
        pytest.raises(ConfigError, match="ssl_ca_certs names no file"),
        open_store(f"rediss://h?ssl_ca_certs={missing}"),
    ):
        pass

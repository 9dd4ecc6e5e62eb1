"""begin_epoch: an epoch for each server that may have forgotten something."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import redis
from msgspec.msgpack import encode

from tests.store.builders import TTL, new_job
from tests.store.stores import Store
from windlass.store.operations.manual_claim import claim
from windlass.store.redis.scripts import load_scripts

START_OF_2026 = 1_767_225_600


class Server:
    """Runs the script as a process does that believes in an epoch, on a server with this run id."""

    def __init__(self, client: redis.Redis, prefix: str) -> None:
        self._client = client
        self.prefix = prefix

    def begin(self, run_id: str, *, believed: int = 0) -> int:
        script = load_scripts()["begin_epoch"]
        keys = [self.prefix + key for key in script.keys]
        answer = self._client.eval(
            script.text, len(keys), *keys, "", self.prefix, str(believed), encode({"run_id": run_id})
        )
        assert isinstance(answer, list)
        return int(answer[1][0][0])

    def forget(self) -> None:
        self._client.delete(f"{self.prefix}epoch")

    def milliseconds(self) -> int:
        seconds, microseconds = self._client.time()
        return (seconds - START_OF_2026) * 1000 + microseconds // 1000


@pytest.fixture
def server(store: Store) -> Iterator[Server]:
    with redis.Redis.from_url(store.place.url) as client:
        yield Server(client, f"{{{store.place.namespace}}}:")


def test_the_first_epoch_is_as_large_as_the_time(server: Server) -> None:
    before = server.milliseconds()
    assert before <= server.begin("a") <= server.milliseconds()


def test_the_same_server_stays_in_its_epoch(server: Server) -> None:
    first = server.begin("a")
    assert server.begin("a", believed=first) == server.begin("a") == first


def test_another_run_of_the_server_begins_another(server: Server) -> None:
    """Also within a millisecond, and each time anew."""
    epochs = [server.begin(run_id) for run_id in ("a", "b", "a", "c")]
    assert epochs == sorted(set(epochs))


def test_an_epoch_that_was_lost_is_not_given_again_to_who_remembers_it(server: Server) -> None:
    """R1: the restart was lost too, or everything was deleted."""
    lost = server.begin("a") + 100_000
    server.forget()
    assert server.begin("b", believed=lost) == lost + 1


def test_numbers_of_the_lost_second_are_left_out(store: Store, server: Server) -> None:
    """A7: a late writer must not meet another job under its number."""
    before = store.a_job(new_job())
    after = store.a_job(new_job())
    assert after.seq == before.seq + 1
    server.begin("another run")
    assert store.a_job(new_job()).seq > after.seq + 100_000


def test_the_largest_fences_are_exact_everywhere(store: Store, server: Server) -> None:
    """A fence of the year 2095 is still told apart from the next one by a number of Lua."""
    server.begin("the last", believed=2**41 - 3)
    worker = store.a_worker()
    job = store.claimed(by=worker)
    assert 2**53 - 2**14 < job.fence < 2**53
    assert worker.renew().held == {(job.seq, job.fence)}
    worker.mark(job)
    store.advance(TTL)
    store.rescue()
    assert store.job(job.id).fence == job.fence + 1
    assert [event.fence for event in store.events(job.seq)] == [job.fence]
    [again] = store.run(claim(1, queues=["default"], worker="me", token="t", ttl=TTL))
    assert again.fence == job.fence + 2
    assert not store.end(again)

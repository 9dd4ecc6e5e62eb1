"""Connections: how many, how they are shared, and what happens when the other end is gone."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from queue import SimpleQueue
from threading import Event
from time import monotonic
from typing import TypeVar
from urllib.parse import quote

import pytest
import redis

from tests.leeway import leeway
from tests.servers.redis_node import RedisNode
from tests.store.builders import new_job
from tests.store.received_topics import ReceivedTopics
from tests.store.stores import Store, open_store
from tests.waiting import eventually
from windlass.errors import AppClosed, ConfigError, OutcomeUnknown, StoreUnavailable, WindlassError
from windlass.store.driver import Topic
from windlass.store.operation import Call, Lane
from windlass.store.operations import queries
from windlass.store.redis.connection import Connection
from windlass.store.redis.driver import RedisDriver

T = TypeVar("T")


def documented_rights(password: str) -> list[str]:
    """What the documentation tells administrators to give to our user."""
    document = Path(__file__).parents[3] / "docs" / "redis.md"
    [line] = re.findall(r"^ACL SETUSER jobs (.*)$", document.read_text(encoding="utf-8"), re.M)
    return [f">{password}" if word.startswith(">") else word for word in line.split()]


def freeze_and_call(node: RedisNode, call: Callable[[], object]) -> tuple[float, BaseException]:
    """How long the call took, and what it raised, while the server answered nothing."""
    node.freeze()
    started = monotonic()
    try:
        with pytest.raises(StoreUnavailable) as caught:
            call()
        return monotonic() - started, caught.value
    finally:
        node.thaw()


def read(store: Store) -> object:
    return store.driver.execute(Call("counts", lane=Lane.READ))


def with_its_connection(store: Store, work: Callable[[Connection], T]) -> T:
    """Do something with the only connection for calls that the store may have."""
    driver = store.driver
    assert isinstance(driver, RedisDriver)
    return driver._pool.use(Lane.WRITE, work, until=monotonic() + 5)


def test_a_worker_process_has_at_most_five_connections(node: RedisNode) -> None:
    """B26: three for calls, one for heartbeats, one for news, however many threads there are."""
    with open_store(node.url) as store, ThreadPoolExecutor(32) as threads:
        with closing(store.driver.listen(lambda topic: None)):
            worker = store.a_worker()
            store.enqueue(*(new_job() for _ in range(200)))
            calls: list[Future[object]] = [threads.submit(worker.take, 1) for _ in range(100)]
            calls += [threads.submit(worker.renew) for _ in range(100)]
            calls += [threads.submit(read, store) for _ in range(100)]
            for call in calls:
                call.result()
            eventually(lambda: len(node.clients()) == 5)
        eventually(lambda: len(node.clients()) == 4)
    eventually(lambda: not node.clients())


def test_the_pool_is_as_large_as_the_url_says(node: RedisNode) -> None:
    with open_store(f"{node.url}?pool=1") as store, ThreadPoolExecutor(8) as threads:
        for call in [threads.submit(store.enqueue, new_job()) for _ in range(100)]:
            call.result()
        assert len(node.clients()) == 1


def test_a_connection_looks_no_version_up(node: RedisNode, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the installed packages are listed, the standard library swallows the exception of a signal handler."""
    looked_up: list[str] = []

    def look_up(name: str) -> str:
        looked_up.append(name)
        return "1.2.3"

    monkeypatch.setattr("importlib.metadata.version", look_up)
    with open_store(node.url) as store:
        store.enqueue(new_job())
    assert looked_up == []


def test_whoever_finds_no_free_connection_waits_no_longer_than_the_deadline(node: RedisNode) -> None:
    with open_store(f"{node.url}?pool=1", deadline=0.2) as store:

        def find_none(wire: Connection) -> None:
            with pytest.raises(StoreUnavailable, match=r"of 1 that calls may use; add \?pool=2"):
                store.enqueue(new_job())

        with_its_connection(store, find_none)
        store.enqueue(new_job())


def test_whoever_waits_for_a_connection_gets_it_in_turn(node: RedisNode) -> None:
    """A thread that calls again and again does not push others aside."""
    over, done = Event(), SimpleQueue[int]()
    with open_store(f"{node.url}?pool=1") as store, ThreadPoolExecutor(4) as threads:
        store.driver.make()

        def call_again_and_again(number: int) -> None:
            while not over.is_set():
                read(store)
                done.put(number)

        calls = [threads.submit(call_again_and_again, number) for number in range(4)]
        eventually(lambda: done.qsize() >= 2000)
        over.set()
        for call in calls:
            call.result()
    first = Counter(done.get() for _ in range(2000))
    assert min(first[number] for number in range(4)) > 250


def test_heartbeats_wait_for_no_other_call(node: RedisNode) -> None:
    """S6: whatever holds up the pool, they have a connection of their own."""
    with (
        open_store(f"{node.url}?pool=1", deadline=20) as store,
        ThreadPoolExecutor(2) as threads,
        node.client() as admin,
    ):

        def held() -> int:
            return sum("b" in line["flags"] for line in admin.client_list())

        worker = store.a_worker()
        admin.client_pause(60_000, all=False)  # the server keeps what writes until the pause is over
        slow = threads.submit(store.enqueue, new_job())
        eventually(lambda: held() == 1)
        beat = threads.submit(worker.renew)
        eventually(lambda: held() == 2)
        admin.client_unpause()
        slow.result()
        beat.result()


def test_what_a_heartbeat_asks_waits_for_no_other_call(node: RedisNode) -> None:
    """S6: whoever has all connections for calls does not keep a worker from hearing what others want of it."""
    with open_store(f"{node.url}?pool=1", deadline=0.5) as store:
        worker = store.a_worker()
        assert with_its_connection(store, lambda wire: worker.control().is_open)


def test_a_connection_with_an_outstanding_answer_is_not_used_again(node: RedisNode) -> None:
    """Ctrl-C between a question and its answer must not give that answer to the next call."""
    with open_store(f"{node.url}?pool=1") as store:

        def leave(wire: Connection) -> None:
            node.freeze()
            wire.send("PING")

        with_its_connection(store, leave)
        node.thaw()
        assert store.run(queries.counts()) == {}


def test_a_server_that_was_restarted_is_not_noticed(node: RedisNode) -> None:
    """S1: connections that ended while nobody used them are no errors."""
    with open_store(node.url) as store:
        worker = store.a_worker()
        worker.renew()
        read(store)
        node.kill()
        node.start()
        worker.renew()
        store.enqueue(new_job())
        read(store)


def test_a_call_waits_for_a_server_that_comes_back_in_time(node: RedisNode) -> None:
    """S1: a restart costs a moment, not an error."""
    with open_store(node.url, deadline=30) as store, ThreadPoolExecutor(1) as threads:
        store.driver.make()
        node.kill()
        enqueued = threads.submit(store.enqueue, new_job("a"))
        node.start()
        assert [job.id for job in enqueued.result()] == ["a"]


def test_a_server_that_stays_away_is_unavailable_within_the_deadline(node: RedisNode) -> None:
    """S1: within the deadline at first, at once while it is known to be away."""
    with open_store(node.url, deadline=0.5) as store:
        store.driver.make()
        node.kill()
        for longest in (1.5, 1.0):
            started = monotonic()
            with pytest.raises(StoreUnavailable, match="the server cannot be reached") as caught:
                store.enqueue(new_job())
            assert not isinstance(caught.value, OutcomeUnknown)
            assert monotonic() - started < leeway(longest)
        node.start()
        eventually(lambda: not is_away(store))


def is_away(store: Store) -> bool:
    try:
        store.driver.exists()
    except StoreUnavailable:
        return True
    return False


@pytest.mark.parametrize("is_connected", [True, False])
def test_a_read_from_a_black_hole_is_unavailable(node: RedisNode, is_connected: bool) -> None:
    """S4: no call takes longer than its deadline and a second."""
    with open_store(node.url, deadline=1) as store:
        if is_connected:
            store.driver.make()
        took, error = freeze_and_call(node, lambda: read(store))
        assert took < leeway(2)
        assert type(error) is StoreUnavailable
        eventually(lambda: not is_away(store))


def test_a_write_into_a_black_hole_has_an_unknown_outcome(node: RedisNode) -> None:
    """S4, I10: it may have happened, and repeating it with the same id is safe."""
    with open_store(node.url, deadline=1) as store:
        store.enqueue(new_job())
        took, error = freeze_and_call(node, lambda: store.enqueue(new_job("a")))
        assert took < leeway(2)
        assert isinstance(error, OutcomeUnknown)
        assert error.ids == ("a",)
        eventually(lambda: store.exists("a"))  # it was on its way


def test_a_write_that_was_never_sent_has_a_known_outcome(node: RedisNode) -> None:
    with open_store(node.url, deadline=1) as store:
        _, error = freeze_and_call(node, lambda: store.enqueue(new_job("a")))
        assert type(error) is StoreUnavailable
        eventually(lambda: not is_away(store))
        assert not store.exists("a")


def test_a_closed_store_takes_no_calls_and_has_no_connections(node: RedisNode) -> None:
    with open_store(node.url) as store:
        store.enqueue(new_job())
        store.driver.close()
        with pytest.raises(AppClosed):
            read(store)
        eventually(lambda: not node.clients())


def test_a_socket_of_this_machine_and_a_database_number(node: RedisNode) -> None:
    with open_store(f"unix://{node.socket}?db=3") as store, node.client() as admin:
        store.enqueue(new_job())
        assert set(admin.info("keyspace")) == {"db3"}
    with open_store(node.url.removesuffix("0") + "3") as store:
        assert read(store)["counts"]  # type: ignore[index]


@pytest.mark.parametrize("database", ["/99", "?db=99"])
def test_a_database_that_the_server_lacks_is_a_matter_of_configuration(node: RedisNode, database: str) -> None:
    """S8."""
    where = f"redis://127.0.0.1:{node.port}{database}"
    with (
        open_store(where) as store,
        pytest.raises(ConfigError, match=rf"^{re.escape(where)}: the server has no database of that number"),
    ):
        read(store)


def test_a_user_needs_only_the_documented_rights(node: RedisNode) -> None:
    """Everything works with them: writing, reading, news; and the server's other keys are out of reach."""
    password = "s/e:c@r?e#t%&"
    received = ReceivedTopics()
    node.command("ACL", "SETUSER", "jobs", *documented_rights(password))
    with open_store(f"redis://jobs:{quote(password, safe='')}@127.0.0.1:{node.port}/0") as store:
        assert store.driver.name == f"redis://127.0.0.1:{node.port}/0"
        with closing(store.driver.listen(received)) as news:
            worker = store.a_worker()
            store.enqueue(new_job(), new_job(delay=1000))
            [job] = worker.take(1)
            assert not worker.end(job)
            store.rescue()
            worker.renew()
            received.begins()
            news.follow([Topic.FINISHED])
            eventually(lambda: not news.hears(Topic.WORK))
            store.driver.notify(Topic.FINISHED)
            eventually(lambda: received.next() is Topic.FINISHED)
    with (
        redis.Redis(port=node.port, username="jobs", password=password) as client,
        pytest.raises(redis.exceptions.NoPermissionError),
    ):
        client.get("another program's")


@pytest.mark.parametrize(
    ("user", "kind", "match"),
    [
        ("", ConfigError, "wants another user or password"),
        ("jobs:wrong@", ConfigError, "wants another user or password"),
        ("nobody:wrong@", ConfigError, "wants another user or password"),
        ("blind:right@", ConfigError, "lacks a right"),
        ("poor:right@", StoreUnavailable, "lacks a right"),
    ],
)
def test_a_user_who_may_not_is_told_at_once(node: RedisNode, user: str, kind: type[WindlassError], match: str) -> None:
    """S8: in a moment, not after the deadline; and no password is shown."""
    node.command("ACL", "SETUSER", "jobs", "on", ">right", "allcommands", "allkeys")
    node.command("ACL", "SETUSER", "poor", "on", ">right", "+info", "+evalsha", "allkeys")
    node.command("ACL", "SETUSER", "blind", "on", ">right", "+evalsha", "allkeys")
    node.command("ACL", "SETUSER", "default", "resetpass", ">other")
    with open_store(f"redis://{user}127.0.0.1:{node.port}/0", deadline=60) as store:
        started = monotonic()
        with pytest.raises(kind, match=match) as caught:
            store.enqueue(new_job())
        assert monotonic() - started < leeway(10)
        assert "wrong" not in str(caught.value)


def test_a_server_that_lets_us_in_no_more_is_away(node: RedisNode) -> None:
    """S8: a worker that runs already must wait for the mistake to be put right, not end."""
    node.command("ACL", "SETUSER", "jobs", "on", ">right", "allcommands", "allkeys", "allchannels")
    with open_store(f"redis://jobs:right@127.0.0.1:{node.port}/0") as store:
        store.enqueue(new_job())
        node.command("ACL", "SETUSER", "jobs", "resetpass", ">changed")
        node.command("CLIENT", "KILL", "USER", "jobs")
        for _ in range(2):
            with pytest.raises(StoreUnavailable, match="wants another user or password"):
                read(store)
        node.command("ACL", "SETUSER", "jobs", ">right")
        assert read(store)["counts"]  # type: ignore[index]


def test_a_server_that_was_away_at_first_may_refuse_us_too(node: RedisNode) -> None:
    """The breaker lets a later call find out what is wrong."""
    with open_store(f"redis://jobs:wrong@127.0.0.1:{node.port}/0", deadline=0.2) as store:
        node.kill()
        with pytest.raises(StoreUnavailable, match="cannot be reached"):
            read(store)
        node.start()
        eventually(lambda: is_refused_by_configuration(store))


def is_refused_by_configuration(store: Store) -> bool:
    try:
        read(store)
    except ConfigError as refused:
        return "wants another user or password" in str(refused)
    except StoreUnavailable:
        return False
    raise AssertionError("it was let in")


def test_an_option_that_nobody_knows_is_refused() -> None:
    with pytest.raises(ConfigError, match="unknown option 'frobnicate'"), open_store("redis://localhost?frobnicate=1"):
        pass

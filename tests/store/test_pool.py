"""The connection pool that stores with a server share."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from math import inf
from threading import Lock

import pytest

from tests.waiting import PATIENCE, eventually
from windlass import clock
from windlass.errors import AppClosed, StoreUnavailable
from windlass.store.connection.pool import Pool
from windlass.store.operation import Lane


@dataclass(eq=False)
class Connection:
    number: int
    until: float = inf
    used: float = 0.0
    closed: bool = False
    is_disconnected: bool = False
    is_owed: bool = False

    @property
    def is_idle(self) -> bool:
        return not self.closed and not self.is_owed


@dataclass
class Connector:
    made: list[Connection] = field(default_factory=list)
    discarded: list[int] = field(default_factory=list)
    _lock: Lock = field(default_factory=Lock)

    def connect(self, until: float) -> Connection:
        with self._lock:
            self.made.append(Connection(len(self.made)))
            return self.made[-1]

    def discard(self, connection: Connection) -> None:
        connection.closed = True
        self.discarded.append(connection.number)


@pytest.fixture
def connector() -> Connector:
    return Connector()


@pytest.fixture
def pool(connector: Connector) -> Pool[Connection]:
    return Pool(connector, name="the store", calls=2)


def soon() -> float:
    return clock.monotonic() + 20


def number_of(pool: Pool[Connection], lane: Lane = Lane.WRITE) -> int:
    """Which connection a call gets."""
    return pool.use(lane, lambda connection: connection.number, until=soon())


def on_two(pool: Pool[Connection], work: Callable[[Connection, Connection], None]) -> None:
    """Do something with both connections for calls."""
    pool.use(
        Lane.WRITE,
        lambda one: pool.use(Lane.READ, lambda other: work(one, other), until=soon()),
        until=soon(),
    )


def test_the_connection_that_was_used_last_is_used_again(pool: Pool[Connection], connector: Connector) -> None:
    on_two(pool, lambda one, other: None)
    assert [number_of(pool), number_of(pool)] == [0, 0]
    assert len(connector.made) == 2


def test_heartbeats_have_a_connection_of_their_own(pool: Pool[Connection]) -> None:
    seen: list[int] = []
    on_two(pool, lambda one, other: seen.extend([number_of(pool, Lane.HEARTBEAT), number_of(pool, Lane.CONTROL)]))
    assert seen == [2, 2]


def test_a_connection_knows_until_when_its_user_waits(pool: Pool[Connection]) -> None:
    until = soon()
    assert pool.use(Lane.READ, lambda connection: connection.until, until=until) == until


def test_who_waits_for_a_connection_is_served_in_turn(connector: Connector) -> None:
    pool = Pool(connector, name="the store", calls=1)
    served: list[int] = []

    def serve(number: int) -> None:
        pool.use(Lane.WRITE, lambda connection: served.append(number), until=soon())

    with ThreadPoolExecutor(4) as threads:

        def let_wait(connection: Connection) -> list[Future[None]]:
            calls: list[Future[None]] = []
            for number in range(4):
                calls.append(threads.submit(serve, number))
                eventually(lambda: len(pool.calls._waiting) == len(calls))
            return calls

        for call in pool.use(Lane.WRITE, let_wait, until=soon()):
            call.result(PATIENCE)
    assert served == [0, 1, 2, 3]
    assert pool.calls.free == 1


def test_who_finds_no_place_in_time_learns_what_to_set(pool: Pool[Connection]) -> None:
    def find_none(one: Connection, other: Connection) -> None:
        with pytest.raises(StoreUnavailable, match=r"the store: .* of 2 that calls may use; add \?pool=4"):
            pool.use(Lane.WRITE, lambda connection: None, until=clock.monotonic())

    on_two(pool, find_none)
    assert pool.calls.free == 2


def test_a_connection_that_ended_at_rest_takes_the_idle_ones_along(
    pool: Pool[Connection], connector: Connector
) -> None:
    on_two(pool, lambda one, other: None)
    number_of(pool, Lane.HEARTBEAT)
    connector.made[0].is_disconnected = True
    assert number_of(pool) == 3
    assert sorted(connector.discarded) == [0, 1, 2]


def test_a_connection_that_broke_in_use_takes_the_idle_ones_along(pool: Pool[Connection], connector: Connector) -> None:
    on_two(pool, lambda one, other: None)
    pool.use(Lane.WRITE, lambda connection: setattr(connection, "closed", True), until=soon())
    assert sorted(connector.discarded) == [0, 1]


def test_a_connection_with_an_outstanding_answer_goes_alone(pool: Pool[Connection], connector: Connector) -> None:
    on_two(pool, lambda one, other: None)
    pool.use(Lane.WRITE, lambda connection: setattr(connection, "is_owed", True), until=soon())
    assert connector.discarded == [0]
    assert number_of(pool) == 1


def test_connections_that_are_needed_no_more_are_closed(pool: Pool[Connection], connector: Connector) -> None:
    on_two(pool, lambda one, other: None)
    connector.made[1].used -= 11
    number_of(pool)
    assert connector.discarded == [1]


def test_a_closed_pool_gives_nothing_and_keeps_nothing(pool: Pool[Connection], connector: Connector) -> None:
    def close(one: Connection, other: Connection) -> None:
        with ThreadPoolExecutor(1) as threads:
            waiting = threads.submit(number_of, pool)
            eventually(lambda: bool(pool.calls._waiting))
            pool.close()
            with pytest.raises(AppClosed, match="the store is closed"):
                waiting.result(PATIENCE)

    on_two(pool, close)
    assert sorted(connector.discarded) == [0, 1]
    with pytest.raises(AppClosed):
        number_of(pool)

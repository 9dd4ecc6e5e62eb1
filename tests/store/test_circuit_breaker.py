"""The breaker: patient with a restart, sparing with a server that is down, at once there when it is back."""

from __future__ import annotations

from threading import Event, Thread

import pytest

from tests.waiting import PATIENCE
from windlass.errors import StoreUnavailable
from windlass.store.connection.circuit_breaker import Away, CircuitBreaker

BRIEF = 0.15


class Server:
    """Something to reach, up or down; counts who tried."""

    def __init__(self, *, is_up: bool = True) -> None:
        self.is_up = is_up
        self.attempts = 0

    def reach(self) -> str:
        self.attempts += 1
        if not self.is_up:
            raise Away("no route") from OSError("no route to host")
        return "reached"


def gone_down(server: Server) -> CircuitBreaker:
    """A breaker for which the server has been away for longer than a deadline."""
    breaker = CircuitBreaker("redis://example.org")
    server.is_up = False
    with pytest.raises(StoreUnavailable):
        breaker.reach(server.reach, deadline=BRIEF)
    server.attempts = 0
    return breaker


def test_a_server_that_is_up_is_asked_once() -> None:
    server = Server()
    assert CircuitBreaker("s").reach(server.reach, deadline=BRIEF) == "reached"
    assert server.attempts == 1


def test_a_restart_is_waited_for() -> None:
    server = Server(is_up=False)

    def come_back_at_the_third_try() -> str:
        server.is_up = server.attempts == 2
        return server.reach()

    assert CircuitBreaker("s").reach(come_back_at_the_third_try, deadline=30) == "reached"
    assert server.attempts == 3


def test_when_time_is_up_the_error_names_store_and_cause() -> None:
    server = Server(is_up=False)
    with pytest.raises(StoreUnavailable, match=r"redis://example\.org: no route") as raised:
        CircuitBreaker("redis://example.org").reach(server.reach, deadline=BRIEF)
    assert isinstance(raised.value.__cause__, OSError)
    assert 2 <= server.attempts <= 6


def test_a_server_that_is_down_is_left_in_peace() -> None:
    """B26: producers fail fast."""
    server = Server()
    breaker = gone_down(server)
    for _ in range(1_000):
        with pytest.raises(StoreUnavailable, match="no route; out of reach for"):
            breaker.reach(server.reach, deadline=60)
    assert server.attempts <= 2


def test_one_caller_finds_out_for_all_that_it_is_back() -> None:
    """B26: it goes on by itself, soon after the return."""
    server = Server()
    breaker = gone_down(server)
    server.is_up = True
    reached = Event()

    def keep_trying() -> None:
        pause = Event()
        while not reached.is_set():
            try:
                breaker.reach(server.reach, deadline=60)
            except StoreUnavailable:
                pause.wait(0.01)
            else:
                reached.set()

    threads = [Thread(target=keep_trying, daemon=True) for _ in range(4)]
    for thread in threads:
        thread.start()
    assert reached.wait(PATIENCE)
    for thread in threads:
        thread.join()
    assert breaker.reach(server.reach, deadline=BRIEF) == "reached"


def test_a_probe_tries_once() -> None:
    server = Server()
    breaker = gone_down(server)
    pause = Event()
    while server.attempts == 0:
        with pytest.raises(StoreUnavailable):
            breaker.reach(server.reach, deadline=60)  # a patient one would take a minute
        pause.wait(0.01)
    assert server.attempts == 1

"""Who waits for a caller's transaction is told from the locks of the server alone."""

from __future__ import annotations

import pytest

from tests.torture.waits import WORKERS, LockWatch, Waiter, held_up

CALLER = 7


def waiter(pid: int, *waits_for: int, name: str = WORKERS, since: str = "12:00") -> Waiter:
    return Waiter(pid, name, since, "UPDATE\n  job", list(waits_for))


def test_those_are_held_up_that_wait_for_one_who_waits() -> None:
    waiters = [waiter(3, 2), waiter(2, 5, 1), waiter(1, CALLER), waiter(4, 9)]
    assert {one.pid for one in held_up(waiters, CALLER)} == {1, 2, 3}


def test_two_that_wait_for_each_other_are_held_up_by_nobody_else() -> None:
    assert held_up([waiter(1, 2), waiter(2, 1)], CALLER) == []


@pytest.mark.parametrize(
    ("second", "expected"),
    [
        (waiter(1, CALLER), ["UPDATE job"]),
        (waiter(1, CALLER, since="12:01"), []),
        (waiter(1, 9), []),
        (waiter(1, CALLER, name="caller"), []),
    ],
    ids=["still", "another statement", "for another one", "a caller"],
)
def test_a_statement_that_waits_for_long_is_found(second: Waiter, expected: list[str]) -> None:
    watch = LockWatch("", CALLER)
    watch.note([waiter(1, CALLER, name=second.name)], 10.0)
    assert watch.found == []
    watch.note([second], 11.5)
    assert watch.found == expected

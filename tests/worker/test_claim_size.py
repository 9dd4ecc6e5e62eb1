"""A cycle carries about four mebibytes, in and out, however many slots a worker has."""

from __future__ import annotations

import pytest

from tests.ledger.apps import Apps
from tests.waiting import PATIENCE
from tests.worker.call_interceptor import CallInterceptor, intercept
from windlass import StoreUnavailable, Windlass
from windlass.core.ending import Ending
from windlass.core.records import Claimed
from windlass.core.state import State
from windlass.store.operation import Answer, Call
from windlass.store.pages import PAGE_BYTES
from windlass.worker.fetch.claim_size import ClaimSize, first_page

MIB = 2**20


def job(payload: str = "") -> Claimed:
    return Claimed(1, "id", "task", "default", 0, payload, None, 0, 4, 0, 0, 1, None, 0, False, None, None, None, None)


def ended(size: int) -> tuple[Ending, Claimed]:
    return Ending(1, 1, State.COMPLETED, result="x" * size), job()


def test_nothing_is_known_of_the_first_claim() -> None:
    assert ClaimSize().most == 64


def test_large_jobs_are_claimed_few_at_a_time_at_once_and_small_ones_many_by_and_by() -> None:
    size = ClaimSize()
    size.note([job("x" * MIB) for _ in range(3)])
    assert size.most == 4
    size.note([])
    assert size.most == 4
    found = []
    for _ in range(12):
        size.note([job("x" * 100)])
        found.append(size.most)
    assert found == sorted(found)
    assert found[0] == 8
    assert found[-1] > 200


def test_a_claim_that_failed_is_halved() -> None:
    size = ClaimSize()
    for most in (32, 16, 8, 4, 2, 1, 1, 1):
        size.note_failure(size.most)
        assert size.most == most
    found = []
    for _ in range(25):
        size.note([job()])
        found.append(size.most)
    assert found[:4] == [2, 3, 5, 8]
    assert found[-1] > 200


def test_endings_go_out_in_order_and_none_is_too_large() -> None:
    waiting = [ended(size) for size in (MIB, MIB, 3 * MIB, 9 * MIB, 10, 10)]
    sent = []
    while waiting:
        page = first_page(waiting)
        sent.append([len(ending.result or "") for ending, _ in page])
        waiting = waiting[len(page) :]
    assert sent == [[MIB, MIB], [3 * MIB], [9 * MIB], [10, 10]]
    assert first_page([]) == []


@pytest.fixture
def app(new_app: Apps) -> Windlass:
    app = new_app()

    @app.task(name="large")
    async def large(text: str) -> str:
        return text

    return app


@pytest.fixture
def interceptor(app: Windlass) -> CallInterceptor:
    return intercept(app)


def test_a_worker_of_many_slots_takes_and_ends_large_jobs_in_portions(
    app: Windlass, interceptor: CallInterceptor
) -> None:
    """B6: two hundred results of a mebibyte that are there at once are written like any others."""
    text = "x" * (MIB - 300)
    jobs = [app.enqueue("large", text) for _ in range(24)]
    claimed, written = [], []

    def note(call: Call, answer: Answer) -> None:
        if call.name == "cycle":
            claimed.append(len(repr(answer["claimed"])))
            written.append(sum(len(row[3] or "") for row in call.params["completed"]))

    interceptor.after.append(note)
    with app.worker(concurrency=200, lease="60s"):
        for job in jobs:
            assert job.result(timeout=PATIENCE) == text
    _, *later = [size for size in claimed if size > 1000]
    assert max(later, default=0) < 2 * PAGE_BYTES
    assert max(written) <= PAGE_BYTES


def test_a_claim_that_is_too_much_for_the_store_gets_smaller_until_it_is_not(
    app: Windlass, interceptor: CallInterceptor
) -> None:
    """B6: it is not repeated as it was, for ever."""
    jobs = [app.enqueue("large", str(number)) for number in range(40)]

    def too_much(call: Call) -> None:
        if call.name == "cycle" and sum(room for _, room in call.params["requests"]) > 5:
            raise StoreUnavailable("the server took too long")

    interceptor.before.append(too_much)
    with app.worker(concurrency=50, lease="60s"):
        for number, job in enumerate(jobs):
            assert job.result(timeout=PATIENCE) == str(number)

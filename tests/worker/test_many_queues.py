"""A worker of many queues: what it asks its store for, and who gets a turn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest

from tests.ledger.apps import gate
from tests.waiting import eventually
from tests.worker.call_interceptor import CallInterceptor, claimed
from windlass import Windlass
from windlass.store.operation import Answer, Call
from windlass.task import Task

pytestmark = pytest.mark.only_on("sqlite")  # about the worker; tests/store has what a store is asked

QUEUES = [f"q{number:03}" for number in range(500)]


def a_task(app: Windlass) -> Task[..., None]:
    @app.task(name="nothing")
    async def nothing(number: int) -> None:
        pass

    return nothing


def fill(app: Windlass, task: Task[..., None], queues: Sequence[str], *, jobs: int) -> None:
    requests = [task.options(queue=name).request(number) for number in range(jobs) for name in queues]
    for first in range(0, len(requests), 5_000):
        app.enqueue_many(requests[first : first + 5_000])


def turns(interceptor: CallInterceptor) -> list[list[str]]:
    """The queues of the jobs that each cycle claims from now on."""
    order: list[list[str]] = []

    def look(call: Call, answer: Answer) -> None:
        if call.name == "cycle":
            order.append([job.queue for job in claimed(answer)])

    interceptor.after.append(look)
    return order


def test_many_queues_need_no_more_cycles_than_one(app: Windlass, interceptor: CallInterceptor) -> None:
    """It was one cycle for every ten jobs: only places in hand were dealt, and few queues could be fetched ahead."""
    fill(app, a_task(app), QUEUES, jobs=10)
    worker = app.worker(QUEUES, concurrency=10)
    assert worker.run_until_empty() == 5_000
    assert interceptor.calls["cycle"] < 5_000 / 10, interceptor.calls


def test_queues_that_have_nothing_are_not_asked(app: Windlass, interceptor: CallInterceptor) -> None:
    fill(app, a_task(app), QUEUES[100:105], jobs=30)
    requests: list[str] = []
    interceptor.before.append(lambda call: requests.extend(name for name, _ in call.params.get("requests", ())))
    assert app.worker(QUEUES, concurrency=10).run_until_empty() == 150
    assert set(requests) == set(QUEUES[100:105])


def test_an_idle_worker_asks_no_queue(app: Windlass, interceptor: CallInterceptor) -> None:
    """A core at 100 % at rest, with ten thousand."""
    a_task(app)
    with app.worker(QUEUES, concurrency=10):
        eventually(
            lambda: interceptor.calls["waiting"] + interceptor.calls["waiting_of"] >= 3, "it asks which have work"
        )
    assert not interceptor.calls["cycle"]


def test_a_job_for_one_of_many_queues_is_taken_without_asking_for_the_others(
    app: Windlass, interceptor: CallInterceptor
) -> None:
    task = a_task(app)
    with app.worker(QUEUES, concurrency=10):
        eventually(lambda: interceptor.calls["waiting_of"] > 0, "it has looked into every queue")
        order = turns(interceptor)
        task.options(queue="q123").enqueue(1).result(timeout=60)
    assert order[0] == ["q123"]


def test_every_queue_gets_its_turn_before_any_gets_many(app: Windlass, interceptor: CallInterceptor) -> None:
    """B3: no queue starves, however many there are."""
    fill(app, a_task(app), QUEUES, jobs=20)
    order = turns(interceptor)
    app.worker(QUEUES, concurrency=10).run_until_empty()
    queues = [queue for cycle in order for queue in cycle]
    first = len(QUEUES) * 8  # a turn is of eight jobs at the most
    assert set(queues[: first + 400]) == set(QUEUES)


def test_shares_of_many_queues_are_as_their_weights(app: Windlass, interceptor: CallInterceptor) -> None:
    """B3: within a turn of the weights over 10,000 claims."""
    weights = {name: 1 + number % 3 for number, name in enumerate(QUEUES[:60])}
    task = a_task(app)
    for weight in (1, 2, 3):
        fill(app, task, [name for name in weights if weights[name] == weight], jobs=110 * weight)
    order = turns(interceptor)
    app.worker(weights, concurrency=10).run_until_empty()
    shares = Counter(queue for cycle in order for queue in cycle if queue)
    early = Counter([queue for cycle in order for queue in cycle][:10_000])
    assert shares.total() == 60 * 220
    for name, weight in weights.items():
        assert abs(early[name] - 10_000 * weight / 120) <= 17, (name, early[name])


def test_a_queue_of_long_jobs_does_not_starve_the_others(app: Windlass) -> None:
    """B3: it holds the slots that it got, and gets no more than its share of the rest."""
    with gate() as shut:

        @app.task(name="long")
        def long() -> None:
            shut.wait()

        fill(app, a_task(app), QUEUES, jobs=4)
        long.options(queue="q000").enqueue_many([()] * 3)
        with app.worker(QUEUES, concurrency=10) as worker:
            eventually(lambda: worker.ended_count >= 4 * len(QUEUES), "all others have run")
            shut.open()
            eventually(lambda: worker.ended_count == 4 * len(QUEUES) + 3, "and so have the long ones")

"""Many queues, one worker: shares by weight, order within a queue."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.waiting import eventually
from tests.worker.call_interceptor import CallInterceptor, claimed
from windlass import Windlass, current_job
from windlass.store.operation import Answer, Call
from windlass.task import Task

pytestmark = pytest.mark.only_on("sqlite")  # about executors; the ledger has the same promises on every store

WEIGHTS = {"high": 6, "middle": 3, "low": 1}


def a_task(app: Windlass) -> Task[..., None]:
    @app.task(name="nothing")
    async def nothing(number: int) -> None:
        pass

    return nothing


def fill(app: Windlass, task: Task[..., None], jobs: dict[str, int]) -> None:
    for queue, count in jobs.items():
        task.options(queue=queue).enqueue_many([(number,) for number in range(count)])


def queues_claimed(interceptor: CallInterceptor) -> list[str]:
    """The queue of every job from now on, in the order in which they are claimed."""
    order: list[str] = []

    def look(call: Call, answer: Answer) -> None:
        if call.name == "cycle":
            order.extend(job.queue for job in claimed(answer))

    interceptor.after.append(look)
    return order


@pytest.mark.parametrize("concurrency", [3, 50])
def test_shares_of_ten_thousand_claims_are_as_the_weights(
    app: Windlass, interceptor: CallInterceptor, concurrency: int
) -> None:
    """B3: shares within 3 % of the weights over 10,000 claims, through a worker with all its batching."""
    fill(app, a_task(app), {"high": 6_600, "middle": 3_600, "low": 1_600})
    order = queues_claimed(interceptor)
    app.worker(WEIGHTS, concurrency=concurrency).run_until_empty()
    shares = Counter(order[:10_000])
    for name, weight in WEIGHTS.items():
        assert shares[name] / 10_000 == pytest.approx(weight / 10, rel=0.03), name


def test_a_light_queue_does_not_starve_beside_a_heavy_one(app: Windlass, interceptor: CallInterceptor) -> None:
    """B3: no queue starves while it has work."""
    fill(app, a_task(app), {"heavy": 3_000, "light": 2})
    order = queues_claimed(interceptor)
    app.worker({"heavy": 1_000, "light": 1}, concurrency=5).run_until_empty()
    assert order.index("light") <= 1_001
    assert len(order) == 3_002


def test_the_share_of_an_empty_queue_goes_to_the_others(app: Windlass, interceptor: CallInterceptor) -> None:
    """B3: while the heavy queue is empty, the light one has all slots."""
    fill(app, a_task(app), {"light": 40})
    requests: list[dict[str, int]] = []
    interceptor.before.append(lambda call: requests.append(dict(call.params.get("requests", ()))))
    app.worker({"heavy": 9, "light": 1}, concurrency=20, prefetch=False).run_until_empty()
    assert {"heavy": 18, "light": 2} in requests
    assert any(asked.keys() == {"light"} and asked["light"] >= 18 for asked in requests), requests


def test_a_weight_that_an_operator_has_set_holds_from_the_first_job_on(
    app: Windlass, interceptor: CallInterceptor
) -> None:
    """B3: what is set for a queue overrides what the worker was started with."""
    app.queue("b").configure(weight=9)
    fill(app, a_task(app), {"a": 1_000, "b": 1_000})
    order = queues_claimed(interceptor)
    app.worker({"a": 1, "b": 1}, concurrency=10).run_until_empty()
    assert Counter(order[:1_000])["b"] == pytest.approx(900, rel=0.03)


def test_a_weight_that_an_operator_changes_is_followed(app: Windlass, interceptor: CallInterceptor) -> None:
    """B3, B10: a worker that runs follows within 2 s."""
    requests: list[dict[str, int]] = []
    interceptor.before.append(lambda call: requests.append(dict(call.params.get("requests", ()))))
    nothing = app.task(name="nothing", queue="a")(lambda: None)

    def is_followed() -> bool:
        nothing.enqueue()  # an idle worker has no reason to ask
        return {"a": 1, "b": 9} in requests

    with app.worker({"a": 1, "b": 1}, concurrency=10, prefetch=False):
        app.queue("b").configure(weight=9)
        eventually(is_followed, "the worker asks by the new weights")


def test_within_a_queue_jobs_run_by_priority_and_then_by_age(app: Windlass) -> None:
    """B3: strict priority, then first in first out."""
    ran: list[str] = []

    @app.task
    def note() -> None:
        ran.append(current_job().id)

    app.enqueue_many(
        note.options(id=f"{priority}/{number}", priority=priority).request()
        for number in range(3)
        for priority in (0, 5, -5)
    )
    app.worker(concurrency=1).run_until_empty()
    assert ran == [f"{priority}/{number}" for priority in (5, 0, -5) for number in range(3)]

"""Two can never have the same job; real processes race in tests/store and tests/faults."""

from __future__ import annotations

from collections import Counter

from tests.ledger.apps import Apps, at_once, work
from windlass import State, Windlass, current_job


def test_two_workers_never_claim_the_same_job(app: Windlass, new_app: Apps) -> None:
    """E1: three workers race for 500 jobs; each runs once."""
    runs: list[str] = []

    def note() -> None:
        runs.append(current_job().id)

    apps = [app, new_app(), new_app()]
    for one in apps:
        one.task(name="note")(note)
    jobs = app.enqueue_many([app.request("note")] * 500)
    at_once(*(lambda one=one: work(one, concurrency=2) for one in apps))
    assert Counter(runs) == Counter(job.id for job in jobs)


def test_two_manual_claims_never_take_the_same_job(app: Windlass, new_app: Apps) -> None:
    """E1, E5: a claim is one transaction: whatever the threads, a job is handed out once."""
    app.enqueue_many([app.request("anything")] * 300)
    taken: list[str] = []

    def claim(one: Windlass) -> None:
        while claimed := one.claim(7, queues=["default"]):
            taken.extend(job.id for job in claimed)

    apps = [app, new_app(), app, new_app()]
    at_once(*(lambda one=one: claim(one) for one in apps))
    assert len(taken) == len(set(taken)) == 300


def test_a_claim_takes_all_it_says_or_nothing(app: Windlass) -> None:
    """E5: what claim() returned is running, what it did not return is not."""
    app.enqueue_many([app.request("anything")] * 5)
    claimed = app.claim(3, queues=["default"])
    running = app.jobs(state="running")
    assert {job.id for job in running} == {job.id for job in claimed}
    assert app.counts()[State.PENDING] == 2

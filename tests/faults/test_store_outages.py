"""Workers whose store is away for a while: they wait, they go on by themselves, and what was done stays done."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import enumerate as threads_of_us
from time import monotonic
from typing import Any

import pytest

from tests.faults.job_outcomes import assert_ended_once, await_all_done, records, runs
from tests.faults.names import HOLD, RECORD
from tests.faults.process import Process, Processes
from tests.faults.proxy import Proxy
from tests.ledger.apps import Apps, gate, raises
from tests.leeway import leeway
from tests.waiting import PATIENCE, eventually
from windlass import Job, JobTimeout, State, StoreUnavailable, Windlass

pytestmark = pytest.mark.only_on("postgres", "redis")

RETURN = 10.0
"""Seconds within which everything goes on by itself after the store's return."""
_CONNECTIONS = 5
"""At most so many does a worker hold when nothing runs."""
OUTAGES: dict[str, Callable[[Proxy], None]] = {
    "refused": Proxy.refuse,
    "reset": Proxy.turn_away,
    "swallowed": Proxy.swallow,
}


def await_outage(worker: Process) -> None:
    """Until the worker has noticed, with its first deadline behind it."""
    worker.await_line("log store unavailable, trying until it is back")


@pytest.mark.varied_on("postgres")
@pytest.mark.parametrize("begin", OUTAGES.values(), ids=OUTAGES)
def test_a_worker_waits_for_its_store_and_goes_on(
    app: Windlass, far_app: Apps, far_processes: Processes, proxy: Proxy, begin: Callable[[Proxy], None]
) -> None:
    """S1, S4: the run that ended meanwhile, what came due, what was enqueued, and who waits for a result."""
    worker = far_processes.worker(lease="30s")
    held = app.enqueue(HOLD)
    worker.await_line("began")
    with ThreadPoolExecutor(1) as threads:
        before = set(threads_of_us())
        result = threads.submit(far_app().job(held.id).result, timeout=PATIENCE)
        eventually(
            lambda: "windlass-waiter" in {thread.name for thread in set(threads_of_us()) - before},
            "it waits in earnest",
        )
        begin(proxy)
        [due] = app.enqueue_many([app.request(RECORD, (1,), delay=0.5)])
        waiting = app.enqueue(RECORD, 2)
        far_processes.open_gate(held.id, 1)
        await_outage(worker)
        assert held.refresh().state == State.RUNNING
        proxy.restore()
        back = monotonic()
        await_all_done([held, due, waiting])
        assert result.result() == 1
    assert monotonic() - back < leeway(RETURN)
    assert (held.refresh().attempt, raises(held.fence)) == (1, 1)
    assert_ended_once([due, waiting], far_processes.folder)


def test_who_begins_to_wait_while_the_store_is_away_gets_the_result(app: Windlass, far_app: Apps, proxy: Proxy) -> None:
    """S1: sync and async; the outage is the job's delay, not the caller's error."""
    app.task(name="echo")(lambda value: value)
    far = far_app()
    first, second = far.enqueue("echo", 1), far.enqueue("echo", 2)
    proxy.turn_away()
    with ThreadPoolExecutor(2) as threads:
        results = [
            threads.submit(first.result, timeout=PATIENCE),
            threads.submit(lambda: asyncio.run(second.aresult(timeout=PATIENCE))),
        ]
        app.worker().run_until_empty()
        eventually(lambda: _is_away(far), "the first deadline is over")
        assert not any(result.done() for result in results)
        proxy.restore()
        assert [result.result() for result in results] == [1, 2]


@pytest.mark.parametrize("begin", OUTAGES.values(), ids=OUTAGES)
def test_a_time_limit_holds_while_the_store_is_away(
    far_app: Apps, proxy: Proxy, begin: Callable[[Proxy], None]
) -> None:
    """It includes the call that finds out."""
    far = far_app()
    job = far.enqueue("echo", 1)
    begin(proxy)
    began = monotonic()
    with pytest.raises(JobTimeout, match=r"not finished within 2 s; where it stands is not known"):
        job.result(timeout=2)
    assert monotonic() - began < leeway(2 + 1)


def test_a_worker_inside_a_program_does_the_same(app: Windlass, far_app: Apps, proxy: Proxy) -> None:
    """S1: its run ends while the store is away, and is recorded when it is back, as the first attempt."""
    program = far_app()
    with gate() as held:
        program.task(name="wait")(held.wait)
        with program.worker(lease="30s"):
            job = app.enqueue("wait")
            held.await_entered()
            proxy.turn_away()
            held.open()
            eventually(lambda: proxy.attempts_since(monotonic() - 0.2), "it looks for its store")
            proxy.restore()
            back = monotonic()
            job.result(timeout=PATIENCE)
            assert monotonic() - back < leeway(RETURN)
    assert (job.refresh().state, job.attempt, raises(job.fence)) == (State.COMPLETED, 1, 1)


def test_work_that_ended_in_an_outage_longer_than_the_lease_is_recorded(
    app: Windlass, far_processes: Processes, proxy: Proxy
) -> None:
    """S1: nobody has rescued it, so its fence holds: it is not done again."""
    worker = far_processes.worker(lease="3s", heartbeat="1s")
    held, *others = app.enqueue(HOLD), *records(app, 5)
    await_all_done(others)
    worker.await_line("began")
    proxy.turn_away()
    far_processes.open_gate(held.id, 1)
    worker.await_line("log lease lost")
    eventually(lambda: [worker.state for worker in app.workers()] == ["lost"], "the lease is over for everybody")
    proxy.restore()
    back = monotonic()
    await_all_done([held])
    assert monotonic() - back < leeway(RETURN)
    assert (held.refresh().state, held.attempt, held.record.crashes, raises(held.fence)) == (State.COMPLETED, 1, 0, 1)
    later = records(app, 5)
    await_all_done(later)
    assert_ended_once(others + later, far_processes.folder)


def test_a_worker_that_alone_is_cut_off_loses_its_job_to_another(
    app: Windlass, far_processes: Processes, processes: Processes, proxy: Proxy
) -> None:
    """S4: its late ending is refused, the other's stays, and it goes on under a new lease."""
    lonely = far_processes.worker(lease="1s", name="lonely", concurrency=1)
    job = app.enqueue(HOLD)
    lonely.await_line("began")
    eventually(lambda: job.refresh().started_at is not None, "the run is marked as started")
    proxy.swallow()
    other = processes.worker(lease="10s", name="other", concurrency=1)
    id, run = other.await_line("began").split()
    far_processes.open_gate(job.id, 1)
    lonely.await_line("log lease lost")
    processes.open_gate(id, int(run))
    assert job.result(timeout=PATIENCE) == int(run)
    proxy.restore()
    back = monotonic()
    eventually(lambda: [worker.state for worker in app.workers()] == ["idle", "idle"], "both work")
    assert monotonic() - back < leeway(RETURN)
    assert str(job.refresh().worker).startswith("other-worker")
    assert (job.state, job.attempt, job.record.crashes) == (State.COMPLETED, 2, 1)
    assert [entry.kind for entry in job.timeline()].count("completed") == 1


def test_a_worker_asks_seldom_while_its_store_is_away(app: Windlass, far_processes: Processes, proxy: Proxy) -> None:
    """S1: after its first deadline, about once a second for the whole process, whatever its threads want, and about as
    often for the thread that listens for news.
    """
    worker = far_processes.worker(lease="2s")
    job = app.enqueue(HOLD)
    worker.await_line("began")
    proxy.turn_away()
    worker.await_line("log lease lost")  # by now every thread has had its first deadline
    far_processes.open_gate(job.id, 1)
    began = monotonic()
    eventually(lambda: monotonic() - began > 4, "four seconds have passed")
    calls, news = 1 / 0.75, 1  # the most in a second, by the shortest pauses of each
    assert 2 <= proxy.attempts_since(began) <= (calls + news) * (monotonic() - began) + 2


def test_the_log_has_a_few_lines_for_an_outage(app: Windlass, far_processes: Processes, proxy: Proxy) -> None:
    """S1: one each for jobs, figures and all duties together, however long it lasts and however often they ask."""
    worker = far_processes.worker(lease="2s")
    proxy.turn_away()
    worker.await_line("log lease lost")
    began = monotonic()
    eventually(lambda: proxy.attempts_since(began) >= 10, "it has asked again and again")
    proxy.restore()
    await_all_done(records(app, 1))
    worker.signal(signal.SIGTERM)
    said = [line.split(":")[0] for line in worker.rest() if line.startswith("log ")]
    assert len(set(said)) == len(said) <= 6, said


def test_a_slow_store_costs_no_lease(app: Windlass, far_processes: Processes, proxy: Proxy) -> None:
    """S5: every call takes 0.2 s; heartbeats wait for nobody."""
    far_processes.worker(lease="2s", concurrency=4)
    proxy.delay = 0.2
    jobs = records(app, 100)
    await_all_done(jobs)
    assert_ended_once(jobs, far_processes.folder)
    assert len({job.record.lease for job in jobs}) <= 1


def test_jobs_start_within_the_poll_interval_when_every_notification_is_lost(
    app: Windlass, far_app: Apps, far_processes: Processes, proxy: Proxy
) -> None:
    """G4: news only saves time."""
    far_processes.worker()
    proxy.loses_news = True
    slowest = 0.0
    for number in range(4):
        began = monotonic()
        job = far_app().enqueue(RECORD, number)
        eventually(partial(_has_run, far_processes, job), "it has run")
        slowest = max(slowest, monotonic() - began)
        assert job.result(timeout=PATIENCE) == f"recorded-{number}"
    assert proxy.news_lost.is_set(), "no notification was lost, so nothing was proved"
    assert slowest < leeway(1 + 1)  # the poll interval, and a second more


def _has_run(processes: Processes, job: Job[Any]) -> bool:
    return runs(processes.folder)[job.id] > 0


def test_many_clients_come_back_one_after_another(far_app: Apps, proxy: Proxy) -> None:
    """S9: a store that returns is not met by everybody at once."""
    clients = [far_app() for _ in range(40)]
    with ThreadPoolExecutor(len(clients)) as threads:
        list(threads.map(Windlass.counts, clients))
        # A machine that stands still for a moment makes them come together, but not time after time.
        assert any(_most_at_once(clients, proxy, threads) <= len(clients) / 2 for _ in range(3)), "in step, every time"


def _most_at_once(clients: list[Windlass], proxy: Proxy, threads: ThreadPoolExecutor) -> int:
    """How many clients came back from an outage within the same tenth of a second."""
    proxy.turn_away()
    away = monotonic()

    def come_back(client: Windlass) -> None:
        eventually(lambda: not _is_away(client), "the store is back")

    returned = [threads.submit(come_back, client) for client in clients]
    eventually(lambda: proxy.attempts_since(away) > 5 * len(clients), "everybody has noticed")
    began = monotonic()
    eventually(lambda: monotonic() - began > 2, "two seconds have passed")
    while_down = proxy.attempts_since(began) / (monotonic() - began)
    proxy.restore()
    back = monotonic()
    for each in returned:
        each.result()
    assert monotonic() - back < leeway(RETURN)
    assert while_down <= 1.5 * len(clients)
    after = [at - back for at in proxy.attempts if at >= back]
    return max(sum(start <= at < start + 0.1 for at in after) for start in after)


def _is_away(client: Windlass) -> bool:
    try:
        client.counts()
    except StoreUnavailable:
        return True
    return False


@pytest.mark.varied_on("postgres")
@pytest.mark.parametrize("begin", OUTAGES.values(), ids=OUTAGES)
def test_a_worker_whose_store_is_away_ends_in_time(
    app: Windlass, far_processes: Processes, proxy: Proxy, begin: Callable[[Proxy], None]
) -> None:
    """B7, W7: within the grace time and two seconds, whatever its threads are waiting for."""
    worker = far_processes.worker(grace=0.5, lease="30s")
    app.enqueue(HOLD)
    worker.await_line("began")
    begin(proxy)
    worker.signal(signal.SIGTERM)
    worker.ends_within(0.5 + 2)


def test_fifty_outages_leave_nothing_behind(app: Windlass, far_processes: Processes, proxy: Proxy) -> None:
    """I9: threads, open files and memory of a worker stay what they were."""
    worker = far_processes.worker(lease="30s")
    jobs = records(app, 3)
    await_all_done(jobs)

    def outage(begin: Callable[[], None], number: int) -> None:
        begin()
        jobs.append(app.enqueue(RECORD, number))
        eventually(lambda: proxy.attempts_since(monotonic() - 1), "the worker looks for its store")
        proxy.restore()
        await_all_done(jobs[-1:])

    kinds = (proxy.cut, proxy.turn_away)
    for number in range(10):
        outage(kinds[number % 2], number)
    before = worker.footprint()
    for number in range(40):
        outage(kinds[number % 2], number)
    eventually(lambda: worker.footprint().threads <= before.threads, "no thread was left behind")
    # Connections come back one by one, so the first look may have seen none; a leak would be one per outage.
    eventually(lambda: worker.footprint().files <= before.files + _CONNECTIONS, "no file was left behind")
    assert worker.footprint().memory - before.memory < 8 << 20
    assert_ended_once(jobs, far_processes.folder)

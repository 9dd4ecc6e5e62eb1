"""Runs jobs on the calling thread, through the store as a worker does."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from typing import TYPE_CHECKING, Any

from windlass import clock
from windlass.active_job import running
from windlass.core.encryption.jobs import as_encrypted, shown_progress
from windlass.core.outcome import Outcome, StopReason
from windlass.core.records import Claimed, JobRecord
from windlass.core.retry import read_retry
from windlass.errors import JobSuspended
from windlass.steps.run_steps import StepStore
from windlass.store.driver import Topic
from windlass.store.operations import queries, queues
from windlass.store.operations.cycle import Claimant, StartMark, cycle, finish
from windlass.store.operations.jobs import progress, promote
from windlass.store.operations.leases import WorkerReport, close_lease, open_lease
from windlass.worker.identity import identity
from windlass.worker.runs.attempt import AttemptRules, Call
from windlass.worker.runs.logs.job_log import capture_logs
from windlass.worker.runs.run import Run

if TYPE_CHECKING:
    from windlass.client.client import Client

_LEASE = 24 * 3600 * 1000
"""Long enough for a test that moves its clock inside a task."""


class Runner:
    """Runs what is ready, one job after another: claimed, marked as started, called, finished, as in a worker.

    Time limits hold for coroutines only: nothing can interrupt a function on its caller's own thread.
    """

    def __init__(self, client: Client) -> None:
        client.load_included()
        self._client = client
        self._session = client.session
        self._who = identity(prefix="testing")
        self._steps = StepStore(client.session, client.codec, self._who.name, client.encryption)
        self._attempts = AttemptRules(
            codec=client.codec,
            retry=client.retry,
            give_up_on=client.give_up_on,
            worker=self._who.name,
            now=client.now,
            encryption=client.encryption,
        )

    def run_ready(self, after_each: Callable[[JobRecord], None] = lambda job: None) -> int:
        """Run jobs, and what they enqueue, until nothing is ready; how many runs there were.

        ``after_each`` gets each job after its run.
        """
        runs = 0
        capture_logs()
        with self._lease() as lease:
            while (job := self._claim(lease)) is not None:
                runs += self._end(job, lease)
                for record in self._session.run(queries.find([job.id])).values():
                    after_each(record)
        return runs

    @contextmanager
    def _lease(self) -> Iterator[str]:
        lease = self._client.ids.next()
        self._session.run(
            open_lease(WorkerReport(self._who.instance, self._who.name, "busy", "{}"), lease=lease, ttl=_LEASE)
        )
        try:
            yield lease
        finally:
            self._session.run(close_lease(worker=self._who.instance, lease=lease))

    def _claim(self, lease: str) -> Claimed | None:
        """The next job of the first queue that has one."""
        self._session.run(promote())
        settings = self._session.run(queues.settings())
        self._attempts.queue_rules = {
            name: rule for name, queue in settings.items() if (rule := read_retry(queue.retry)) is not None
        }
        for name in settings:
            cycled = self._session.run(
                cycle(self._claimant(lease), requests=[(name, 1)], encryption=self._client.encryption)
            )
            if cycled.claimed:
                return cycled.claimed[0]
        return None

    def _end(self, job: Claimed, lease: str) -> int:
        task = self._client.registry.find(job.task)
        if task is None:
            self._session.run(finish([self._attempts.of_unknown_task(job)], worker=self._who.name))
            return 0
        encryption = self._client.encryption
        if encryption.is_on and encryption.encrypts(task.settings.encrypt, job.task):
            job = as_encrypted(job)
        run = Run(job, task, claimed=clock.monotonic(), report=self._report, steps=self._steps)
        ending = self._attempts.ending(run, self._perform(run, lease))
        self._session.run(finish([ending], worker=self._who.name))
        self._session.notify(Topic.FINISHED)
        return int(run.started is not None)

    def _perform(self, run: Run, lease: str) -> Outcome:
        call = self._attempts.begin(run)
        if not isinstance(call, tuple):
            return call
        self._session.run(cycle(self._claimant(lease), marks=[StartMark(run.job.seq, run.job.fence, 0)]))
        token = running.set(run)
        try:
            value = _called(run, call)
        except (Exception, SystemExit, asyncio.CancelledError, JobSuspended) as error:  # user code may raise anything
            return self._attempts.raised(run, error)
        finally:
            running.reset(token)
        return self._attempts.returned(run, value)

    def _claimant(self, lease: str) -> Claimant:
        return Claimant(self._who.name, lease, self._client.ids.next())

    def _report(self, run: Run, value: float | None, text: str | None) -> bool:
        shown = shown_progress(self._client.encryption, run.job, value, text)
        return self._session.run(progress(run.job.seq, run.job.fence, shown, worker=self._who.name))


def _called(run: Run, call: Call) -> Any:
    args, kwargs = call
    if not run.task.is_async:
        return run.task.hooked(*args, **kwargs)
    return _on_a_loop(_limited(run, run.task.hooked(*args, **kwargs)))


async def _limited(run: Run, coroutine: Coroutine[Any, Any, Any]) -> Any:
    limit = None if run.job.timeout is None else run.job.timeout / 1000
    try:
        async with asyncio.timeout(limit) as watch:
            return await coroutine
    except TimeoutError:
        if not watch.expired():
            raise  # the task's own
        run.stop = StopReason.TIMED_OUT
        raise asyncio.CancelledError from None


def _on_a_loop(coroutine: Coroutine[Any, Any, Any]) -> Any:
    """Run a coroutine to its end; if a loop runs on this thread already, on a loop of another thread."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(coroutine)
    with ThreadPoolExecutor(1, thread_name_prefix="windlass-testing") as thread:
        return thread.submit(copy_context().run, asyncio.run, coroutine).result()

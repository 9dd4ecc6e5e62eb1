"""Bugs that the rack must find; a worker process plants the one that its environment names.

Each is of a kind that reviews of this or other systems have found. They live here alone, those of limits and schedules
in ``traffic/mutants.py``, those of flows and steps in ``flows/mutants.py``, those of suspects in
``suspects/mutants.py``, those of leases over HTTP in ``leases/mutants.py``.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Generator
from itertools import count
from typing import Any

from tests.torture.flows.mutants import OF_FLOWS
from tests.torture.leases.mutants import OF_LEASES
from tests.torture.planting import Mutant, edit, edit_script, replace_everywhere, set_attribute, together
from tests.torture.suspects.mutants import OF_SUSPECTS
from tests.torture.traffic.mutants import OF_TRAFFIC
from tests.torture.waits import WORKERS
from windlass.errors import JobInterrupted, OutcomeUnknown, StoreUnavailable
from windlass.store.operation import Call
from windlass.store.operations.cycle import CycleResult, cycle, unique_keys
from windlass.store.operations.rescue import rescue
from windlass.worker.executors import threads
from windlass.worker.fetch import cycle_client


def _claims_handed_out_twice() -> None:
    """One job in fifty is handed to two slots of its worker."""
    really, numbers = cycle, count()

    def handed_out_twice(*args: Any, **kwargs: Any) -> Generator[Call, Any, CycleResult]:
        cycled = yield from really(*args, **kwargs)
        twice = [job for job in cycled.claimed if next(numbers) % 50 == 49]
        return CycleResult([*cycled.claimed, *twice], cycled.refused, cycled.marked)

    replace_everywhere(really, handed_out_twice)


def _endings_lost_in_outages() -> None:
    """What could not be handed in is forgotten."""
    really = cycle_client.CycleClient.cycle

    def cycle(self: cycle_client.CycleClient, *args: Any, **kwargs: Any) -> CycleResult | None:
        cycled = really(self, *args, **kwargs)
        return CycleResult([], (), ()) if cycled is None else cycled

    set_attribute(cycle_client.CycleClient, "cycle", cycle)


def _keys_kept() -> None:
    """Endings do not say which keys they give back."""
    replace_everywhere(unique_keys, lambda endings: [])


def _lock_leaked_by_interrupts() -> None:
    """A run that is interrupted keeps the lock of the log."""
    really = threads.ThreadSlot.call

    def call(self: threads.ThreadSlot, *args: Any) -> object:
        try:
            return really(self, *args)
        except JobInterrupted:
            for handler in logging.getLogger().handlers:
                handler.acquire()
            raise

    set_attribute(threads.ThreadSlot, "call", call)


def _starts_swallowed() -> None:
    """One run in sixty is never started, as when no thread can be had, and nobody is told."""
    really, numbers = threads.ThreadExecutor.start, count()

    def start(self: threads.ThreadExecutor, runs: list[Any]) -> Any:
        return really(self, [run for run in runs if next(numbers) % 60 != 59])

    set_attribute(threads.ThreadExecutor, "start", start)


def _rescue_page_that_blocks() -> None:
    """A page of more than one job takes longer than a call may, every time."""
    really = rescue

    def blocked(*args: Any, **kwargs: Any) -> Generator[Call, Any, Any]:
        operation: Generator[Call, Any, Any] = really(*args, **kwargs)
        answer = None
        while True:
            try:
                call = operation.send(answer)
            except StopIteration as stop:
                return stop.value
            if call.name == "rescue" and len(call.params["endings"]) > 1:
                raise StoreUnavailable("the page took too long")
            answer = yield call

    replace_everywhere(really, blocked)


def _failures_acknowledged() -> None:
    """An enqueue whose answer is missing is taken for stored."""
    from windlass.app import Windlass

    really = Windlass.enqueue_many

    def enqueue_many(self: Windlass, requests: Any) -> Any:
        requests = list(requests)
        try:
            return really(self, requests)
        except (OutcomeUnknown, StoreUnavailable):
            from windlass import Job, State

            return [Job(self.client, str(request.options.id), state=State.PENDING) for request in requests]

    set_attribute(Windlass, "enqueue_many", enqueue_many)


def _cycles_wait_for_callers() -> None:
    """Before each cycle a worker waits for all transactions that write jobs, as a badly chosen lock makes it, and gives
    up when the time of the call is over. A single statement, so that a worker which is paused holds nothing.
    """
    import psycopg

    from windlass.store.postgres.driver import PostgresDriver

    really = PostgresDriver.execute

    def execute(self: PostgresDriver, call: Call) -> Any:
        if call.name == "cycle":
            _wait_for_writers()
        return really(self, call)

    def _wait_for_writers() -> None:
        try:
            with psycopg.connect(os.environ["WINDLASS_URL"], autocommit=True, application_name=WORKERS) as connection:
                connection.execute("SET lock_timeout = '5s'")
                connection.execute("DO $$ BEGIN LOCK TABLE torture.job IN SHARE MODE; END $$")
        except psycopg.Error as error:
            raise StoreUnavailable("the call took too long") from error

    set_attribute(PostgresDriver, "execute", execute)


_OF_STORE = frozenset({"store_away", "outage", "full_disk", "clock_step", "cut", "delay", "black_hole"})
_IN_TIME = (
    "windlass_lease.renewed_at - windlass_lease.ttl <= :now\n"
    "    AND :now < windlass_lease.renewed_at + windlass_lease.ttl"
)

_REMOVED = "redis.call('HDEL', held_key(lease), seq .. ':' .. "
_SEQ_ALONE = "running.seq = ending.seq"
_KEY_PASSED_BY = "WHERE key.key = named.key AND key.until <> 'window'\n        FOR UPDATE SKIP LOCKED"

MUTANTS: dict[str, Mutant] = {
    "finish without a fence": Mutant(
        edit(
            "cycle",
            ("AND windlass_job.fence = run.value ->> 1", ""),
            ("AND windlass_job.fence = ending.fence", ""),
        ),
        "sqlite",
        ("I2", "I3", "I4"),
    ),
    "finish without a fence on PostgreSQL": Mutant(
        edit("cycle", ("running.seq = ending.seq AND running.fence = ending.fence", _SEQ_ALONE), store="postgres"),
        "postgres",
        ("I2", "I3", "I4"),
    ),
    "finish without a fence on Redis": Mutant(
        edit_script("cycle", f"{_REMOVED}fence) == 0", f"{_REMOVED}(redis.call('HGET', key, 'fence') or fence)) == 0"),
        "redis",
        ("I2", "I3", "I4"),
    ),
    "rescue without a look at the lease": Mutant(
        together(edit("expired", (_IN_TIME, "false")), edit("rescue", (_IN_TIME, "false"))),
        "sqlite",
        ("I2",),
        without=_OF_STORE,
    ),
    "claim handed out twice": Mutant(_claims_handed_out_twice, "redis", ("I2",)),
    "ending lost in an outage": Mutant(_endings_lost_in_outages, "redis", ("I6", "I12")),
    "unique key not released": Mutant(_keys_kept, "redis", ("I1",)),
    "interrupt leaks a lock": Mutant(_lock_leaked_by_interrupts, "sqlite", ("I6",)),
    "failed start swallows a run": Mutant(_starts_swallowed, "redis", ("I6",)),
    "page that blocks for ever": Mutant(_rescue_page_that_blocks, "postgres", ("I6",)),
    "promote skips jobs": Mutant(
        edit("promote", ("run_at <= :now", "run_at <= :now AND seq % 5 <> 0")), "sqlite", ("I6",)
    ),
    "cycle waits for a caller's transaction": Mutant(_cycles_wait_for_callers, "postgres", ("I11", "I6")),
    "ending waits for a caller's key": Mutant(
        edit("cycle", (_KEY_PASSED_BY, _KEY_PASSED_BY.removesuffix(" SKIP LOCKED")), store="postgres"),
        "postgres",
        ("I11", "I6"),
    ),
    "cancel request forgotten": Mutant(edit("cycle", ("cancel_requested_at IS NULL OR", "true OR")), "sqlite", ("I3",)),
    "cancel request forgotten by a rescue": Mutant(
        edit(
            "rescue",
            ("iif(cancel_requested_at IS NULL, ending.state, 'cancelled')", "ending.state"),
            ("iif(cancel_requested_at IS NULL, ending.reason, NULL)", "ending.reason"),
            ("cancel_requested_at IS NOT NULL OR ending.state = 'failed'", "ending.state = 'failed'"),
        ),
        "sqlite",
        ("I3",),
    ),
    "attempt charged for a claim": Mutant(
        edit("cycle", ("fence = fence + 1,", "fence = fence + 1, attempt = attempt + 1,")), "sqlite", ("I5",)
    ),
    "refused enqueue acknowledged": Mutant(_failures_acknowledged, "redis", ("I1",)),
    **OF_SUSPECTS,
    **OF_TRAFFIC,
    **OF_FLOWS,
    **OF_LEASES,
}


def plant(name: str | None) -> None:
    """Patch the product in this process."""
    if name is not None:
        MUTANTS[name].plant()

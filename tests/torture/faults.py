"""Strikes the faults of a plan, and takes them back when their time is over."""

from __future__ import annotations

import os
import resource
import signal
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import psycopg

from tests.places.frozen_process import freeze
from tests.torture.enqueue import Asking
from tests.torture.fleet import CLAIMER, PRODUCERS, SHORT_LEASES, WEB, Fleet
from tests.torture.ground import Ground, ServerGround
from tests.torture.plan import MOMENTARY, OF_STORE, READY_WITHIN, Fault, Kind
from tests.torture.waits import LockWatch
from tests.torture.witness import Acked, Asked, CancelAccepted, CancelAsked, Refused, Unsure, Witness, now
from tests.torture.workload import KEYED, KEYS, LONG, OF_CALLERS, RESTLESS, SOON
from windlass import JobNotFound, State, StoreUnavailable, Windlass

Restore = Callable[[], None]

_PATIENCE_OF_CALLER = "-c lock_timeout=10s -c idle_in_transaction_session_timeout=20s"
"""The caller of an open transaction gives up: what it waits for may be in a process that only the rack can resume, and
the rack itself may wait for its end.
"""
_CANCELS = 6
"""Jobs that one fault cancels, at the most."""


@dataclass(slots=True)
class Incident:
    """A fault that was struck."""

    fault: Fault
    at: float
    until: float | None = None
    """None while it lasts."""
    pid: int | None = None
    is_void: bool = False
    """There was nothing to strike."""
    lost: frozenset[str] = frozenset()
    """The jobs that a paused worker has, and that will end as soon as it is resumed."""
    held_up: Sequence[str] = ()
    """The statements of workers that waited for it; there may be more while it lasts."""


class Faults:
    """What a plan's faults do to a running system."""

    def __init__(self, ground: Ground, fleet: Fleet, app: Windlass, witness: Witness) -> None:
        self._ground = ground
        self._fleet = fleet
        self._app = app
        self._witness = witness
        self.running: Mapping[str, int] = {}
        """The jobs whose runs have begun and not ended, by what was witnessed; with the process."""
        self.children: Mapping[int, int] = {}
        """Isolated children that live, with their parents."""
        self.incidents: list[Incident] = []
        self._holders: dict[Fault, tuple[float, frozenset[str]]] = {}

    def is_ready(self, fault: Fault) -> bool:
        """Whether its time has come. A caller's transaction waits until a job is at work whose key it takes over: the
        ending of that job meets a row that the caller holds.
        """
        if fault.kind is not Kind.OPEN_TRANSACTION or self._open_transactions():
            return True
        if fault not in self._holders:
            self._holders[fault] = now(), self._enqueued_holders(len(self._holders))
        asked_at, holders = self._holders[fault]
        return not holders.isdisjoint(self.running) or now() > asked_at + READY_WITHIN

    def _enqueued_holders(self, number: int) -> frozenset[str]:
        """The jobs that hold the keys of such callers."""
        requests = [
            self._app.request("started", (n,), id=f"started-ahead{number}-{n}", unique=KEYED["started"], priority=SOON)
            for n in OF_CALLERS
        ]
        return frozenset(job.id for job in Asking(self._app, self._witness).enqueue(requests) or ())

    def _open_transactions(self) -> list[Incident]:
        return [one for one in self.incidents if one.until is None and one.fault.kind is Kind.OPEN_TRANSACTION]

    def strike(self, fault: Fault) -> Restore | None:
        """Strike; what takes it back, if anything has to."""
        incident = Incident(fault, now())
        self.incidents.append(incident)
        restore = self._struck(fault, incident)
        if fault.kind in MOMENTARY or restore is None:
            incident.until = now()
            return None

        def take_back() -> None:
            restore()
            incident.until = now()

        return take_back

    def has_begun_anew(self, incident: Incident) -> bool:
        """Whether one of the jobs that a paused worker has lost runs elsewhere by now, if it had any."""
        return not incident.lost or any(self.running.get(id, incident.pid) != incident.pid for id in incident.lost)

    def counts(self) -> Counter[Kind]:
        return Counter(incident.fault.kind for incident in self.incidents if not incident.is_void)

    def _struck(self, fault: Fault, incident: Incident) -> Restore | None:
        match fault.kind:
            case kind if kind in OF_STORE:
                self._ground.strike(fault)
                return lambda: self._ground.restore(fault.kind)
            case Kind.KILL_WORKER | Kind.PAUSE_WORKER | Kind.STOP_WORKER | Kind.RELOAD_WORKER | Kind.EMFILE:
                return self._struck_worker(fault, incident)
            case Kind.KILL_CHILD:
                self._kill(pick(sorted(self.children), fault), incident)
            case Kind.KILL_WEB | Kind.KILL_CLAIMER:
                self._kill_beside(WEB if fault.kind is Kind.KILL_WEB else CLAIMER, incident)
            case Kind.KILL_PRODUCER:
                self._fleet.replace_producer(int(fault.target * PRODUCERS))
            case Kind.OPEN_TRANSACTION:
                return self._left_open(fault, incident)
            case Kind.CANCEL:
                self._cancel(self._some(self._held(), fault))
            case Kind.CANCEL_PAUSED | Kind.CANCEL_LOST:
                return self._cancelled_worker(fault, incident)
            case Kind.CLEAN:
                with suppress(StoreUnavailable):
                    self._app.clean()
            case Kind.VACUUM:
                self._ground.vacuum()
            case _:
                raise NotImplementedError(fault.kind)
        return None

    def _struck_worker(self, fault: Fault, incident: Incident) -> Restore | None:
        pid = pick(self._to_pause() if fault.kind is Kind.PAUSE_WORKER else self._fleet.pids(), fault)
        if pid is None:
            incident.is_void = True
            return None
        incident.pid = pid
        match fault.kind:
            case Kind.KILL_WORKER:
                self._kill(pid, incident)
            case Kind.STOP_WORKER:
                _signal(pid, signal.SIGTERM)
            case Kind.RELOAD_WORKER:
                _signal(pid, signal.SIGHUP)
            case Kind.PAUSE_WORKER:
                incident.lost = frozenset(id for id, of in self._long_runs().items() if of == pid)
                return self._paused(pid)
            case _:
                return _without_files(pid, incident)
        return None

    def _to_pause(self) -> list[int]:
        """The workers whose leases a pause outlasts. Those come first that have runs which end as soon as they are
        resumed, when others have long begun the same jobs anew: their endings are stale writes.
        """
        struck = {incident.pid for incident in self.incidents if incident.until is None}
        losing = [pid for pid in self._fleet.pids(of=SHORT_LEASES) if pid not in struck]
        at_work = set(self._long_runs().values())
        return [pid for pid in losing if pid in at_work] or losing

    def _long_runs(self) -> dict[str, int]:
        return {id: pid for id, pid in self._workers_of_jobs().items() if id.startswith(LONG)}

    def _paused(self, pid: int) -> Restore:
        with suppress(ProcessLookupError, AssertionError):  # it has just ended, or holds its lock for long
            freeze(pid, file=self._ground.file)
        return lambda: _signal(pid, signal.SIGCONT)

    def _cancelled_worker(self, fault: Fault, incident: Incident) -> Restore | None:
        """Cancels that a worker cannot hear of before it has met its fate: only the store knows of them then."""
        pid = pick(sorted(set(self._workers_of_jobs().values()) & set(self._fleet.pids())), fault)
        if pid is None:
            incident.is_void = True
            return None
        incident.pid = pid
        resume = self._paused(pid)
        self._cancel(self._some(self._held(by=pid), fault))
        if fault.kind is Kind.CANCEL_PAUSED:
            return resume
        self._kill(pid, incident)
        return None

    def _held(self, *, by: int | None = None) -> list[str]:
        """The jobs that workers, or one of them, have claimed, as the store says: some of them have not begun."""
        try:
            held = list(self._app.jobs(state=State.RUNNING, limit=500))
        except StoreUnavailable:
            return []
        pids = self._workers_of_jobs()
        names = {job.record.worker for job in held if by in (None, pids.get(job.id))}
        return sorted(job.id for job in held if job.record.worker in names)

    def _workers_of_jobs(self) -> dict[str, int]:
        """The jobs that have begun, with the process of their worker."""
        return {id: self.children.get(pid, pid) for id, pid in self.running.items()}

    def _some(self, ids: Sequence[str], fault: Fault) -> list[str]:
        """Those first whose runs come again if the cancel is forgotten."""
        shuffled = Random(fault.target).sample(ids, len(ids))
        return sorted(shuffled, key=lambda id: not id.startswith(RESTLESS))[:_CANCELS]

    def _kill(self, pid: int | None, incident: Incident) -> None:
        incident.pid, incident.is_void = pid, pid is None
        if pid is not None:
            _signal(pid, signal.SIGKILL)

    def _kill_beside(self, name: str, incident: Incident) -> None:
        """It is started again, as workers are."""
        program = self._fleet.beside.get(name)
        self._kill(program.pid if program is not None and program.is_up else None, incident)

    def _cancel(self, ids: Sequence[str]) -> None:
        for id in ids:
            self._witness.write(CancelAsked(id, now()))
            with suppress(StoreUnavailable, JobNotFound):
                if self._app.cancel(id):
                    self._witness.write(CancelAccepted(id, self._app.job(id).fence, now()))

    def _left_open(self, fault: Fault, incident: Incident) -> Restore | None:
        """A caller enqueues in a transaction of its own, which it leaves open for long.

        One at a time: a second one would wait for the keys of the first, and the rack with it.
        """
        assert isinstance(self._ground, ServerGround)
        if len(self._open_transactions()) > 1:
            incident.is_void = True
            return None
        try:
            connection = psycopg.connect(self._ground.node.url, options=_PATIENCE_OF_CALLER)
        except psycopg.OperationalError:  # an outage that came late is not over yet
            incident.is_void = True
            return None
        number = len(self.incidents)
        plain = [self._app.request("quick", (n,), id=f"quick-tx{number}-{n}", queue=f"q{n}") for n in range(3)]
        started = KEYED["started"]
        keyed = [
            self._app.request("started", (n,), id=f"started-tx{number}-{n}", unique=started)
            for n in (*range(KEYS), *OF_CALLERS)
        ]
        asked = [str(request.options.id) for request in (*plain, *keyed)]
        self._witness.write(Asked(asked, now()))
        try:
            with self._app.transaction(connection):
                jobs = self._app.enqueue_many([*plain, *keyed])
        except (psycopg.Error, StoreUnavailable) as error:
            connection.close()
            self._witness.write(Refused(asked, now(), str(error)[:200]))
            incident.is_void = True
            return None
        ids = [id for id, job in zip(asked, jobs, strict=True) if job.id == id]
        watch = LockWatch(self._ground.node.url, connection.info.backend_pid)
        incident.held_up = watch.found
        watch.start()

        def end() -> None:
            watch.stop()
            self._end_transaction(connection, ids, commits=fault.amount < 0.6)

        return end

    def _end_transaction(self, connection: psycopg.Connection[Any], ids: list[str], *, commits: bool) -> None:
        try:
            connection.commit() if commits else connection.rollback()
        except psycopg.Error:
            self._witness.write(Unsure(ids, now()))
        else:
            self._witness.write(Acked(ids, now()) if commits else Refused(ids, now(), "rolled back"))
        finally:
            connection.close()


def pick(pids: Sequence[int], fault: Fault) -> int | None:
    """The one that a fault strikes."""
    return pids[int(fault.target * len(pids))] if pids else None


def _signal(pid: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, number)


def _without_files(pid: int, incident: Incident) -> Restore | None:
    """Let the process open no more files than it has."""
    try:
        count = len(list(Path(f"/proc/{pid}/fd").iterdir()))
        before = resource.prlimit(pid, resource.RLIMIT_NOFILE)
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (count, before[1]))
    except (OSError, ProcessLookupError):
        incident.is_void = True
        return None

    def restore() -> None:
        with suppress(OSError, ProcessLookupError):
            resource.prlimit(pid, resource.RLIMIT_NOFILE, before)

    return restore

"""What a run of the rack has brought to light: the lines of the witnesses, the incidents, the store at the end."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from time import monotonic, time

from tests.torture.faults import Incident
from tests.torture.leases.setting import REMOTE
from tests.torture.plan import OF_STORE, Kind
from tests.torture.traffic.slots import Slots
from tests.torture.witness import (
    Acked,
    Alive,
    Answered,
    Asked,
    Began,
    CancelAccepted,
    CancelAsked,
    Duplicate,
    Dying,
    Ended,
    Fired,
    Kept,
    KeyHeld,
    Leased,
    Line,
    OfCaller,
    OfRun,
    Passed,
    Refused,
    Saw,
    Sent,
    Stepped,
    Token,
    Unsure,
)
from tests.torture.workload import FREE, LONGEST_DELAY, is_isolated
from windlass.core.records import JobRecord

GAP = 1.2
"""Seconds between two signs of life from which on a process had not got its turns. Between two heartbeats, a third of
the lease apart, there is time for one such gap and an answer of the store that is nearly late.
"""


@dataclass(slots=True)
class Run:
    """One run of a job's code."""

    job: str
    fence: int
    attempt: int
    pid: int
    began: float
    ended: float | None = None
    how: str | None = None


@dataclass(slots=True)
class Evidence:
    """Everything that the invariants are judged by."""

    lease: float
    longest_lease: float = 0.0
    """That some of the workers have."""
    records: Mapping[str, JobRecord] = field(default_factory=dict)
    """The jobs in the store at the end."""
    kinds: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """What the store's timeline tells of jobs that are unusual."""
    rescued: Mapping[str, Collection[int]] = field(default_factory=dict)
    """The fences that were taken from such jobs by rescues, as the store tells."""
    rescued_at: Mapping[str, Mapping[int, int]] = field(default_factory=dict)
    """When each of these fences was taken, in milliseconds by the store's clock."""
    blamed: Mapping[str, Mapping[int, str]] = field(default_factory=dict)
    """The job that was held responsible for each of these losses, where it is one."""
    told: Mapping[str, Collection[int]] = field(default_factory=dict)
    """The fences whose runs were lost, given up or refused, as the story of each such job tells."""
    slots: Slots = field(default_factory=Slots)
    still_counted: Sequence[str] = ()
    """What the store counts as running or held although all jobs have ended."""
    mended: Sequence[str] = ()
    """What workers found wrong in the store, and put right."""
    limited_until: float = float("inf")
    """When the limit of the whole app was taken back."""
    wall_clock: float = field(default_factory=lambda: time() - monotonic())
    """How far the machine's clock is ahead of its monotonic one, in seconds."""
    incidents: Sequence[Incident] = ()
    troubled: Sequence[tuple[float, float]] = ()
    """When the store answered the rack itself late or not at all."""
    runs: dict[str, list[Run]] = field(default_factory=lambda: defaultdict(list))
    """By job, in the order in which they began."""
    acked: set[str] = field(default_factory=set)
    refused: dict[str, str] = field(default_factory=dict)
    unsure: set[str] = field(default_factory=set)
    acked_at: dict[str, float] = field(default_factory=dict)
    asked: set[str] = field(default_factory=set)
    duplicates: list[Duplicate] = field(default_factory=list)
    held_keys: list[KeyHeld] = field(default_factory=list)
    saw: list[Saw] = field(default_factory=list)
    may_be_cancelled: set[str] = field(default_factory=set)
    """The jobs for which a cancel was asked, whatever the call said."""
    cancels: dict[str, CancelAccepted] = field(default_factory=dict)
    """The cancels that were taken, as the call said."""
    fired: list[Fired] = field(default_factory=list)
    tokens: list[Token] = field(default_factory=list)
    passed: list[Passed] = field(default_factory=list)
    stepped: list[Stepped] = field(default_factory=list)
    kept: list[Kept] = field(default_factory=list)
    sent: list[Sent] = field(default_factory=list)
    leased: list[Leased] = field(default_factory=list)
    answered: list[Answered] = field(default_factory=list)
    """Over HTTP."""
    dying: dict[str, list[Dying]] = field(default_factory=lambda: defaultdict(list))
    pulses: dict[int, list[float]] = field(default_factory=lambda: defaultdict(list))
    parents: dict[int, int] = field(default_factory=dict)
    workers: set[int] = field(default_factory=set)
    """The processes that ran jobs in threads or on a loop: neither isolated children nor callers."""
    last_run: float = 0.0
    """When a run began or ended last."""
    _open: dict[tuple[str, int, int], Run] = field(default_factory=dict)

    def hear(self, lines: Iterable[Line]) -> None:
        for line in lines:
            if isinstance(line, OfRun):
                self._hear_run(line)
            else:
                self._hear_caller(line)

    def _hear_run(self, line: OfRun) -> None:
        match line:
            case Began():
                run = Run(line.job, line.fence, line.attempt, line.pid, line.at)
                self.runs[line.job].append(run)
                self._open[line.job, line.fence, line.pid] = run
                self.last_run = max(self.last_run, line.at)
                if not is_isolated(line.job):
                    self.workers.add(line.pid)
            case Ended():
                self.last_run = max(self.last_run, line.at)
                ended = self._open.pop((line.job, line.fence, line.pid), None)
                if ended is not None:
                    ended.ended, ended.how = line.at, line.how
            case Alive():
                self.pulses[line.pid].append(line.at)
                self.parents[line.pid] = line.parent
            case Dying():
                self.dying[line.job].append(line)
            case Fired():
                self.fired.append(line)
            case Token():
                self.tokens.append(line)
            case Passed():
                self.passed.append(line)
            case Stepped():
                self.stepped.append(line)
            case Kept():
                self.kept.append(line)
            case Sent():
                self.sent.append(line)
            case Leased():
                self.leased.append(line)
            case Answered():
                self.answered.append(line)

    def _hear_caller(self, line: OfCaller) -> None:
        match line:
            case Asked():
                self.asked.update(line.ids)
            case Acked():
                self.acked.update(line.ids)
                for id in line.ids:
                    self.acked_at.setdefault(id, line.at)
            case Refused():
                self.refused.update(dict.fromkeys(line.ids, line.why))
            case Unsure():
                self.unsure.update(line.ids)
            case Duplicate():
                self.duplicates.append(line)
            case KeyHeld():
                self.held_keys.append(line)
            case Saw():
                self.saw.append(line)
            case CancelAsked():
                self.may_be_cancelled.add(line.job)
            case CancelAccepted():
                self.cancels.setdefault(line.job, line)

    @property
    def open_runs(self) -> list[Run]:
        """Runs that have begun and not ended, as far as is known."""
        return list(self._open.values())

    def is_unusual(self, id: str) -> bool:
        """Whether its story has to be looked at: it ran more than once, crashed, or was claimed over HTTP, where an
        answer may be lost and the claim with it.
        """
        job = self.records[id]
        return len(self.runs.get(id, ())) > 1 or job.reason == "crashed" or job.task == REMOTE

    def is_calm(self, since: float, to: float, pid: int) -> bool:
        """Whether the store was well and this process had its turns all the time, so that nothing excuses a lost lease.

        A process that was told to stop, or may open no more files, has an excuse too.
        """
        if self.is_troubled(since, to):
            return False
        if any(
            incident.pid in (pid, self.parents.get(pid)) and incident.at <= to
            for incident in self.incidents
            if incident.fault.kind in (Kind.STOP_WORKER, Kind.EMFILE, Kind.RELOAD_WORKER)
        ):
            return False
        return self.had_turns(since, to, pid) and self._holder_had_turns(since, to, pid)

    def _holder_had_turns(self, since: float, to: float, pid: int) -> bool:
        """The lease of a run in a child belongs to the worker that started the child."""
        parent = self.parents.get(pid)
        return parent is None or parent not in self.workers or self.had_turns(since, to, parent)

    def is_troubled(self, since: float, to: float) -> bool:
        """Whether the store was away at some time, or may have let leases run out because it was."""
        # A lease that was not renewed for a moment is lost a lease later.
        return self.was_away(since, to, afterwards=max(self.lease, self.longest_lease))

    def was_away(self, since: float, to: float, *, afterwards: float) -> bool:
        """Whether the store was away at some time, or had been not so many seconds before."""
        return any(begin <= to and since <= end + afterwards for begin, end in self._troubles())

    def had_work(self, since: float, to: float) -> bool:
        """Whether jobs waited, due for a second and more, and two workers that ran nothing had their turns."""
        last = to - LONGEST_DELAY - 1
        waited = any(at <= last and (since <= at or self._began_after(id, to)) for id, at in self.acked_at.items())
        return waited and sum(self._had_nothing_to_do(since, to, pid) for pid in self.workers) >= 2

    def _began_after(self, id: str, at: float) -> bool:
        """Whether it is a job that nothing holds back, neither a limit nor a parent, and began only then."""
        if not id.startswith(FREE) or self.rescued.get(id):
            return False
        return any(run.began >= at for run in self.runs.get(id, [])[:1])

    def _had_nothing_to_do(self, since: float, to: float, pid: int) -> bool:
        """Whether the worker lived on, and ran nothing at last: others wait for a job that has to run alone."""
        if not self.had_turns(since, to, pid):
            return False
        runs = [run for of_job in self.runs.values() for run in of_job if pid in (run.pid, self.parents.get(run.pid))]
        return not any(run.began < to and self._end(run) > to - LONGEST_DELAY - 1 for run in runs)

    def _end(self, run: Run) -> float:
        """When the run was over, by its own line or by the last sign of life of its process."""
        if run.ended is not None:
            return run.ended
        return max([run.began, *self.pulses.get(run.pid, [])[-1:]]) + GAP

    def was_well(self, at: float, pid: int) -> bool:
        """Whether nothing excuses a lease of this process that was lost just before, at the time of its death."""
        return self.is_calm(at - self.lease - GAP, at - GAP, pid)

    def had_turns(self, since: float, to: float, pid: int) -> bool:
        """Whether the process lived on, without a pause."""
        pulses = self.pulses.get(pid, [])
        after = bisect_right(pulses, to)
        if after == len(pulses):  # it was never heard of again
            return False
        marks = [since, *pulses[bisect_left(pulses, since) : after + 1]]
        return all(later - earlier < GAP for earlier, later in pairwise(marks))

    def _troubles(self) -> list[tuple[float, float]]:
        of_store = [i for i in self.incidents if i.fault.kind in OF_STORE]
        windows = [(i.at, i.until if i.until is not None else float("inf")) for i in of_store]
        return [*windows, *self.troubled]

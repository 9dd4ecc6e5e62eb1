"""Runs a plan against real workers on a real store, waits until all is quiet, and judges."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import count, product
from pathlib import Path
from threading import Event, Thread

from tests.faults.process import Footprint
from tests.torture import idleness
from tests.torture.diagnosis import diagnose, lines_about, stories
from tests.torture.enqueue import Asking
from tests.torture.evidence import Evidence
from tests.torture.faults import Faults, Incident, Restore
from tests.torture.finding import Finding
from tests.torture.fleet import LEASE, LONG_LEASE, PRODUCERS, SLOTS, STUCK, Fleet
from tests.torture.flows.owed import send_owed
from tests.torture.ground import NAMESPACE, Ground, ground_of
from tests.torture.invariants import broken, broken_so_far
from tests.torture.plan import Fault, Kind, plan
from tests.torture.report import Report, figures_of
from tests.torture.traffic import slots
from tests.torture.traffic.leftovers import mended
from tests.torture.traffic.setting import MOST_NARROW, MOST_OF_APP, NARROW, QUEUE_RATE, RATED
from tests.torture.witness import Reader, Witness, now
from tests.torture.workload import BRIEF, KEYED, KEYS, Spice, is_isolated
from windlass import JobNotFound, Retention, StoreUnavailable, Windlass
from windlass.core.records import JobRecord
from windlass.core.state import FINISHED
from windlass.insight.timeline import TimelineEntry

Footprints = dict[int, Footprint]

_START = 240.0
"""Seconds in which workers come up, on a machine that has hardly any time for them."""
_SLOW = 0.7
"""Seconds from which on an answer of the store is late."""
_LOSSES = ("rescued", "refused", "abandoned", "attempt_failed", "snoozed", "throttled", "cancelled", "failed")
"""What a job's story tells of a run that did not complete it, and was not just handed back."""
_FORGOTTEN = 25.0
"""Seconds within which nothing is left of keys that no job holds."""
_BETWEEN_LOOKS = 10.0
"""Seconds between two looks of a run that ends when it has found something."""
_LONGEST = 600.0
"""Seconds after which jobs that still run again and again are taken for stuck."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What to run."""

    store: str
    seed: int
    seconds: float
    folder: Path
    """Where witnesses and logs are left."""
    without: frozenset[str] = frozenset()
    """Kinds of faults and spices that are left out, by name."""
    mutant: str | None = None
    until: frozenset[str] = frozenset()
    """The run is over as soon as one of these invariants is seen broken."""
    rate: float = 10.0
    """Batches that each of two producers sends in a second, at the most."""
    patience: float = 120.0
    """Seconds without a run that begins or ends after which what is left is stuck. A machine that is busy with other
    things takes its time for each run, and a supervisor waits for up to 30 s before it starts a process again.
    """

    @property
    def end_within(self) -> float:
        """Seconds after SIGTERM after which a process that is still there is stuck."""
        return 2 * self.patience

    @property
    def spices(self) -> list[Spice]:
        return [spice for spice in Spice if spice.name.lower() not in self.without]

    def kinds(self, possible: frozenset[Kind]) -> list[Kind]:
        return sorted(kind for kind in possible if kind.name.lower() not in self.without)

    @property
    def command(self) -> str:
        left_out = f" WITHOUT={','.join(sorted(self.without))}" if self.without else ""
        return f"make torture STORE={self.store} MINUTES={self.seconds / 60:g} SEED={self.seed}{left_out}"


def run(settings: Settings, *, say: Callable[[str], None] = lambda _: None) -> Report:
    """One whole run on a fresh store."""
    settings.folder.mkdir(parents=True, exist_ok=True)
    with ground_of(settings.store, settings.folder) as ground, closing(ground.app()) as app:
        return Rack(settings, ground, app, say).run()


@dataclass(slots=True)
class _Schedule:
    """Actions by their time."""

    _due: list[tuple[float, int, Callable[[], None]]] = field(default_factory=list)
    _numbers: Iterator[int] = field(default_factory=count)

    def add(self, at: float, action: Callable[[], None]) -> None:
        heapq.heappush(self._due, (at, next(self._numbers), action))

    def run_until_empty(self, between: Callable[[], None]) -> None:
        pause = Event()
        while self._due:
            if self._due[0][0] <= now():
                heapq.heappop(self._due)[2]()
            else:
                between()
                pause.wait(min(0.1, max(0.0, self._due[0][0] - now())))


class _Found(Exception):
    """What the run is for has been found."""


class Rack:
    """One run."""

    def __init__(self, settings: Settings, ground: Ground, app: Windlass, say: Callable[[str], None]) -> None:
        self._settings = settings
        self._ground = ground
        self._app = app
        self._say = say
        folder = settings.folder
        environment = {
            **ground.environment,
            "WINDLASS_URL": ground.url,
            "NAMESPACE": NAMESPACE,
            "TORTURE_FOLDER": str(folder),
            "TORTURE_SPICES": ",".join(settings.spices),
            "WINDLASS_LOG": "info",
            **({"TORTURE_MUTANT": settings.mutant} if settings.mutant else {}),
        }
        self._fleet = Fleet(
            folder,
            environment,
            of_callers={**environment, "WINDLASS_URL": ground.url_of_callers()},
            seed=settings.seed,
            spices=[str(s) for s in settings.spices],
            rate=settings.rate,
        )
        self._witness = Witness(folder)
        self._reader = Reader(folder)
        self._seen = Evidence(lease=LEASE, longest_lease=LONG_LEASE)
        self._faults = Faults(ground, self._fleet, app, self._witness)
        self._findings: list[Finding] = []
        self._troubled: list[tuple[float, float]] = []
        self._diagnosis = ""
        self._next_look = now()
        self._is_cut_short = False

    def run(self) -> Report:
        self._app.queue(BRIEF).configure(retention=Retention(at_most=20))
        self._limit()
        with ExitStack() as ends:
            ends.callback(self._witness.close)
            ends.callback(self._fleet.kill)
            try:
                ends.enter_context(self._watching_store())
                self._fleet.start_workers()
                self._await_up()
                self._fleet.start_producers()
                self._await(self._is_producing, patience=_START)
                self._torture()
            except _Found:
                self._is_cut_short = True
        self._judge()
        return self._report()

    def _torture(self) -> None:
        early = self._strike_all()
        is_drained = self._calm_down()
        self._count_what_is_left()
        if is_drained:  # where something stands still, nothing is learned by asking for more
            self._close(early)

    def _limit(self) -> None:
        if Spice.GATES in self._settings.spices:
            self._app.queue(NARROW).configure(max_running=MOST_NARROW)
            self._app.configure(max_running=MOST_OF_APP)
        if Spice.RATES in self._settings.spices:
            self._app.queue(RATED).configure(rate=str(QUEUE_RATE), burst=QUEUE_RATE.burst)

    # The faults.

    def _await_up(self) -> None:
        """Until every slot has filled its places once. Schedules fire meanwhile."""
        self._wave("opening", patience=_START, queues=[slot.own_queue for slot in SLOTS])

    def _is_producing(self) -> bool:
        """Whether jobs of producers have begun."""
        self._seen.hear(self._reader.new())
        return any(f"-p{number}-" in id for number in range(PRODUCERS) for id in self._seen.runs)

    def _strike_all(self) -> Footprints:
        """The footprints of the workers before the first fault."""
        early = idleness.footprints(self._fleet.pids())
        began, schedule = now(), _Schedule()
        kinds = self._settings.kinds(self._ground.kinds)
        for fault in plan(self._settings.seed, seconds=self._settings.seconds, kinds=kinds, lease=LEASE):
            schedule.add(began + fault.at, partial(self._strike, fault, schedule, began))
        schedule.run_until_empty(self._tend)
        return early

    def _strike(self, fault: Fault, schedule: _Schedule, began: float) -> None:
        self._look()
        if not self._faults.is_ready(fault):
            schedule.add(now() + 0.2, partial(self._strike, fault, schedule, began))
            return
        self._say(f"{now() - began:6.1f} s  {fault.kind}" + (f" for {fault.length:.1f} s" if fault.length else ""))
        if take_back := self._faults.strike(fault):
            incident = self._faults.incidents[-1]
            schedule.add(now() + fault.length, partial(self._take_back, take_back, incident, schedule))

    def _take_back(self, take_back: Restore, incident: Incident, schedule: _Schedule) -> None:
        """End a fault. A pause lasts until a job that was lost by it runs again, or for twice as long: then the worker
        that is resumed writes a stale ending while the other run is at work.
        """
        self._look()
        if self._faults.has_begun_anew(incident) or now() > incident.at + 2 * incident.fault.length:
            take_back()
        else:
            schedule.add(now() + 0.2, partial(self._take_back, take_back, incident, schedule))

    def _tend(self) -> None:
        self._fleet.tend()
        if self._settings.until and now() > self._next_look:
            self._look_for_proof()
            self._next_look = now() + _BETWEEN_LOOKS

    def _look_for_proof(self) -> None:
        """End the run if it has shown what it is for. That a job has not ended yet proves nothing before the end."""
        with suppress(StoreUnavailable, JobNotFound):  # it is away, or has just cleaned a job away
            self._gather()
            if self._settings.until.intersection(finding.invariant for finding in broken_so_far(self._seen)):
                raise _Found

    def _look(self) -> None:
        """Tell the faults what there is to strike."""
        self._seen.hear(self._reader.new())
        if self._has_schedules:
            self._seen.slots.look(self._app)
        self._faults.running = {run.job: run.pid for run in self._seen.open_runs if run.began > now() - 10}
        workers = set(self._fleet.pids())
        self._faults.children = {
            child: parent
            for child, parent in self._seen.parents.items()
            if parent in workers and self._seen.pulses[child][-1] > now() - 1.5
        }

    # The end.

    def _calm_down(self) -> bool:
        """Whether all jobs have ended."""
        self._ground.heal()
        for producer in self._fleet.producers:
            if trouble := producer.end(within=self._settings.end_within, wrong=[STUCK], on_overdue=self._diagnose):
                self._findings.append(Finding("I6", trouble))
        self._say("faults are over; waiting until all jobs have ended")
        if self._has_schedules:
            self._end_schedules()
        return self._await_drained(patience=self._settings.patience)

    @property
    def _has_schedules(self) -> bool:
        return Spice.SCHEDULES in self._settings.spices

    def _end_schedules(self) -> None:
        """Once the store is well, each schedule has to fire again; then none may fire any more."""
        instant = self._ground.milliseconds()
        if not self._await(lambda: not slots.behind(self._app, instant=instant), patience=self._settings.patience):
            late = ", ".join(slots.behind(self._app, instant=instant))
            self._findings.append(Finding("I7", f"schedules that do not fire any more: {late}"))
            self._diagnose()
        slots.pause_all(self._app)
        self._seen.slots.look(self._app, is_last=True)

    def _count_what_is_left(self) -> None:
        # What was left waiting for a key, and is gone, is forgotten by a duty.
        self._await(lambda: not self._ground.still_counted(), patience=_FORGOTTEN)
        self._seen.still_counted = self._ground.still_counted()

    def _close(self, early: Footprints) -> None:
        self._seen.limited_until = now()
        self._app.configure(max_running=None)  # every place of the workers is to be filled
        self._ask_for_all_keys()
        if not self._wave("closing", patience=self._settings.patience):
            return
        self._findings += idleness.grown(early, idleness.footprints(self._fleet.pids()))
        self._findings += idleness.held(self._ground)
        for program in self._fleet.kept_running:
            if trouble := program.end(within=self._settings.end_within, on_overdue=self._diagnose):
                self._findings.append(Finding("I6", trouble))

    def _ask_for_all_keys(self) -> None:
        """All jobs have ended, so that no key is taken."""
        asking = Asking(self._app, self._witness)
        for task, number in product(KEYED, range(KEYS)):
            request = self._app.request(task, (number,), id=f"{task}-closing-{number}", unique=KEYED[task])
            for job in asking.enqueue([request]) or ():
                if job.id != request.options.id:
                    asking.key_is_held_by_finished(request, job)

    def _wave(self, name: str, *, patience: float, queues: Sequence[str | None] = (None,)) -> bool:
        """Fill all places of all workers; whether these jobs have ended. The last time interrupts come first."""
        asking = Asking(self._app, self._witness)
        has_interrupts = name == "closing" and Spice.LIMITS in self._settings.spices
        for slot in SLOTS:
            first = idleness.interrupts(self._app, slot) if has_interrupts else []
            asking.enqueue([*first, *idleness.wave(self._app, slot, name)])
        is_over = self._await_drained(patience=patience, queues=queues)
        if not is_over:
            self._findings.append(Finding("I6", f"the jobs of the {name} wave did not end: a worker stands still"))
        return is_over

    def _is_drained(self, queues: Sequence[str | None]) -> bool:
        try:
            counts = [count for queue in queues for count in self._app.counts(queue).items()]
        except StoreUnavailable:
            return False
        return not any(number for state, number in counts if state not in FINISHED)

    def _await_drained(self, *, patience: float, queues: Sequence[str | None] = (None,)) -> bool:
        """Until all jobs, or those of some queues, have ended; whether they have. A machine that is slow has time as
        long as it gets on.
        """
        began = now()
        while not self._await(lambda: self._is_drained(queues), patience=1.0):
            self._seen.hear(self._reader.new())
            send_owed(self._app, {line.to for line in self._seen.sent})
            if now() > min(began + _LONGEST, max(began, self._seen.last_run) + patience):
                self._diagnose()
                return False
        return True

    def _diagnose(self) -> None:
        """Keep what tells why something stands still; the first time tells most."""
        if not self._diagnosis:
            told = stories(self._app)  # first: to write stacks takes a while
            self._diagnosis = "\n".join([told, diagnose(self._fleet.all_pids(), self._settings.folder)])

    def _await(self, condition: Callable[[], bool], *, patience: float) -> bool:
        until, pause = now() + patience, Event()
        while not condition():
            if now() > until:
                return False
            self._tend()
            pause.wait(0.2)
        return True

    # The verdict.

    @contextmanager
    def _watching_store(self) -> Iterator[None]:
        over = Event()
        watcher = Thread(target=self._watch_store, args=(over,), daemon=True)
        watcher.start()
        try:
            yield
        finally:
            over.set()
            watcher.join()

    def _watch_store(self, over: Event) -> None:
        while not over.wait(0.5):
            began = now()
            try:
                self._ground.ping()
            except Exception:  # whatever it says: it did not answer
                self._troubled.append((began, now()))
                continue
            if now() - began > _SLOW:
                self._troubled.append((began, now()))

    def _judge(self) -> None:
        self._gather()
        self._findings += broken_so_far(self._seen) if self._is_cut_short else broken(self._seen)

    def _gather(self) -> None:
        """Take in what witnesses and the store tell by now."""
        self._seen.hear(self._reader.new())
        self._seen.records = {record.id: record for record in self._records()}
        self._seen.incidents = self._faults.incidents
        self._seen.troubled = self._troubled
        stories = {id: self._app.job(id).timeline() for id in self._seen.records if self._seen.is_unusual(id)}
        self._seen.kinds = {id: [entry.kind for entry in story] for id, story in stories.items()}
        self._seen.told = {id: _lost_fences(id, story) for id, story in stories.items()}
        self._seen.mended = mended(self._app, self._settings.folder)
        self._seen.rescued_at = {id: _rescues(story) for id, story in stories.items()}
        self._seen.rescued = self._seen.rescued_at
        self._seen.blamed = {id: _culprits(story) for id, story in stories.items()}

    def _records(self) -> Iterator[JobRecord]:
        cursor: int | None = None
        while True:
            page = self._app.jobs(limit=500, cursor=cursor)
            yield from (job.record for job in page)
            cursor = page.next
            if cursor is None:
                return

    def _report(self) -> Report:
        settings = self._settings
        figures = figures_of(self._seen) | {"connections asked for": self._ground.attempts}
        return Report(
            settings.store,
            settings.seed,
            settings.seconds,
            settings.command,
            self._findings,
            figures,
            self._faults.counts(),
            "\n".join(filter(None, [self._about_jobs(), self._diagnosis])),
        )

    def _about_jobs(self) -> str:
        named = [word for finding in self._findings for word in finding.what.split()]
        return lines_about(dict.fromkeys(word for word in named if word in self._seen.asked), self._settings.folder)


def _lost_fences(id: str, story: Sequence[TimelineEntry]) -> set[int]:
    """A worker may give up a run in a child before it hears that the run has returned; of its own threads it knows."""
    kinds = {*_LOSSES, "handed_back"} if is_isolated(id) else set(_LOSSES)
    return {entry.fence for entry in story if entry.kind in kinds and entry.fence is not None}


def _culprits(story: Sequence[TimelineEntry]) -> dict[int, str]:
    """Which job was held responsible when a fence was lost."""
    losses = [entry for entry in story if entry.kind == "rescued" and entry.fence is not None]
    return {entry.fence or 0: str(entry.detail["blamed"]) for entry in losses if "blamed" in entry.detail}


def _rescues(story: Sequence[TimelineEntry]) -> dict[int, int]:
    """When which fence was taken from its worker."""
    found = {entry.fence: entry.at for entry in story if entry.kind == "rescued"}
    return {fence: round(at.timestamp() * 1000) for fence, at in found.items() if fence is not None}

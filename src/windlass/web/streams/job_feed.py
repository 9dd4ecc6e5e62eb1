"""Jobs that have changed since the last reading.

A reading looks at jobs that are new, that run, that have ended lately, and at those of which it has told and which have
not ended; what is in another state, or another attempt, than it was last seen in is news. Nothing is written for it
anywhere: a store that no one follows pays nothing. What a job went through between two readings is not told.

While jobs change faster than a person or a program can follow, some of them are told, and that there were more: every
event goes to every client, and a worker that ends thousands of jobs a second would have the server send nothing else.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable

from windlass import clock
from windlass.app import Windlass
from windlass.clock import iso
from windlass.core.state import FINISHED, State
from windlass.store.operations.live.sightings import Sighting, Sightings, sightings
from windlass.store.operations.queries import NEWEST
from windlass.web.streams.allowance import Allowance
from windlass.web.streams.event import Change
from windlass.web.streams.feeds import JOBS

BURST = 200
"""How many jobs are told of at once, when few have changed before."""
PER_SECOND = 50
"""How many jobs are told of a second, while more than these change all the time."""
_MOST = 100
"""How many jobs that are new, and that have ended, one reading tells of."""
_MOST_RUNNING = 300
_WATCHED = 300
_LOOK = 4
"""How many jobs that run, or are watched, are looked at for each that may be told: most have not changed."""
_KNOWN = 5_000
"""How many jobs are remembered in the state in which they were seen last."""
_OVERLAP = 5_000
"""Milliseconds that are looked at again: a transaction may show what it wrote a while after it began."""
_ROWS_OF_ENDED = 500


class JobFeed:
    """Follows the jobs of a store."""

    topic = JOBS
    every = 0.5

    def __init__(self, app: Windlass, allowance: Allowance | None = None) -> None:
        self._app = app
        self._allowance = allowance or Allowance(burst=BURST, per_second=PER_SECOND)
        self.forget()

    def forget(self) -> None:
        """Let the next reading be the first."""
        self._known: OrderedDict[int, tuple[State, int]] = OrderedDict()
        self._after: list[int] = []
        """The newest job of each of the last readings, the oldest reading first."""
        self._since: int | None = None
        self._queues = 1

    async def read(self) -> list[Change]:
        """The jobs that are in another state than they were last seen in, the oldest change first."""
        left = self._allowance.left
        # One more than may be told shows that there are more; jobs that will not be told need not be read.
        most = min(_MOST, left) + 1
        seen = await self._app.client.session.arun(
            sightings(
                after=self._after[0] if self._after else NEWEST,
                since=NEWEST if self._since is None else self._since,
                watched=self._watched(min(_WATCHED, _LOOK * most)),
                most=most,
                most_ended=min(most, max(5, _ROWS_OF_ENDED // self._queues)),
                most_running=min(_MOST_RUNNING, _LOOK * most),
            )
        )
        return self._told(seen, left)

    def _told(self, seen: Sightings, left: int) -> list[Change]:
        is_first = self._since is None
        unseen = {job.seq: job for job in seen.jobs if self._known.get(job.seq) != (job.state, job.fence)}
        news = [] if is_first else _within_bounds(unseen.values(), left)
        self._allowance.take(len(news))
        for job in unseen.values():
            self._known[job.seq] = (job.state, job.fence)
            self._known.move_to_end(job.seq)
        while len(self._known) > _KNOWN:
            self._known.popitem(last=False)
        self._go_on(seen)
        skipped = 0 if is_first else len(unseen) - len(news)
        changes = [_change(job) for job in sorted(news, key=_moment)]
        return changes + ([Change(JOBS, {"topic": JOBS, "jobs": skipped, "skipped": True})] if skipped else [])

    def _go_on(self, seen: Sightings) -> None:
        """Where the next reading begins: some seconds before this one."""
        readings = round(_OVERLAP / 1000 / self.every)
        self._after = [*self._after, seen.newest][-readings:]
        self._since = seen.now - _OVERLAP
        self._queues = max(1, len({job.queue for job in seen.jobs if job.part == "ended"}))

    def _watched(self, most: int) -> list[int]:
        """The newest jobs that were told of and have not ended."""
        watched: list[int] = []
        for seq, (state, _) in reversed(self._known.items()):
            if len(watched) == most:
                break
            if state not in FINISHED:
                watched.append(seq)
        return watched


def _within_bounds(unseen: Iterable[Sighting], left: int) -> list[Sighting]:
    """The newest so many of each kind; what one kind does not need, the other may have."""
    ended: list[Sighting] = []
    going: list[Sighting] = []
    for job in sorted(unseen, key=_moment, reverse=True):
        (ended if job.state in FINISHED else going).append(job)
    few, many = sorted((ended, going), key=len)
    told = few[: min(_MOST, left // 2)]
    return told + many[: min(_MOST, left - len(told))]


def _moment(job: Sighting) -> tuple[int, int]:
    return job.finished_at or job.started_at or job.created_at, job.seq


def _change(job: Sighting) -> Change:
    data = {
        "id": job.id,
        "task": job.task,
        "queue": job.queue,
        "state": str(job.state),
        "reason": job.reason,
        "attempt": job.attempt,
        "max_attempts": job.max_attempts,
        "worker": job.worker,
        "fence": job.fence,
        "created_at": iso(clock.instant(job.created_at)),
        "started_at": iso(clock.instant_or_none(job.started_at)),
        "finished_at": iso(clock.instant_or_none(job.finished_at)),
    }
    return Change(JOBS, data, job.queue, job.task)

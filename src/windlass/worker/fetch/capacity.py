"""How many jobs to ask each queue for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from math import ceil

from windlass.core.records import Claimed
from windlass.core.round_robin import SmoothWeights
from windlass.store.operations.cycle import LimitState
from windlass.worker.fetch.claim_size import ClaimSize
from windlass.worker.fetch.prefetch import Prefetch
from windlass.worker.fetch.queue_rates import QueueRates
from windlass.worker.fetch.running_limits import RunningLimits
from windlass.worker.fetch.slot_limits import SlotLimits

ClaimRequests = list[tuple[str, int]]
NOTHING: Mapping[str, int] = {}

FEW = 16
"""A worker of up to so many queues asks each of them for jobs; a worker of more first asks the store which have any."""
_SURVEY_COST = 50e-6
"""Seconds that pass before the next survey for each queue that the last one found: about 5 % of a worker's time."""
_TURNS = 25
"""How many of many queues have a turn in one cycle. Jobs that were stored one after the other lie close together, so
a few of each queue cost a store much less than one of many: SQLite a third, for it writes whole pages.
"""
_NAMED = 200
"""So many queues are quickly checked one by one, whatever other queues the store has."""
_ALL_EVERY = 60.0
_CROWDED = 10.0
"""Seconds without fetching ahead after a claim met jobs that have to wait: to move one costs more than that saves."""


class Capacity:
    """Shares free slots among the queues that may have work, by weight, and lets queues of short jobs fill a small
    buffer ahead of time. A round costs about the same with twenty queues and with ten thousand.
    """

    def __init__(
        self,
        weights: Mapping[str, int],
        *,
        concurrency: int,
        most: int,
        least: int,
        prefetch: Prefetch,
        claim_size: ClaimSize,
        limits: SlotLimits | None = None,
    ) -> None:
        """A claim asks for ``most`` jobs at the most; one that is divided, for at least ``least``.

        With ``limits`` nothing may be fetched ahead: what waits in a buffer would start in slots of others.
        """
        self._declared = dict(weights)
        self._limits = limits
        self._weights = SmoothWeights(weights)
        self._concurrency = concurrency
        self._most = most
        self._least = least
        self._claim_size = claim_size
        self._prefetch = prefetch
        self.running_limits = RunningLimits()
        self.rates = QueueRates()
        self._set: Mapping[str, int | None] | None = None
        """The weights that operators have set, until the next round applies them."""
        self._unknown: set[str] = set()
        """Queues that were empty before the last notification: only a claim shows whether they have work."""
        self.survey_due = 0.0
        """From when on the store may be asked again, on the monotonic clock."""
        self._asked_all = float("-inf")
        self._ahead = 0
        """How many jobs may wait in the worker, as of the last round."""
        self._crowded: set[str] = set()
        """Queues in which claims met jobs whose concurrency key is held."""
        self._crowded_until = 0.0
        self.has_few = len(self._declared) <= FEW
        self.needs_survey = False
        """Whether some queues may have work without our knowledge: the store has to be asked which."""
        self.recheck_all()

    @property
    def queues(self) -> tuple[str, ...]:
        return self._weights.names

    @property
    def may_find_work(self) -> bool:
        """Whether some queue may have work, as far as is known here."""
        return self.needs_survey or bool(self._weights.contenders)

    @property
    def has_limits(self) -> bool:
        """Whether it has to be told how many slots each queue uses."""
        return self._limits is not None

    def reweigh(self, weights: Mapping[str, int | None]) -> None:
        """Apply the weights that operators have set; a weight that is removed falls back to that of the worker's start.

        May be called from any thread: the next round applies it.
        """
        self._set = weights

    def recheck_all(self) -> None:
        """Forget which queues were empty: something may have come."""
        if self.has_few:
            self.may_have_work(self._declared)
        else:
            self.needs_survey = True

    def ask_where(self) -> None:
        """Jobs may have come without a notification: have the store asked which queues have any, which only reads."""
        self.needs_survey = True

    def may_have_work(self, queues: Iterable[str]) -> None:
        """These queues may have work; queues that this worker does not serve do not matter."""
        ours = self._declared.keys() & queues
        if self.has_few:
            self._unknown.update(ours - self._weights.contenders)
        self._weights.join(ours)

    def survey(self, now: float) -> Sequence[str]:
        """The queues to name when the store is asked which have work; none to have it go through all queues that have
        work.

        Going through them is cheaper for most workers of many queues. A store may miss one that an older release has
        filled, so all are named now and then.
        """
        if len(self._declared) > _NAMED and now - self._asked_all < _ALL_EVERY:
            return ()
        self._asked_all = now
        return self.queues

    def have_work(self, queues: Collection[str], *, now: float) -> None:
        """Take in the store's answer: which queues have work."""
        self.needs_survey = False
        self.survey_due = now + len(queues) * _SURVEY_COST
        self._weights.join(self._declared.keys() & queues)

    def reset_prefetch(self, queues: Iterable[str]) -> None:
        """Fetch nothing ahead from these queues until their pace is known again."""
        for name in queues:
            self._prefetch.forget(name)

    def note_blocked(self, requests: ClaimRequests, *, now: float) -> None:
        """A claim of these met jobs whose concurrency key is held, perhaps by what waits here: more are not fetched
        ahead for a while, and what is behind those jobs was not looked at.
        """
        self._crowded.update(name for name, _ in requests)
        self._crowded_until = now + _CROWDED
        self.may_have_work(name for name, _ in requests)

    def _is_crowded(self, contenders: Collection[str], now: float) -> bool:
        if now >= self._crowded_until:
            self._crowded.clear()
        return not self._crowded.isdisjoint(contenders)

    def places(self, *, in_flight: int, now: float, waiting_elsewhere: Mapping[str, int] = NOTHING) -> int:
        """How many jobs may come in now."""
        free = max(0, self._concurrency - in_flight)
        waiting = max(0, in_flight - self._concurrency)
        contenders, full = self._weights.contenders, self._full(waiting_elsewhere)
        # What waits in a buffer counts as running: under a limit others could run it.
        is_limited = self.running_limits.hold_for(contenders) or self.rates.hold_for(contenders)
        ahead = self._prefetch.ahead(contenders - full if full else contenders, now=now)
        self._ahead = 0 if is_limited or self._is_crowded(contenders, now) else ahead
        most = min(self._most_at_once, self._part) if is_limited and ahead else self._most_at_once
        return min(free + max(0, self._ahead - waiting), most)

    @property
    def _part(self) -> int:
        """How many very short jobs to claim at once where none are fetched ahead: while the store hands out one half of
        the slots, the executors have the other. All at once, worker and store would wait for each other by turns. Where
        a cycle is dear by itself, fewer and larger ones win more.
        """
        return max(self._least, ceil(self._concurrency / 2))

    @property
    def refill_at(self) -> int:
        """With how many waiting jobs a whole claim fits beside them."""
        return max(0, self._ahead - self._most_at_once)

    @property
    def _most_at_once(self) -> int:
        return min(self._most, self._claim_size.most)

    def requests(
        self,
        *,
        in_flight: int,
        now: float,
        waiting_elsewhere: Mapping[str, int] = NOTHING,
        own: Mapping[str, int] = NOTHING,
    ) -> ClaimRequests:
        """How many jobs to claim of which queue; none when no job fits or every queue is known to be empty.

        ``waiting_elsewhere``: how many jobs of each queue wait for something else than a slot. A few of them are
        ignored, for other jobs may follow; a queue that gives nothing else is not asked. ``own``: how many jobs of each
        queue the worker has, which counts only where it shares limits.
        """
        self._follow_settings()
        if not self._weights.contenders:
            return []
        places = self.places(in_flight=in_flight, now=now, waiting_elsewhere=waiting_elsewhere)
        turn = 1 if self.has_few else max(1, places // _TURNS)
        dealt = self._weights.deal(places, turn=turn, without=self._full(waiting_elsewhere))
        if self._unknown:
            self._ask_unknown(dealt)
        return self._under_limits(dealt, own, now=now)

    def _under_limits(self, dealt: dict[str, int], own: Mapping[str, int], *, now: float) -> ClaimRequests:
        """What to ask for under limits on running jobs, and in which order."""
        if self.running_limits.is_shared:
            dealt = self.running_limits.within_share(dealt, own, now=now)
        return self.running_limits.in_order(dealt)

    def limited_requests(self, used: Mapping[str, int], *, taken: int, now: float) -> ClaimRequests:
        """``requests`` of a worker with caps or reserved slots; ``used``: how many of the ``taken`` slots each queue
        has, also for jobs that have not started yet.
        """
        assert self._limits is not None
        self._follow_settings()
        room = self._limits.room(free=max(0, self._concurrency - taken), used=used)
        places = self.places(in_flight=taken, now=now)
        return self._under_limits(self._weights.deal(places, room=room), used, now=now)

    def note_claimed(
        self, requests: ClaimRequests, claimed: Sequence[Claimed], limits: Sequence[LimitState] = ()
    ) -> bool:
        """Take in what a cycle claimed: a queue that gave less than it was asked for is empty, or at its limit, until
        the next notification, or until jobs that ran here under the limit have ended. Returns whether other queues may
        have more.
        """
        self.running_limits.note(requests, claimed, limits)
        self._claim_size.note(claimed)
        self._unknown.difference_update(name for name, _ in requests)
        if len(claimed) == sum(count for _, count in requests):
            return False
        given = Counter(job.queue for job in claimed)
        self._weights.leave(name for name, room in requests if given[name] < room)
        return self.may_find_work

    def note_endings(self, queues: Collection[str]) -> None:
        """Runs of these queues have ended here and are about to be handed in: under a limit that makes room."""
        if queues:
            self.may_have_work(self.running_limits.make_room(queues))

    def note_failure(self, requests: ClaimRequests) -> None:
        """A cycle that asked for these has failed, perhaps because of their size."""
        if requests:
            self._claim_size.note_failure(sum(count for _, count in requests))

    def _full(self, waiting_elsewhere: Mapping[str, int]) -> set[str]:
        return {name for name, count in waiting_elsewhere.items() if count >= self._concurrency}

    def _follow_settings(self) -> None:
        weights, self._set = self._set, None
        if weights is not None:
            for name, declared in self._declared.items():
                self._weights.change(name, weights.get(name) or declared)

    def _ask_unknown(self, dealt: dict[str, int]) -> None:
        """Ask queues of unknown length first, for one job each: an empty queue of low weight would otherwise keep the
        others from prefetching until its turn comes.
        """
        for name in self._unknown - dealt.keys():
            known = [other for other in dealt if other not in self._unknown]
            if not known:
                return
            richest = max(known, key=dealt.__getitem__)
            dealt[richest] -= 1
            dealt[name] = 1
            if not dealt[richest]:
                del dealt[richest]

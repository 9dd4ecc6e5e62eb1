"""The part of the model that is about named limits: their buckets, and the callers that wait for a token."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from tests.model.parts.cooldowns import CooldownModel
from tests.model.parts.rates import RateModel
from windlass.core.rates.bucket import Bucket, full_bucket
from windlass.core.rates.rate import Rate, default_burst
from windlass.store.operations.rates.cooldowns import Scope
from windlass.store.operations.rates.limits import LimitSeed, TakeResult

PLACE_KEPT = 10_000
"""How long after its turn a caller keeps its place."""
_WAITED_FOR = 2_000
"""How long after its turn a caller holds up those who came later."""
_MOVED = 1_000
"""By less than this the end of a place is not moved."""
_DAY = 86_400_000


class Place(NamedTuple):
    """A place in line: since when, and until when it is kept."""

    since: int
    until: int


@dataclass(slots=True)
class Limit:
    """A limit and its line; ``changed_at`` is set by operators."""

    bucket: Bucket
    changed_at: int | None = None
    line: dict[str, Place] = field(default_factory=dict)


class LimitState(NamedTuple):
    """What is compared: the level is that of this moment."""

    name: str
    rate: Rate
    level: int
    waiting: int
    changed_at: int | None


class LimitModel(CooldownModel, RateModel):
    """Tokens go to those that wait, in the order in which they came."""

    def __init__(self, now: Callable[[], int]) -> None:
        super().__init__(now)
        self.limits: dict[str, Limit] = {}

    def has_limit(self, name: str) -> bool:
        return name in self.limits

    def take_token(self, name: str, *, waiter: str | None) -> TakeResult | None:
        limit = self.limits.get(name)
        if limit is None:
            return None
        ahead, cooling = self._ahead(limit, waiter), self.cooling("limit", name)
        bucket = limit.bucket.filled(self._now())
        if not cooling and bucket.tokens > ahead:
            left = bucket.taken()
            assert left is not None
            limit.bucket = left
            limit.line.pop(waiter or "", None)
            self.note_taken(f"limit {name}")
            return TakeResult(True, 0, ahead)
        self._notice_clock(name)
        due = bucket.due_in(ahead + 1)
        if cooling:
            # What comes meanwhile is not more than fills the bucket.
            due = max(due, cooling + full_bucket(bucket.rate, 0).due_in(ahead + 1))
        if waiter:
            self._wait(limit, waiter, self._now() + due + PLACE_KEPT)
        return TakeResult(False, due, ahead)

    def _ahead(self, limit: Limit, waiter: str | None) -> int:
        """How many come first that are waited for; those that did not come in time, or came before the clock went back,
        are gone.
        """
        limit.line = {
            id: place
            for id, place in limit.line.items()
            if id == waiter or (place.until > self._now() and place.since <= self._now() + PLACE_KEPT)
        }
        order = sorted(limit.line, key=lambda id: (limit.line[id].since, id))
        first = order[: order.index(waiter)] if waiter in order else order
        return sum(limit.line[id].until > self._now() + PLACE_KEPT - _WAITED_FOR for id in first)

    def _wait(self, limit: Limit, waiter: str, until: int) -> None:
        place = limit.line.get(waiter)
        if place is None:
            last = max((place.since for place in limit.line.values()), default=-1)
            limit.line[waiter] = Place(max(self._now(), last + 1), until)
        elif abs(place.until - until) > _MOVED:
            limit.line[waiter] = place._replace(until=until)

    def leave_line(self, name: str, *, waiter: str) -> None:
        if name in self.limits:
            self.limits[name].line.pop(waiter, None)

    def _notice_clock(self, name: str) -> None:
        """One that went back: the bucket goes on from there, and the time until then comes a second time."""
        limit = self.limits[name]
        if limit.bucket.filled_at > self._now():
            limit.bucket = limit.bucket.filled(self._now())
            self.taken_at.pop(f"limit {name}", None)

    def drain(self, name: str) -> bool:
        if name in self.limits:
            self._notice_clock(name)
            self.limits[name].bucket = Bucket(self.limits[name].bucket.rate, 0, self._now())
        return name in self.limits

    def ensure_limit(self, seed: LimitSeed) -> None:
        """What an operator has changed stays."""
        rate = Rate(seed.amount, seed.period, seed.burst)
        limit = self.limits.get(seed.name)
        if limit is None or (limit.changed_at is None and limit.bucket.rate != rate):
            self._set(seed.name, rate)

    def change_limit(self, name: str, *, rate: Rate | None, burst: int | None) -> bool:
        known = self.limits.get(name)
        if known is None and rate is None:
            return False
        before = known.bucket.rate if known else None
        given = rate or before
        assert given is not None
        most = burst or (before.burst if before else default_burst(given.amount, given.period))
        self._set(name, Rate(given.amount, given.period, most))
        self.limits[name].changed_at = self._now()
        return True

    def _set(self, name: str, rate: Rate) -> None:
        """A bucket begins full; whole tokens survive a change, as far as there is room for them."""
        limit = self.limits.setdefault(name, Limit(full_bucket(rate, self._now())))
        tokens = min(rate.burst, limit.bucket.filled(self._now()).tokens)
        limit.bucket = Bucket(rate, tokens * rate.period, self._now())
        self.taken_at.pop(f"limit {name}", None)

    def remove_limit(self, name: str) -> bool:
        self.rests.pop((Scope.LIMIT, name), None)
        self.taken_at.pop(f"limit {name}", None)
        return self.limits.pop(name, None) is not None

    def limit_states(self) -> list[LimitState]:
        now = self._now()
        return [
            LimitState(
                name,
                limit.bucket.rate,
                limit.bucket.filled(now).level,
                sum(place.until > now for place in limit.line.values()),
                limit.changed_at,
            )
            for name, limit in sorted(self.limits.items())
        ]

    def forget_unused(self) -> None:
        """Cool-downs and callers of more than a day ago; limits of the code that were not used for a week."""
        self.forget_rests(self._now() - _DAY)
        for limit in self.limits.values():
            limit.line = {id: place for id, place in limit.line.items() if place.until >= self._now() - _DAY}
        self.limits = {name: limit for name, limit in self.limits.items() if not self._is_unused(limit)}

    def _is_unused(self, limit: Limit) -> bool:
        full = full_bucket(limit.bucket.rate, self._now())
        is_old = limit.bucket.filled_at < self._now() - 7 * _DAY
        return limit.changed_at is None and is_old and limit.bucket.filled(self._now()) == full

"""The part of the model that is about cool-downs: what was throttled rests, a while longer each time."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import NamedTuple

from tests.model.parts.part import Part
from windlass.core.rates.cooldown import Cooldown, next_step
from windlass.core.records import Claimed, JobRecord
from windlass.store.operations.rates.cooldowns import CooldownRecord, Cooling, Scope

REASON = "429"


class Rest(NamedTuple):
    """A cool-down, and what has to be known for the next."""

    began_at: int
    ends_at: int
    step: int | None
    run: tuple[int, int]
    job: str


class CooldownModel(Part):
    """Only a run that its job still carries begins a cool-down, and only once."""

    def __init__(self, now: Callable[[], int]) -> None:
        super().__init__(now)
        self.rests: dict[tuple[Scope, str], Rest] = {}

    @abstractmethod
    def owned(self, seq: int, fence: int) -> JobRecord | None: ...
    @abstractmethod
    def has_limit(self, name: str) -> bool: ...

    def throttle(
        self, scope: Scope, name: str, claim: Claimed, *, rule: Cooldown, chosen: int | None
    ) -> Cooling | None:
        if self.owned(claim.seq, claim.fence) is None:
            return None
        rest, run, lasts = self.rests.get((scope, name)), (claim.seq, claim.fence), self.cooling(scope, name) > 0
        is_later = rest is not None and chosen is not None and rest.ends_at < self._now() + chosen
        if rest is None or (rest.run != run and (not lasts or is_later)):
            step = rest.step if rest else None
            if chosen is None:
                step = self._next_step(rest, rule)
            began_at = rest.began_at if rest and lasts else self._now()
            rest = Rest(began_at, self._now() + (chosen or step or 0), step, run, claim.id)
            self.rests[scope, name] = rest
        return Cooling(max(0, rest.ends_at - self._now()), rest.run == run, scope != "limit" or self.has_limit(name))

    def _next_step(self, rest: Rest | None, rule: Cooldown) -> int:
        quiet = self._now() - rest.ends_at if rest else 0
        return next_step(rest.step if rest else None, quiet=quiet, base=rule.shortest, most=rule.longest)

    def end_cooldown(self, scope: Scope, name: str) -> bool:
        return self.rests.pop((scope, name), None) is not None

    def cooldowns(self) -> list[CooldownRecord]:
        return [
            CooldownRecord(scope, name, rest.began_at, rest.ends_at, rest.job, REASON)
            for (scope, name), rest in sorted(self.rests.items())
            if self.cooling(scope, name)
        ]

    def cooling(self, scope: str, name: str) -> int:
        """For how long it still rests; a clock that jumps, in either direction, never makes that longer."""
        rest = self.rests.get((Scope(scope), name))
        return rest.ends_at - self._now() if rest and rest.began_at <= self._now() < rest.ends_at else 0

    def forget_rests(self, before: int) -> None:
        self.rests = {key: rest for key, rest in self.rests.items() if rest.ends_at >= before}

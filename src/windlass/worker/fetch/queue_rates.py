"""Rates of queues as a worker knows them: when the next token is due."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from windlass import clock
from windlass.store.operations.cycle import RateState

_JITTER = 0.05
_PLENTY = 1000
"""Tokens; with so many left a queue is fetched ahead like one without a rate: a worker fetches fewer before it is told
how many are left.
"""


class QueueRates:
    """The store gives out tokens; this says when to ask for jobs again. Used from the pump's thread."""

    def __init__(self) -> None:
        self._scarce: frozenset[str] = frozenset()
        """Queues whose rate may soon hold jobs back."""
        self._due: dict[str, float] = {}
        """When queues without tokens have one, on the monotonic clock."""

    @property
    def asks_again_at(self) -> float | None:
        """When the first of these queues may have a job to give."""
        return min(self._due.values(), default=None)

    def hold_for(self, queues: Collection[str]) -> bool:
        """Whether tokens of these queues may run out, so that nothing is fetched ahead: one that was taken for a job
        that goes back unstarted is lost.
        """
        return bool(self._scarce) and not self._scarce.isdisjoint(queues)

    def note(self, asked: Iterable[str], rates: Iterable[RateState], *, now: float) -> None:
        """Take in the rates of the queues that a cycle asked for jobs."""
        states = {state.name: state for state in rates}
        if not states and not self._scarce:
            return
        self._scarce = self._scarce.difference(asked).union(
            name for name, state in states.items() if state.tokens < _PLENTY
        )
        self._due = {name: due for name, due in self._due.items() if name not in asked}
        for name, state in states.items():
            if not state.tokens:
                # With jitter: of many workers that wait for a token one comes first.
                self._due[name] = now + state.due_in / 1000 * (1 + _JITTER * clock.roll())

    def take_due(self, now: float) -> set[str]:
        """The queues that have a token by now."""
        if not self._due:
            return set()
        due = {name for name, at in self._due.items() if at <= now}
        for name in due:
            del self._due[name]
        return due

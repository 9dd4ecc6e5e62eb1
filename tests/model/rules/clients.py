"""Those who enqueue."""

from __future__ import annotations

from hypothesis.stateful import rule

from tests.model import samples as m
from tests.model.rules.actors import Cast
from tests.model.samples import WINDOWS, KeyPair, Limits, When
from windlass.store.operations.enqueue import Uniqueness


class Clients(Cast):
    """Enqueue in every way: bare, delayed, by own id, by key, by an id that was deleted."""

    @rule(queue=m.queues, priority=m.priorities, when=m.whens, limits=m.limits, more=m.few)
    def enqueue(self, queue: str, priority: int, when: When, limits: Limits, more: int) -> None:
        delay, offset = when
        attempts, expires = limits
        at = None if offset is None else self.clock() + offset
        new = [
            self.new(queue, priority=priority, delay=delay, at=at, attempts=attempts, expires=expires)
            for _ in range(1 + more)
        ]
        self.store(new, {})

    @rule(queue=m.queues, id=m.own_ids, task=m.tasks, keys=m.key_pairs, kind=m.kinds)
    def enqueue_named(self, queue: str, id: str | None, task: str, keys: KeyPair, kind: str) -> None:
        naming = Uniqueness(id is not None, kind, WINDOWS[kind])
        # An own id that stands twice in one call is the same request twice, the key included.
        new = [self.new(queue, id=id, task=task, key=key if id is None else keys[0]) for key in keys]
        self.store(new, {0: naming, 1: naming})

    @rule(queue=m.queues, id=m.ids, task=m.tasks)
    def enqueue_deleted(self, queue: str, id: str, task: str) -> None:
        """Id and key are free once their job is deleted; what still writes to that one must not meet the new one."""
        former = next((job for job in self.model.jobs.values() if job.id == id), None)
        if former:
            self.tally.see("deleted", len(self.do("delete", [(former.seq, id)])))
        self.store([self.new(queue, id=id, task=task)], {0: Uniqueness(True)})
        if former and former.unique_key:
            self.store([self.new(queue, key=former.unique_key)], {0: Uniqueness()})

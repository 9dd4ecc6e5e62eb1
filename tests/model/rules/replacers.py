"""Callers whose jobs replace or postpone the one that waits under their unique key."""

from __future__ import annotations

from typing import Literal

from hypothesis import strategies as st
from hypothesis.stateful import rule

from tests.model import samples as m
from tests.model.rules.turns import Turns
from tests.model.samples import LEASE, Limits, When
from windlass.store.operations.enqueue import Uniqueness

Conflict = Literal["keep", "replace", "postpone"]
_CONFLICTS: list[Conflict] = ["replace", "replace", "postpone", "postpone", "keep"]

conflicts = st.sampled_from(_CONFLICTS)
waits = st.sampled_from([None, None, 1, LEASE])
lines = st.sampled_from([None, None, "u", "v"])
unique = st.sampled_from(["d", "e"])


class Replacers(Turns):
    """Few keys; those of concurrency may be made of the arguments, and change with them."""

    @rule(
        queue=m.queues,
        key=unique,
        conflict=conflicts,
        when=m.whens,
        wait=waits,
        one_of=lines,
        task=m.tasks,
        limits=m.limits,
        more=st.integers(0, 1),
        worker=st.sampled_from([None, None, "w1"]),
    )
    def enqueue_in_place(
        self,
        queue: str,
        key: str,
        conflict: Conflict,
        *,
        when: When,
        wait: int | None,
        one_of: str | None,
        task: str,
        limits: Limits,
        more: int,
        worker: str | None,
    ) -> None:
        """What was there may run, or be blocked, by the time that the next one comes."""
        (delay, offset), (attempts, expires) = when, limits
        naming = Uniqueness(on_conflict=conflict, max_wait=wait if conflict == "postpone" else None)
        at = None if offset is None else self.clock() + offset
        for number in range(2):
            new = [
                self.new(
                    queue,
                    task=task,
                    delay=delay * number,
                    at=at if number else None,
                    key=key,
                    one_of=one_of,
                    attempts=attempts,
                    expires=expires,
                    payload=f'{{"n":"{self.name("argument")}"}}',
                )
                for _ in range(1 + more * number)
            ]
            before = [job.payload for job in self.model.jobs.values() if job.unique_key == key]
            self.store(new, dict.fromkeys(range(len(new)), naming))
            after = [job.payload for job in self.model.jobs.values() if job.unique_key == key]
            self.tally.see("jobs replaced", len(before) == len(after) and before != after)
            if worker:
                self.ask_next(queue)
                self.take(worker)

"""Those who interfere by hand."""

from __future__ import annotations

from hypothesis.stateful import rule

from tests.model import samples as m
from tests.model.rules.actors import Cast
from tests.model.samples import Change, When
from windlass.core.state import State
from windlass.store.operations.enqueue import Uniqueness
from windlass.store.operations.queues import ALL

_WAITING = (State.PENDING, State.SCHEDULED, State.RETRYING)


class Operators(Cast):
    """Cancel, retry, move, delete, pause and limit; any job that ever was, and any queue."""

    @rule(pick=m.picks, other=m.picks)
    def cancel(self, pick: int, other: int) -> None:
        for state in self.do("cancel", [self.seq(pick), self.seq(other)]).values():
            self.tally.see("cancels asked for" if state is State.RUNNING else "cancels")

    @rule(pick=m.picks, more=m.few, queue=m.other_queues)
    def retry(self, pick: int, more: int, queue: str | None) -> None:
        seqs = {self.seq(pick + further) for further in range(1 + 3 * more)}
        retried = self.do("retry", sorted(seqs), queue=queue)
        self.tally.see("retried by hand", len(retried.seqs))
        self.tally.see("retries kept off by a key", len(retried.key_taken))

    @rule(queue=m.queues)
    def retry_when_the_key_is_another_s(self, queue: str) -> None:
        """A job that was cancelled gave its key away; what follows by chance alone would follow too seldom."""
        waiting = (job for job in self.model.jobs.values() if job.unique_key and job.state in _WAITING)
        former = next(waiting, None)
        if former is None:
            self.store([self.new(queue, key="k")], {0: Uniqueness()})
            return
        self.do("cancel", [former.seq])
        self.store([self.new(queue, key=former.unique_key)], {0: Uniqueness()})
        retried = self.do("retry", [former.seq], queue=None)
        self.tally.see("retried by hand", len(retried.seqs))
        self.tally.see("retries kept off by a key", len(retried.key_taken))

    @rule(pick=m.picks, when=m.whens)
    def reschedule(self, pick: int, when: When) -> None:
        delay, offset = when
        due = {"delay": delay} if offset is None else {"at": self.clock() + offset}
        self.tally.see("rescheduled", self.do("reschedule", self.seq(pick), **due))

    @rule(pick=m.picks)
    def delete(self, pick: int) -> None:
        seq = self.seq(pick)
        self.tally.see("deleted", len(self.do("delete", [(seq, self.born[seq])])))

    @rule(change=m.changes, queue=m.queues)
    def administer(self, change: Change, queue: str) -> None:
        match change:
            case "pause" | "resume":
                self.do("pause", queue, is_paused=change == "pause")
            case "pause all" | "resume all":
                self.do("pause", ALL, is_paused=change == "pause all")
            case "limit" | "unlimit":
                self.do("limit", queue, max_length=2 if change == "limit" else None)
            case "limit running" | "unlimit running":
                self.do("limit_running", queue, max_running=1 if change == "limit running" else None)
            case "limit all running" | "unlimit all running":
                self.do("limit_running", ALL, max_running=2 if change == "limit all running" else None)
            case "tidy":
                self.do("tidy")
            case "inspect":
                self.look("pending", queue)

"""Runs that were throttled: has the store cool down what they name before their endings go there."""

from __future__ import annotations

import logging
from collections.abc import Mapping

from msgspec.structs import replace

from windlass import clock
from windlass.client.session import Session
from windlass.core.ending import Ending
from windlass.core.outcome import Throttle
from windlass.core.rates.cooldown import DEFAULT, Cooldown, read_cooldown
from windlass.core.rates.key import shown_gate
from windlass.core.records import Claimed
from windlass.errors import StoreUnavailable, WindlassError
from windlass.store.operation import Operation
from windlass.store.operations import queues
from windlass.store.operations.rates.cooldowns import Cooling, Scope, cool_down
from windlass.worker.runs.reporting import record_job_event

log = logging.getLogger("windlass.worker")

Ended = tuple[Ending, Claimed]
Held = tuple[int, int]
"""The seq and fence of a claimed job."""


class Throttles:
    """Keeps the endings of throttled runs until the store knows what cools down: a worker that is killed in between
    must not leave endings without their cool-down.
    """

    def __init__(self, *, session: Session, worker: str) -> None:
        self._session = session
        self._worker = worker
        self._reported: dict[Held, Throttle] = {}
        self._endings: list[Ended] = []
        self._tasks: Mapping[str, float] = {}
        """Until when tasks cool down, on the monotonic clock."""

    @property
    def is_waiting(self) -> bool:
        """Whether endings wait for the store."""
        return bool(self._endings)

    def holds(self) -> set[Held]:
        """The seq and fence of every job whose ending waits here."""
        return {(job.seq, job.fence) for _, job in self._endings}

    def report(self, job: Claimed, throttle: Throttle) -> None:
        """A run was throttled; its ending comes after that. May be called from any thread."""
        self._reported[job.seq, job.fence] = throttle

    def follow(self, tasks: Mapping[str, int]) -> None:
        """Take in which tasks cool down, and for how many milliseconds, as the store says now."""
        now = clock.monotonic()
        self._tasks = {task: now + left / 1000 for task, left in tasks.items()}

    def hold(self, task: str, milliseconds: int) -> None:
        """A task cools down from now on; the store knows it already."""
        self._tasks = {**self._tasks, task: clock.monotonic() + milliseconds / 1000}

    def left_of(self, task: str) -> int:
        """For how many milliseconds a task still cools down; 0 if it does not."""
        if not self._tasks:
            return 0
        return max(0, round(1000 * (self._tasks.get(task, 0.0) - clock.monotonic())))

    def settle(self, ended: list[Ended]) -> list[Ended]:
        """The endings that may go to the store. Those of throttled runs begin a cool-down first, and their jobs come
        back at its end; where the store is away they stay here for the next round.
        """
        if not self._reported:
            return ended
        ready = [each for each in ended if _key(each) not in self._reported]
        self._endings = self._endings + [each for each in ended if _key(each) in self._reported]
        left: list[Ended] = []
        for each in self._endings:
            settled = None if left else self._settled(*each)
            (left if settled is None else ready).append(settled or each)
        self._endings = left
        return ready

    def _settled(self, ending: Ending, job: Claimed) -> Ended | None:
        throttle = self._reported[job.seq, job.fence]
        scope, name = target(job, throttle)
        try:
            cooling = self._session.run(_cool_down(scope, name, job, throttle))
        except StoreUnavailable as error:
            log.debug("job %s: its cool-down could not be written: %s", job.id, error)
            return None
        except WindlassError as error:
            log.error("job %s was throttled, but %s %s does not cool down: %s", job.id, scope, name, error)
            cooling = None
        del self._reported[job.seq, job.fence]
        if cooling is None:
            return ending, job
        self._tell(scope, name, job, throttle, cooling)
        return replace(ending, delay=cooling.left), job

    def _tell(self, scope: Scope, name: str, job: Claimed, throttle: Throttle, cooling: Cooling) -> None:
        seconds = cooling.left / 1000
        if not cooling.is_known:
            log.warning(
                "job %s was throttled for the limit %r, which is not set up, so nothing else cools down; declare it "
                "with app.limit(%r, rate=...)",
                job.id,
                name,
                name,
            )
        elif cooling.is_new:
            log.warning(
                "%s %s cools down for %g s: job %s was throttled: %s",
                scope,
                shown_gate(name),
                seconds,
                job.id,
                throttle.text,
            )
        if scope is Scope.TASK:
            self.hold(name, cooling.left)
        detail = {"cools": f"{scope} {shown_gate(name)}", "seconds": round(seconds, 3), "reason": throttle.text}
        record_job_event(self._session, "throttled", {job: detail}, worker=self._worker)


def target(job: Claimed, throttle: Throttle) -> tuple[Scope, str]:
    """What cools down: the limit or the scope that the task names, else its rate, if it has one, else its queue."""
    if throttle.limit is not None:
        return Scope.LIMIT, throttle.limit
    if throttle.scope is None and job.rate_key is not None:
        return Scope.TASK, job.rate_key
    return (Scope.TASK, job.task) if throttle.scope == Scope.TASK else (Scope.QUEUE, job.queue)


def _cool_down(scope: Scope, name: str, job: Claimed, throttle: Throttle) -> Operation[Cooling | None]:
    rule = (yield from _rule(job.queue)) if scope is not Scope.LIMIT else DEFAULT
    return (yield from cool_down(scope, name, job, rule=rule, chosen=throttle.retry_after, reason=throttle.text))


def _rule(queue: str) -> Operation[Cooldown]:
    """The rule of the queue; it is asked only when a run was throttled."""
    found = yield from queues.settings(queue)
    return read_cooldown(found[queue].cooldown if queue in found else None) or DEFAULT


def _key(ended: Ended) -> Held:
    return ended[1].seq, ended[1].fence

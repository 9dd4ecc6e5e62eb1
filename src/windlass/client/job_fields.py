"""What a job shows of itself: the fields of its record, as users see them."""

from __future__ import annotations

from abc import abstractmethod
from datetime import datetime
from typing import TYPE_CHECKING, Any

from windlass import clock
from windlass.core.fault import Fault, read_faults
from windlass.core.limits.concurrency import shown_key
from windlass.core.meta import read_meta, read_tags
from windlass.core.progress import Progress, read_progress
from windlass.core.rates.key import shown_rate_key
from windlass.core.records import JobRecord
from windlass.insight import reads

if TYPE_CHECKING:
    from windlass.client.client import Client


class JobFields:
    """The fields of a job; all of them read ``record``."""

    id: str
    _client: Client

    @property
    @abstractmethod
    def record(self) -> JobRecord:
        """Everything the store knows."""

    @property
    def task(self) -> str:
        return self.record.task

    @property
    def args(self) -> tuple[Any, ...]:
        """The arguments of the call that were given by position; ``PayloadError`` when they cannot be read."""
        return self._client.decode_call(self.record.task, self.record.payload)[0]

    @property
    def kwargs(self) -> dict[str, Any]:
        """The arguments of the call that were given by name."""
        return self._client.decode_call(self.record.task, self.record.payload)[1]

    @property
    def queue(self) -> str:
        return self.record.queue

    @property
    def priority(self) -> int:
        return self.record.priority

    @property
    def concurrency_key(self) -> str | None:
        """The key of which only so many jobs of the task run at once, if it has one."""
        return shown_key(self.record.concurrency_key)

    @property
    def rate_key(self) -> str | None:
        """The key of which only so many jobs of the task begin in a time, if the task has a rate; ``*`` for all."""
        return shown_rate_key(self.record.rate_key)

    @property
    def reason(self) -> str | None:
        """Why it failed (attempts, permanent, timeout, crashed, undecodable, unknown_task, result, interrupted,
        steps_changed), was cancelled (expired) or waits (key, rate, throttled, limit:NAME, sleep, event,
        no_key).
        """
        return self.record.reason

    @property
    def attempt(self) -> int:
        """How many runs were charged so far."""
        return self.record.attempt

    @property
    def max_attempts(self) -> int:
        return self.record.max_attempts

    @property
    def fence(self) -> int:
        return self.record.fence

    @property
    def worker(self) -> str | None:
        """Who runs it, or ran it last."""
        return self.record.worker

    @property
    def errors(self) -> tuple[Fault, ...]:
        """What its attempts raised: the first and the newest."""
        return read_faults(self.record.errors).faults

    @property
    def errors_left_out(self) -> int:
        """How many errors between the first and the newest are not kept."""
        return read_faults(self.record.errors).left_out

    @property
    def log(self) -> str:
        """What its newest attempt has logged that raised, or that returned if its task has ``keep_log=True``."""
        history = read_faults(self.record.errors)
        return history.log or (history.faults[-1].log if history.faults else "")

    @property
    def progress(self) -> Progress:
        return read_progress(self.record.progress)

    @property
    def meta(self) -> dict[str, Any]:
        return dict(read_meta(self.record.meta).meta)

    @property
    def tags(self) -> tuple[str, ...]:
        return read_tags(self.record)

    @property
    def unreadable(self) -> tuple[str, ...]:
        """Which of its stored texts are damaged: of payload, meta, result and errors those that cannot be read."""
        return reads.unreadable_texts(self.record)

    @property
    def correlation_id(self) -> str:
        """The id that joins the jobs of one request; its own id unless it was given or inherited."""
        return read_meta(self.record.meta).correlation_id or self.id

    @property
    def schedule(self) -> str | None:
        """The name of the schedule that made it; None if it was enqueued."""
        return read_meta(self.record.meta).schedule

    @property
    def planned_at(self) -> datetime | None:
        """The slot of that schedule; None for a job that was run by hand."""
        return clock.instant_or_none(read_meta(self.record.meta).planned_at)

    @property
    def created_at(self) -> datetime:
        return clock.instant(self.record.created_at)

    @property
    def run_at(self) -> datetime:
        """When it is, or was, due."""
        return clock.instant(self.record.run_at)

    @property
    def expires_at(self) -> datetime | None:
        """When it is too late to start it; None if that is never, also because it has started and waits again."""
        return clock.instant_or_none(self.record.start_by)

    @property
    def started_at(self) -> datetime | None:
        return clock.instant_or_none(self.record.started_at)

    @property
    def finished_at(self) -> datetime | None:
        return clock.instant_or_none(self.record.finished_at)

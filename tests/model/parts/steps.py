"""The part of the model that is about durable steps: what runs have recorded, and the events that they wait for."""

from __future__ import annotations

from abc import abstractmethod
from collections import defaultdict
from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from tests.model.parts.part import Part
from windlass.core.records import JobRecord
from windlass.core.state import State, Verb
from windlass.store.operations.steps.sent_events import SentEvent, Wait, WaitOutcome
from windlass.store.operations.steps.steps import NewStep, RecordedStep, RunSteps, StepRecord

_WEEK = 7 * 86_400_000


class StepModel(Part):
    """Only the run that has the job records anything; what is recorded stays."""

    def __init__(self, now: Callable[[], int]) -> None:
        super().__init__(now)
        self.steps: defaultdict[int, dict[str, StepRecord]] = defaultdict(dict)
        self.sent: dict[str, SentEvent] = {}
        self.told: set[tuple[int, str]] = set()
        """The waits for which an event has come since they were last looked at, by job and name."""

    @abstractmethod
    def _move(self, job: JobRecord, verb: Verb, state: State, **changes: Any) -> None: ...
    @abstractmethod
    def owned(self, seq: int, fence: int) -> JobRecord | None: ...
    @abstractmethod
    def _refuse(self, seq: int, fence: int, worker: str) -> bool: ...

    def record_step(self, seq: int, fence: int, step: NewStep, *, worker: str) -> RecordedStep | None:
        if not self._renew_budget(seq, fence, worker):
            return None
        now = self._now()
        wake_at = None if step.delay is None else now + step.delay
        ended_at = now if step.delay is None else None
        began_at = now - step.ran_for
        new = StepRecord(step.name, step.number, step.kind, fence, began_at, ended_at, wake_at, result=step.result)
        known = self.steps[seq].setdefault(step.name, new)
        return RecordedStep(None if known.wake_at is None else known.wake_at - now)

    def await_event(self, seq: int, fence: int, wait: Wait, *, worker: str) -> WaitOutcome | None:
        if not self._renew_budget(seq, fence, worker):
            return None
        now = self._now()
        wake_at = None if wait.timeout is None else now + wait.timeout
        new = StepRecord(wait.name, wait.number, "event", fence, now, None, wake_at, wait.event)
        known = self.steps[seq].setdefault(wait.name, new)
        if known.ended_at is None:
            self.steps[seq][wait.name] = known = self._looked(replace(known, fence=fence))
            self.told.discard((seq, wait.name))
        left = None if known.wake_at is None else known.wake_at - now
        return WaitOutcome(known.kind, known.ended_at is not None, left, known.result)

    def _looked(self, wait: StepRecord) -> StepRecord:
        """What has come of a wait by now."""
        if self._has_come(wait):
            return replace(wait, kind="event", ended_at=self._now(), result=self.sent[wait.event or ""].value)
        is_late = wait.wake_at is not None and wait.wake_at <= self._now()
        return replace(wait, kind="timeout", ended_at=self._now()) if is_late else wait

    def _renew_budget(self, seq: int, fence: int, worker: str) -> bool:
        """Whether the run has its job; a job that gets on has its attempts anew."""
        job = self.owned(seq, fence)
        if job is None:
            self._refuse(seq, fence, worker)
            return False
        self.jobs[seq] = replace(job, attempt=0, crashes=0, rescues=0)
        return True

    def steps_of_run(self, seq: int, fence: int, *, worker: str) -> RunSteps | None:
        if self.owned(seq, fence) is None:
            self._refuse(seq, fence, worker)
            return None
        return RunSteps(self.steps_of(seq), self._now())

    def steps_of(self, seq: int) -> list[StepRecord]:
        return sorted(self.steps[seq].values(), key=lambda step: step.number) if seq in self.steps else []

    def send_event(self, name: str, value: str | None) -> None:
        self.sent[name] = SentEvent(name, self._now(), value)
        self.told |= {(seq, wait.name) for seq in list(self.steps) for wait in self.waits(seq) if wait.event == name}

    def sent_events(self) -> list[SentEvent]:
        return [self.sent[name] for name in sorted(self.sent)]

    def wake(self) -> int:
        """Make those jobs pending whose event has come, and that sleep; how many."""
        woken = 0
        for seq, name in self._to_look_at():
            self.told.discard((seq, name))
            job, wait = self.jobs[seq], self.steps[seq][name]
            if (job.state, job.reason) == (State.SCHEDULED, "event") and self._has_come(wait):
                self._move(job, Verb.PROMOTE, State.PENDING, run_at=self._now(), promoted_at=self._now())
                woken += 1
        return woken

    def _to_look_at(self) -> list[tuple[int, str]]:
        """But for those whose run has not ended yet."""
        self.told = {(seq, name) for seq, name in self.told if name in self.steps.get(seq, {})}
        return [(seq, name) for seq, name in self.told if self.owned(seq, self.steps[seq][name].fence) is None]

    def waits(self, seq: int) -> list[StepRecord]:
        """Those that are not over."""
        return [step for step in self.steps_of(seq) if step.event is not None and step.ended_at is None]

    def _has_come(self, wait: StepRecord) -> bool:
        sent = self.sent.get(wait.event or "")
        return sent is not None and sent.sent_at > wait.began_at - _WEEK

    @property
    def has_waits_to_look_at(self) -> bool:
        return bool(self.told)

    @property
    def has_waits_of_runs(self) -> bool:
        return any(job.state is State.RUNNING and self.waits(seq) for seq, job in self.jobs.items())

    def forget_sent(self) -> None:
        """Events of more than a week ago that no job waits for."""
        awaited = {wait.event for seq in list(self.steps) for wait in self.waits(seq)}
        self.sent = {
            name: event for name, event in self.sent.items() if name in awaited or event.sent_at >= self._now() - _WEEK
        }

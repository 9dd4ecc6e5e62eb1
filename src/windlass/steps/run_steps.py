"""The steps of one run: what is recorded already, and what is added."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from threading import RLock
from typing import Any, Protocol, TypeVar

from msgspec.structs import replace

from windlass import clock
from windlass.client.result_waiter import refuse_on_loop_thread
from windlass.core import validate
from windlass.core.codec import Codec
from windlass.core.encryption.encryption import NO_ENCRYPTION, Encryption
from windlass.core.records import FOREVER
from windlass.errors import (
    ConfigError,
    EventTimeout,
    JobSuspended,
    LeaseLost,
    NoKey,
    PayloadError,
    StepRejected,
    StepsChanged,
)
from windlass.steps.calls import Signatures, StepCall
from windlass.steps.encrypted import encrypted_steps
from windlass.steps.patience import StoreAccess, WaitingRun, aasked, asked, atried, tried
from windlass.store.operation import Operation, adrive, drive
from windlass.store.operations.steps.sent_events import Wait, WaitOutcome, await_event
from windlass.store.operations.steps.steps import (
    NewStep,
    RecordedStep,
    StepKind,
    StepRecord,
    record_step,
    steps_of_run,
)
from windlass.store.operations.steps.steps import RunSteps as StoredSteps

A = TypeVar("A")
Ask = Callable[[], Operation[Any]]

MOST_STEPS = 10_000
"""So many a job may record."""
MOST_BYTES = 16 * 1024 * 1024
"""So large all results of a job's steps may be together: a run reads them at once."""


@dataclass(frozen=True, slots=True)
class StepStore:
    """Where the runs of a worker record their steps."""

    session: StoreAccess
    codec: Codec
    worker: str
    encryption: Encryption = NO_ENCRYPTION
    """In a child there is none: its worker encrypts what it records."""
    signatures: Signatures = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "signatures", Signatures(self.codec))

    def ask(self, run: SteppingRun, operation: Operation[A]) -> Operation[A]:
        """The operation, with what it writes and reads encrypted if the run's job is."""
        return encrypted_steps(self.encryption, run.id, operation, writes=run.is_encrypted)


class SteppingRun(WaitingRun, Protocol):
    """What a run gives its steps."""

    @property
    def is_encrypted(self) -> bool: ...

    @property
    def seq(self) -> int: ...
    @property
    def fence(self) -> int: ...

    def renew_budget(self) -> None:
        """The job gets on: its budget of attempts begins anew."""


class RunSteps:
    """May be used by several threads and coroutines of the run."""

    def __init__(self, store: StepStore, run: SteppingRun) -> None:
        self._store = store
        self._run = run
        self._lock = RLock()  # in a child a job's own signal handler may come to a step, too
        self._recorded: dict[str, StepRecord] | None = None
        """By name; None until the first step of the run."""
        self._size = 0
        self._last = 0
        """The number of the newest step."""
        self._asked: dict[str, bytes | None] = {}
        """What this run has asked for, by name, with the print of its arguments."""
        self._under_way: set[str] = set()
        self._pauses = 0
        """How many sleeps and waits without a name of their own this run has come to."""
        self._ahead = 0.0
        """What has to be added to the monotonic clock for the store's, in milliseconds."""

    def call(self, call: StepCall) -> Any:
        """The recorded result, or that of the function, which is recorded first."""
        refuse_on_loop_thread("job.step()", "job.astep()")
        if call.is_async:
            raise ConfigError(f"step {call.name!r}: its function is async; use `await job.astep(...)` in an async task")
        return drive(self._called(call), self._do)

    async def acall(self, call: StepCall) -> Any:
        """``call`` for async code."""
        return await adrive(self._called(call), self._ado)

    def _called(self, call: StepCall) -> Generator[StepCall | Ask, Any, Any]:
        """Names what is to be done: the store is asked, the function is called."""
        if self._recorded is None:
            self._take_in((yield self._steps))
        if (known := self._begin(call)) is not None:
            return self._value(call, known)
        try:
            began = clock.monotonic()
            value = yield call
            step = self._returned(call, value, began)
            self._run.renew_budget()
            self._keep(step, (yield lambda: self._record(step)))
            return value
        finally:
            self._under_way.discard(call.name)

    def sleep(self, length: int, name: str | None) -> None:
        """Return if the sleep has ended; otherwise record it, unless it is recorded already, and raise
        ``JobSuspended``.
        """
        refuse_on_loop_thread("job.sleep()", "job.asleep()")
        drive(self._slept(length, name), self._do)

    async def asleep(self, length: int, name: str | None) -> None:
        """``sleep`` for async code."""
        await adrive(self._slept(length, name), self._ado)

    def _slept(self, length: int, name: str | None) -> Generator[StepCall | Ask, Any, None]:
        if self._recorded is None:
            self._take_in((yield self._steps))
        known = self._begin_pause(name)
        if isinstance(known, StepRecord):
            left = (_of_kind(known, StepKind.SLEEP).wake_at or 0) - round(clock.monotonic() * 1000 + self._ahead)
        else:
            step = self._numbered(NewStep(known, 0, StepKind.SLEEP, delay=length))
            self._run.renew_budget()
            left = self._keep(step, (yield lambda: self._record(step))) or 0
        if left > 0:
            raise JobSuspended(left, "sleep")

    def wait_for(self, event: str, timeout: int | None, name: str | None) -> object:
        """The value of the event; ``JobSuspended`` if it has not come yet, ``EventTimeout`` if it is late."""
        refuse_on_loop_thread("job.wait_for()", "job.await_for()")
        return drive(self._waited(validate.event_name(event), timeout, name), self._do)

    async def await_for(self, event: str, timeout: int | None, name: str | None) -> object:
        """``wait_for`` for async code."""
        return await adrive(self._waited(validate.event_name(event), timeout, name), self._ado)

    def _waited(self, event: str, timeout: int | None, name: str | None) -> Generator[StepCall | Ask, Any, object]:
        if self._recorded is None:
            self._take_in((yield self._steps))
        known = self._begin_pause(name)
        if isinstance(known, StepRecord):
            _of_event(known, event)
            if known.ended_at is not None:
                return self._event(event, known.kind, known.result)
            wait = Wait(known.name, known.number, event, timeout)
        else:
            wait = Wait(known, self._numbered(NewStep(known, 0)).number, event, timeout)
        self._run.renew_budget()
        outcome: WaitOutcome | None = yield lambda: self._await(wait)
        if outcome is None:
            raise self._lost()
        if not outcome.is_over:
            raise JobSuspended(FOREVER if outcome.left is None else outcome.left, "event")
        with self._lock:
            assert self._recorded is not None
            self._size += len(outcome.value or "")
            self._recorded[wait.name] = StepRecord(wait.name, wait.number, outcome.kind, self._run.fence, began_at=0)
        return self._event(event, outcome.kind, outcome.value)

    def _await(self, wait: Wait) -> Operation[WaitOutcome | None]:
        waiting = await_event(self._run.seq, self._run.fence, wait, worker=self._store.worker)
        return self._store.ask(self._run, waiting)

    def _event(self, event: str, kind: str, value: str | None) -> object:
        if kind == StepKind.TIMEOUT:
            raise EventTimeout(f"job {self._run.id}: the event {event!r} did not come in time")
        try:
            return self._store.codec.decode_result(None, value)
        except NoKey:
            raise
        except PayloadError as error:
            raise PayloadError(f"event {event!r}: its value cannot be read: {error}") from error

    def _do(self, what: StepCall | Ask) -> Any:
        return tried(what, self._run) if isinstance(what, StepCall) else asked(self._store.session, what, self._run)

    async def _ado(self, what: StepCall | Ask) -> Any:
        if isinstance(what, StepCall):
            return await atried(what)
        return await aasked(self._store.session, what, self._run)

    def _steps(self) -> Operation[StoredSteps | None]:
        return self._store.ask(self._run, steps_of_run(self._run.seq, self._run.fence, worker=self._store.worker))

    def _record(self, step: NewStep) -> Operation[RecordedStep | None]:
        recording = record_step(self._run.seq, self._run.fence, step, worker=self._store.worker)
        return self._store.ask(self._run, recording)

    def _take_in(self, found: StoredSteps | None) -> None:
        if found is None:
            raise self._lost()
        with self._lock:
            if self._recorded is None:
                self._size = sum(len(step.result or "") for step in found.steps)
                self._last = max((step.number for step in found.steps), default=0)
                self._recorded = {step.name: step for step in found.steps}
                self._ahead = found.now - clock.monotonic() * 1000

    def _begin(self, call: StepCall) -> StepRecord | None:
        """What is recorded under the name; None for a step that has to be done, and is under way from here on."""
        self._run.checkpoint()
        mark = self._store.signatures.print_of(call)
        with self._lock:
            assert self._recorded is not None
            self._check(call.name, mark)
            known = self._recorded.get(call.name)
            if known is not None:
                return _of_kind(known, StepKind.STEP)
            self._check_room(call.name)
            self._under_way.add(call.name)
            return None

    def _begin_pause(self, name: str | None) -> StepRecord | str:
        """What is recorded of a pause, or the name to record it under: without a name of its own, its number."""
        self._run.checkpoint()
        with self._lock:
            assert self._recorded is not None
            if name is None:
                self._pauses += 1
                name = f"#{self._pauses}"
            elif validate.step_name(name) in self._asked:
                raise ConfigError(f"the name {name!r} was used before in this run; give each pause a name of its own")
            self._asked[name] = None
            known = self._recorded.get(name)
            if known is None:
                self._check_room(name)
            return known or name

    def _check_room(self, name: str) -> None:
        assert self._recorded is not None
        if len(self._recorded) + len(self._under_way) >= MOST_STEPS:
            raise StepRejected(
                f"step {name!r}: job {self._run.id} has recorded {MOST_STEPS:,} steps, and no job may have more; do "
                "several things in one step, or enqueue other jobs for them"
            )

    def _check(self, name: str, mark: bytes | None) -> None:
        """``ConfigError`` for a name that this run has used for something else, or is using at this moment."""
        if name in self._under_way:
            raise ConfigError(f"step {name!r} is under way in this run already; give each call a name of its own")
        before = self._asked.setdefault(name, mark)
        if None not in (before, mark) and before != mark:
            raise ConfigError(
                f"step {name!r} was called with another function or other arguments before in this run, and would get "
                f"its result; give each call a name of its own, such as f'{name}-{{number}}'"
            )

    def _returned(self, call: StepCall, value: object, began: float) -> NewStep:
        """The step of a function that has returned; ``StepRejected`` where its result cannot be stored."""
        try:
            result = self._store.codec.encode_result(self._store.signatures.of(call.function), value)
        except Exception as error:  # the codec raises PayloadError; a class of the user's may raise anything
            raise StepRejected(f"step {call.name!r} has run, but its {error}; the job does not run again") from error
        size = len(result or "")
        with self._lock:
            if self._size + size > MOST_BYTES:
                raise StepRejected(
                    f"step {call.name!r} has run, but with its result of {size:,} bytes the steps of job "
                    f"{self._run.id} would be larger than {MOST_BYTES:,} bytes together; store large values elsewhere "
                    "and return where they are"
                )
            self._size += size
        ran_for = round((clock.monotonic() - began) * 1000)
        return self._numbered(NewStep(call.name, 0, ran_for=ran_for, result=result))

    def _numbered(self, step: NewStep) -> NewStep:
        with self._lock:
            self._last += 1
            return replace(step, number=self._last)

    def _keep(self, step: NewStep, answer: RecordedStep | None) -> int | None:
        """Remember a step that was recorded; of a sleep, in how many milliseconds it ends."""
        if answer is None:
            raise self._lost()
        with self._lock:
            assert self._recorded is not None
            self._recorded[step.name] = StepRecord(
                step.name, step.number, step.kind, self._run.fence, began_at=0, result=step.result
            )
        return answer.left

    def _value(self, call: StepCall, known: StepRecord) -> object:
        try:
            return self._store.codec.decode_result(self._store.signatures.of(call.function), known.result)
        except NoKey:
            raise
        except PayloadError as error:
            raise PayloadError(f"step {call.name!r}: its recorded result cannot be read: {error}") from error

    def _lost(self) -> LeaseLost:
        return LeaseLost(f"job {self._run.id}: another run has taken over (our fence is {self._run.fence})")


def _of_event(known: StepRecord, event: str) -> None:
    if known.kind not in (StepKind.EVENT, StepKind.TIMEOUT):
        _of_kind(known, StepKind.EVENT)
    if known.event != event:
        raise StepsChanged(
            f"an earlier run has waited for the event {known.event!r} under the name {known.name!r}, where this one "
            f"waits for {event!r}: make the event's name of what does not change between runs, or give the wait a name"
        )


def _of_kind(known: StepRecord, kind: StepKind) -> StepRecord:
    if known.kind != kind:
        raise StepsChanged(
            f"an earlier run has recorded a {known.kind} under the name {known.name!r}, where this one has a {kind}: "
            "the code has changed under a job that is half done; use new names for what is new"
        )
    return known

"""Encrypts anew what is stored under an older key, page by page, beside running workers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

from msgspec.structs import replace

from windlass.client.client import Client
from windlass.core.encryption.renewal import renewed_call, renewed_errors, renewed_text
from windlass.core.records import JobRecord
from windlass.errors import NoKey, PayloadError
from windlass.schedules.encrypted import renewed_definition
from windlass.steps.encrypted import step_owner
from windlass.store.operations.encryption.rekey import NewEventText, NewStepText, NewTexts, rekey
from windlass.store.operations.schedules.changes import change, every_schedule
from windlass.store.operations.schedules.records import ScheduleRecord
from windlass.store.operations.steps.sent_events import sent_events
from windlass.store.operations.steps.steps import steps_of
from windlass.store.operations.transfer import Batch, export, scan
from windlass.store.pages import portions

_TRIES = 5
"""How often the texts of a page are looked at that others change meanwhile."""
_STEPS_AT_ONCE = 16

A = TypeVar("A")


@dataclass(slots=True)
class Rekeyed:
    """What a walk through a store has done."""

    jobs: int = 0
    """How many were looked at."""
    texts: int = 0
    """How many texts are under the newest key now that were not."""
    left: int = 0
    """How many others wrote meanwhile, or had in hand: another walk will find them."""
    damaged: int = 0
    """How many cannot be opened with their key."""
    missing: Counter[str] = field(default_factory=Counter)
    """How many need a key that is not at hand, by its id."""

    @property
    def is_complete(self) -> bool:
        """Whether all that is encrypted is under the newest key, but for what is damaged."""
        return not self.left and not self.missing


def rekey_store(client: Client, *, clear: bool = False) -> Rekeyed:
    """Encrypt anew what is under an older key; with ``clear`` also what is not encrypted, and would be today.

    It may run beside workers and be repeated: each text is replaced only if it is still the one that was read.
    """
    walk = _Walk(client, clear=clear)
    walk.jobs()
    walk.events()
    walk.schedules()
    return walk.done


class _Walk:
    def __init__(self, client: Client, *, clear: bool) -> None:
        self._client = client
        self._encryption = client.encryption
        _ = client.encryption.keys  # without any there is nothing to do
        self._clear = clear
        self.done = Rekeyed()

    def jobs(self) -> None:
        run = self._client.session.run
        after: int | None = 0
        while after is not None:
            walked = run(scan(after=after, queue=None))
            for stops in portions(walked.stops):
                batch = run(export([stop.id for stop in stops]))
                self.done.jobs += len(batch.jobs)
                self._renew(batch)
                for seq, id in batch.stepped:
                    self._renew_steps(seq, id, clear=self._is_to_be(_task_of(batch, id)))
            after = walked.next

    def events(self) -> None:
        """The values of events that are kept for jobs."""
        run, offset = self._client.session.run, 0
        while events := run(sent_events(offset)):
            clear = self._clear and self._encryption.by_default
            new = [
                NewEventText(event.name, event.value or "", text)
                for event in events
                if (text := self._new("event", (event.name,), event.value, clear=clear)) is not None
            ]
            if new:
                run(rekey(events=new))
                self.done.texts += len(new)
            offset += len(events)

    def schedules(self) -> None:
        """What schedules say of their jobs."""
        for record in self._client.session.run(every_schedule()):
            if self._opened(partial(self._renewed_schedule, record), counts=True) not in (None, record):
                # A fire that comes in between is no conflict: it is made from what the schedule is then.
                self._client.session.run(change(record.name, lambda now, _: self._renewed_or_same(now)))
                self.done.texts += 1

    def _renewed_or_same(self, record: ScheduleRecord) -> ScheduleRecord:
        return self._opened(partial(self._renewed_schedule, record), counts=False) or record

    def _renewed_schedule(self, record: ScheduleRecord) -> ScheduleRecord:
        clear = self._is_to_be(record.task)
        return replace(
            record,
            definition=renewed_definition(self._encryption, record.name, record.definition, clear=clear),
            declared=record.declared
            and renewed_definition(self._encryption, record.name, record.declared, clear=clear),
        )

    def _renew(self, batch: Batch) -> None:
        """Replace the texts of a page, and look again until none is left, or others are too busy with them."""
        run, jobs = self._client.session.run, batch.jobs
        for number in range(_TRIES):
            # What cannot be opened is counted once.
            new = [texts for job in jobs if (texts := self._new_texts(job, counts=not number)) is not None]
            if number:
                self.done.texts -= sum(map(_number, new))
            if not new:
                return
            for few in _sized(new):
                run(rekey(few))
            self.done.texts += sum(map(_number, new))
            changed = {texts.seq for texts in new}
            jobs = run(export([job.id for job in jobs if job.seq in changed])).jobs
        left = sum(_number(texts) for job in jobs if (texts := self._new_texts(job, counts=False)) is not None)
        self.done.texts -= left
        self.done.left += left

    def _new_texts(self, job: JobRecord, *, counts: bool) -> NewTexts | None:
        clear, encryption = self._is_to_be(job.task), self._encryption
        others = ("meta", "result", "progress")
        renewals: dict[str, Callable[[], str | None]] = {
            "payload": partial(renewed_call, encryption, job, clear=clear),
            "errors": partial(renewed_errors, encryption, job, clear=clear),
            **{
                name: partial(renewed_text, encryption, name, (job.id,), getattr(job, name), clear=clear)
                for name in others
            },
        }
        found = {name: self._opened(renew, counts=counts) for name, renew in renewals.items()}
        old = {f"old_{name}": getattr(job, name) for name, text in found.items() if text is not None}
        return NewTexts(job.seq, **found, **old) if old else None

    def _renew_steps(self, seq: int, id: str, *, clear: bool) -> None:
        run = self._client.session.run
        steps = run(steps_of(seq, results=True))
        new = [
            NewStepText(seq, step.name, step.result or "", text)
            for step in steps
            if (text := self._new(*step_owner(id, step), step.result, clear=clear)) is not None
        ]
        for first in range(0, len(new), _STEPS_AT_ONCE):
            run(rekey(steps=new[first : first + _STEPS_AT_ONCE]))
        self.done.texts += len(new)

    def _new(self, field: str, owner: tuple[str, ...], text: str | None, *, clear: bool) -> str | None:
        return self._opened(lambda: renewed_text(self._encryption, field, owner, text, clear=clear), counts=True)

    def _opened(self, renew: Callable[[], A | None], *, counts: bool) -> A | None:
        try:
            return renew()
        except NoKey as error:
            self.done.missing[error.key_id or "?"] += int(counts)
        except PayloadError:
            self.done.damaged += int(counts)
        return None

    def _is_to_be(self, task: str) -> bool:
        """Whether clear texts of this task's jobs are to be encrypted."""
        return self._clear and self._client.enqueuer.is_encrypted(self._client.registry.find(task))


def _task_of(batch: Batch, id: str) -> str:
    return next((job.task for job in batch.jobs if job.id == id), "")


def _number(texts: NewTexts) -> int:
    return sum(getattr(texts, name) is not None for name in ("payload", "meta", "result", "errors", "progress"))


def _sized(new: Sequence[NewTexts]) -> Iterator[list[NewTexts]]:
    """In portions that a call can carry: each text is there twice, and encrypted ones are a third longer."""
    yield from ([found.texts for found in portion] for portion in portions([_Sized(texts) for texts in new]))


@dataclass(frozen=True, slots=True)
class _Sized:
    texts: NewTexts

    @property
    def size(self) -> int:
        values: list[Any] = [getattr(self.texts, name) for name in self.texts.__struct_fields__]
        return sum(len(value) for value in values if isinstance(value, str))
